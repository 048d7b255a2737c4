/**
 * Versions of before migration 38 refer to one another without a project and without paths, and levels to their parts as to anything else.
 * Here all of some lineages are brought to what is kept now (contract-gaps 5, 9): by the background work, or sooner by who is about to write.
 */

import { amongIds, amongTexts } from '../../database/among.ts'
import type { Sql } from '../../database/sql.ts'
import type { Writing } from '../../database/transaction.ts'
import { completeAwaitedAtPlaces } from '../awaited.ts'
import { neverEnded } from '../levels/sets.ts'

export interface Upgraded {
  versions: number
  doubled: number
  level_sets: number
  level_parts: number
  completed: number
}

export const nothingUpgraded: Upgraded = { versions: 0, doubled: 0, level_sets: 0, level_parts: 0, completed: 0 }

/** The caller has the lock of the workspace. What was done before stays as it is. */
export async function upgradeLineages(writing: Writing, lineageIds: Iterable<string>): Promise<Upgraded> {
  const { sql, workspace } = writing
  const objectIds = await takeVersions(sql, workspace.id, lineageIds)
  if (objectIds.length === 0) return nothingUpgraded
  const sets = await makeLevelSets(sql, workspace.id, objectIds)
  await forgetReferencesOfParts(sql, workspace.id, objectIds)
  const doubled = await settleReferences(sql, workspace.id, objectIds)
  const completed = await settleAwaited(writing, objectIds)
  return { versions: objectIds.length, doubled, ...sets, completed }
}

/** They belong to the project that their push named. */
async function takeVersions(sql: Sql, workspaceId: number, lineageIds: Iterable<string>): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with waiting as materialized (
      select id, lower(pushed_from) collate "C" as key from objects
       where workspace_id = ${workspaceId} and lineage_id ${amongTexts(sql, lineageIds)} and project_id is null)
    update objects o
       set project_id = coalesce((select p.id from push_projects p where p.workspace_id = ${workspaceId} and p.key = waiting.key), 0)
      from waiting where o.workspace_id = ${workspaceId} and o.id = waiting.id returning o.id`
  return rows.map(({ id }) => id)
}

const isPartPath = '/__external(actors|objects)__/'

/**
 * What a level was told of its parts becomes its sets: one as its version was pushed, and one for each later push that told more of that
 * version, in which the newer part at a path takes the place of the older one. Those of the current version come last.
 */
async function makeLevelSets(
  sql: Sql,
  workspaceId: number,
  objectIds: readonly number[],
): Promise<{ level_sets: number; level_parts: number }> {
  const levelEdges = sql`
    select o.lineage_id, o.project_id, d.object_id, d.needs_object_id, n.path_key, n.published_by, n.push_note,
           greatest(n.date_ingested, o.date_ingested) as at, o.id = l.face_object_id as is_current
      from objects o
      join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id
      join dependencies d on d.workspace_id = o.workspace_id and d.object_id = o.id and d.project_id = 0
      join objects n on n.workspace_id = d.workspace_id and n.id = d.needs_object_id
     where o.workspace_id = ${workspaceId} and o.id ${amongIds(sql, objectIds)} and o.asset_class = 'World' and o.source_ext is null
       and n.path_key ~ ${isPartPath} and starts_with(regexp_replace(n.path_key, ${isPartPath}, '/'), o.path_key || '/')`
  const [made] = await sql<{ sets: number; parts: number }[]>`
    with edges as materialized (${levelEdges}),
    part as materialized (
      select *, lead(at) over (partition by object_id, path_key order by at) as until,
             row_number() over (partition by object_id, path_key order by at) = 1 as is_first
        from (select distinct on (object_id, path_key, at) * from edges order by object_id, path_key, at, needs_object_id desc) e),
    moment as (
      select lineage_id, project_id, object_id, is_current, at, max(published_by) as author_id, max(push_note) as note,
             count(*) filter (where is_first)::int as added, count(*) filter (where not is_first)::int as changed
        from part group by lineage_id, project_id, object_id, is_current, at),
    made as (
      insert into level_sets (workspace_id, lineage_id, project_id, number, object_id, author_id, made_at, note, parts, added, changed, removed)
      select ${workspaceId}, lineage_id, project_id,
             row_number() over (partition by lineage_id, project_id order by is_current, object_id, at), object_id, author_id, at, note,
             sum(added) over (partition by object_id order by at), added, changed, 0
        from moment order by is_current, object_id, at
      returning lineage_id, project_id, object_id, made_at, id, number),
    ended as (
      select distinct on (object_id) object_id, next_id
        from (select object_id, number, lead(id) over (partition by lineage_id, project_id order by number) as next_id from made) m
       order by object_id, number desc),
    placed as (
      insert into level_parts (workspace_id, lineage_id, project_id, path_key, from_set, until_set, object_id)
      select ${workspaceId}, p.lineage_id, p.project_id, p.path_key, begun.id, coalesce(later.id, ended.next_id, ${neverEnded}::bigint), p.needs_object_id
        from part p
        join made begun on begun.object_id = p.object_id and begun.made_at = p.at
        join ended on ended.object_id = p.object_id
        left join made later on later.object_id = p.object_id and later.made_at = p.until
      returning 1),
    gone as (
      delete from dependencies d using edges e
       where d.workspace_id = ${workspaceId} and d.object_id = e.object_id and d.project_id = 0 and d.needs_object_id = e.needs_object_id)
    select (select count(*)::int from made) as sets, (select count(*)::int from placed) as parts`
  return { level_sets: made?.sets ?? 0, level_parts: made?.parts ?? 0 }
}

/** Parts name their level in their header, and one another. A level needs its parts, not they it; and its set says which ones. */
async function forgetReferencesOfParts(sql: Sql, workspaceId: number, objectIds: readonly number[]): Promise<void> {
  const isPart = sql`
    part.workspace_id = ${workspaceId} and part.id ${amongIds(sql, objectIds)} and part.path_key ~ ${isPartPath}`
  const levelOfIt = sql`regexp_replace(part.path_key, ${isPartPath}, '/')`
  await sql`
    delete from dependencies d using objects part, objects level
     where ${isPart} and d.workspace_id = part.workspace_id and d.object_id = part.id and d.project_id = 0
       and level.workspace_id = d.workspace_id and level.id = d.needs_object_id
       and (level.path_key ~ ${isPartPath} or level.asset_class = 'World' and starts_with(${levelOfIt}, level.path_key || '/'))`
  await sql`
    delete from awaited_imports a using objects part
     where ${isPart} and a.workspace_id = part.workspace_id and a.object_id = part.id and a.project_id = 0
       and (a.path_key ~ ${isPartPath} or starts_with(${levelOfIt}, a.path_key || '/'))`
}

/**
 * Later pushes gave packages a second edge to a path. The one stays that the version's own push, or one before it, could mean: the newest of
 * those; where there is none, the first that came later. Those of sources stay.
 */
async function settleReferences(sql: Sql, workspaceId: number, objectIds: readonly number[]): Promise<number> {
  const [row] = await sql<{ doubled: number }[]>`
    with ranked as materialized (
      select d.object_id, d.needs_object_id, o.project_id, n.path_key || coalesce('.' || n.source_ext, '') as path_key,
             o.source_ext is null and n.source_ext is null and n.path_key is not null
               and row_number() over (
                 partition by d.object_id, n.path_key, n.source_ext
                 order by n.date_ingested <= o.date_ingested desc, case when n.date_ingested <= o.date_ingested then -n.id else n.id end) > 1
               as is_doubled
        from objects o
        join dependencies d on d.workspace_id = o.workspace_id and d.object_id = o.id and d.project_id = 0
        join objects n on n.workspace_id = d.workspace_id and n.id = d.needs_object_id
       where o.workspace_id = ${workspaceId} and o.id ${amongIds(sql, objectIds)}),
    gone as (
      delete from dependencies d using ranked r
       where r.is_doubled and d.workspace_id = ${workspaceId} and d.object_id = r.object_id and d.project_id = 0
         and d.needs_object_id = r.needs_object_id returning 1),
    kept as (
      update dependencies d set project_id = r.project_id, path_key = r.path_key from ranked r
       where not r.is_doubled and d.workspace_id = ${workspaceId} and d.object_id = r.object_id and d.project_id = 0
         and d.needs_object_id = r.needs_object_id)
    select count(*)::int as doubled from gone`
  return row?.doubled ?? 0
}

/** What was pushed since has completed those that had been brought here before it, and not these. */
async function settleAwaited(writing: Writing, objectIds: readonly number[]): Promise<number> {
  const { sql, workspace } = writing
  await sql`
    update awaited_imports a set project_id = o.project_id from objects o
     where o.workspace_id = ${workspace.id} and o.id ${amongIds(sql, objectIds)} and o.project_id <> 0
       and a.workspace_id = o.workspace_id and a.object_id = o.id and a.project_id = 0`
  return completeAwaitedAtPlaces(writing, objectIds)
}
