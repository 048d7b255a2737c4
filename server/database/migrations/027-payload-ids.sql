-- The source data in a version's file, by id: the first 20 bytes of BLAKE3 of their raw bytes, as Unreal packages call them. Versions that
-- have one in common hold the same mesh, picture or sound. A version has up to 64, and loses them only when it is deleted.
create table payload_ids (
  workspace_id bigint not null,
  payload_id   bytea  not null,
  object_id    bigint not null,
  primary key (workspace_id, payload_id, object_id)
);
create index payload_ids_object on payload_ids (workspace_id, object_id);
