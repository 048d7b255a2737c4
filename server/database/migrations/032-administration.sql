-- When each kind of sweep was last tried without removing anything: a real one is refused unless that was a short time ago.
create table sweep_dry_runs (
  workspace_id bigint      not null references workspaces (id) on delete cascade,
  kind         text        not null,
  made_at      timestamptz not null,
  primary key (workspace_id, kind)
);

-- What is stored, by pack and by month (server/storage/counting/figures.ts), is read from indexes alone.
drop index objects_pack;
create index objects_pack on objects (workspace_id, pack_id) include (blob_size, date_ingested);
create index artifacts_sizes on artifacts (workspace_id, kind) include (size) where finished_at is not null;
-- Versions of packages whose GUID is on the denylist.
create index objects_guid on objects (workspace_id, package_guid) where package_guid is not null;
