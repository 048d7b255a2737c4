/** Packages that versions refer to and that were nowhere when those were registered: they become edges when they arrive. */

import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'

interface Arrived {
  path_key: string
  id: number
}

/** The sources are locked in one order, so that two who complete the same ones wait for each other and never in a circle. */
const complete = (sql: Sql, workspaceId: number, arrived: Fragment) => sql<
  { object_id: number; lineage_id: string; entry_id: number | null }[]
>`
  with arrived as materialized (${arrived}),
  held as materialized (
    select a.path_key, a.object_id from awaited_imports a
     where a.workspace_id = ${workspaceId} and a.path_key in (select path_key from arrived) order by a.path_key, a.object_id for update),
  met as (
    delete from awaited_imports a using held, arrived
     where a.workspace_id = ${workspaceId} and a.path_key = held.path_key and a.object_id = held.object_id
       and arrived.path_key = held.path_key
    returning a.object_id, arrived.id as needs_object_id, a.hard, a.path),
  edges as (
    insert into dependencies (workspace_id, object_id, needs_object_id, hard)
    select ${workspaceId}, object_id, needs_object_id, bool_or(hard) from met where object_id <> needs_object_id
     group by object_id, needs_object_id
    on conflict (workspace_id, object_id, needs_object_id) do update set hard = dependencies.hard or excluded.hard)
  select distinct o.id as object_id, o.lineage_id, e.id as entry_id
    from met
    join objects o on o.workspace_id = ${workspaceId} and o.id = met.object_id
    left join entries e on e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id
   where met.path is not null`

type Completing = Pick<Context, 'sql' | 'workspace' | 'feed'>

/** What versions await at these paths is there: edges replace it, and versions that showed it as missing look different. */
export async function completeAwaited(context: Completing, arrived: readonly Arrived[]): Promise<void> {
  if (arrived.length === 0) return
  const { sql } = context
  await record(
    context,
    sql`select * from jsonb_to_recordset(${sql.json(arrived.map((one) => ({ ...one })))}) as r(path_key text, id bigint)`,
  )
}

/** The same for versions that have become current without being pushed. */
export async function completeAwaitedBy(context: Completing, objectIds: readonly number[]): Promise<void> {
  if (objectIds.length === 0) return
  const { sql, workspace } = context
  await record(
    context,
    sql`select path_key, id from objects
         where workspace_id = ${workspace.id} and id ${amongIds(sql, objectIds)} and path_key is not null and source_ext is null`,
  )
}

async function record({ sql, workspace, feed }: Completing, arrived: Fragment): Promise<void> {
  for (const { object_id, lineage_id, entry_id } of await complete(sql, workspace.id, arrived)) {
    feed.changed({ entity: 'object', entityId: object_id, lineageId: lineage_id, op: 'upsert' })
    if (entry_id !== null) feed.entriesChanged([{ id: entry_id, lineage_id }])
  }
}
