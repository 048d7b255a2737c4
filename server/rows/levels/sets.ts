/**
 * The sets of the parts of levels (contract-gaps 9): what a level had in a project at each of them. They are written by server/rows/levels/set-changes.ts.
 * Numbers of sets grow, and commits of a workspace come one after the other: so "as of set n" is one moment, whatever was pushed since.
 */

import type { LevelSet, NewestSet } from '../../../contract/level-sets.ts'
import { amongIds, lookupTexts } from '../../database/among.ts'
import type { Fragment, Sql } from '../../database/sql.ts'
import { momentOf } from '../json.ts'
import { findProject, readBy } from '../places.ts'

/** Until this set a part lasts that no set has ended. */
export const neverEnded = Number.MAX_SAFE_INTEGER
/** As of the newest sets, whichever they are. */
export const newestSets = neverEnded - 1

/** Rows (object_id, path_key) of a level in a project as of a set. */
export const partsAt = (
  sql: Sql,
  workspaceId: number,
  { lineage, project, set }: { lineage: Fragment; project: Fragment; set: Fragment },
): Fragment => sql`
  select p.object_id, p.path_key from level_parts p
   where p.workspace_id = ${workspaceId} and p.lineage_id = ${lineage} and p.project_id = ${project}
     and p.until_set > ${set} and p.from_set <= ${set}`

/** How a walk reads sets: up to which one; `current`: the newest of them, else the newest that was pushed with a version, or before it. */
export interface SetReading {
  asOf: number
  isCurrent: boolean
}

/** A version of a level, and by whose rows it is read: where that project has no set of it, by those of the first one that pushed it. */
export interface LevelAt {
  id: Fragment
  lineage: Fragment
  project: Fragment
  first: Fragment
}

/** A subquery with one row (project_id, id), or none: the set that a version of a level has. */
const setAt = (sql: Sql, workspaceId: number, { level, asOf, isCurrent }: SetReading & { level: LevelAt }): Fragment => sql`(
  select owner.project_id, s.id
    from (select case when exists (
            select 1 from level_sets s
             where s.workspace_id = ${workspaceId} and s.lineage_id = ${level.lineage} and s.project_id = ${level.project} and s.id <= ${asOf})
            then ${level.project} else ${level.first} end as project_id) owner
   cross join lateral (
     select s.id from level_sets s
      where s.workspace_id = ${workspaceId} and s.lineage_id = ${level.lineage} and s.project_id = owner.project_id and s.id <= ${asOf}
        ${isCurrent ? sql`order by s.id desc` : sql`and s.object_id <= ${level.id} order by s.object_id desc, s.id desc`} limit 1) s)`

/** Rows (object_id, path_key, project_id) of what a version of a level has. */
export const partsOf = (sql: Sql, workspaceId: number, reading: SetReading & { level: LevelAt }): Fragment => {
  const parts = partsAt(sql, workspaceId, { lineage: reading.level.lineage, project: sql`its.project_id`, set: sql`its.id` })
  return sql`select p.object_id, p.path_key, its.project_id from ${setAt(sql, workspaceId, reading)} its cross join lateral (${parts}) p`
}

/** Rows (object_id) of all that a level ever had, in whichever project. */
export const allPartsOf = (sql: Sql, workspaceId: number, lineage: Fragment): Fragment => sql`
  select p.object_id from level_parts p where p.workspace_id = ${workspaceId} and p.lineage_id = ${lineage}`

/** Rows (object_id) of the versions of levels that had this part: with one of the sets that they were pushed with. */
export const levelsOfPart = (sql: Sql, workspaceId: number, part: Fragment): Fragment => sql`
  select distinct v.id as object_id
    from level_parts p
    join objects v on v.workspace_id = p.workspace_id and v.lineage_id = p.lineage_id
   where p.workspace_id = ${workspaceId} and p.object_id between ${part} and ${part} and exists (
     select 1 from level_sets s
      where s.workspace_id = p.workspace_id and s.lineage_id = p.lineage_id and s.project_id = p.project_id and s.object_id = v.id
        and s.id >= p.from_set and s.id < p.until_set)`

/** Rows (lineage_id) of levels that have one of these parts now, in whichever project. `parts`: rows (id), named `version`. */
export const currentLevelsOf = (sql: Sql, workspaceId: number, parts: Fragment): Fragment => sql`
  select distinct p.lineage_id
    from ${parts}
    join level_parts p on p.workspace_id = ${workspaceId} and p.object_id between version.id and version.id and p.until_set = ${neverEnded}`

/** The newest set that there is: what is read as of it does not change meanwhile. */
export async function selectLastSet(sql: Sql, workspaceId: number): Promise<number> {
  const [row] = await sql<{ id: number | null }[]>`
    select id from level_sets where workspace_id = ${workspaceId} order by id desc limit 1`
  return row?.id ?? 0
}

/** By version: the sets that levels among these versions have. */
export async function selectSetsOf(
  sql: Sql,
  workspaceId: number,
  { reached, ...reading }: SetReading & { reached: readonly { id: number; projectId: number }[] },
): Promise<Map<number, number>> {
  const level = { id: sql`o.id`, lineage: sql`o.lineage_id`, project: sql`o.read_by`, first: sql`o.project_id` }
  const rows = await sql<{ id: number; set: number }[]>`
    select o.id, its.id as set
      from unnest(${reached.map(({ id }) => id)}::bigint[], ${reached.map(({ projectId }) => projectId)}::bigint[]) as r (id, project_id)
     cross join lateral (
       select o.id, o.lineage_id, o.project_id, ${readBy(sql, workspaceId, sql`r.project_id`)} as read_by
         from objects o where o.workspace_id = ${workspaceId} and o.id = r.id and o.asset_class = 'World' offset 0) o
     cross join lateral ${setAt(sql, workspaceId, { ...reading, level })} its`
  return new Map(rows.map(({ id, set }) => [id, set]))
}

/** Versions that are the same parts in one of the sets that someone has as in one of these, of the same level and project. */
export async function selectUnchangedParts(
  sql: Sql,
  workspaceId: number,
  { have, sets }: { have: readonly number[]; sets: Iterable<number> },
): Promise<Set<number>> {
  const rows = await sql<{ ids: number[] }[]>`
    select coalesce(array_agg(p.object_id), '{}') as ids
      from level_sets h
      join level_sets s on s.workspace_id = h.workspace_id and s.lineage_id = h.lineage_id and s.project_id = h.project_id
      join level_parts p on p.workspace_id = h.workspace_id and p.lineage_id = h.lineage_id and p.project_id = h.project_id
     where h.workspace_id = ${workspaceId} and h.id ${amongIds(sql, have)} and s.id ${amongIds(sql, sets)}
       and p.from_set <= least(h.id, s.id) and p.until_set > greatest(h.id, s.id)`
  return new Set(rows[0]?.ids)
}

/** As many rows one statement takes. */
export const partRows = 10_000

/** A set as changes are held against it. */
export interface KnownSet {
  id: number
  lineage_id: string
  project_id: number
  number: number
  object_id: number
  parts: number
}

/** By set: the path, in lower case, of the version of the level that it was pushed with. */
export async function selectLevelPaths(sql: Sql, workspaceId: number, sets: readonly KnownSet[]): Promise<Map<number, string>> {
  const rows = await sql<{ id: number; path_key: string }[]>`
    select r.id, o.path_key
      from unnest(${sets.map(({ id }) => id)}::bigint[], ${sets.map((set) => set.object_id)}::bigint[]) as r (id, object_id)
     cross join lateral (
       select path_key from objects where workspace_id = ${workspaceId} and id = r.object_id and path_key is not null offset 0) o`
  return new Map(rows.map(({ id, path_key }) => [id, path_key]))
}

/** The paths of the parts of a set. */
export async function selectPartPaths(
  sql: Sql,
  workspaceId: number,
  { lineage_id, project_id, id }: KnownSet,
): Promise<string[]> {
  const at = { lineage: sql`${lineage_id}`, project: sql`${project_id}::bigint`, set: sql`${id}::bigint` }
  const rows = await sql<{ path_key: string }[]>`select path_key from (${partsAt(sql, workspaceId, at)}) p`
  return rows.map(({ path_key }) => path_key)
}

/** By lineage: the newest sets of a project. */
export async function selectNewestSets(
  sql: Sql,
  workspaceId: number,
  { lineageIds, projectId }: { lineageIds: Iterable<string>; projectId: number },
): Promise<Map<string, KnownSet>> {
  const rows = await sql<KnownSet[]>`
    select s.* from ${lookupTexts(sql, lineageIds)} cross join lateral (
      select s.id, s.lineage_id, s.project_id, s.number, s.object_id, s.parts from level_sets s
       where s.workspace_id = ${workspaceId} and s.lineage_id = lookup.key and s.project_id = ${projectId}
       order by s.id desc limit 1) s`
  return new Map(rows.map((row) => [row.lineage_id, row]))
}

/** Sets by their ids, whichever project they are of. */
export async function selectSets(sql: Sql, workspaceId: number, ids: Iterable<number>): Promise<Map<number, KnownSet>> {
  const rows = await sql<KnownSet[]>`
    select s.id, s.lineage_id, s.project_id, s.number, s.object_id, s.parts from level_sets s
     where s.workspace_id = ${workspaceId} and s.id ${amongIds(sql, ids)}`
  return new Map(rows.map((row) => [row.id, row]))
}

/** Of every project: the newest set that it pushed with a version of a level. */
export const selectPushedSets = (
  sql: Sql,
  workspaceId: number,
  { lineageId, objectId }: { lineageId: string; objectId: number },
): PromiseLike<KnownSet[]> => sql<KnownSet[]>`
  select distinct on (s.project_id) s.id, s.lineage_id, s.project_id, s.number, s.object_id, s.parts from level_sets s
   where s.workspace_id = ${workspaceId} and s.lineage_id = ${lineageId} and s.object_id = ${objectId}
   order by s.project_id, s.id desc`

/** Versions of levels with which the project has pushed a set. */
export async function selectVersionsWithSet(
  sql: Sql,
  workspaceId: number,
  { objectIds, projectId }: { objectIds: Iterable<number>; projectId: number },
): Promise<Set<number>> {
  const rows = await sql<{ object_id: number }[]>`
    select distinct s.object_id from level_sets s join objects o on o.workspace_id = s.workspace_id and o.id = s.object_id
     where s.workspace_id = ${workspaceId} and o.id ${amongIds(sql, objectIds)} and s.lineage_id = o.lineage_id and s.project_id = ${projectId}`
  return new Set(rows.map((row) => row.object_id))
}

/** A path of a level that is asked about: what lies there in the newest set of a project, and what lay there in the set that a sender knew. */
export interface PartQuery {
  at: number
  lineage_id: string
  path_key: string
  /** The set that the sender knew, and whose it is; null for none. */
  base: number | null
  base_project: number | null
  /** The version that is to lie there, where it is known. */
  wanted: number | null
}

export interface FoundPart {
  at: number
  /** What lies there now, and who put it there. */
  now: number | null
  author_id: number | null
  /** What lay there in the set that the sender knew. */
  was: number | null
  /** An earlier set had what is wanted there. */
  had: boolean
  /** Someone else has what lies there checked out. */
  is_locked: boolean
}

interface PartsQuery {
  projectId: number
  pusherId: number
  now: Date
  asked: readonly PartQuery[]
}

/** Of those of which anything is known; as many as one statement takes. */
export const selectPartsAt = (sql: Sql, workspaceId: number, { projectId, pusherId, now, asked }: PartsQuery) => sql<FoundPart[]>`
  select * from (
    select r.at, here.object_id as now, here.author_id, was.object_id as was, coalesce(here.is_locked, false) as is_locked,
           r.wanted is not null and exists (
             select 1 from level_parts h
              where h.workspace_id = ${workspaceId} and h.lineage_id = r.lineage_id and h.project_id = ${projectId}
                and h.path_key = r.path_key and h.object_id = r.wanted) as had
      from jsonb_to_recordset(${sql.json(asked.map((one) => ({ ...one })))})
           as r(at int, lineage_id text, path_key text, base bigint, base_project bigint, wanted bigint)
      left join lateral (
        select p.object_id, s.author_id, exists (
                 select 1 from locks k
                  where k.workspace_id = ${workspaceId} and k.lineage_id = o.lineage_id and k.holder_id <> ${pusherId}
                    and k.ended_at is null and k.expires_at > ${now.toISOString()}) as is_locked
          from level_parts p
          join objects o on o.workspace_id = p.workspace_id and o.id = p.object_id
          left join level_sets s on s.workspace_id = p.workspace_id and s.lineage_id = p.lineage_id and s.project_id = p.project_id and s.id = p.from_set
         where p.workspace_id = ${workspaceId} and p.lineage_id = r.lineage_id and p.project_id = ${projectId}
           and p.path_key = r.path_key and p.until_set = ${neverEnded} offset 0) here on true
      left join lateral (
        select p.object_id from level_parts p
         where p.workspace_id = ${workspaceId} and p.lineage_id = r.lineage_id and p.project_id = r.base_project
           and p.path_key = r.path_key and p.from_set <= r.base and p.until_set > r.base offset 0) was on true) found
   where now is not null or was is not null or had`

/** By lineage: the newest set of each project, that of the first project first. */
export async function selectNewestOfAll(
  sql: Sql,
  workspaceId: number,
  lineageIds: Iterable<string>,
): Promise<Map<string, NewestSet[]>> {
  const rows = await sql<{ lineage_id: string; sets: NewestSet[] }[]>`
    select lookup.key as lineage_id, found.sets from ${lookupTexts(sql, lineageIds)} cross join lateral (
      select json_agg(json_build_object('id', s.id, 'project', p.name, 'number', s.number, 'author', m.name,
                                        'created_at', ${momentOf(sql, sql`s.made_at`)}) order by newest.first_id) as sets
        from (select project_id, min(id) as first_id, max(id) as id from level_sets
               where workspace_id = ${workspaceId} and lineage_id = lookup.key group by project_id) newest
        join level_sets s on s.workspace_id = ${workspaceId} and s.lineage_id = lookup.key and s.project_id = newest.project_id and s.id = newest.id
        left join push_projects p on p.workspace_id = ${workspaceId} and p.id = s.project_id
        left join members m on m.workspace_id = ${workspaceId} and m.id = s.author_id) found
     where found.sets is not null`
  return new Map(rows.map(({ lineage_id, sets }) => [lineage_id, sets]))
}

/** Of a level, newest first. */
export async function selectLevelSets(
  sql: Sql,
  workspaceId: number,
  {
    lineageId,
    project,
    before,
    limit,
  }: { lineageId: string; project?: string | undefined; before?: number | undefined; limit: number },
): Promise<LevelSet[]> {
  const projectId = project === undefined ? undefined : await findProject(sql, workspaceId, project)
  if (project !== undefined && projectId === undefined) return []
  return sql<LevelSet[]>`
    select s.id, s.lineage_id, p.name as project, s.number, s.object_id, s.made_at as created_at, s.note, s.parts, s.added, s.changed, s.removed,
           case when m.id is not null then json_build_object('id', m.id, 'name', m.name, 'display_name', m.display_name) end as author
      from level_sets s
      left join push_projects p on p.workspace_id = s.workspace_id and p.id = s.project_id
      left join members m on m.workspace_id = s.workspace_id and m.id = s.author_id
     where s.workspace_id = ${workspaceId} and s.lineage_id = ${lineageId}
       ${projectId === undefined ? sql`` : sql`and s.project_id = ${projectId}`} ${before === undefined ? sql`` : sql`and s.id < ${before}`}
     order by s.id desc limit ${limit}`
}
