-- Background work (server/work): when each job is next due in each workspace, and which server is at it until when. A server that was
-- killed leaves its lease, which runs out; a step of work may therefore be done twice, and never harms by it.
create table background_jobs (
  workspace_id bigint  not null references workspaces (id),
  name         text    not null collate "C",
  due_at       timestamptz not null,
  leased_by    text,
  leased_until timestamptz,
  failures     integer not null default 0,   -- since it last went well
  primary key (workspace_id, name)
);
create index background_jobs_due on background_jobs (due_at);

-- Files that nobody took over for a day are found by their age.
create index loose_files_age on loose_files (workspace_id, loose_since);
