/** References and places as they were before pushes that are taken back: what these wrote goes, what they took away comes back. */
import { amongIds, amongTexts } from '../../database/among.ts'
import type { Sql } from '../../database/sql.ts'
import type { Context } from '../../handler.ts'
import { record, type Shown } from '../../rows/awaited.ts'
import type { Taken } from './taken.ts'

/** Rows of versions that go are left to their deletion, but for those that lead to them. */
export async function takeRowsBack(context: Context, taken: Taken): Promise<void> {
  const { sql, workspace } = context
  const rows = { taken, pushIds: taken.pushes.map(({ id }) => id), goneIds: taken.versions.map(({ id }) => id) }
  await deleteWritten(sql, workspace.id, rows)
  const again = await restoreTaken(sql, workspace.id, rows)
  const awaited = await awaitGone(sql, workspace.id, rows.goneIds)
  record(context, [...again, ...awaited])
}

interface Rows {
  taken: Taken
  pushIds: readonly number[]
  goneIds: readonly number[]
}

/** Of versions that stay, and that the pushes named again. */
async function deleteWritten(sql: Sql, workspaceId: number, { taken, pushIds }: Rows): Promise<void> {
  const { knownIds, lineageIds } = taken
  const written = sql`workspace_id = ${workspaceId} and push_id ${amongIds(sql, pushIds)}`
  await sql`delete from dependencies where ${written} and object_id ${amongIds(sql, knownIds)}`
  await sql`delete from awaited_imports where ${written} and object_id ${amongIds(sql, knownIds)}`
  await sql`delete from placings where ${written} and lineage_id ${amongTexts(sql, lineageIds)}`
  const missing = new Set(taken.pushes.flatMap(({ missing_ids }) => missing_ids))
  await sql`update objects set has_missing = false where workspace_id = ${workspaceId} and id ${amongIds(sql, missing)}`
}

/** Awaited ones are awaited again, and levels have the parts of before, unless one of these pushes had brought that. */
async function restoreTaken(sql: Sql, workspaceId: number, { pushIds, goneIds }: Rows): Promise<Shown[]> {
  const kept = sql`
    select r.* from push_references r
      join objects o on o.workspace_id = r.workspace_id and o.id = r.object_id and o.id not ${amongIds(sql, goneIds)}
     where r.workspace_id = ${workspaceId} and r.push_id ${amongIds(sql, pushIds)}`
  await sql`
    delete from dependencies d using (${kept}) r
     where d.workspace_id = ${workspaceId} and d.object_id = r.object_id and d.project_id = r.project_id and d.path_key = r.path_key
       and d.push_id = r.push_id`
  const before = sql`(${kept} and (r.written_by is null or r.written_by not ${amongIds(sql, pushIds)}))`
  await sql`
    insert into dependencies (workspace_id, object_id, project_id, needs_object_id, hard, path_key, push_id)
    select r.workspace_id, r.object_id, r.project_id, r.needs_object_id, r.hard, r.path_key, r.written_by
      from ${before} r join objects n on n.workspace_id = r.workspace_id and n.id = r.needs_object_id and n.id not ${amongIds(sql, goneIds)}
    on conflict do nothing`
  return sql<Shown[]>`
    with again as (
      insert into awaited_imports (workspace_id, object_id, project_id, path_key, path, hard, push_id)
      select r.workspace_id, r.object_id, r.project_id, r.path_key, r.path, r.hard, r.written_by
        from ${before} r where r.needs_object_id is null
      on conflict do nothing returning object_id)
    select distinct o.id as object_id, o.lineage_id, e.id as entry_id
      from again
      join objects o on o.workspace_id = ${workspaceId} and o.id = again.object_id
      left join entries e on e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id`
}

/** Versions of own later pushes may still lead to what goes: they keep the path, and await what comes to lie there. */
const awaitGone = (sql: Sql, workspaceId: number, goneIds: readonly number[]) => sql<Shown[]>`
  with loose as (
    delete from dependencies where workspace_id = ${workspaceId} and needs_object_id ${amongIds(sql, goneIds)}
       and object_id not ${amongIds(sql, goneIds)}
    returning object_id, project_id, path_key, hard, push_id),
  again as (
    insert into awaited_imports (workspace_id, object_id, project_id, path_key, hard, push_id)
    select ${workspaceId}, object_id, project_id, path_key, bool_or(hard), min(push_id)
      from loose where path_key is not null group by object_id, project_id, path_key
    on conflict do nothing)
  select distinct o.id as object_id, o.lineage_id, e.id as entry_id
    from loose
    join objects o on o.workspace_id = ${workspaceId} and o.id = loose.object_id
    left join entries e on e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id`
