-- Webhooks (spec 4.10, 6): endpoints, and what became of each event that was queued for them. Who writes a delivery holds its endpoint's row.

-- cursor: the last event that was queued, or that it does not want; events have numbers in the order in which they become visible
-- (server/feed.ts). replay_after, replay_to: events up to the cursor that are queued once more. The counts are those of its deliveries.
-- deleted_at: nobody sees it any more, and its deliveries go in small steps.
create table webhooks (
  workspace_id bigint  not null references workspaces (id) on delete cascade,
  id           bigint  generated always as identity,
  url          text    not null,
  secret       text    not null,
  events       jsonb,                          -- null: all types
  format       text    not null check (format in ('json', 'slack')),
  active       boolean not null,
  cursor       bigint  not null,
  replay_after bigint,
  replay_to    bigint,
  pending      bigint  not null default 0,
  delivered    bigint  not null default 0,
  failed       bigint  not null default 0,
  created_by   bigint  not null,
  created_at   timestamptz not null,
  deleted_at   timestamptz,
  primary key (workspace_id, id),
  check ((replay_after is null) = (replay_to is null))
);

-- attempt: how often it was sent. failures: how many of these failed; a server that ended meanwhile is no failure. leased_until: a server
-- is sending it; one that was killed leaves that, and it runs out.
create table webhook_deliveries (
  workspace_id     bigint  not null,
  webhook_id       bigint  not null,
  id               bigint  generated always as identity,
  event_id         bigint  not null,
  event_type       text    not null,
  status           text    not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempt          integer not null default 0,
  failures         integer not null default 0,
  first_attempt_at timestamptz,
  next_attempt_at  timestamptz,
  leased_until     timestamptz,
  delivered_at     timestamptz,
  last_error       text,
  created_at       timestamptz not null,
  primary key (workspace_id, webhook_id, id),
  foreign key (workspace_id, webhook_id) references webhooks (workspace_id, id) on delete cascade,
  check ((status = 'pending') = (next_attempt_at is not null))
);
create index webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, next_attempt_at, id) where status = 'pending';
create index webhook_deliveries_leased on webhook_deliveries (workspace_id, webhook_id) where leased_until is not null;
create index webhook_deliveries_settled on webhook_deliveries (workspace_id, created_at) where status <> 'pending';
