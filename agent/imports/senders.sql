-- Other people who sent something to projects of this machine, and what its person said about them.

-- One row per workspace, project and sender. Without an answer it was asked, and nothing of theirs is brought.
create table if not exists sender (
  -- Address of the workspace: numbers of people mean something else in another one.
  server text not null,
  project_key text not null,
  sender_id integer not null,
  name text not null,
  display_name text not null,
  answer text,
  at text not null,
  primary key (server, project_key, sender_id)
) without rowid;
