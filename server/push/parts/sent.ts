/** What manifests say of the parts of levels: their changes, and what refers to what without being a need (contract-gaps 9). Pure. */

import { type Failure, mostFailures, validationError } from '../../../contract/errors.ts'
import { isLevelPart, isPartOf } from '../../../contract/level-parts.ts'
import type { ManifestItem } from '../../../contract/push.ts'
import { placeKey, placeKeyOf } from '../../rows/places.ts'
import type { Facts } from '../facts.ts'
import { nameOf } from '../manifest.ts'

/** What a level's item says of its parts. */
export interface SentParts {
  base: number | null
  put: readonly { path: string; content_hash: string }[]
  remove: readonly string[]
}

/** The parts that an item names; those that an older client names among its needs are read as put without a base. */
export function partsSent(item: ManifestItem, pathOf: (hash: string) => string | undefined): SentParts | undefined {
  if (item.asset_class !== 'World') return undefined
  const { parts, dependencies } = item
  if (parts) return { base: parts.base ?? null, put: parts.put ?? [], remove: parts.remove ?? [] }
  const put = (dependencies ?? []).flatMap(({ content_hash, path }) => {
    const at = path ? placeKeyOf(path) : pathOf(content_hash)
    return at !== undefined && belongsToSet(placeKey(item), at) ? [{ path: at, content_hash }] : []
  })
  return put.length > 0 ? { base: null, put, remove: [] } : undefined
}

/** Whether a reference from `own` to a path is one between a level and its parts, or between parts: sets say what those are. */
export function belongsToSet(own: string | undefined, path: string): boolean {
  if (own === undefined) return false
  return isLevelPart(own) ? isLevelPart(path) || isPartOf(own, path) : isPartOf(path, own)
}

/** Fails with VALIDATION naming paths that are no parts of their level, or twice in its change, and bytes that are nowhere. */
export function checkParts(items: readonly ManifestItem[], facts: Facts): void {
  const inManifest = new Set(items.map((item) => item.content_hash))
  const failures: Failure[] = []
  for (const [index, item] of items.entries()) {
    if (!item.parts) continue
    const fail = (field: string, message: string) =>
      failures.length < mostFailures &&
      failures.push({ path: `items.${index}.parts${field}`, message: `${message} (${nameOf(item)})` })
    if (item.asset_class !== 'World') fail('', 'are for levels, and this is none')
    const seen = new Set<string>()
    const check = (field: string, path: string) => {
      const key = placeKeyOf(path)
      const level = placeKey(item)
      if (level === undefined ? !isLevelPart(key) : !isPartOf(key, level)) fail(field, `${path} is no part of this level`)
      else if (seen.has(key)) fail(field, `${path} is in the change twice`)
      seen.add(key)
    }
    for (const [at, { path, content_hash }] of (item.parts.put ?? []).entries()) {
      check(`.put.${at}`, path)
      if (!inManifest.has(content_hash) && !facts.objects.has(content_hash))
        fail(`.put.${at}`, `${content_hash} is neither in the manifest nor in the library; push it along or leave it out`)
    }
    for (const [at, path] of (item.parts.remove ?? []).entries()) check(`.remove.${at}`, path)
  }
  if (failures.length > 0) throw validationError(failures)
}
