/** What a version leads to, as fragments of the statements of a walk: the rows of one project, as pushed or as of now; or what needs it. */

import type { DependencyMode } from '../../contract/dependency-modes.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { placeAt, soleAt } from '../rows/places.ts'

/** `needs`: what versions need. `users`: what needs them. */
export type Direction = 'needs' | 'users'

/**
 * How what is needed is read. Each version is read by the rows of the project by which the walk came, where that one pushed it, else by
 * those of its first push; so a walk has a project to begin with. `all`: the rows of all projects.
 */
export type Reading = 'all' | Versions

export interface Versions {
  versions: DependencyMode
  /** Where the walk begins; undefined for the projects of the first pushes. */
  projectId: number | undefined
  /** By lineage: versions that stand for all others of theirs. */
  pins: ReadonlyMap<string, number>
}

export const asFirstPushed: Versions = { versions: 'as_pushed', projectId: undefined, pins: new Map() }

/** For a walk that no project leads. */
export const nowhere = -1

interface Rows {
  direction: Direction
  reading: Reading
}

/**
 * An equality that the planner takes for few rows. Where most edges lead to one version, it takes `=` for most of the table, and reads
 * all of that for each of thousands of versions.
 */
const isOf = (sql: Sql, near: Fragment, id: Fragment): Fragment => sql`${near} between ${id} and ${id}`

/** Rows (raw_id, hard, path_key, project_id) of the version `id`, which was reached by rows of `project`. `raw_id`: before `targetOf`. */
export function rowsOf(
  sql: Sql,
  workspaceId: number,
  { direction, reading, id, project }: Rows & { id: Fragment; project: Fragment },
): Fragment {
  if (direction === 'users')
    return sql`
      select d.object_id as raw_id, d.hard, null::text as path_key, 0::bigint as project_id from dependencies d
       where d.workspace_id = ${workspaceId} and ${isOf(sql, sql`d.needs_object_id`, id)}`
  if (reading === 'all')
    return sql`
      select d.needs_object_id as raw_id, d.hard, null::text as path_key, 0::bigint as project_id from dependencies d
       where d.workspace_id = ${workspaceId} and ${isOf(sql, sql`d.object_id`, id)}`
  return sql`
    select d.raw_id, d.hard, d.path_key, read.project_id
      from (select case when o.project_id <> ${project} and exists (
                     select 1 from placings p
                      where p.workspace_id = ${workspaceId} and p.lineage_id = o.lineage_id and p.project_id = ${project}
                        and p.object_id = o.id) then ${project} else o.project_id end as project_id
              from objects o where o.workspace_id = ${workspaceId} and o.id = ${id} offset 0) read
     cross join lateral (
       select d.needs_object_id as raw_id, d.hard, d.path_key from dependencies d
        where d.workspace_id = ${workspaceId} and ${isOf(sql, sql`d.object_id`, id)} and d.project_id = read.project_id
        union all
       select sole.id, a.hard, a.path_key
         from awaited_imports a cross join lateral ${soleAt(sql, sql`${workspaceId}`, sql`a.path_key`)} sole
        where a.workspace_id = ${workspaceId} and ${isOf(sql, sql`a.object_id`, id)} and a.project_id = read.project_id offset 0) d`
}

/** Whether rows lead to other versions than they name. */
export const isMapped = ({ direction, reading }: Rows): boolean =>
  direction === 'needs' && reading !== 'all' && (reading.versions === 'current' || reading.pins.size > 0)

/** The version to which `row` (raw_id, path_key, project_id) leads now: a subquery with one row (id). */
export function targetOf(sql: Sql, workspaceId: number, { versions, pins, row }: Versions & { row: Fragment }): Fragment {
  const named = sql`objects n where n.workspace_id = ${workspaceId} and n.id = ${row}.raw_id`
  const found =
    versions === 'current'
      ? currentOf(sql, workspaceId, { row, withLineage: pins.size > 0 })
      : sql`select n.lineage_id, n.id from ${named} offset 0`
  if (pins.size === 0) return sql`(${found})`
  const [lineages, ids] = [[...pins.keys()], [...pins.values()]]
  return sql`(
    select coalesce(pin.id, found.id) as id
      from (${found}) found
      left join unnest(${lineages}::text[], ${ids}::bigint[]) as pin (lineage_id, id) on pin.lineage_id = found.lineage_id)`
}

/** What lies at the path now; the version that the row names is only looked up where nothing does. */
function currentOf(sql: Sql, workspaceId: number, { row, withLineage }: { row: Fragment; withLineage: boolean }): Fragment {
  const place = placeAt(sql, workspaceId, { project: sql`${row}.project_id`, path: sql`${row}.path_key` })
  const named = (column: Fragment) => sql`(
    select ${column} from objects n join lineages l on l.workspace_id = ${workspaceId} and l.id = n.lineage_id
     where n.workspace_id = ${workspaceId} and n.id = ${row}.raw_id)`
  const lineage = withLineage ? sql`coalesce(place.lineage_id, ${named(sql`n.lineage_id`)}) as lineage_id,` : sql``
  return sql`
    select ${lineage} coalesce(place.object_id, ${named(sql`l.face_object_id`)}) as id
      from (select 1) as one left join lateral ${place} place on ${row}.project_id > 0 offset 0`
}
