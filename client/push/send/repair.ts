/** What the library refused of a manifest by name, so that it can go without and one item does not sink its batch. Pure. */
import type { ApiError } from '../../../contract/errors.ts'
import type { ManifestItem } from '../../../contract/push.ts'

export interface Repair {
  /** By index of the item: why it cannot go at all. */
  refused: Map<number, string>
  /** Items whose stamp leads nowhere. */
  unstamped: Set<number>
  /** By index of the item: content hashes of needs that are not there. */
  loosened: Map<number, string[]>
}

/** The fields that say which lineage is continued. */
export const stampFields = ['stamped_lineage_id', 'stamped_base_hash', 'expected_face_object_id', 'attach_to_lineage'] as const

/** Of an item whose stamp leads nowhere. */
export const unstamped: Partial<ManifestItem> = Object.fromEntries(stampFields.map((field) => [field, undefined]))

/**
 * Reads `details.errors` of a 422 (`items.3.dependencies.0`, `items.5.stamped_lineage_id`, `items.7.origin_path`). Undefined
 * when the refusal is about something else than single items of the manifest: nothing can be left out then.
 */
export function findRepair(items: readonly Readonly<ManifestItem>[], error: ApiError): Repair | undefined {
  const failures = failuresOf(error)
  const repair: Repair = { refused: new Map(), unstamped: new Set(), loosened: new Map() }
  for (const { path, message } of failures) {
    const [, position, field, sub] = /^items\.(\d+)(?:\.([a-z_]+))?(?:\.(\d+))?/.exec(path) ?? []
    const index = Number(position ?? -1)
    const item = items[index]
    if (!item) return undefined
    const need = field === 'dependencies' ? item.dependencies?.[Number(sub ?? -1)] : undefined
    if (need) repair.loosened.set(index, [...(repair.loosened.get(index) ?? []), need.content_hash])
    else if (stampFields.some((name) => name === field && item[name])) repair.unstamped.add(index)
    else repair.refused.set(index, message)
  }
  return failures.length > 0 ? repair : undefined
}

function failuresOf({ code, details }: ApiError): { path: string; message: string }[] {
  if (code !== 'VALIDATION' || !Array.isArray(details.errors)) return []
  return details.errors.filter(
    (failure): failure is { path: string; message: string } =>
      typeof failure?.path === 'string' && typeof failure?.message === 'string',
  )
}
