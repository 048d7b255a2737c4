-- What people call an external actor of a level, as its file says it: the label of the outliner. Null of all other files, and of those that keep none.
alter table objects add column label text;

-- What a set brought: found without looking at all that the level has.
create index level_parts_from on level_parts (workspace_id, lineage_id, project_id, from_set);
