/** What a set of the parts of a level holds, or what it changed of another one, with what people call each part. */

import type { SetPart } from '../../../contract/level-sets.ts'
import type { Fragment, Sql } from '../../database/sql.ts'
import { type KnownSet, partsAt } from './sets.ts'

interface Asked {
  set: KnownSet
  /** Of the same level. */
  since: KnownSet | undefined
  /** The last path of the page before. */
  after: string
  limit: number
}

/** By their paths. A part that left is named as it was. */
export async function selectSetParts(sql: Sql, workspaceId: number, { set, since, after, limit }: Asked): Promise<SetPart[]> {
  const pairs = since ? changedPaths(sql, workspaceId, { set, since }) : heldPaths(sql, workspaceId, set)
  const rows = await sql<(Omit<SetPart, 'change'> & { change: SetPart['change'] | null })[]>`
    select case when o.path_key = p.path_key then o.origin_path else p.path_key end as path, p.now as object_id,
           case when p.now is not null then o.content_hash end as content_hash, o.asset_class, o.label, p.change
      from (${pairs}) p
      join objects o on o.workspace_id = ${workspaceId} and o.id = coalesce(p.now, p.was)
     where p.path_key > ${after} order by p.path_key limit ${limit}`
  return rows.map(({ change, ...part }) => (change === null ? part : { ...part, change }))
}

const at = ({ lineage_id, project_id, id }: KnownSet, sql: Sql) => ({
  lineage: sql`${lineage_id}`,
  project: sql`${project_id}::bigint`,
  set: sql`${id}::bigint`,
})

const heldPaths = (sql: Sql, workspaceId: number, set: KnownSet): Fragment => sql`
  select held.path_key, held.object_id as now, null::bigint as was, null::text as change from (${partsAt(sql, workspaceId, at(set, sql))}) held`

/** Between two sets of a project only what changed from one to the other is looked at; of others, both as a whole. */
function changedPaths(sql: Sql, workspaceId: number, { set, since }: { set: KnownSet; since: KnownSet }): Fragment {
  const both = sql`(${partsAt(sql, workspaceId, at(set, sql))}) here full join (${partsAt(sql, workspaceId, at(since, sql))}) there using (path_key)`
  const pairs =
    set.project_id === since.project_id
      ? sql`
        (${touchedPaths(sql, workspaceId, { set, since })}) touched
        left join lateral (${partsAt(sql, workspaceId, at(set, sql))} and p.path_key = touched.path_key) here on true
        left join lateral (${partsAt(sql, workspaceId, at(since, sql))} and p.path_key = touched.path_key) there on true`
      : both
  const path = set.project_id === since.project_id ? sql`touched.path_key` : sql`path_key`
  return sql`
    select ${path} as path_key, here.object_id as now, there.object_id as was,
           case when there.object_id is null then 'added' when here.object_id is null then 'removed' else 'changed' end as change
      from ${pairs} where here.object_id is distinct from there.object_id`
}

function touchedPaths(sql: Sql, workspaceId: number, { set, since }: { set: KnownSet; since: KnownSet }): Fragment {
  const [from, to] = [Math.min(set.id, since.id), Math.max(set.id, since.id)]
  const of = sql`p.workspace_id = ${workspaceId} and p.lineage_id = ${set.lineage_id} and p.project_id = ${set.project_id}`
  return sql`
    select p.path_key from level_parts p where ${of} and p.from_set > ${from} and p.from_set <= ${to}
    union
    select p.path_key from level_parts p where ${of} and p.until_set > ${from} and p.until_set <= ${to}`
}
