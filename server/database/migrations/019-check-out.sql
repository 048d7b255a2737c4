-- Check-outs: who is editing a lineage, and until when. A lock binds others while ended_at is null and expires_at lies ahead. Who holds
-- the lineage's row (server/rows/hold.ts) may write its locks, and nobody else.
create table locks (
  workspace_id   bigint not null,
  id             bigint generated always as identity,
  lineage_id     text   not null,
  holder_id      bigint not null,
  note           text,
  base_object_id bigint,
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  released_at    timestamptz,
  -- When the release or the expiry was recorded; such a lock never comes back, whatever the clock says later.
  ended_at       timestamptz,
  primary key (workspace_id, id)
);
create unique index locks_open on locks (workspace_id, lineage_id) where ended_at is null;
create index locks_lineage on locks (workspace_id, lineage_id, id);
create index locks_holder on locks (workspace_id, holder_id, id);
-- What is due, of all workspaces at once.
create index locks_due on locks (expires_at) where ended_at is null;

-- Editors that say they are there, one row for each process. ended_at: its person, or an admin, said that it is gone.
create table editor_sessions (
  workspace_id               bigint  not null,
  session_id                 text    not null collate "C",
  user_id                    bigint  not null,
  project_key                text    not null,
  engine_version             text,
  plugin_version             text,
  machine                    text,
  default_root               text,
  accepts_agent_imports      boolean not null,
  transfer_mode              text check (transfer_mode in ('agent', 'legacy')),
  desktop_agent              text check (desktop_agent in ('live', 'launchable', 'unavailable', 'not_required', 'unknown')),
  busy_job_id                bigint,
  last_error                 text,
  heartbeat_interval_seconds integer not null,
  started_at                 timestamptz not null,
  last_seen_at               timestamptz not null,
  ended_at                   timestamptz,
  primary key (workspace_id, session_id)
);
create index editor_sessions_user on editor_sessions (workspace_id, user_id, last_seen_at);
create index editor_sessions_seen on editor_sessions (workspace_id, last_seen_at);
-- Agent jobs that wait for an editor of the one who ordered them.
create index pull_jobs_agent on pull_jobs (workspace_id, requested_by, target_project, id)
  where delivery = 'agent' and status in ('queued', 'claimed', 'running');
