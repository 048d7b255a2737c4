-- Requests that all keys of a member made together within the last minute (server/front-door/request-count.ts): as many as twenty keys
-- may make. Kept as request_windows are.
create unlogged table member_windows (
  workspace_id bigint   not null,
  member_id    bigint   not null,
  budget       smallint not null,
  runs         bigint[] not null,
  let_in       integer  not null,
  is_full      boolean  not null,
  seen_at      bigint   not null,
  primary key (workspace_id, member_id, budget)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
