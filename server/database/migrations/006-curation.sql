-- Curation: tags and collections, and what deletions and projects have to find fast.

-- Names differ by more than case: name_key is the name without it.
create table tags (
  workspace_id bigint not null,
  id           bigint generated always as identity,
  name         text   not null,
  name_key     text   not null collate "C",
  color        text,
  created_by   bigint,
  created_at   timestamptz not null,
  primary key (workspace_id, id),
  constraint tags_name unique (workspace_id, name_key)
);

-- Whoever adds a row holds the tag for key share, then the entry's lineage; whoever changes or deletes the tag holds it for update.
create table entry_tags (
  workspace_id bigint not null,
  tag_id       bigint not null,
  entry_id     bigint not null,
  primary key (workspace_id, tag_id, entry_id)
);
create index entry_tags_entry on entry_tags (workspace_id, entry_id);

create table collections (
  workspace_id bigint not null,
  id           bigint generated always as identity,
  name         text   not null collate "C",
  description  text,
  created_by   bigint,
  created_at   timestamptz not null,
  updated_by   bigint,
  date_updated timestamptz not null,
  primary key (workspace_id, id),
  constraint collections_name unique (workspace_id, name)
);

-- Whoever changes the rows of a collection holds it for update, then the entries' lineages.
create table collection_entries (
  workspace_id  bigint not null,
  collection_id bigint not null,
  entry_id      bigint not null,
  added_by      bigint,
  added_at      timestamptz not null,
  primary key (workspace_id, collection_id, entry_id)
);
create index collection_entries_entry on collection_entries (workspace_id, entry_id);

create index package_guids_lineage on package_guids (workspace_id, lineage_id);
create index pull_jobs_project_name on pull_jobs (workspace_id, lower(target_project));
