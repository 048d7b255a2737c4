-- What the desktop agent of one state folder remembers of the projects that people linked.

-- One row per project and workspace, by its folder with links resolved.
create table if not exists project (
  -- Address of the workspace that it was linked in: an agent of another one leaves it alone.
  server text not null,
  root text not null,
  project_key text not null,
  accepts_imports integer not null,
  auto_checkout integer not null,
  -- What a person said where the .uproject names no engine.
  engine_version text,
  linked_at text not null,
  -- Whether a .uproject lay there: where it does not, the folder is what a disk that is not there leaves behind, or another project.
  has_descriptor integer not null default 0,
  -- Whether imports may move files that have no place in it any more into its backups.
  takes_away integer not null default 0,
  primary key (server, root)
) without rowid;
