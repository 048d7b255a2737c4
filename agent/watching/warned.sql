-- Files that were warned of within the last hour: milliseconds of the epoch.

create table if not exists warned (
  path text not null primary key,
  at integer not null
) without rowid;
