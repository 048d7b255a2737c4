-- Files that a check or a restored backup lacks or found to hold other bytes. A push that brings the same bytes puts them in their place,
-- and the row goes.
create table damaged_files (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  key          text   not null collate "C",
  damage       text   not null check (damage in ('missing', 'size', 'content')),
  found_at     timestamptz not null,
  primary key (workspace_id, key)
);

-- The SHA-256 of files whose names do not say it: pictures, previews and attachments, as the first check found them.
create table file_sums (
  workspace_id bigint not null references workspaces (id) on delete cascade,
  key          text   not null collate "C",
  sha256       text   not null,
  primary key (workspace_id, key)
);

-- Backups under way: until then no sweep removes a file. Who takes one says again and again that it goes on.
create table backup_holds (
  id         text primary key,
  held_until timestamptz not null
);
