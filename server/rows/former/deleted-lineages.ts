/** The only readers and writers of what is kept of deleted props, for a year: who deleted them, and what their files are known by. */
import type { DeletedLineage, Deletion } from '../../../contract/lineages.ts'
import { guidKey } from '../../../formats/package-guid.ts'
import { amongIds, amongTexts, lookupTexts } from '../../database/among.ts'
import type { Fragment, Sql } from '../../database/sql.ts'

interface Doing {
  sql: Sql
  workspace: { id: number }
  actor: { id: number }
  now: Date
}

interface Going {
  entryIds: readonly number[]
  lineageIds: readonly string[]
  /** Versions that go. */
  objectIds: readonly number[]
}

/** Before the rows go: lineages that lose their entry, and those without one that lose every version. */
export async function recordDeletions({ sql, workspace, actor, now }: Doing, going: Going): Promise<void> {
  const recorded = await sql<{ lineage_id: string }[]>`
    insert into deleted_lineages (workspace_id, lineage_id, name, name_key, deleted_by, deleted_at)
    select ${workspace.id}, l.id, coalesce(e.name, f.asset_name), lower(coalesce(e.name, f.asset_name)), ${actor.id}, ${now.toISOString()}
      from ${lookupTexts(sql, going.lineageIds)} cross join lateral (
             select * from lineages where workspace_id = ${workspace.id} and id = lookup.key offset 0) l
      cross join lateral (select asset_name from objects where workspace_id = ${workspace.id} and id = l.face_object_id offset 0) f
      left join lateral (
             select id, name from entries where workspace_id = ${workspace.id} and lineage_id = l.id offset 0) e on true
     where case when e.id is not null then e.id ${amongIds(sql, going.entryIds)} else not exists (
             select 1 from objects o
              where o.workspace_id = l.workspace_id and o.lineage_id = l.id and o.id not ${amongIds(sql, going.objectIds)}) end
    on conflict (workspace_id, lineage_id) do update
       set name = excluded.name, name_key = excluded.name_key, deleted_by = excluded.deleted_by, deleted_at = excluded.deleted_at
    returning lineage_id`
  const ids = recorded.map((row) => row.lineage_id)
  await sql`
    insert into deleted_marks (workspace_id, kind, mark, lineage_id)
    select ${workspace.id}, found.kind, found.mark, found.lineage_id
      from (select 'content_hash' as kind, content_hash as mark, lineage_id from objects
             where workspace_id = ${workspace.id} and lineage_id ${amongTexts(sql, ids)}
            union
            select 'package_guid', package_guid, lineage_id from objects
             where workspace_id = ${workspace.id} and lineage_id ${amongTexts(sql, ids)} and package_guid is not null
            union
            select 'path', path_key || ' ' || coalesce(source_ext, ''), lineage_id from objects
             where workspace_id = ${workspace.id} and lineage_id ${amongTexts(sql, ids)} and path_key is not null) found
    on conflict do nothing`
}

/** Props that are in the library again are deleted no longer. */
export async function forgetDeletions(sql: Sql, workspaceId: number, lineageIds: readonly string[]): Promise<void> {
  if (lineageIds.length === 0) return
  await sql`delete from deleted_marks where workspace_id = ${workspaceId} and lineage_id ${amongTexts(sql, lineageIds)}`
  await sql`delete from deleted_lineages where workspace_id = ${workspaceId} and lineage_id ${amongTexts(sql, lineageIds)}`
}

/** Files, by what they may be known by. */
export interface Sought {
  lineageIds?: Iterable<string>
  hashes?: Iterable<string>
  /** As they were sent. */
  guids?: Iterable<string>
  /** In lower case. */
  paths?: Iterable<string>
  /** Of props, however their letters are written. */
  names?: Iterable<string>
}

interface Row extends Deletion {
  lineage_id: string
  kind: 'content_hash' | 'package_guid' | 'path' | null
  mark: string | null
}

/** What another prop of the library has by now counts no longer: bytes, GUIDs and places of entries. */
export async function selectDeletions(sql: Sql, workspaceId: number, sought: Sought): Promise<DeletedLineage[]> {
  const { lineageIds = [], hashes = [], guids = [], paths = [], names = [] } = sought
  const guidsByKey = new Map([...guids].map((guid) => [guidKey(guid) ?? guid, guid]))
  const rows = await sql<Row[]>`
    with found as (
      select d.lineage_id, null as kind, null as mark
        from ${lookupTexts(sql, lineageIds)} cross join lateral (
          select lineage_id from deleted_lineages where workspace_id = ${workspaceId} and lineage_id = lookup.key offset 0) d
       union
      select d.lineage_id, null, null
        from ${lookupTexts(sql, names)} cross join lateral (
          select lineage_id from deleted_lineages where workspace_id = ${workspaceId} and name_key = lower(lookup.key) offset 0) d
       union all ${marked(sql, workspaceId, { kind: 'content_hash', keys: hashes, taken: takenHash(sql) })}
       union all ${marked(sql, workspaceId, { kind: 'package_guid', keys: guidsByKey.keys(), taken: takenGuid(sql) })}
       union all ${markedPaths(sql, workspaceId, paths)})
    select found.*, d.name, d.deleted_at as at,
           case when m.id is not null then json_build_object('id', m.id, 'name', m.name) end as by
      from found
      join deleted_lineages d on d.workspace_id = ${workspaceId} and d.lineage_id = found.lineage_id
      left join members m on m.workspace_id = d.workspace_id and m.id = d.deleted_by
     order by d.deleted_at desc, d.lineage_id`
  return [...Map.groupBy(rows, (row) => row.lineage_id).values()].map((group) => toDeleted(group, guidsByKey))
}

/** Live ones: o = objects, e = entries. */
const liveVersion = (sql: Sql): Fragment => sql`
  objects o join entries e on e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id`

const takenHash = (sql: Sql): Fragment => sql`
  select 1 from ${liveVersion(sql)} where o.workspace_id = k.workspace_id and o.content_hash = k.mark`

const takenGuid = (sql: Sql): Fragment => sql`
  select 1 from package_guids g join entries e on e.workspace_id = g.workspace_id and e.lineage_id = g.lineage_id
   where g.workspace_id = k.workspace_id and g.guid = k.mark`

interface Marked {
  kind: 'content_hash' | 'package_guid'
  keys: Iterable<string>
  taken: Fragment
}

/** k = the mark. */
const marked = (sql: Sql, workspaceId: number, { kind, keys, taken }: Marked): Fragment => sql`
  select k.lineage_id, k.kind, k.mark
    from ${lookupTexts(sql, keys)} cross join lateral (
      select k.lineage_id, k.kind, k.mark from deleted_marks k
       where k.workspace_id = ${workspaceId} and k.kind = ${kind} and k.mark = lookup.key and not exists (${taken}) offset 0) k`

/** Of each path the marks with every extension. */
const markedPaths = (sql: Sql, workspaceId: number, paths: Iterable<string>): Fragment => sql`
  select k.lineage_id, k.kind, k.mark
    from ${lookupTexts(sql, paths)} cross join lateral (
      select k.lineage_id, k.kind, k.mark from deleted_marks k
       where k.workspace_id = ${workspaceId} and k.kind = 'path' and k.mark >= lookup.key || ' ' and k.mark < lookup.key || '!'
         and not exists (
           select 1 from ${liveVersion(sql)} join lineages l on l.workspace_id = o.workspace_id and l.face_object_id = o.id
            where o.workspace_id = k.workspace_id and o.path_key = lookup.key
              and k.mark = o.path_key || ' ' || coalesce(o.source_ext, '')) offset 0) k`

function toDeleted(rows: readonly Row[], guidsByKey: ReadonlyMap<string, string>): DeletedLineage {
  const [{ lineage_id, name, at, by }] = rows as [Row, ...Row[]]
  const marks = (kind: Row['kind']) => rows.flatMap((row) => (row.kind === kind ? (row.mark ?? []) : []))
  return {
    lineage_id,
    name,
    at,
    by,
    content_hashes: marks('content_hash'),
    package_guids: marks('package_guid').map((key) => guidsByKey.get(key) ?? key),
    origin_paths: marks('path').map((mark) => {
      const at = mark.lastIndexOf(' ')
      return { origin_path: mark.slice(0, at), source_ext: mark.slice(at + 1) || null }
    }),
  }
}
