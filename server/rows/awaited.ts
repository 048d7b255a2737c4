/** Packages that versions refer to and that were nowhere in their project: they become edges when they arrive there. */

import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import type { Writing } from '../database/transaction.ts'
import { noProject, type PushedTo, placeAt } from './places.ts'

export type Shown = { object_id: number; lineage_id: string; entry_id: number | null }

/** Versions of `met` (object_id, path) that showed something as missing: they look different now. */
const shown = (sql: Sql, workspaceId: number) => sql`
  select distinct o.id as object_id, o.lineage_id, e.id as entry_id
    from met
    join objects o on o.workspace_id = ${workspaceId} and o.id = met.object_id
    left join entries e on e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id
   where met.path is not null`

/** The sources are locked in one order, so that two who complete the same ones wait for each other and never in a circle. */
const complete = (sql: Sql, workspaceId: number, { arrived, pushId }: { arrived: Fragment; pushId?: number | undefined }) => sql<
  Shown[]
>`
  with arrived as materialized (${arrived}),
  held as materialized (
    select a.path_key, a.project_id, a.object_id from awaited_imports a
     where a.workspace_id = ${workspaceId} and (a.path_key, a.project_id) in (select path_key, project_id from arrived)
       and (a.project_id <> ${noProject} or exists (
         select 1 from objects o where o.workspace_id = ${workspaceId} and o.id = a.object_id and o.project_id is not null))
     order by a.path_key, a.project_id, a.object_id for update),
  met as (
    delete from awaited_imports a using held, arrived
     where a.workspace_id = ${workspaceId} and a.path_key = held.path_key and a.project_id = held.project_id
       and a.object_id = held.object_id and arrived.path_key = held.path_key and arrived.project_id = held.project_id
    returning a.object_id, a.project_id, a.path_key, arrived.id as needs_object_id, a.hard, a.path, a.push_id as written_by)
  ${keep(sql, workspaceId, pushId)},
  edges as (
    insert into dependencies (workspace_id, object_id, project_id, needs_object_id, hard, path_key, push_id)
    select ${workspaceId}, object_id, project_id, needs_object_id, bool_or(hard), min(path_key), ${pushId ?? null}::bigint
      from met where object_id <> needs_object_id group by object_id, project_id, needs_object_id
    on conflict (workspace_id, object_id, project_id, needs_object_id) do update set hard = dependencies.hard or excluded.hard)
  ${shown(sql, workspaceId)}`

/** References that a push takes away, from `met`: undoing it brings them back. */
const keep = (sql: Sql, workspaceId: number, pushId: number | undefined): Fragment =>
  pushId === undefined
    ? sql``
    : sql`, kept as (
    insert into push_references (workspace_id, push_id, object_id, project_id, path_key, path, hard, written_by)
    select ${workspaceId}, ${pushId}, object_id, project_id, path_key, path, hard, written_by from met)`

type Completing = Pick<Writing, 'sql' | 'workspace' | 'feed'>

/** What a project pushes completes what its versions await, and what was pushed without a project awaits. */
export async function completeAwaited(
  context: Completing,
  { projectId, pushId }: PushedTo,
  arrived: readonly { path_key: string; id: number }[],
): Promise<void> {
  if (arrived.length === 0) return
  const { sql } = context
  const rows = sql`select path_key, id, project_id
                     from jsonb_to_recordset(${sql.json(arrived.map((one) => ({ ...one })))}) as r(path_key text, id bigint)
                    cross join (select unnest(${[...new Set([projectId, noProject])]}::bigint[]) as project_id) p`
  record(context, await complete(sql, context.workspace.id, { arrived: rows, pushId }))
}

/** The same for versions that have become current without being pushed, in the projects that had pushed them. */
export async function completeAwaitedBy(context: Completing, objectIds: readonly number[]): Promise<void> {
  if (objectIds.length === 0) return
  const { sql, workspace } = context
  const rows = sql`
    select distinct o.path_key, o.id, p.project_id
      from objects o cross join lateral (
        select project_id from placings where workspace_id = o.workspace_id and lineage_id = o.lineage_id and object_id = o.id
         union select ${noProject}) p
     where o.workspace_id = ${workspace.id} and o.id ${amongIds(sql, objectIds)} and o.path_key is not null and o.source_ext is null`
  record(context, await complete(sql, workspace.id, { arrived: rows }))
}

/** The same for what these versions await and their projects already have; gives how many references it was. */
export async function completeAwaitedAtPlaces(context: Completing, objectIds: readonly number[]): Promise<number> {
  const { sql, workspace } = context
  const found = await sql<{ path_key: string; project_id: number; id: number }[]>`
    select a.path_key, a.project_id, at.object_id as id
      from (select path_key, project_id from awaited_imports
             where workspace_id = ${workspace.id} and object_id ${amongIds(sql, objectIds)} and project_id <> ${noProject} group by 1, 2 offset 0) a
     cross join lateral ${placeAt(sql, workspace.id, { project: sql`a.project_id`, path: sql`a.path_key` })} at`
  if (found.length === 0) return 0
  const arrived = sql`select path_key, id, project_id
                        from jsonb_to_recordset(${sql.json(found.map((one) => ({ ...one })))}) as r(path_key text, id bigint, project_id bigint)`
  record(context, await complete(sql, workspace.id, { arrived }))
  return found.length
}

/** References that have found their way otherwise. */
export async function forgetAwaited(
  context: Completing,
  { projectId, pushId }: PushedTo,
  met: readonly { object_id: number; path_key: string }[],
): Promise<void> {
  if (met.length === 0) return
  const { sql, workspace } = context
  const rows = await sql<Shown[]>`
    with met as (
      delete from awaited_imports a using jsonb_to_recordset(${sql.json(met.map((one) => ({ ...one })))}) as r(object_id bigint, path_key text)
       where a.workspace_id = ${workspace.id} and a.project_id = ${projectId} and a.object_id = r.object_id and a.path_key = r.path_key
      returning a.object_id, a.project_id, a.path_key, a.path, a.hard, a.push_id as written_by)
    ${keep(sql, workspace.id, pushId)}
    ${shown(sql, workspace.id)}`
  record(context, rows)
}

/** References of versions that are other than they were: these look different now. */
export function record({ feed }: Completing, changed: readonly Shown[]): void {
  for (const { object_id, lineage_id, entry_id } of changed) {
    feed.changed({ entity: 'object', entityId: object_id, lineageId: lineage_id, op: 'upsert' })
    if (entry_id !== null) feed.entriesChanged([{ id: entry_id, lineage_id }])
  }
}
