/** The edges of a push: what each version needs, from the manifest and from package headers; and imports that are awaited. */

import type { ManifestItem } from '../../contract/push.ts'
import { inPieces } from '../../system/event-loop.ts'
import { lookupTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Headers } from './headers/headers.ts'
import { pathKey } from './manifest.ts'

/** Headers import packages; a source file beside one has the same path and is not meant. */
export const packagePath = (item: ManifestItem): string | undefined =>
  item.origin_path && !item.source_ext ? pathKey(item.origin_path) : undefined

/** By content hash: the hashes in the manifest that a header imports. */
export async function headerEdgesWithin(items: readonly ManifestItem[], headers: Headers): Promise<Map<string, string[]>> {
  const atPath = new Map(
    items.flatMap((item) => {
      const path = packagePath(item)
      return path === undefined ? [] : [[path, item.content_hash] as const]
    }),
  )
  const edges = new Map<string, string[]>()
  await inPieces(importsIn(headers), ([hash, path]) => {
    const needed = atPath.get(path)
    const known = edges.get(hash)
    if (needed === undefined) return
    if (known) known.push(needed)
    else edges.set(hash, [needed])
  })
  return edges
}

/** Every package that any of them imports, once. One header may import a hundred thousand. */
export async function importedBy(headers: Headers): Promise<Set<string>> {
  const paths = new Set<string>()
  await inPieces(importsIn(headers), ([, path]) => paths.add(path))
  return paths
}

function* importsIn(headers: Headers): Generator<readonly [hash: string, path: string]> {
  for (const [hash, { imports }] of headers) for (const path of imports) yield [hash, path]
}

/** Current versions in the library at the given paths, by path key. */
export async function findAtPaths(sql: Sql, workspaceId: number, paths: string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const batch of parts(paths)) {
    const rows = await sql<{ path_key: string; id: number }[]>`
      select at.path_key, at.id from ${lookupTexts(sql, batch)}
       cross join lateral (
         select o.path_key, o.id from objects o
           join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
          where o.workspace_id = ${workspaceId} and o.path_key = lookup.key and o.source_ext is null offset 0) at
       order by at.id`
    for (const row of rows) found.set(row.path_key, row.id)
  }
  return found
}

/** A manifest may name half a million missing packages: each statement's text is made in a moment. */
const partRows = 10_000

function* parts<T>(all: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < all.length; at += partRows) yield all.slice(at, at + partRows)
}

export interface Edges {
  edges: { object_id: number; needs_object_id: number; hard: boolean }[]
  /** `path`: as the sender named it as missing; null where only the header refers to it. `hard`: what the edge will be. */
  awaited: { object_id: number; path_key: string; path: string | null; hard: boolean }[]
}

/** What the items of a push refer to beyond the dependencies that they name. */
export interface Referring {
  headers: Headers
  /** By content hash, of versions that keep them: packages that the sender named as missing, as sent, by path key. */
  missing: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Where the packages are: of items in the manifest by hash; of the library by path key. */
interface Where {
  ids: ReadonlyMap<string, number>
  atPath: ReadonlyMap<string, number>
}

/** Every edge once, hard if any source says so. A package that is named as missing and is there after all becomes a soft one. */
export async function edgesOf(items: readonly ManifestItem[], { headers, missing }: Referring, where: Where): Promise<Edges> {
  const atPath = new Map(where.atPath)
  for (const item of items) {
    const id = where.ids.get(item.content_hash)
    const path = packagePath(item)
    if (id !== undefined && path !== undefined) atPath.set(path, id)
  }
  const needs = new Map<number, Map<number, boolean>>()
  const awaited: Edges['awaited'] = []
  await inPieces(referencesOf(items, { headers, missing }), ({ item, hard, content_hash, path_key, path = null }) => {
    const id = where.ids.get(item.content_hash)
    if (id === undefined) return
    const needed = content_hash === undefined ? atPath.get(path_key) : where.ids.get(content_hash)
    if (needed !== undefined) need(needs, { id, needed, hard })
    else if (path_key !== undefined && path_key !== packagePath(item)) awaited.push({ object_id: id, path_key, path, hard })
  })
  const edges: Edges['edges'] = []
  await inPieces(needs, ([object_id, ofOne]) => {
    for (const [needs_object_id, hard] of ofOne)
      if (needs_object_id !== object_id) edges.push({ object_id, needs_object_id, hard })
  })
  return { edges, awaited }
}

function need(
  needs: Map<number, Map<number, boolean>>,
  { id, needed, hard }: { id: number; needed: number; hard: boolean },
): void {
  const known = needs.get(id)
  if (known) known.set(needed, hard || known.get(needed) === true)
  else needs.set(id, new Map([[needed, hard]]))
}

type Reference = { item: ManifestItem; hard: boolean } & (
  | { content_hash: string; path_key?: undefined; path?: undefined }
  | { content_hash?: undefined; path_key: string; path?: string | undefined }
)

/** Each one by itself: a header may import a hundred thousand packages. */
function* referencesOf(items: readonly ManifestItem[], { headers, missing }: Referring): Generator<Reference> {
  for (const item of items) {
    for (const { content_hash, hard } of item.dependencies ?? []) yield { item, hard: hard ?? true, content_hash }
    const named = new Map(missing.get(item.content_hash))
    for (const path_key of headers.get(item.content_hash)?.imports ?? []) {
      yield { item, hard: true, path_key, path: named.get(path_key) }
      named.delete(path_key)
    }
    for (const [path_key, path] of named) yield { item, hard: false, path_key, path }
  }
}

/** A known edge stays; a soft one becomes hard when a source says so. */
export async function writeEdges(sql: Sql, workspaceId: number, { edges, awaited }: Edges): Promise<void> {
  for (const rows of parts(edges))
    await sql`
    insert into dependencies (workspace_id, object_id, needs_object_id, hard)
    select ${workspaceId}, r.object_id, r.needs_object_id, r.hard
      from jsonb_to_recordset(${sql.json(rows)}) as r(object_id bigint, needs_object_id bigint, hard boolean)
    on conflict (workspace_id, object_id, needs_object_id) do update set hard = dependencies.hard or excluded.hard`
  for (const rows of parts(awaited))
    await sql`
    insert into awaited_imports as a (workspace_id, object_id, path_key, path, hard)
    select ${workspaceId}, r.object_id, r.path_key, r.path, r.hard
      from jsonb_to_recordset(${sql.json(rows)}) as r(object_id bigint, path_key text, path text, hard boolean)
    on conflict (workspace_id, path_key, object_id) do update set path = coalesce(a.path, excluded.path), hard = a.hard or excluded.hard`
}
