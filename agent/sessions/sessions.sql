-- Session ids that the agent goes by where no editor has the project open.

create table if not exists session (
  root text not null primary key,
  project_key text not null,
  session_id text not null
) without rowid;
