-- What the front door counts and remembers.

-- The program that last used the key, as it names itself (X-PH-Client: <name>/<version>).
alter table api_keys add column last_client text;

-- Requests that each key made within the last minute, where several processes share them (spec 8). Not worth a journal: after a crash of
-- the database everybody begins with an empty window.
-- budget: 0 most requests, 1 the larger one of pushes. runs: requests that came close together, oldest first, each as
-- (time of the last one in ms) * 2^21 + how many: at most 241 of them, so that a row never outgrows its page's share.
create unlogged table request_windows (
  workspace_id bigint   not null,
  key_id       bigint   not null,
  budget       smallint not null,
  runs         bigint[] not null,
  let_in       boolean  not null,            -- whether the last request was
  seen_at      bigint   not null,            -- ms; rows that nobody used for a while are removed
  primary key (workspace_id, key_id, budget)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Bytes that the workspace keeps: of every version, every finished media file, and every loose file below that counts. Whoever adds or removes
-- one changes the number in the same transaction, under the lock of the workspace's row (server/storage/stored-bytes.ts).
alter table workspaces add column stored_bytes bigint not null default 0;

update workspaces w
   set stored_bytes = (select coalesce(sum(o.blob_size), 0) from objects o where o.workspace_id = w.id)
                    + (select coalesce(sum(a.size), 0) from artifacts a where a.workspace_id = w.id and a.finished_at is not null);

-- Files that nothing refers to: not yet, because they were just uploaded, or no longer, because what used them was deleted (then they do
-- not count). A row goes when a version or a media file takes the bytes over. key: as the storage knows it.
create table loose_files (
  workspace_id bigint  not null,
  key          text    not null collate "C",
  size         bigint  not null,
  is_counted   boolean not null default true,
  loose_since  timestamptz not null,
  primary key (workspace_id, key)
);
