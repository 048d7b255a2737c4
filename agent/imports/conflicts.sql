-- Files that an import would replace: asked about, or with a version of the library that waits since the local file was kept.

-- One row per file of a project and workspace, by its path below the project's root. Ids are never given twice.
create table if not exists conflict (
  id integer primary key autoincrement,
  -- Address of the workspace: numbers of jobs and props mean something else in another one.
  server text not null,
  root text not null,
  file text not null,
  -- As the agent's API tells it, without the id.
  told text not null,
  unique (server, root, file)
);
