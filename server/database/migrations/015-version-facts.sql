-- What is kept of a version besides its bytes: its number, the note and project of its push, where it lay, the plugins it uses.
-- lineages.versions is the number last given out: numbers count from 1 in each lineage and are never used again.
alter table lineages add column versions integer not null default 1;
alter table objects
  add column version     integer not null default 1,
  add column push_note   text,
  add column pushed_from text,
  add column source_path text,
  add column plugins     jsonb   not null default '[]',
  -- Its push named missing dependencies. Those that are missing still are in awaited_imports, with a path.
  add column has_missing boolean not null default false;

with counted as (
  select workspace_id, id, row_number() over (partition by workspace_id, lineage_id order by id) as version from objects)
update objects o set version = c.version
  from counted c
 where c.version > 1 and o.workspace_id = c.workspace_id and o.id = c.id;

with counted as (
  select workspace_id, lineage_id, count(*) as versions from objects group by workspace_id, lineage_id having count(*) > 1)
update lineages l set versions = c.versions
  from counted c where l.workspace_id = c.workspace_id and l.id = c.lineage_id;

-- From now on also packages that the sender named as missing: those have their path as it was sent. `hard` says what the edge becomes.
alter table awaited_imports
  add column path text,
  add column hard boolean not null default true;
create index awaited_imports_object on awaited_imports (workspace_id, object_id);
