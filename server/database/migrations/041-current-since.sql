-- How the current version became that, where no push made it: restored, or a later one was undone. Null: it was pushed, by and when its version says.
alter table lineages add column face_how text, add column face_since timestamptz, add column face_by bigint;
update lineages l set face_how = 'restore', face_since = a.created_at, face_by = a.actor_id
  from (select distinct on (workspace_id, lineage_id) workspace_id, lineage_id, object_id, actor_id, created_at
          from activity where event_type = 'entry.restore' and lineage_id is not null order by workspace_id, lineage_id, id desc) a
 where a.workspace_id = l.workspace_id and a.lineage_id = l.id and a.object_id = l.face_object_id
   and l.face_object_id < (select max(o.id) from objects o where o.workspace_id = l.workspace_id and o.lineage_id = l.id);
