/** Connects the versions of a push with what they refer to, as their project sees it: rows of other projects, and of older versions, stay (contract-gaps 5). */

import type { ManifestItem } from '../../contract/push.ts'
import { amongIds, lookupTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'
import { completeAwaited, forgetAwaited } from '../rows/awaited.ts'
import { findPlaces, noProject, type PushedTo, placeKey, writePlacings } from '../rows/places.ts'
import {
  type Edges,
  edgesOf,
  type KnownReferences,
  type PathReference,
  packagePath,
  pathKeyOf,
  pathsReferredTo,
} from './edges.ts'
import type { Enriched } from './enrich.ts'
import type { Facts } from './facts.ts'
import type { Headers } from './headers/headers.ts'
import { pathKey } from './manifest.ts'
import type { Outcome } from './outcome.ts'
import type { ItemPlan } from './plan.ts'

export interface Connecting {
  plans: readonly ItemPlan[]
  facts: Facts
  outcome: Outcome
  enriched: Enriched
  headers: Headers
  by: PushedTo
}

export async function connect(context: Context, connecting: Connecting): Promise<void> {
  const { sql, workspace } = context
  const { facts, outcome, by } = connecting
  const { projectId } = by
  const items = connecting.plans.filter(({ action }) => action === 'register' || action === 'dedup').map(({ item }) => item)
  const itemOf = new Map(items.map((item) => [item.content_hash, item]))
  const idOf = (hash: string) => outcome.versions.get(hash)?.objectId ?? facts.objects.get(hash)?.id
  const lineageOf = (hash: string) => outcome.byHash.get(hash)?.id ?? facts.objects.get(hash)?.lineage_id
  // Known bytes keep the edges to what was current when they came.
  const headers = new Map([...connecting.headers].filter(([hash]) => outcome.versions.has(hash)))
  const repeated = items.flatMap(({ content_hash }) => (outcome.versions.has(content_hash) ? [] : (idOf(content_hash) ?? [])))
  const { known, copied } = await selectKnown(sql, workspace.id, { projectId, objectIds: repeated })
  const referring = { headers, missing: missingOf(items, connecting), known, copied }
  const atPath = await findAtPaths(sql, workspace.id, { projectId, paths: await pathsReferredTo(referring) })
  const pathOf = (hash: string) => pathKeyOf(itemOf.get(hash) ?? facts.objects.get(hash))
  const edges = await edgesOf(items, referring, { idOf, lineageOf, pathOf, atPath })
  const registered = new Set([...outcome.versions.values()].map(({ objectId }) => objectId))
  await writeEdges(sql, workspace.id, { by, edges, registered })
  await forgetAwaited(context, by, edges.met)
  const pushed = items.flatMap((item) => {
    const [object_id, lineage_id] = [idOf(item.content_hash), lineageOf(item.content_hash)]
    return object_id === undefined || lineage_id === undefined ? [] : [{ item, object_id, lineage_id }]
  })
  const placings = pushed.map(({ item, ...version }) => ({ ...version, path_key: placeKey(item) ?? null }))
  await writePlacings(sql, workspace.id, { by, placings, now: context.now })
  const arrived = pushed.flatMap(({ item, object_id: id }) => {
    const path_key = packagePath(item)
    return path_key === undefined ? [] : [{ path_key, id }]
  })
  await completeAwaited(context, by, arrived)
}

/** What the sender named as missing, of versions that keep it: new ones, and known ones of which nobody had named any. */
function missingOf(items: readonly ManifestItem[], { outcome, enriched }: Connecting) {
  const isKept = ({ content_hash: hash }: ManifestItem) =>
    outcome.versions.has(hash) || enriched.get(hash)?.fields.includes('missing_dependencies')
  return new Map(
    items
      .filter(isKept)
      .map((item) => [item.content_hash, new Map((item.missing_dependencies ?? []).map((path) => [pathKey(path), path]))]),
  )
}

interface KnownRow extends PathReference {
  object_id: number
  isOwn: boolean
  /** Where it leads; null while it is awaited. */
  lineage_id: string | null
}

/** Of versions that were pushed before: what this project said of them; of those that it did not push, the paths that the first one said. */
async function selectKnown(
  sql: Sql,
  workspaceId: number,
  { projectId, objectIds }: { projectId: number; objectIds: readonly number[] },
): Promise<{ known: Map<number, KnownReferences>; copied: Map<number, PathReference[]> }> {
  if (objectIds.length === 0) return { known: new Map(), copied: new Map() }
  const isAsked = (project: string) =>
    sql`(${sql(project)}.project_id = ${projectId} or ${sql(project)}.project_id = o.project_id)`
  const rows = await sql<KnownRow[]>`
    select d.object_id, d.project_id = ${projectId} as "isOwn", d.path_key, d.hard, null as path, n.lineage_id
      from objects o
      join dependencies d on d.workspace_id = o.workspace_id and d.object_id = o.id and ${isAsked('d')}
      join objects n on n.workspace_id = d.workspace_id and n.id = d.needs_object_id
     where o.workspace_id = ${workspaceId} and o.id ${amongIds(sql, objectIds)}
     union all
    select a.object_id, a.project_id = ${projectId}, a.path_key, a.hard, a.path, null
      from objects o
      join awaited_imports a on a.workspace_id = o.workspace_id and a.object_id = o.id and ${isAsked('a')}
     where o.workspace_id = ${workspaceId} and o.id ${amongIds(sql, objectIds)}`
  const own = Map.groupBy(
    rows.filter((row) => row.isOwn),
    (row) => row.object_id,
  )
  const others = Map.groupBy(
    rows.filter((row) => !row.isOwn && row.path_key !== null && !own.has(row.object_id)),
    (row) => row.object_id,
  )
  return { known: new Map([...own].map(([id, said]) => [id, knownFrom(said)])), copied: others }
}

const knownFrom = (rows: readonly KnownRow[]): KnownReferences => ({
  found: new Set(rows.flatMap(({ path_key, lineage_id }) => (lineage_id === null ? [] : (path_key ?? lineage_id)))),
  awaited: new Set(rows.flatMap(({ path_key, lineage_id }) => (lineage_id === null ? path_key : []))),
})

/** What lies at paths of the project; of pushes without one, the current versions of the library. */
async function findAtPaths(
  sql: Sql,
  workspaceId: number,
  { projectId, paths }: { projectId: number; paths: Iterable<string> },
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const batch of parts([...paths])) {
    if (projectId === noProject) for (const row of await selectCurrent(sql, workspaceId, batch)) found.set(row.path_key, row.id)
    else
      for (const [path, { object_id }] of await findPlaces(sql, workspaceId, { projectId, paths: batch }))
        found.set(path, object_id)
  }
  return found
}

const selectCurrent = (sql: Sql, workspaceId: number, paths: readonly string[]) => sql<{ path_key: string; id: number }[]>`
  select at.path_key, at.id from ${lookupTexts(sql, paths)}
   cross join lateral (
     select o.path_key, o.id from objects o
       join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
      where o.workspace_id = ${workspaceId} and o.path_key = lookup.key and o.source_ext is null offset 0) at
   order by at.id`

/** A manifest may name half a million missing packages: each statement's text is made in a moment. */
const partRows = 10_000

function* parts<T>(all: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < all.length; at += partRows) yield all.slice(at, at + partRows)
}

interface Writing {
  by: PushedTo
  edges: Edges
  /** Versions that this push registers: they have no edges yet, and looking for some would take a third of the time. */
  registered: ReadonlySet<number>
}

/** A known edge stays; a soft one becomes hard when a source says so. */
async function writeEdges(sql: Sql, workspaceId: number, { by, edges: { edges, awaited }, registered }: Writing): Promise<void> {
  const { projectId } = by
  const pushId = by.pushId ?? null
  const insert = (rows: Edges['edges']) => sql`
    insert into dependencies (workspace_id, object_id, project_id, needs_object_id, hard, path_key, push_id)
    select ${workspaceId}, r.object_id, ${projectId}, r.needs_object_id, r.hard, r.path_key, ${pushId}::bigint
      from jsonb_to_recordset(${sql.json(rows)}) as r(object_id bigint, needs_object_id bigint, hard boolean, path_key text)`
  const isFirst = ({ object_id }: { object_id: number }) => registered.has(object_id)
  for (const rows of parts(edges.filter(isFirst))) await insert(rows)
  for (const rows of parts(edges.filter((edge) => !isFirst(edge))))
    await sql`${insert(rows)}
    on conflict (workspace_id, object_id, project_id, needs_object_id) do update set hard = dependencies.hard or excluded.hard`
  for (const rows of parts(awaited.map((row) => ({ ...row, path: row.path ?? null }))))
    await sql`
    insert into awaited_imports as a (workspace_id, object_id, project_id, path_key, path, hard, push_id)
    select ${workspaceId}, r.object_id, ${projectId}, r.path_key, r.path, r.hard, ${pushId}::bigint
      from jsonb_to_recordset(${sql.json(rows)}) as r(object_id bigint, path_key text, path text, hard boolean)
    on conflict (workspace_id, path_key, project_id, object_id) do update
       set path = coalesce(a.path, excluded.path), hard = a.hard or excluded.hard`
}
