/** Projects that push, and which prop lies where in each of them (contract-gaps 5). Push, closures and restore use them. */

import { limits } from '../../contract/limits.ts'
import type { Referrer } from '../../contract/lineages.ts'
import { amongIds, lookupTexts } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** How versions refer to what lies at a path: as packages name packages, and of source files with their extension. */
export const placeKey = ({
  origin_path,
  source_ext,
}: {
  origin_path?: string | null | undefined
  source_ext?: string | null | undefined
}): string | undefined => (origin_path ? `${origin_path.toLowerCase()}${source_ext ? `.${source_ext}` : ''}` : undefined)

/** The same of a path that a manifest names; packages may be named with the extension of their file. */
export const placeKeyOf = (path: string): string => path.toLowerCase().replace(/\.(uasset|umap)$/, '')

/** Of pushes that name no project: what lies where is then asked of the whole library. */
export const noProject = 0

/** The number of a project, whatever the letters of its name; undefined where it never pushed. */
export async function findProject(sql: Sql, workspaceId: number, name: string | null | undefined): Promise<number | undefined> {
  if (!name) return noProject
  const [row] = await sql<{ id: number }[]>`
    select id from push_projects where workspace_id = ${workspaceId} and key = lower(${name}) collate "C"`
  return row?.id
}

/** The same, made where it is not there yet. The caller has the lock of the workspace. */
export async function takeProject(sql: Sql, workspaceId: number, name: string | null | undefined): Promise<number> {
  const known = await findProject(sql, workspaceId, name)
  if (known !== undefined || !name) return known ?? noProject
  const [made] = await sql<{ id: number }[]>`
    insert into push_projects (workspace_id, id, name, key)
    select ${workspaceId}, coalesce(max(id), 0) + 1, ${name}, lower(${name}) collate "C" from push_projects where workspace_id = ${workspaceId}
    returning id`
  if (!made) throw new Error('the project of a push was not kept')
  return made.id
}

/** What lies at a path of a project. */
export interface Place {
  lineage_id: string
  /** The current version of that prop, wherever it came from. */
  object_id: number
}

/**
 * `project` and `path` may be any expressions. A prop that has moved on has left its old place empty. `is_own`: the project itself pushed the
 * current version there.
 */
export const placeAt = (
  sql: Sql,
  workspaceId: number,
  { project, path }: { project: Fragment; path: Fragment },
): Fragment => sql`(
  select l.id as lineage_id, l.face_object_id as object_id, newest.object_id = l.face_object_id as is_own
    from (select p.id, p.lineage_id, p.object_id from placings p
           where p.workspace_id = ${workspaceId} and p.project_id = ${project} and p.path_key = ${path} order by p.id desc limit 1) newest
   cross join lateral (
     select id, face_object_id from lineages where workspace_id = ${workspaceId} and id = newest.lineage_id offset 0) l
   where not exists (
     select 1 from placings later
      where later.workspace_id = ${workspaceId} and later.lineage_id = newest.lineage_id and later.project_id = ${project}
        and later.id > newest.id and later.path_key <> ${path}))`

/**
 * The redirector at a path that another project left when it moved the prop of `place` (object_id, is_own) away: the version (lineage_id, object_id).
 * A project that shares the prop gets it with the moved file.
 */
export const redirectorBeside = (
  sql: Sql,
  workspaceId: number,
  { place, path }: { place: Fragment; path: Fragment },
): Fragment => sql`(
  select theirs.lineage_id, theirs.object_id
    from (select o.project_id from objects o
           where not ${place}.is_own and o.workspace_id = ${workspaceId} and o.id = ${place}.object_id and o.path_key <> ${path} offset 0) moved
   cross join lateral ${placeAt(sql, workspaceId, { project: sql`moved.project_id`, path })} theirs
   cross join lateral (
     select 1 from objects r
      where r.workspace_id = ${workspaceId} and r.id = theirs.object_id and r.asset_class = 'ObjectRedirector' offset 0) redirector)`

/** The current version (id) of the only prop of the library at a path: what a project awaits there is taken from it meanwhile. */
export const soleAt = (sql: Sql, workspaceId: Fragment, path: Fragment): Fragment => sql`(
  select min(f.id) as id
    from objects f
    join lineages l on l.workspace_id = f.workspace_id and l.id = f.lineage_id and l.face_object_id = f.id
   where f.workspace_id = ${workspaceId} and f.path_key = ${path} and f.source_ext is null having count(*) = 1)`

/**
 * By whose rows a version (o = objects) is read, where a walk came to it by `project`: that one's where it pushed the version, else those of its
 * first push. One of before, which waits to be brought here (server/rows/upgrade/), has rows of no project only.
 */
export const readBy = (sql: Sql, workspaceId: number, project: Fragment): Fragment => sql`
  case when o.project_id <> ${project} and exists (
    select 1 from placings p
     where p.workspace_id = ${workspaceId} and p.lineage_id = o.lineage_id and p.project_id = ${project} and p.object_id = o.id)
  then ${project} else coalesce(o.project_id, ${noProject}) end`

/** By path. */
export async function findPlaces(
  sql: Sql,
  workspaceId: number,
  { projectId, paths }: { projectId: number; paths: Iterable<string> },
): Promise<Map<string, Place>> {
  const rows = await sql<(Place & { path_key: string })[]>`
    select lookup.key as path_key, at.lineage_id, at.object_id from ${lookupTexts(sql, paths)}
     cross join lateral ${placeAt(sql, workspaceId, { project: sql`${projectId}::bigint`, path: sql`lookup.key` })} at`
  return new Map(rows.map(({ path_key, ...place }) => [path_key, place]))
}

/** A page of what lies in a project, the oldest first; `next` is where the page after it goes on, null at the end. */
export async function placesOf(
  sql: Sql,
  workspaceId: number,
  { projectId, after, most }: { projectId: number; after: number; most: number },
): Promise<{ places: { path: string; lineage_id: string }[]; next: number | null }> {
  const rows = await sql<{ id: number; path: string; lineage_id: string }[]>`
    select newest.id, newest.path_key as path, newest.lineage_id
      from (select distinct on (p.path_key) p.id, p.path_key, p.lineage_id from placings p
             where p.workspace_id = ${workspaceId} and p.project_id = ${projectId} and p.path_key is not null
             order by p.path_key, p.id desc) newest
     where newest.id > ${after} and not exists (
       select 1 from placings later
        where later.workspace_id = ${workspaceId} and later.lineage_id = newest.lineage_id and later.project_id = ${projectId}
          and later.id > newest.id and later.path_key <> newest.path_key)
     order by newest.id limit ${most}`
  const last = rows.length < most ? undefined : rows.at(-1)
  return { places: rows.map(({ path, lineage_id }) => ({ path, lineage_id })), next: last?.id ?? null }
}

/**
 * Who refers to paths, of all current versions of other props than were pushed from there: what a project pushed first. A redirector to whose
 * own path the prop has come back refers to nothing.
 */
export async function referrersOf(
  sql: Sql,
  workspaceId: number,
  { projectId, paths }: { projectId: number; paths: Iterable<string> },
): Promise<Referrer[]> {
  return sql<Referrer[]>`
    select lookup.key as path, found.object_id, found.lineage_id, found.name from ${lookupTexts(sql, paths)} cross join lateral (
      select r.id as object_id, r.lineage_id, r.asset_name as name
        from objects n
        join dependencies d on d.workspace_id = n.workspace_id and d.needs_object_id = n.id and d.path_key = lookup.key
        join objects r on r.workspace_id = d.workspace_id and r.id = d.object_id and r.lineage_id <> n.lineage_id
        join lineages l on l.workspace_id = r.workspace_id and l.id = r.lineage_id and l.face_object_id = r.id
       where n.workspace_id = ${workspaceId} and n.path_key = lookup.key
         and not (r.asset_class = 'ObjectRedirector' and exists (
           select 1 from lineages b join objects f on f.workspace_id = b.workspace_id and f.id = b.face_object_id
            where b.workspace_id = ${workspaceId} and b.id = n.lineage_id and f.path_key = r.path_key))
       group by r.id, r.lineage_id, r.asset_name
       order by exists (
         select 1 from placings p
          where p.workspace_id = ${workspaceId} and p.lineage_id = r.lineage_id and p.project_id = ${projectId}) desc, r.id
       limit ${limits.referrersNamed}) found`
}

/** The project of a push, and the push that its rows are written by. */
export interface PushedTo {
  projectId: number
  pushId: number | undefined
}

export interface Placing {
  lineage_id: string
  object_id: number
  path_key: string | null
}

/** Versions that a project pushes. Bytes that it had pushed there before move nothing: a clone that was not updated may send them. */
export async function writePlacings(
  sql: Sql,
  workspaceId: number,
  { by: { projectId, pushId }, placings, now }: { by: PushedTo; placings: readonly Placing[]; now: Date },
): Promise<void> {
  if (placings.length === 0) return
  await sql`
    insert into placings (workspace_id, project_id, lineage_id, object_id, path_key, push_id, placed_at)
    select ${workspaceId}, ${projectId}, r.lineage_id, r.object_id, r.path_key, ${pushId ?? null}::bigint, ${now.toISOString()}::timestamptz
      from jsonb_to_recordset(${sql.json(placings.map((one) => ({ ...one })))})
           as r(lineage_id text, object_id bigint, path_key text)
     where not exists (
       select 1 from placings p
        where p.workspace_id = ${workspaceId} and p.lineage_id = r.lineage_id and p.project_id = ${projectId}
          and p.object_id = r.object_id and p.path_key is not distinct from r.path_key)
     order by r.object_id`
}

/** Versions that are current again lie where each project had pushed them last. */
export async function placeAgain(sql: Sql, workspaceId: number, objectIds: readonly number[]): Promise<void> {
  await sql`
    insert into placings (workspace_id, project_id, lineage_id, object_id, path_key, placed_at)
    select ${workspaceId}, project_id, lineage_id, object_id, path_key, placed_at
      from (select distinct on (p.project_id, p.object_id) p.project_id, p.lineage_id, p.object_id, p.path_key, p.placed_at
              from objects o
              join placings p on p.workspace_id = o.workspace_id and p.lineage_id = o.lineage_id and p.object_id = o.id
             where o.workspace_id = ${workspaceId} and o.id ${amongIds(sql, objectIds)}
             order by p.project_id, p.object_id, p.id desc) newest`
}

/** Versions that are deleted lie nowhere. */
export async function forgetPlacings(
  sql: Sql,
  workspaceId: number,
  gone: readonly { id: number; lineage_id: string }[],
): Promise<void> {
  await sql`
    delete from placings p using unnest(${gone.map(({ id }) => id)}::bigint[], ${gone.map((one) => one.lineage_id)}::text[]) as r (id, lineage_id)
     where p.workspace_id = ${workspaceId} and p.lineage_id = r.lineage_id and p.object_id = r.id`
}

/** Those of the paths, which are in lower case, that a version refers to: found by what lay there when it was pushed, or awaited. */
export async function selectReferred(sql: Sql, workspaceId: number, pathKeys: Iterable<string>): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select lookup.key from ${lookupTexts(sql, pathKeys)}
     where exists (
             select 1 from (
               select id from objects where workspace_id = ${workspaceId} and path_key = lookup.key offset 0) o
              cross join lateral (
               select 1 from dependencies d
                where d.workspace_id = ${workspaceId} and d.needs_object_id = o.id and d.path_key = lookup.key limit 1) d)
        or exists (select 1 from awaited_imports a where a.workspace_id = ${workspaceId} and a.path_key = lookup.key)`
  return rows.map(({ key }) => key)
}
