-- What the content cache of this machine holds. It may be deleted at any time: files are found again by their names, which are
-- their hashes, and are read once before they are believed.

create table if not exists object (
  hash text not null primary key,
  size integer not null,
  -- Size, times, inode and device when the bytes were last known to have the hash (project/fingerprint.ts).
  stat text not null,
  -- The start of the system in which that was: what was written just before a power cut may not have reached the disk.
  boot text not null,
  used_ms integer not null
) without rowid;
create index if not exists object_used on object (used_ms);

-- Files that a running pull is about to use. A pull that died without ending its hold has lost it when its time is over.
create table if not exists hold (
  holder text not null,
  hash text not null,
  until_ms integer not null,
  primary key (hash, holder)
) without rowid;
create index if not exists hold_holder on hold (holder);
