-- What this machine could not make, for one workspace, so that it is not tried for ever. Everything here can be found out again.
create table if not exists given_up (
  hash text not null,
  -- `preview by push`, `thumbnail by worker` and so on.
  what text not null,
  -- The version of the maker (previews/made-media.ts): another one tries again.
  maker text not null,
  tries integer not null,
  reason text not null,
  primary key (hash, what)
) without rowid;
