/** The edges of a push: what each version needs, from the manifest and from package headers; and imports that are awaited. */

import type { ManifestItem } from '../../contract/push.ts'
import { inPieces } from '../../system/event-loop.ts'
import { lookupTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Headers } from './headers.ts'
import { pathKey } from './manifest.ts'

/** Headers import packages; a source file beside one has the same path and is not meant. */
export const packagePath = (item: ManifestItem): string | undefined =>
  item.origin_path && !item.source_ext ? pathKey(item.origin_path) : undefined

/** By content hash: the hashes in the manifest that a header imports. */
export function headerEdgesWithin(items: readonly ManifestItem[], headers: Headers): Map<string, string[]> {
  const atPath = new Map(
    items.flatMap((item) => {
      const path = packagePath(item)
      return path === undefined ? [] : [[path, item.content_hash] as const]
    }),
  )
  return new Map([...headers].map(([hash, header]) => [hash, header.imports.flatMap((path) => atPath.get(path) ?? [])]))
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
  const found: Edges = { edges: [], awaited: [] }
  await inPieces(items, (item) => {
    const id = where.ids.get(item.content_hash)
    if (id === undefined) return
    const needs = new Map<number, boolean>()
    const need = (needed: number, hard: boolean) => needs.set(needed, hard || needs.get(needed) === true)
    for (const { content_hash, hard } of item.dependencies ?? []) {
      const needed = where.ids.get(content_hash)
      if (needed !== undefined) need(needed, hard ?? true)
    }
    const imports = new Set(headers.get(item.content_hash)?.imports)
    const named = missing.get(item.content_hash) ?? new Map<string, string>()
    for (const path_key of new Set([...imports, ...named.keys()])) {
      const needed = atPath.get(path_key)
      const hard = imports.has(path_key)
      if (needed !== undefined) need(needed, hard)
      else if (path_key !== packagePath(item))
        found.awaited.push({ object_id: id, path_key, path: named.get(path_key) ?? null, hard })
    }
    needs.delete(id)
    for (const [needed, hard] of needs) found.edges.push({ object_id: id, needs_object_id: needed, hard })
  })
  return found
}

/** A known edge stays; a soft one becomes hard when a source says so. */
export async function writeEdges(sql: Sql, workspaceId: number, { edges, awaited }: Edges): Promise<void> {
  if (edges.length > 0)
    await sql`
    insert into dependencies (workspace_id, object_id, needs_object_id, hard)
    select ${workspaceId}, r.object_id, r.needs_object_id, r.hard
      from jsonb_to_recordset(${sql.json(edges)}) as r(object_id bigint, needs_object_id bigint, hard boolean)
    on conflict (workspace_id, object_id, needs_object_id) do update set hard = dependencies.hard or excluded.hard`
  for (const rows of parts(awaited))
    await sql`
    insert into awaited_imports as a (workspace_id, object_id, path_key, path, hard)
    select ${workspaceId}, r.object_id, r.path_key, r.path, r.hard
      from jsonb_to_recordset(${sql.json(rows)}) as r(object_id bigint, path_key text, path text, hard boolean)
    on conflict (workspace_id, path_key, object_id) do update set path = coalesce(a.path, excluded.path), hard = a.hard or excluded.hard`
}
