/** What a push changes of a level's parts, against the set that this machine knows. Pure. */
import { limits } from '../../../contract/limits.ts'
import type { ManifestItem } from '../../../contract/push.ts'
import type { KnownPart, KnownParts } from '../../memory/level-parts.ts'

export interface LevelChange {
  /** The set that is known here. */
  base: number | undefined
  /** Every part of the level in this push. */
  all: KnownPart[]
  put: KnownPart[]
  /** What was known and lies here no more. */
  remove: KnownPart[]
}

/** `all`: the parts in this push; `isHere`: whether a file is on this disk, pushed or not. */
export function levelChange(all: KnownPart[], known: KnownParts, isHere: (file: string) => boolean): LevelChange {
  const hashes = new Map(known.parts.map(({ path, hash }) => [path, hash]))
  const here = new Set(all.map(({ path }) => path.toLowerCase()))
  return {
    base: known.set,
    all,
    put: all.filter(({ path, hash }) => hashes.get(path.toLowerCase()) !== hash),
    remove: known.set === undefined ? [] : known.parts.filter(({ path, file }) => !here.has(path) && !isHere(file)),
  }
}

/** As of a level that the library does not have yet. */
export const wholeLevel = ({ all }: LevelChange): LevelChange => ({ base: undefined, all, put: all, remove: [] })

/** As a manifest says it. A level without parts says nothing. */
export function partsOf({ base, all, put, remove }: LevelChange): ManifestItem['parts'] {
  if (base === undefined && all.length === 0) return undefined
  return {
    base: base ?? null,
    put: put.slice(0, limits.levelParts).map(({ path, hash }) => ({ path, content_hash: hash })),
    remove: remove.slice(0, limits.levelParts).map(({ path }) => path),
  }
}

/** As servers take it that know no sets: what the level needs. */
export const asNeeds = ({ all }: LevelChange): NonNullable<ManifestItem['dependencies']> =>
  [...new Set(all.map(({ hash }) => hash))].map((content_hash) => ({ content_hash, hard: false }))
