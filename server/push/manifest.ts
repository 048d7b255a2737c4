/** A manifest as the library works with it: nulls gone, refs resolved, and what a schema cannot say checked (spec 4.9). */
import { validationError } from '../../contract/errors.ts'
import { type FlatMetadata, flatFromCore, metadataDocFailure } from '../../contract/metadata.ts'
import type { Manifest, ManifestItem } from '../../contract/push.ts'

/** Fails with VALIDATION naming every duplicate, unknown ref and oversized document. */
export function checkManifest(manifest: Manifest): void {
  const failures: { path: string; message: string }[] = []
  const unique = (list: string, values: (string | undefined)[], what: string) => {
    const seen = new Set<string>()
    for (const [index, value] of values.entries()) {
      if (value === undefined) continue
      if (seen.has(value)) failures.push({ path: `${list}.${index}.${what}`, message: `"${value}" is in the manifest twice` })
      seen.add(value)
    }
    return seen
  }
  unique(
    'items',
    manifest.items.map((item) => item.content_hash),
    'content_hash',
  )
  const packRefs = unique(
    'packs',
    (manifest.packs ?? []).map((pack) => pack.ref),
    'ref',
  )
  unique(
    'packs',
    (manifest.packs ?? []).map((pack) => pack.name),
    'name',
  )
  const groupRefs = unique(
    'variant_groups',
    (manifest.variant_groups ?? []).map((group) => group.ref),
    'ref',
  )
  for (const [index, item] of manifest.items.entries()) {
    const path = `items.${index}`
    if (item.pack_ref && !packRefs.has(item.pack_ref))
      failures.push({ path: `${path}.pack_ref`, message: `"${item.pack_ref}" is none of the manifest's packs` })
    const groupRef = item.entry?.variant_group_ref
    if (groupRef && !groupRefs.has(groupRef))
      failures.push({ path: `${path}.entry.variant_group_ref`, message: `"${groupRef}" is none of the manifest's groups` })
    const broken = item.metadata_doc ? metadataDocFailure(item.metadata_doc) : undefined
    if (broken) failures.push({ path: `${path}.metadata_doc`, message: broken })
  }
  if (failures.length > 0) throw validationError(failures)
}

/** How a message names an item. */
export const nameOf = (item: ManifestItem): string => item.origin_path ?? item.asset_name ?? item.content_hash

/** Package paths are compared without regard to case everywhere (contract-gaps 5). */
export const pathKey = (path: string): string => path.toLowerCase()

/** Two files of one prop have this in common: package path, class and extension of source files. */
export const placeOf = (at: {
  origin_path?: string | null
  asset_class: string
  source_ext?: string | null
}): string | undefined => (at.origin_path ? `${pathKey(at.origin_path)} ${at.asset_class} ${at.source_ext ?? ''}` : undefined)

/** GUIDs are compared as 32 upper-case digits, however they are written. */
export function guidKey(guid: string | null | undefined): string | undefined {
  if (!guid) return undefined
  const bare = guid.replaceAll(/[-{}]/g, '').toUpperCase()
  return /^[0-9A-F]{32}$/.test(bare) ? bare : guid
}

/** Signposts that a rename leaves behind: they never continue a lineage by their GUID and never become an entry. */
export const isRedirector = (item: { asset_class: string }): boolean => item.asset_class === 'ObjectRedirector'

/** The GUID that decides about the lineage. */
export const lineageGuid = (item: ManifestItem): string | undefined =>
  isRedirector(item) ? undefined : guidKey(item.package_guid)

/** The first folder under /Game, else `Unsorted`: the default pack. */
export function packNameOf(originPath: string | null | undefined): string {
  const folders = originPath?.split('/').slice(2, -1) ?? []
  return folders[0] ?? 'Unsorted'
}

/** The first folder below the pack's folder, else null: the automatic category. */
export function categoryOf(originPath: string | null | undefined): string | null {
  const folders = originPath?.split('/').slice(2, -1) ?? []
  return folders[1] ?? null
}

/** The flat fields of an item: what its document says, then what it says outright. */
export function metadataOf(item: ManifestItem): FlatMetadata {
  const known = Object.entries(item.entry?.metadata ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return { ...flatFromCore(item.metadata_doc?.core), ...Object.fromEntries(known) }
}
