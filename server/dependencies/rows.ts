/** What a version leads to, as fragments of the statements of a walk: the rows of one project, as pushed or as of now; or what needs it. */

import type { DependencyMode } from '../../contract/dependency-modes.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { allPartsOf, currentLevelsOf, levelsOfPart, newestSets, partsOf, type SetReading } from '../rows/levels/sets.ts'
import { placeAt, readBy, redirectorBeside, soleAt } from '../rows/places.ts'

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
  /** Up to which set the parts of levels are read; to the newest where it is left out. */
  sets?: number
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

/** Which sets are meant. A walk that knows the newest one keeps to it, whatever is pushed meanwhile. */
export const setReadingOf = ({ versions, sets: asOf = newestSets }: Versions): SetReading => ({
  asOf,
  isCurrent: versions === 'current',
})

/**
 * Rows (raw_id, hard, path_key, project_id, exact) of the version `id`, which was reached by rows of `project`. `raw_id`: before `targetOf`;
 * `exact`: parts of levels, which are the version that their set names. */
export function rowsOf(
  sql: Sql,
  workspaceId: number,
  { direction, reading, id, project }: Rows & { id: Fragment; project: Fragment },
): Fragment {
  if (direction === 'users' && reading !== 'all' && reading.versions === 'current') return currentUsers(sql, workspaceId, id)
  if (direction === 'users')
    return sql`
      select d.object_id as raw_id, d.hard, null::text as path_key, 0::bigint as project_id, true as exact from dependencies d
       where d.workspace_id = ${workspaceId} and ${isOf(sql, sql`d.needs_object_id`, id)}
       union all
      select level.object_id, false, null, 0, true from (${levelsOfPart(sql, workspaceId, id)}) level`
  if (reading === 'all')
    return sql`
      select d.needs_object_id as raw_id, d.hard, null::text as path_key, 0::bigint as project_id, true as exact from dependencies d
       where d.workspace_id = ${workspaceId} and ${isOf(sql, sql`d.object_id`, id)}
       union all
      select part.object_id, false, null, 0, true
        from (select o.lineage_id from objects o
               where o.workspace_id = ${workspaceId} and o.id = ${id} and o.asset_class = 'World' offset 0) level
       cross join lateral (${allPartsOf(sql, workspaceId, sql`level.lineage_id`)}) part`
  const level = { id, lineage: sql`read.lineage_id`, project: sql`read.project_id`, first: sql`read.first_id` }
  const parts = partsOf(sql, workspaceId, { level, ...setReadingOf(reading) })
  return sql`
    select d.raw_id, d.hard, d.path_key, d.project_id, d.exact
      from (select o.lineage_id, o.asset_class, o.project_id as first_id, ${readBy(sql, workspaceId, project)} as project_id
              from objects o where o.workspace_id = ${workspaceId} and o.id = ${id} offset 0) read
     cross join lateral (
       select d.needs_object_id as raw_id, d.hard, d.path_key, read.project_id, false as exact from dependencies d
        where d.workspace_id = ${workspaceId} and ${isOf(sql, sql`d.object_id`, id)} and d.project_id = read.project_id
        union all
       select sole.id, a.hard, a.path_key, read.project_id, false
         from awaited_imports a cross join lateral ${soleAt(sql, sql`${workspaceId}`, sql`a.path_key`)} sole
        where a.workspace_id = ${workspaceId} and ${isOf(sql, sql`a.object_id`, id)} and a.project_id = read.project_id
        union all
       select part.object_id, false, part.path_key, part.project_id, true
         from (select 1 where read.asset_class = 'World' offset 0) is_level cross join lateral (${parts}) part offset 0) d`
}

/** Versions that are current and refer to any version of the prop of this one; of a part, the levels whose newest sets have it. */
function currentUsers(sql: Sql, workspaceId: number, id: Fragment): Fragment {
  const versions = sql`(
    select v.id from objects o join objects v on v.workspace_id = o.workspace_id and v.lineage_id = o.lineage_id
     where o.workspace_id = ${workspaceId} and o.id = ${id} offset 0) version`
  return sql`
    select d.object_id as raw_id, d.hard, null::text as path_key, 0::bigint as project_id, true as exact
      from ${versions}
     cross join lateral (
       select d.object_id, bool_or(d.hard) as hard from dependencies d
        where d.workspace_id = ${workspaceId} and ${isOf(sql, sql`d.needs_object_id`, sql`version.id`)} group by d.object_id offset 0) d
     cross join lateral (
       select o.lineage_id from objects o
        where o.workspace_id = ${workspaceId} and o.id = d.object_id offset 0) o
      join lineages l on l.workspace_id = ${workspaceId} and l.id = o.lineage_id and l.face_object_id = d.object_id
     union all
    select l.face_object_id, false, null, 0, true
      from (${currentLevelsOf(sql, workspaceId, versions)}) level
      join lineages l on l.workspace_id = ${workspaceId} and l.id = level.lineage_id`
}

/** Whether rows lead to other versions than they name. */
export const isMapped = ({ direction, reading }: Rows): boolean =>
  direction === 'needs' && reading !== 'all' && (reading.versions === 'current' || reading.pins.size > 0)

/** The version to which `row` (raw_id, path_key, project_id, exact) leads now: a subquery with one row (id). */
export function targetOf(sql: Sql, workspaceId: number, { versions, pins, row }: Versions & { row: Fragment }): Fragment {
  const named = sql`objects n where n.workspace_id = ${workspaceId} and n.id = ${row}.raw_id`
  const found =
    versions === 'current'
      ? currentOf(sql, workspaceId, { row, withLineage: pins.size > 0 })
      : sql`select n.lineage_id, n.id from ${named} offset 0`
  return sql`(
    select ${row}.raw_id as id where ${row}.exact
     union all
    select mapped.id from (${withPins(sql, found, pins)}) mapped where not ${row}.exact)`
}

function withPins(sql: Sql, found: Fragment, pins: Versions['pins']): Fragment {
  if (pins.size === 0) return found
  const [lineages, ids] = [[...pins.keys()], [...pins.values()]]
  return sql`
    select coalesce(pin.id, found.id) as id
      from (${found}) found
      left join unnest(${lineages}::text[], ${ids}::bigint[]) as pin (lineage_id, id) on pin.lineage_id = found.lineage_id`
}

/** What lies at the path now; the version that the row names is only looked up where nothing does. */
function currentOf(sql: Sql, workspaceId: number, { row, withLineage }: { row: Fragment; withLineage: boolean }): Fragment {
  const place = placeAt(sql, workspaceId, { project: sql`${row}.project_id`, path: sql`${row}.path_key` })
  const named = (column: Fragment) => sql`(
    select ${column}
      from (select lineage_id from objects where workspace_id = ${workspaceId} and id = ${row}.raw_id offset 0) n
     cross join lateral (
       select id, face_object_id from lineages where workspace_id = ${workspaceId} and id = n.lineage_id offset 0) l)`
  const lineage = withLineage ? sql`coalesce(theirs.lineage_id, place.lineage_id, ${named(sql`l.id`)}) as lineage_id,` : sql``
  return sql`
    select ${lineage} coalesce(theirs.object_id, place.object_id, ${named(sql`l.face_object_id`)}) as id
      from (select 1) as one left join lateral ${place} place on ${row}.project_id > 0
      left join lateral ${redirectorBeside(sql, workspaceId, { place: sql`place`, path: sql`${row}.path_key` })} theirs on true offset 0`
}
