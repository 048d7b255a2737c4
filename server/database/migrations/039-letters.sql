-- Files that a pull job comes without, because no project can have them under their names (server/pulls/misnamed.ts).
alter table pull_jobs add column misnamed jsonb not null default '[]';

-- A push goes to the pack and the category that are there, whatever their letters (server/curation/spellings.ts).
create index packs_letters on packs (workspace_id, lower(name), id);
create index entries_category_letters on entries (workspace_id, lower(category), id) where category is not null;
