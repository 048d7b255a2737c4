/** What the library knows about the things that a manifest names: read in a few statements, whatever its size. */

import type { Lock } from '../../contract/locks.ts'
import type { Manifest, ManifestItem } from '../../contract/push.ts'
import { guidKey } from '../../formats/package-guid.ts'
import { amongTexts, lookupTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { holdLineages } from '../rows/hold.ts'
import { joinActiveLock } from '../rows/lock.ts'
import { findPlaces, findProject, placeKey } from '../rows/places.ts'
import { type KnownObject, loadObjects } from './known-objects.ts'
import { isRedirector, lineageGuid, pathKey } from './manifest.ts'

/** A lineage that an item may continue, with its current version and its entry. */
export interface KnownLineage {
  id: string
  face_object_id: number
  /** The number last given to one of its versions. */
  versions: number
  face_content_hash: string
  face_origin_path: string | null
  face_asset_class: string
  face_source_ext: string | null
  entry: KnownEntry | undefined
  /** Who has it checked out now. */
  lock: Lock | null
}

export interface KnownEntry {
  id: number
  category_locked: boolean
  variant_label: string | null
  variant_group_id: number | null
}

export interface Facts {
  /** The member who pushes. */
  pusherId: number
  objects: Map<string, KnownObject>
  lineages: Map<string, KnownLineage>
  lineageOfGuid: Map<string, KnownLineage>
  /** By GUID and path: the lineage at the project's place, where it has that GUID and another lineage had it first. */
  lineageAtPlace: Map<string, KnownLineage>
  /** By package path in lower case: the redirector at the project's place. */
  redirectorAtPlace: Map<string, KnownLineage>
  /** By package path in lower case, newest current version first. */
  lineagesAtPath: Map<string, KnownLineage[]>
  deniedHashes: Set<string>
  deniedGuids: Set<string>
}

interface LineageRow extends Omit<KnownLineage, 'entry'> {
  entry_id: number | null
  category_locked: boolean | null
  variant_label: string | null
  variant_group_id: number | null
}

/** Who pushes, where and when. */
export interface Pushing {
  sql: Sql
  workspace: { id: number }
  actor: { id: number }
  now: Date
}

/** `hold` keeps the lineages from being moved, checked out or released by others until the transaction ends. */
export async function loadFacts(pushing: Pushing, manifest: Manifest, { hold }: { hold: boolean }): Promise<Facts> {
  const { items } = manifest
  const { sql, actor } = pushing
  const workspaceId = pushing.workspace.id
  const guids = distinct(items.map((item) => guidKey(item.package_guid)))
  const paths = distinct(items.map((item) => (item.origin_path ? pathKey(item.origin_path) : undefined)))
  const objects = await loadObjects(sql, workspaceId, items)
  const guidRows = await sql<{ guid: string; lineage_id: string }[]>`
    select guid, lineage_id from package_guids where workspace_id = ${workspaceId} and guid ${amongTexts(sql, guids)}`
  const firstWith = new Map(guidRows.map(({ guid, lineage_id }) => [guid, lineage_id]))
  const placed = await selectPlaced(sql, workspaceId, { manifest, firstWith })
  const places = await selectRedirectorPlaces(sql, workspaceId, manifest)
  const named = distinct([
    ...places.values(),
    ...firstWith.values(),
    ...placed.values(),
    ...items.flatMap((item) => [item.stamped_lineage_id, item.attach_to_lineage]),
    ...[...objects.values()].map((object) => object.lineage_id),
  ])
  const denied = await sql<{ kind: string; value: string }[]>`
    select kind, value from denylist where workspace_id = ${workspaceId}
       and (kind = 'content_hash' and value ${amongTexts(
         sql,
         items.map((item) => item.content_hash),
       )} or kind = 'package_guid')`
  const lineages = await selectLineages(pushing, { named, paths, hold })
  const byId = new Map(lineages.map((lineage) => [lineage.id, lineage]))
  return {
    pusherId: actor.id,
    objects,
    lineages: byId,
    lineageOfGuid: lineagesBy(firstWith, byId),
    lineageAtPlace: lineagesBy(placed, byId),
    redirectorAtPlace: lineagesBy(places, byId),
    lineagesAtPath: Map.groupBy(
      lineages.filter((lineage) => lineage.face_origin_path !== null),
      (lineage) => pathKey(lineage.face_origin_path ?? ''),
    ),
    deniedHashes: new Set(denied.filter((row) => row.kind === 'content_hash').map((row) => row.value)),
    deniedGuids: new Set(denied.filter((row) => row.kind === 'package_guid').map((row) => guidKey(row.value) ?? row.value)),
  }
}

const lineagesBy = (ids: ReadonlyMap<string, string>, byId: ReadonlyMap<string, KnownLineage>): Map<string, KnownLineage> =>
  new Map(
    [...ids].flatMap(([key, id]) => {
      const lineage = byId.get(id)
      return lineage ? [[key, lineage] as const] : []
    }),
  )

/** The GUID of a file and the place of a project, as one key. */
const placedKey = (guid: string, path: string) => `${guid} ${path}`

/** The lineage that an item continues by its GUID: the one at its project's place, else the one that first had it (contract-gaps 5). */
export function lineageByGuid(item: ManifestItem, { lineageOfGuid, lineageAtPlace }: Facts): KnownLineage | undefined {
  const guid = lineageGuid(item)
  if (guid === undefined) return undefined
  return lineageAtPlace.get(placedKey(guid, placeKey(item) ?? '')) ?? lineageOfGuid.get(guid)
}

/** Most GUIDs belong to the lineage that lies at the place, or nothing lies there. */
async function selectPlaced(
  sql: Sql,
  workspaceId: number,
  { manifest, firstWith }: { manifest: Manifest; firstWith: ReadonlyMap<string, string> },
): Promise<Map<string, string>> {
  const keys = manifest.items.flatMap((item) => {
    const [guid, path] = [lineageGuid(item), placeKey(item)]
    return guid !== undefined && path !== undefined && firstWith.has(guid) ? [{ guid, path }] : []
  })
  const projectId = keys.length > 0 ? await findProject(sql, workspaceId, manifest.project) : undefined
  if (!projectId) return new Map()
  const places = await findPlaces(sql, workspaceId, { projectId, paths: keys.map(({ path }) => path) })
  const others = keys.flatMap(({ guid, path }) => {
    const id = places.get(path)?.lineage_id
    return id === undefined || id === firstWith.get(guid) ? [] : [{ guid, path, id }]
  })
  if (others.length === 0) return new Map()
  const having = await sql<{ lineage_id: string; package_guid: string }[]>`
    select distinct o.lineage_id, o.package_guid from objects o
     where o.workspace_id = ${workspaceId} and o.lineage_id ${amongTexts(
       sql,
       others.map(({ id }) => id),
     )} and o.package_guid ${amongTexts(
       sql,
       others.map(({ guid }) => guid),
     )}`
  const has = new Set(having.map((row) => placedKey(row.package_guid, row.lineage_id)))
  return new Map(
    others.flatMap(({ guid, path, id }) => (has.has(placedKey(guid, id)) ? [[placedKey(guid, path), id] as const] : [])),
  )
}

/** What lies where the redirectors of a manifest are, by path. */
async function selectRedirectorPlaces(sql: Sql, workspaceId: number, { items, project }: Manifest): Promise<Map<string, string>> {
  const paths = items.flatMap((item) => (isRedirector(item) ? (placeKey(item) ?? []) : []))
  const projectId = paths.length > 0 ? await findProject(sql, workspaceId, project) : undefined
  if (projectId === undefined) return new Map()
  const places = await findPlaces(sql, workspaceId, { projectId, paths })
  return new Map([...places].map(([path, { lineage_id }]) => [path, lineage_id]))
}

const distinct = (values: (string | null | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== null && value !== undefined)),
]

async function selectLineages(
  { sql, workspace, now }: Pushing,
  by: { named: string[]; paths: string[]; hold: boolean },
): Promise<KnownLineage[]> {
  const workspaceId = workspace.id
  const ids = await sql<{ id: string }[]>`
    select l.id from ${lookupTexts(sql, by.named)}
     cross join lateral (select id from lineages where workspace_id = ${workspaceId} and id = lookup.key offset 0) l
    union
    select at.id from ${lookupTexts(sql, by.paths)}
     cross join lateral (
       select l.id from objects o
         join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
        where o.workspace_id = ${workspaceId} and o.path_key = lookup.key offset 0) at`
  const lineageIds = ids.map((row) => row.id)
  if (by.hold) await holdLineages(sql, workspaceId, lineageIds)
  const rows = await sql<LineageRow[]>`
    select known.* from ${lookupTexts(sql, lineageIds)}
     cross join lateral (
       select l.id, l.face_object_id, l.versions, o.content_hash as face_content_hash, o.origin_path as face_origin_path,
              o.asset_class as face_asset_class, o.source_ext as face_source_ext,
              e.id as entry_id, e.category_locked, e.variant_label, e.variant_group_id, held.lock
         from lineages l
         join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
         left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
              ${joinActiveLock(sql, now)}
        where l.workspace_id = ${workspaceId} and l.id = lookup.key offset 0) known
     order by known.face_object_id desc`
  return rows.map(({ entry_id, category_locked, variant_label, variant_group_id, ...lineage }) => ({
    ...lineage,
    entry:
      entry_id === null
        ? undefined
        : { id: entry_id, category_locked: category_locked ?? false, variant_label, variant_group_id },
  }))
}
