-- How entries look (server/looks): of each version the vector of its thumbnail, made in background work by the embedder that the server is
-- set to. One counts while the version uses the thumbnail that it was made of.
create table looks (
  workspace_id bigint not null,
  embedder     text   not null collate "C",
  object_id    bigint not null,
  artifact_id  bigint not null,
  vector       bytea,                          -- the shape, then the colour; null: the picture cannot be read
  failure      text,                           -- why
  look_seq     bigint not null,
  primary key (workspace_id, embedder, object_id),
  check ((vector is null) = (failure is not null))
);
create index looks_seq on looks (workspace_id, embedder, look_seq);

-- How far that work is, for each embedder. It looks at all entries once, and follows the change feed from where that was when it began.
create table look_progress (
  workspace_id bigint not null,
  embedder     text   not null collate "C",
  scanned_to   bigint,                         -- the last entry that was looked at; null: all were
  change_seq   bigint not null,
  used_at      timestamptz not null,           -- vectors of an embedder that no server uses go
  primary key (workspace_id, embedder)
);

-- New vectors write no change records: no mirror shows them, but search has to know. Numbers are taken as those of the change feed are
-- (server/feed.ts).
alter table feed_heads add column look_seq bigint not null default 0;
