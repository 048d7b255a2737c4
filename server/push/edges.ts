/** What each version of a push refers to, from the manifest, from package headers, and from what other projects had seen in the same bytes (contract-gaps 5). */

import type { ManifestItem } from '../../contract/push.ts'
import { inPieces } from '../../system/event-loop.ts'
import { placeKey, placeKeyOf } from '../rows/places.ts'
import type { Headers } from './headers/headers.ts'
import { pathKey } from './manifest.ts'
import { belongsToSet } from './parts/sent.ts'

/** Headers import packages; a source file beside one has the same path and is not meant. */
export const packagePath = (item: Pick<ManifestItem, 'origin_path' | 'source_ext'>): string | undefined =>
  item.origin_path && !item.source_ext ? pathKey(item.origin_path) : undefined

/** By content hash: the hashes in the manifest that a header imports. */
export async function headerEdgesWithin(items: readonly ManifestItem[], headers: Headers): Promise<Map<string, string[]>> {
  const atPath = new Map(
    items.flatMap((item) => {
      const path = packagePath(item)
      return path === undefined ? [] : [[path, item.content_hash] as const]
    }),
  )
  const pathOf = new Map(items.map((item) => [item.content_hash, placeKey(item)]))
  const edges = new Map<string, string[]>()
  await inPieces(importsIn(headers), ([hash, path]) => {
    const needed = atPath.get(path)
    const known = edges.get(hash)
    if (needed === undefined || belongsToSet(pathOf.get(hash), path)) return
    if (known) known.push(needed)
    else edges.set(hash, [needed])
  })
  return edges
}

function* importsIn(headers: Headers): Generator<readonly [hash: string, path: string]> {
  for (const [hash, { imports }] of headers) for (const path of imports) yield [hash, path]
}

/** A path that is referred to. */
export interface PathReference {
  path_key: string
  hard: boolean
  /** As the sender named it as missing; null where only the header refers to it. */
  path?: string | null | undefined
}

/** What the project had said of a version before this push. */
export interface KnownReferences {
  /** The paths that lead somewhere, or the lineages where there is none: their rows stay. */
  found: ReadonlySet<string>
  awaited: ReadonlySet<string>
}

/** What the items of a push refer to beyond the dependencies that they name. */
export interface Referring {
  headers: Headers
  /** By content hash, of versions that keep them: packages that the sender named as missing, as sent, by path key. */
  missing: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** By version, of those that the project had pushed before. */
  known: ReadonlyMap<number, KnownReferences>
  /** By version, of those that only others had pushed: no header is read again. */
  copied: ReadonlyMap<number, readonly PathReference[]>
}

/** Where things are: the version and the lineage of each hash that the manifest names; what lies at a path, in this push or before. */
export interface Where {
  idOf: (hash: string) => number | undefined
  lineageOf: (hash: string) => string | undefined
  pathOf: (hash: string) => string | undefined
  atPath: ReadonlyMap<string, number>
}

export interface Edges {
  edges: { object_id: number; needs_object_id: number; hard: boolean; path_key: string | null }[]
  awaited: (PathReference & { object_id: number })[]
  /** Of known versions: what they awaited and now name. */
  met: { object_id: number; path_key: string }[]
}

/** Every version once for each item, hard if any reference says so. A package that is named as missing and is there after all becomes a soft one. */
export async function edgesOf(items: readonly ManifestItem[], referring: Referring, where: Where): Promise<Edges> {
  const atPath = new Map(where.atPath)
  for (const item of items) {
    const id = where.idOf(item.content_hash)
    const path = packagePath(item)
    if (id !== undefined && path !== undefined) atPath.set(path, id)
  }
  const all: Edges = { edges: [], awaited: [], met: [] }
  await inPieces(items, (item) => addReferences(item, { all, referring, where, atPath }))
  return all
}

interface Adding {
  all: Edges
  referring: Referring
  where: Where
  atPath: ReadonlyMap<string, number>
}

function addReferences(item: ManifestItem, { all, referring, where, atPath }: Adding): void {
  const id = where.idOf(item.content_hash)
  if (id === undefined) return
  const known = referring.known.get(id)
  const own = placeKey(item)
  const needs = new Map<number, { hard: boolean; path_key: string | null }>()
  const named = new Map<string, number[]>()
  const need = (needed: number, hard: boolean, path_key: string | null) => {
    if (needed === id) return
    const before = needs.get(needed)
    needs.set(needed, { hard: hard || before?.hard === true, path_key: before?.path_key ?? path_key })
    if (path_key !== null && known?.awaited.has(path_key)) all.met.push({ object_id: id, path_key })
  }
  for (const { content_hash, hard, path } of item.dependencies ?? []) {
    const path_key = path ? placeKeyOf(path) : where.pathOf(content_hash)
    const needed = where.idOf(content_hash)
    const key = path_key ?? where.lineageOf(content_hash)
    if (needed === undefined) continue
    if (key !== undefined && known?.found.has(key)) continue
    if (belongsToSet(own, path_key ?? '')) continue
    if (path_key !== undefined) named.set(path_key, [...(named.get(path_key) ?? []), needed])
    need(needed, hard ?? true, path_key ?? null)
  }
  for (const reference of pathReferences(item, id, referring)) {
    const { path_key, hard } = reference
    if (known?.found.has(path_key) || belongsToSet(own, path_key)) continue
    const needed = named.get(path_key) ?? atPath.get(path_key)
    if (needed !== undefined) for (const one of [needed].flat()) need(one, hard, path_key)
    else if (path_key !== packagePath(item)) all.awaited.push({ ...reference, object_id: id })
  }
  for (const [needs_object_id, edge] of needs) all.edges.push({ object_id: id, needs_object_id, ...edge })
}

/** What lies there decides where they lead. Each path once: a header may import a hundred thousand packages. */
function* pathReferences(item: ManifestItem, id: number, referring: Referring): Generator<PathReference> {
  const missing = new Map(referring.missing.get(item.content_hash))
  for (const path_key of referring.headers.get(item.content_hash)?.imports ?? []) {
    yield { path_key, hard: true, path: missing.get(path_key) ?? null }
    missing.delete(path_key)
  }
  for (const reference of referring.copied.get(id) ?? []) {
    yield { ...reference, path: missing.get(reference.path_key) ?? reference.path ?? null }
    missing.delete(reference.path_key)
  }
  for (const [path_key, path] of missing) yield { path_key, hard: false, path }
}

/** Every path that they refer to without naming what lies there, once. */
export async function pathsReferredTo({ headers, missing, copied }: Omit<Referring, 'known'>): Promise<Set<string>> {
  const paths = new Set<string>()
  await inPieces(importsIn(headers), ([, path]) => paths.add(path))
  for (const named of missing.values()) for (const path of named.keys()) paths.add(path)
  await inPieces(copied.values(), (references) => {
    for (const { path_key } of references) paths.add(path_key)
  })
  return paths
}

/** Where a file of the manifest or of the library is referred to. */
export const pathKeyOf = (file: Pick<ManifestItem, 'origin_path' | 'source_ext'> | undefined): string | undefined =>
  file && placeKey(file)
