-- What says that it is unknown was kept as if it were known: engine 0.0.0, GUIDs of zeros, empty facts of packs (contract-gaps 5).
create temporary table looks_different (workspace_id bigint, entity text, entity_id bigint, lineage_id text, at timestamptz) on commit drop;

with cleared as (
  update objects set engine_version = null where engine_version ~ '^0+(\.0+)*$' returning workspace_id, id, lineage_id, date_ingested)
insert into looks_different
select workspace_id, 'object', id, lineage_id, date_ingested from cleared
union all
select e.workspace_id, 'entry', e.id, e.lineage_id, e.date_updated
  from cleared c
  join lineages l on l.workspace_id = c.workspace_id and l.face_object_id = c.id
  join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id;

update objects set package_guid = null where package_guid ~ '^[-{}0]+$';
delete from package_guids where guid ~ '^[-{}0]+$';
update pull_jobs set engine_version = null where engine_version ~ '^0+(\.0+)*([^0-9.]|$)';
update packs
   set engine_version = case when engine_version ~ '^(\s*|0+(\.0+)*([^0-9.].*)?)$' then null else engine_version end,
       source_path = case when source_path ~ '^\s*$' then null else source_path end,
       product_url = case when product_url ~ '^\s*$' then null else product_url end
 where engine_version ~ '^(\s*|0+(\.0+)*([^0-9.].*)?)$' or source_path ~ '^\s*$' or product_url ~ '^\s*$';

-- Mirrors are told, as of the last time that anything was recorded.
with told as (
  select d.*, row_number() over (partition by workspace_id order by entity, entity_id) as place from looks_different d),
heads as (
  update feed_heads h set change_seq = h.change_seq + counted.records
    from (select workspace_id, count(*) as records from looks_different group by workspace_id) counted
   where h.workspace_id = counted.workspace_id
  returning h.workspace_id, h.change_seq - counted.records as before)
insert into changes (workspace_id, seq, entity, entity_id, lineage_id, op, created_at)
select t.workspace_id, h.before + t.place, t.entity, t.entity_id, t.lineage_id, 'upsert',
       coalesce((select max(c.created_at) from changes c where c.workspace_id = t.workspace_id), t.at)
  from told t join heads h on h.workspace_id = t.workspace_id;
drop table looks_different;
