-- What people are told, what they want to be told, and which entries they watch (spec 4.11).

-- One row per person and action. What it was about may be gone since, but for the entry: its notifications go with it.
create table notifications (
  workspace_id bigint not null,
  id           bigint generated always as identity,
  member_id    bigint not null,
  reason       text   not null,
  actor_id     bigint,
  entry_id     bigint not null,
  lineage_id   text   not null,
  object_id    bigint,
  comment_id   bigint,
  request_id   bigint,
  payload      jsonb  not null default '{}',
  created_at   timestamptz not null,
  seen_at      timestamptz,
  read_at      timestamptz,
  primary key (workspace_id, id)
);
create index notifications_member on notifications (workspace_id, member_id, id);
create index notifications_unread on notifications (workspace_id, member_id, id) where read_at is null;
create index notifications_unseen on notifications (workspace_id, member_id, id) where seen_at is null;
create index notifications_entry on notifications (workspace_id, entry_id);
create index notifications_read on notifications (workspace_id, read_at) where read_at is not null;

-- enabled: {reason: true or false}. A reason that is not in it has what `*` says, and is enabled where that is not in it either.
create table notification_prefs (
  workspace_id bigint not null,
  member_id    bigint not null,
  enabled      jsonb  not null,
  primary key (workspace_id, member_id)
);

-- What people said, or began by taking part. Who created an entry watches it without a row. Who writes a row holds the entry
-- for key share, so that none is left of an entry that is deleted.
create table watches (
  workspace_id bigint not null,
  entry_id     bigint not null,
  member_id    bigint not null,
  state        text   not null check (state in ('watching', 'muted')),
  reason       text   not null,
  created_at   timestamptz not null,
  primary key (workspace_id, entry_id, member_id)
);
create index watches_member on watches (workspace_id, member_id, created_at, entry_id);
-- What someone watches without a row.
create index entries_creator on entries (workspace_id, created_by, date_indexed, id);
