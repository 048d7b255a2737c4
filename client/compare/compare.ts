/** What differs between two versions of a prop, or between a file and a version. Pure. */

import { levelsOf } from '../../contract/level-parts.ts'
import type { EntryMetadata } from '../../contract/metadata.ts'

/** A package or a file that a version needs directly. */
export interface ComparedNeed {
  name: string
  /** `/Game/Inn/M_Oak`; null for what has no such place. */
  path: string | null
  /** Which version is needed; null where only its path is known, as of a file here. */
  lineage_id: string | null
  object_id: number | null
  version?: number | undefined
}

/** What is not known is null or left out. */
export type Measures = Partial<EntryMetadata>

/** One side: a version of the library, or a file here. */
export interface ComparedVersion {
  /** Below the project's root, with `/`; null for a version of the library. */
  file: string | null
  object_id: number | null
  version?: number | undefined
  content_hash: string
  blob_size: number
  asset_class: string
  engine_version: string | null
  origin_path: string | null
  /** Null: not known. */
  metadata: Measures | null
  /** Null: not known. */
  needs: ComparedNeed[] | null
  missing_dependencies: string[]
  plugins: string[]
  pushed_at: string | null
  pushed_by: string | null
  push_note: string | null
  thumbnail_artifact_id: number | null
  preview_artifact_id: number | null
  preview_kind: string | null
  /** Of a source file; null for a package, and for a file here. */
  source_ext: string | null
}

type Flat = Omit<EntryMetadata, 'bounds'>
type Own = 'asset_class' | 'engine_version' | 'origin_path' | 'blob_size'
export type ComparedField = Own | keyof Flat | 'bounds'
export type ComparedValue = string | number | boolean | EntryMetadata['bounds']

/** `from` or `to` is null where that version has no such value. */
export interface Change {
  field: ComparedField
  from: ComparedValue
  to: ComparedValue
}

export interface NeedChange {
  name: string
  path: string | null
  from: ComparedNeed
  to: ComparedNeed
}

export interface Comparison {
  /** The same bytes. */
  identical: boolean
  changes: Change[]
  /** Direct ones. `updated`: another version of the same prop. Null: those of one side are not known. */
  dependencies: { added: ComparedNeed[]; gone: ComparedNeed[]; updated: NeedChange[] } | null
  /** Packages that are referenced and not in the library. Null: those of one side are not known, as of a file here. */
  missing: Difference | null
  plugins: Difference | null
}

export interface Difference {
  added: string[]
  gone: string[]
}

export function compare(from: ComparedVersion, to: ComparedVersion): Comparison {
  const areVersions = from.file === null && to.file === null
  return {
    identical: from.content_hash === to.content_hash,
    changes: [...ownChanges(from, to), ...measureChanges(from, to)],
    dependencies: from.needs && to.needs ? compareNeeds(from, to) : null,
    missing: areVersions ? compareNames(from.missing_dependencies, to.missing_dependencies) : null,
    plugins: areVersions ? compareNames(from.plugins, to.plugins) : null,
  }
}

/** Nothing that can be named differs, as where only the bytes of a mesh moved. */
export const isSilent = ({ changes, dependencies, missing, plugins }: Comparison): boolean =>
  [changes, dependencies?.added, dependencies?.gone, dependencies?.updated, missing?.added, missing?.gone, plugins?.added].every(
    (list) => (list ?? []).length === 0,
  ) && (plugins?.gone ?? []).length === 0

const ownFields: readonly Own[] = ['asset_class', 'engine_version', 'origin_path', 'blob_size']

const ownChanges = (from: ComparedVersion, to: ComparedVersion): Change[] =>
  ownFields.flatMap((field) => changeOf(field, { from: from[field], to: to[field] }, [from, to]))

function measureChanges(from: ComparedVersion, to: ComparedVersion): Change[] {
  const [before, after] = [from.metadata, to.metadata]
  if (!before || !after) return []
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof EntryMetadata)[]
  return fields.flatMap((field) => changeOf(field, { from: before[field] ?? null, to: after[field] ?? null }, [from, to]))
}

/** A file does not say everything: what it leaves open is no change. */
function changeOf(
  field: ComparedField,
  { from, to }: Omit<Change, 'field'>,
  sides: [ComparedVersion, ComparedVersion],
): Change[] {
  const isOpen = (value: ComparedValue, { file }: ComparedVersion) => value === null && file !== null
  if (isOpen(from, sides[0]) || isOpen(to, sides[1]) || isSame(from, to)) return []
  return [{ field, from, to }]
}

function isSame(a: ComparedValue, b: ComparedValue): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  return a.x === b.x && a.y === b.y && a.z === b.z
}

const pathKey = ({ path, name }: ComparedNeed): string => (path ?? name).toLowerCase()

/** By lineage, so that what was moved is the same; by path where one side is a file, which says nothing else. */
function compareNeeds(from: ComparedVersion, to: ComparedVersion): Comparison['dependencies'] {
  const isFile = from.file !== null || to.file !== null
  const keyed = (side: ComparedVersion): Map<string, ComparedNeed> =>
    isFile
      ? new Map(namedNeeds(side).map((need) => [pathKey(need), need]))
      : new Map(side.needs?.map((need) => [need.lineage_id ?? pathKey(need), need]))
  const [before, after] = [keyed(from), keyed(to)]
  const both = [...after].flatMap(([key, need]) => {
    const earlier = before.get(key)
    return earlier ? [{ name: need.name, path: need.path, from: earlier, to: need }] : []
  })
  const isOther = (a: number | null, b: number | null) => a !== null && b !== null && a !== b
  return {
    added: [...after].flatMap(([key, need]) => (before.has(key) ? [] : need)),
    gone: [...before].flatMap(([key, need]) => (after.has(key) ? [] : need)),
    updated: both.filter((one) => isOther(one.from.object_id, one.to.object_id)),
  }
}

/**
 * What the file itself would name: packages that are missing in the library too, parts of a level not, nor what lies in plugins, as a
 * version does not say its place there.
 */
function namedNeeds({ file, needs, missing_dependencies }: ComparedVersion): ComparedNeed[] {
  if (file !== null) return needs ?? []
  const isNamed = ({ path, name }: ComparedNeed) => (path === null ? name.includes('.') : levelsOf(path).length === 0)
  const missing = missing_dependencies.filter((path) => /^\/game\//i.test(path) && levelsOf(path).length === 0)
  const toNeed = (path: string) => ({ name: path.split('/').at(-1) ?? path, path, lineage_id: null, object_id: null })
  return [...(needs ?? []).filter(isNamed), ...missing.map(toNeed)]
}

/** Names of packages and plugins, whatever the case of their letters. */
function compareNames(from: readonly string[], to: readonly string[]): Difference {
  const lacking = (names: readonly string[], others: readonly string[]) => {
    const known = new Set(others.map((name) => name.toLowerCase()))
    return names.filter((name) => !known.has(name.toLowerCase()))
  }
  return { added: lacking(to, from), gone: lacking(from, to) }
}
