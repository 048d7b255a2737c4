-- What ph remembers of one project for one workspace. Everything here can be learnt again by reading the files and asking
-- the library; without it a push is slower, and an edit of a file without a GUID is held until someone says what it is.

-- One row per file that was ever read, its path taken from the project's root with '/'.
create table if not exists file (
  file text not null primary key,
  -- Size, times, inode and device when it was read (project/fingerprint.ts); '' says: read it again.
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
  -- It was placed as a read-only link into the content cache.
  linked integer not null default 0,
  -- What the library was told that the file needs (edgesKey in push/plan/references.ts).
  edges text,
  -- What the file says of itself (project/file-facts.ts); null when its bytes came from the library and were not looked into yet.
  facts text
) without rowid;
create index if not exists file_package on file (package) where package is not null;
create index if not exists file_guid on file (guid) where guid is not null;
create index if not exists file_object on file (object_id) where object_id is not null;
create index if not exists file_entry on file (entry_id) where entry_id is not null;

-- address, root (for people who look into this file), facts_version, feed (feed.ts), problems (of the last whole push),
-- held (which current versions were named to a person, push/held/answers.ts),
-- faces (how far the feed was followed by ph status), last_push (which push the rows of `pushed` are of, last-push.ts).
create table if not exists remembered (
  key text not null primary key,
  value text not null
) without rowid;

-- One row per pull that began and did not end: the next one takes the same claim up again, or lets it go (open-pulls.ts).
create table if not exists pull (
  job_id integer not null primary key,
  -- Null until the library has answered the claim.
  claim_token text,
  -- What was asked for, as JSON; null for a job that someone else ordered.
  ordered text,
  begun_at text not null
);

-- Files that such a pull was about to put into place, written down before the first of them was.
create table if not exists pulled (
  job_id integer not null,
  content_hash text not null,
  -- Where it goes, from the project's root with '/'.
  file text not null,
  -- Size, modification time, inode and device of the new file, which renaming keeps: whatever has these is that file.
  mark text not null,
  -- What the report says of it once it is in place, as JSON.
  item text not null,
  primary key (job_id, content_hash)
) without rowid;

-- Which version is current of the lineages that files here belong to, as ph status last heard (status/ask-library.ts). One row per lineage
-- that the library was asked about; no object: it has no such lineage. deleted: who deleted its entry and when, as JSON.
create table if not exists face (
  lineage_id text not null primary key,
  object_id integer,
  content_hash text,
  entry_id integer,
  deleted text
) without rowid;

-- What the last push that registered something did, for `ph undo` (last-push.ts). One row per lineage; the next such push empties it.
create table if not exists pushed (
  lineage_id text not null primary key,
  -- The version that it made current, and the one that was current before: null when it began the lineage.
  object_id integer not null,
  before_object_id integer,
  -- Null for what is no entry.
  entry_id integer,
  file text not null,
  name text not null,
  -- What the entry was called before the push gave it the name of its file; null when it did not.
  renamed_from text,
  -- Of the version that it made current; null where an older ph pushed it.
  content_hash text
) without rowid;

-- Its commits, as the library names them: with these it takes the push back whole. Commits to an older library have no key.
create table if not exists pushed_batch (
  batch_key text not null primary key
) without rowid;
-- The parts of levels, external actors and objects, as they were pushed or pulled here last (level-parts.ts); set_id is null where no set of
-- the library is known as a whole.
create table if not exists level (
  lineage_id text not null primary key,
  set_id integer,
  -- The newest set of the library, as ph status last heard; level_news says what it changed of set_id. Null where that is not known.
  news_set integer
) without rowid;
create table if not exists level_part (
  lineage_id text not null,
  -- Its package name in lower case.
  path text not null,
  file text not null,
  hash text not null,
  -- The level has it no more; it lies here all the same.
  stays integer not null default 0,
  primary key (lineage_id, path)
) without rowid;
create unique index if not exists level_part_path on level_part (path);

-- What the newest set of a level changed of the one that is known here (status/level-news.ts); no hash: it left the level.
create table if not exists level_news (
  path text not null primary key,
  lineage_id text not null,
  object_id integer,
  hash text,
  -- What people call it.
  label text,
  class text not null,
  -- added, changed or removed.
  change text not null
) without rowid;
