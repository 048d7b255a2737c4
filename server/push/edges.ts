/** The edges of a push: what each version needs, from the manifest and from package headers; and imports that are awaited. */
import type { ManifestItem } from '../../contract/push.ts'
import { wantedTexts } from '../database/among.ts'
import type { Sql } from '../database/open.ts'
import { inPieces } from '../turn.ts'
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
  if (paths.length === 0) return new Map()
  const rows = await sql<{ path_key: string; id: number }[]>`
    select at.path_key, at.id from ${wantedTexts(sql, paths)}
     cross join lateral (
       select o.path_key, o.id from objects o
         join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
        where o.workspace_id = ${workspaceId} and o.path_key = wanted.key and o.source_ext is null offset 0) at
     order by at.id`
  return new Map(rows.map((row) => [row.path_key, row.id]))
}

export interface Edges {
  edges: { object_id: number; needs_object_id: number; hard: boolean }[]
  awaited: { object_id: number; path_key: string }[]
}

/** Every edge once, hard if any source says so. `ids`: of items in the manifest, by hash; `atPath`: of the library, by path key. */
export async function edgesOf(
  items: readonly ManifestItem[],
  headers: Headers,
  { ids, atPath }: { ids: ReadonlyMap<string, number>; atPath: ReadonlyMap<string, number> },
): Promise<Edges> {
  const inManifest = new Map<string, number>()
  for (const item of items) {
    const id = ids.get(item.content_hash)
    const path = packagePath(item)
    if (id !== undefined && path !== undefined) inManifest.set(path, id)
  }
  const found: Edges = { edges: [], awaited: [] }
  await inPieces(items, (item) => {
    const id = ids.get(item.content_hash)
    if (id === undefined) return
    const needs = new Map<number, boolean>()
    for (const { content_hash, hard } of item.dependencies ?? []) {
      const needed = ids.get(content_hash)
      if (needed !== undefined) needs.set(needed, (hard ?? true) || needs.get(needed) === true)
    }
    for (const path of headers.get(item.content_hash)?.imports ?? []) {
      const needed = inManifest.get(path) ?? atPath.get(path)
      if (needed === undefined) found.awaited.push({ object_id: id, path_key: path })
      else needs.set(needed, true)
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
  if (awaited.length > 0)
    await sql`
    insert into awaited_imports (workspace_id, object_id, path_key)
    select ${workspaceId}, r.object_id, r.path_key
      from jsonb_to_recordset(${sql.json(awaited)}) as r(object_id bigint, path_key text)
    on conflict do nothing`
}

/** Imports that were nowhere when their package was registered, and have arrived with these objects, become edges. */
export async function completeAwaited(sql: Sql, workspaceId: number, arrived: { path_key: string; id: number }[]): Promise<void> {
  if (arrived.length === 0) return
  await sql`
    with arrived as (select * from jsonb_to_recordset(${sql.json(arrived)}) as r(path_key text, id bigint)),
         met as (delete from awaited_imports a using arrived
                  where a.workspace_id = ${workspaceId} and a.path_key = arrived.path_key
                  returning a.object_id, arrived.id as needs_object_id)
    insert into dependencies (workspace_id, object_id, needs_object_id, hard)
    select ${workspaceId}, object_id, needs_object_id, true from met where object_id <> needs_object_id
    on conflict (workspace_id, object_id, needs_object_id) do update set hard = true`
}
