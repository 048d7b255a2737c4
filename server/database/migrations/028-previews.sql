-- Previews that the server makes by itself (server/work/previews.ts): a row for a version that it is at, or that it could not make them of.
-- A row without a reason was left by a server that ended in the middle: the second one is the last.
create table preview_attempts (
  workspace_id bigint      not null,
  object_id    bigint      not null,
  maker        text        not null,          -- previews/made-media.ts: another one tries again
  tries        integer     not null,
  tried_at     timestamptz not null,
  reason       text,
  primary key (workspace_id, object_id),
  foreign key (workspace_id, object_id) references objects (workspace_id, id) on delete cascade
);
