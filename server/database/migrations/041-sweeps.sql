-- When each kind of sweep was last tried without removing anything: a real one is refused unless that was a short time ago.
create table sweep_dry_runs (
  workspace_id bigint      not null references workspaces (id) on delete cascade,
  kind         text        not null,
  made_at      timestamptz not null,
  primary key (workspace_id, kind)
);
