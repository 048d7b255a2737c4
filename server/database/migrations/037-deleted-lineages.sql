-- Props that were deleted, for a year: clients that still have a file of one then say so, instead of pushing it as something new.
-- A lineage of which something is still needed stays in `lineages`, without an entry; it is deleted all the same.
create table deleted_lineages (
  workspace_id bigint      not null references workspaces (id) on delete cascade,
  lineage_id   text        not null collate "C",
  name         text,                              -- of the entry, else of its file
  name_key     text        collate "C",           -- in lower case
  deleted_by   bigint,
  deleted_at   timestamptz not null,
  primary key (workspace_id, lineage_id)
);
create index deleted_lineages_name on deleted_lineages (workspace_id, name_key);
create index deleted_lineages_age on deleted_lineages (workspace_id, deleted_at);

-- What its files are known by.
create table deleted_marks (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  kind         text   not null check (kind in ('content_hash', 'package_guid', 'path')),
  mark         text   not null collate "C",       -- a path in lower case, with a space and the extension of a source file behind it
  lineage_id   text   not null collate "C",
  primary key (workspace_id, kind, mark, lineage_id)
);
create index deleted_marks_lineage on deleted_marks (workspace_id, lineage_id);

-- People are told of what was deleted: that notification names no entry.
alter table notifications alter column entry_id drop not null;

-- What else an entry is called: by the file of its current version (until is null), or before, for a year. Names are compared without
-- regard to case; the entry's own name is not among them.
create table entry_names (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  entry_id     bigint not null,
  name_key     text   not null collate "C",       -- the name in lower case
  name         text   not null,
  until        timestamptz,
  primary key (workspace_id, entry_id, name_key)
);
create index entry_names_name on entry_names (workspace_id, name_key);
create index entry_names_age on entry_names (workspace_id, until) where until is not null;

insert into entry_names (workspace_id, entry_id, name_key, name)
select e.workspace_id, e.id, lower(o.asset_name), o.asset_name
  from entries e
  join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
  join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
 where o.asset_name is not null and lower(o.asset_name) <> lower(e.name);

-- Names of earlier files: until the current version came.
insert into entry_names (workspace_id, entry_id, name_key, name, until)
select e.workspace_id, e.id, lower(o.asset_name), min(o.asset_name), max(f.date_ingested)
  from entries e
  join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
  join objects f on f.workspace_id = l.workspace_id and f.id = l.face_object_id
  join objects o on o.workspace_id = l.workspace_id and o.lineage_id = l.id
 where l.versions > 1 and o.asset_name is not null and lower(o.asset_name) <> lower(e.name)
 group by e.workspace_id, e.id, lower(o.asset_name)
on conflict do nothing;
