-- What versions of before referred to, and the parts of their levels, are brought to what is kept of them now: some at a time, in the background
-- (server/rows/upgrade/). A version whose project is null still waits.
alter table objects alter column project_id drop not null, alter column project_id drop default;
create index objects_waiting on objects (workspace_id, lineage_id) where project_id is null;

create table reference_upgrades (
  workspace_id bigint      primary key references workspaces (id) on delete cascade,
  found        integer     not null,             -- versions that waited at first
  versions     integer     not null default 0,   -- of those, the ones that are done
  doubled      integer     not null default 0,   -- references that went: a later push had added a second one to the same path
  level_sets   integer     not null default 0,   -- sets that were made of references of levels to their parts
  level_parts  integer     not null default 0,
  completed    integer     not null default 0,   -- references whose target came before they were done
  done_until   text        not null default '',  -- the last lineage that is done
  ended_at     timestamptz
);
insert into reference_upgrades (workspace_id, found)
select workspace_id, count(*) from objects where project_id is null group by workspace_id;

-- Redirectors are few; those that nothing refers to are swept (server/curation/unnamed-files.ts).
create index objects_redirectors on objects (workspace_id, id) where asset_class = 'ObjectRedirector';
