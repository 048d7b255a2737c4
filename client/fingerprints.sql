-- What ph remembers of one project for one workspace. Everything here can be learnt again by reading the files and asking
-- the library; without it a push is slower, and an edit of a file without a GUID is held until somebody says what it is.

-- One row per file that was ever read, its path taken from the project's root with '/'.
create table file (
  file text not null primary key,
  -- Size, times, inode and device when it was read (fingerprint.ts); '' says: read it again.
  stat text not null,
  hash text not null,
  size integer not null,
  -- The library holds the file as it is, with everything this side can give: nothing is to be done as long as `stat` stays.
  settled integer not null default 0,
  -- Its package name in lower case, as it was sent.
  package text,
  guid text,
  -- The version in the library that the file is (base_hash = hash) or was edited from, and who that version was.
  base_hash text,
  base_guid text,
  base_class text,
  lineage_id text,
  object_id integer,
  entry_id integer,
  -- What the library was told that the file needs (edgesKey in references.ts).
  edges text,
  facts text not null
) without rowid;
create index file_package on file (package) where package is not null;
create index file_guid on file (guid) where guid is not null;
create index file_object on file (object_id) where object_id is not null;
create index file_entry on file (entry_id) where entry_id is not null;

-- address, root (for people who look into this file), facts_version, feed (feed-check.ts), problems (of the last whole push).
create table remembered (
  key text not null primary key,
  value text not null
) without rowid;
