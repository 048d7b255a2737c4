-- Projects that props were pulled into, and the orders to pull.

create table projects (
  workspace_id bigint not null,
  id           bigint generated always as identity,
  name         text   not null,
  default_root text   not null,
  notes        text,
  created_by   bigint,
  created_at   timestamptz not null,
  last_used_at timestamptz,
  primary key (workspace_id, id)
);
-- Names differ by more than case.
create unique index projects_name on projects (workspace_id, lower(name));

-- A claim holds until lease_expires_at; after that the job counts as queued, whatever status says. Only a hash of the token is kept.
create table pull_jobs (
  workspace_id     bigint not null,
  id               bigint generated always as identity,
  target_project   text   not null,
  target_root      text   not null,
  requested_by     bigint not null,
  delivery         text   not null check (delivery in ('manual', 'agent')),
  status           text   not null default 'queued' check (status in ('queued', 'claimed', 'running', 'done', 'failed', 'cancelled')),
  claimed_by       bigint,
  claim_hash       text,
  lease_expires_at timestamptz,
  engine_version   text,
  failure_reason   text,
  report           jsonb,
  entry_count      integer not null,
  object_count     integer not null,
  total_bytes      bigint  not null,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (workspace_id, id)
);
create index pull_jobs_project on pull_jobs (workspace_id, target_project, id);
create index pull_jobs_requester on pull_jobs (workspace_id, requested_by, id);
create index pull_jobs_open on pull_jobs (workspace_id, id) where status in ('queued', 'claimed', 'running');

create table pull_job_entries (
  workspace_id bigint  not null,
  job_id       bigint  not null,
  position     integer not null,
  entry_id     bigint  not null,
  object_id    bigint  not null,
  primary key (workspace_id, job_id, position)
);

-- The closure as it was when the job was ordered.
create table pull_job_objects (
  workspace_id bigint  not null,
  job_id       bigint  not null,
  position     integer not null,
  object_id    bigint  not null,
  primary key (workspace_id, job_id, position)
);
create index pull_job_objects_object on pull_job_objects (workspace_id, object_id);
