-- What the desktop agent of one state folder remembers of the projects that people linked.

-- One row per project, by its folder with links resolved.
create table if not exists project (
  root text not null primary key,
  project_key text not null,
  accepts_imports integer not null,
  auto_checkout integer not null,
  -- What a person said where the .uproject names no engine.
  engine_version text,
  linked_at text not null
) without rowid;
