-- Packs and categories that are named after folders longer than a name may be: cut, as they are made now. Packs that are alike then
-- are one, the one that was there first.
create temporary table looks_different (workspace_id bigint, entity_id bigint, lineage_id text, at timestamptz) on commit drop;
create temporary table alike on commit drop as
select p.workspace_id, p.id, first.id as kept, char_length(p.name) > 200 or p.id <> first.id as changes
  from packs p
  join (select workspace_id, left(name, 200) as name, min(id) as id from packs group by workspace_id, left(name, 200)
        having max(char_length(name)) > 200) first
    on first.workspace_id = p.workspace_id and first.name = left(p.name, 200);

insert into looks_different
select e.workspace_id, e.id, e.lineage_id, e.date_updated
  from alike a
  join objects o on o.workspace_id = a.workspace_id and o.pack_id = a.id
  join lineages l on l.workspace_id = o.workspace_id and l.face_object_id = o.id
  join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
 where a.changes
union
select workspace_id, id, lineage_id, date_updated from entries where char_length(category) > 120;

update packs p
   set source_path = coalesce(p.source_path, other.source_path), engine_version = coalesce(p.engine_version, other.engine_version),
       product_url = coalesce(p.product_url, other.product_url), notes = coalesce(p.notes, other.notes)
  from (select a.workspace_id, a.kept, min(o.source_path) as source_path, min(o.engine_version) as engine_version,
               min(o.product_url) as product_url, min(o.notes) as notes
          from alike a join packs o on o.workspace_id = a.workspace_id and o.id = a.id
         where a.id <> a.kept group by a.workspace_id, a.kept) other
 where p.workspace_id = other.workspace_id and p.id = other.kept;
update objects o set pack_id = a.kept from alike a where a.id <> a.kept and o.workspace_id = a.workspace_id and o.pack_id = a.id;
delete from packs p using alike a where a.id <> a.kept and p.workspace_id = a.workspace_id and p.id = a.id;
update packs set name = left(name, 200) where char_length(name) > 200;
update entries set category = left(category, 120) where char_length(category) > 120;

-- Mirrors are told, as of the last time that anything was recorded.
with told as (
  select d.*, row_number() over (partition by workspace_id order by entity_id) as place from looks_different d),
heads as (
  update feed_heads h set change_seq = h.change_seq + counted.records
    from (select workspace_id, count(*) as records from looks_different group by workspace_id) counted
   where h.workspace_id = counted.workspace_id
  returning h.workspace_id, h.change_seq - counted.records as before)
insert into changes (workspace_id, seq, entity, entity_id, lineage_id, op, created_at)
select t.workspace_id, h.before + t.place, 'entry', t.entity_id, t.lineage_id, 'upsert',
       coalesce((select max(c.created_at) from changes c where c.workspace_id = t.workspace_id), t.at)
  from told t join heads h on h.workspace_id = t.workspace_id;
drop table alike;
drop table looks_different;
