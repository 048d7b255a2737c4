/** References of an order that lead nowhere once its files are placed: what they name was moved, and no redirector is left at its old path. */
import type { PullWarning } from '../../contract/pull-jobs.ts'
import { amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { listOf, type Reached } from '../dependencies/edges.ts'
import { rowsOf, type Versions } from '../dependencies/rows.ts'

/** Of more references the first ones are named: the same saves settle the others. */
const mostNamed = 100

interface Row {
  object_id: number
  user_name: string | null
  path: string
  now: string
  moved_id: number
}

/** `pathKeys`: where the files of the order land. */
export async function findBrokenReferences(
  { sql, workspace }: { sql: Sql; workspace: { id: number } },
  { reached, reading, pathKeys }: { reached: readonly Reached[]; reading: Versions; pathKeys: readonly string[] },
): Promise<PullWarning[]> {
  if (reading.versions !== 'current') return []
  const rows = await sql<Row[]>`
    select u.id as object_id, u.asset_name as user_name, n.origin_path as path, f.origin_path as now, f.id as moved_id
      from (select r.id, row.raw_id from ${listOf(sql, reached)} r
             cross join lateral (${rowsOf(sql, workspace.id, { direction: 'needs', reading, id: sql`r.id`, project: sql`r.project_id` })} offset 0) row
             where row.path_key is not null and row.path_key not ${amongTexts(sql, pathKeys)}
             limit ${mostNamed}) broken
     cross join lateral (select id, asset_name from objects where workspace_id = ${workspace.id} and id = broken.id offset 0) u
     cross join lateral (
       select lineage_id, origin_path from objects where workspace_id = ${workspace.id} and id = broken.raw_id offset 0) n
     cross join lateral (
       select face_object_id from lineages where workspace_id = ${workspace.id} and id = n.lineage_id offset 0) l
     cross join lateral (
       select id, origin_path, path_key from objects where workspace_id = ${workspace.id} and id = l.face_object_id offset 0) f
     where f.origin_path is not null and n.origin_path is not null and lower(n.origin_path) <> lower(f.origin_path)
     order by n.origin_path, u.asset_name`
  return [...Map.groupBy(rows, ({ path, now }) => `${path} ${now}`).values()].map(warningOf)
}

function warningOf(group: readonly Row[]): PullWarning {
  const [{ path, now, moved_id }] = group as [Row, ...Row[]]
  const users = [...new Set(group.map(({ user_name, object_id }) => user_name ?? `version ${object_id}`))]
  const [first, ...others] = users
  const who = others.length === 0 ? first : `${first} and ${others.length === 1 ? others[0] : `${others.length} others`}`
  return {
    type: 'broken_reference',
    message: `${path} is now ${now}, and no redirector is left in its place: open and save ${who} again, and push.`,
    path,
    now,
    object_ids: [moved_id, ...new Set(group.map(({ object_id }) => object_id))],
  }
}
