-- Reviews: the state of each version, rounds in which several people are asked, and what each of them answered (spec 3, 4.5).

-- Kept with the record in `reviews`: lists and filters read it with the version.
alter table objects
  add column review_status text not null default 'draft' check (review_status in ('draft', 'in_review', 'changes_requested', 'approved'));

-- Of versions that are no drafts. request_id: the round that it came from. Who writes a row holds the lineage.
create table reviews (
  workspace_id bigint not null,
  object_id    bigint not null,
  state        text   not null check (state in ('in_review', 'changes_requested', 'approved')),
  assignee_id  bigint,
  decided_by   bigint not null,
  decided_at   timestamptz not null,
  note         text,
  request_id   bigint,
  primary key (workspace_id, object_id)
);
create index reviews_request on reviews (workspace_id, request_id) where request_id is not null;

-- A round. Who writes one, or an answer to it, holds the lineage.
create table review_requests (
  workspace_id bigint not null,
  id           bigint generated always as identity,
  entry_id     bigint not null,
  object_id    bigint not null,
  lineage_id   text   not null,
  status       text   not null default 'open' check (status in ('open', 'completed', 'cancelled', 'superseded')),
  requested_by bigint not null,
  note         text,
  mention_ids  bigint[] not null default '{}',   -- of members
  created_at   timestamptz not null,
  closed_at    timestamptz,
  closed_by    bigint,
  primary key (workspace_id, id)
);
create unique index review_requests_open on review_requests (workspace_id, object_id) where status = 'open';
create index review_requests_lineage on review_requests (workspace_id, lineage_id) where status = 'open';
create index review_requests_entry on review_requests (workspace_id, entry_id, id);
create index review_requests_requester on review_requests (workspace_id, requested_by, id);
create index review_requests_status on review_requests (workspace_id, status, id);

-- id: what attachments of an answer belong to. is_waiting: no answer yet, and the round is open.
create table review_reviewers (
  workspace_id bigint  not null,
  request_id   bigint  not null,
  member_id    bigint  not null,
  id           bigint  generated always as identity,
  response     text    not null default 'pending' check (response in ('pending', 'approved', 'changes_requested')),
  note         text,
  mention_ids  bigint[] not null default '{}',
  assign_to    bigint,
  responded_at timestamptz,
  is_waiting   boolean not null default true,
  primary key (workspace_id, request_id, member_id)
);
create index review_reviewers_waiting on review_reviewers (workspace_id, member_id, request_id) where is_waiting;
