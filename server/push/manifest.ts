/** A manifest as the library works with it: nulls gone, refs resolved, and what a schema cannot say checked (spec 4.9). */
import { type Failure, mostFailures, validationError } from '../../contract/errors.ts'
import { kindOf, whyNotKept } from '../../contract/file-kinds.ts'
import { isLevelPart } from '../../contract/level-parts.ts'
import { limits } from '../../contract/limits.ts'
import { type FlatMetadata, flatFromCore } from '../../contract/metadata.ts'
import { cutToLimit } from '../../contract/names.ts'
import type { Manifest, ManifestItem } from '../../contract/push.ts'
import { guidKey } from '../../formats/package-guid.ts'
import { extensionOf, type Filed } from '../../formats/package-place.ts'
import { inPieces } from '../../system/event-loop.ts'
import { withoutUnknowns } from './unknowns.ts'

/** The manifest without what says that it is unknown. Fails with VALIDATION naming every duplicate. */
export function readManifest(manifest: Manifest): Manifest {
  const packs = manifest.packs ?? []
  const failures = [
    ...duplicates(manifest.items.map((item) => item.content_hash)).map(told('items', 'content_hash')),
    ...duplicates(packs.map((pack) => pack.ref)).map(told('packs', 'ref')),
    ...duplicates(packs.map((pack) => pack.name)).map(told('packs', 'name')),
    ...duplicates((manifest.variant_groups ?? []).map((group) => group.ref)).map(told('variant_groups', 'ref')),
  ]
  const missing = manifest.items.reduce((sum, item) => sum + (item.missing_dependencies?.length ?? 0), 0)
  if (missing > limits.missing.perManifest)
    failures.push({
      path: 'items',
      message: `name ${missing} missing dependencies together, and a manifest may name ${limits.missing.perManifest}; push them in several`,
    })
  if (failures.length > 0) throw validationError(failures)
  return withoutUnknowns(manifest)
}

/** Values that stand earlier in the list already, with their indexes. */
function duplicates(values: string[]): [index: number, value: string][] {
  const seen = new Set<string>()
  return [...values.entries()].filter(([, value]) => seen.has(value) || !seen.add(value))
}

const told =
  (list: string, field: string) =>
  ([index, value]: [number, string]): Failure => ({
    path: `${list}.${index}.${field}`,
    message: `"${value}" is in the manifest twice`,
  })

/** Fails with VALIDATION when an item refers to a pack or variant group that the manifest does not declare; asked at commit only. */
export function checkRefs({ items, packs, variant_groups }: Manifest): void {
  const packRefs = new Set((packs ?? []).map((pack) => pack.ref))
  const groupRefs = new Set((variant_groups ?? []).map((group) => group.ref))
  const failures = items.flatMap(({ pack_ref, entry }, index): Failure[] => {
    const groupRef = entry?.variant_group_ref
    return [
      ...(pack_ref && !packRefs.has(pack_ref)
        ? [{ path: `items.${index}.pack_ref`, message: `"${pack_ref}" is none of the manifest's packs` }]
        : []),
      ...(groupRef && !groupRefs.has(groupRef)
        ? [{ path: `items.${index}.entry.variant_group_ref`, message: `"${groupRef}" is none of the manifest's groups` }]
        : []),
    ]
  })
  if (failures.length > 0) throw validationError(failures)
}

/** What is known of bytes that a manifest names, of what they are and where they lie. */
type KnownFiles = ReadonlyMap<string, Filed & { origin_path: string | null }>

/** Fails with VALIDATION naming the items that no library takes: programs and scripts, and what the editor would take for one by its place. */
export async function checkKinds(items: readonly ManifestItem[], known: KnownFiles): Promise<void> {
  const failures: Failure[] = []
  await inPieces(items.entries(), ([index, item]) => {
    if (failures.length >= mostFailures) return
    const fault = kindFault(item, known.get(item.content_hash))
    if (fault) failures.push({ path: `items.${index}.${fault.field}`, message: `${nameOf(item)} ${fault.why}` })
  })
  if (failures.length > 0) throw validationError(failures)
}

/** Known bytes that have no place yet would get this one, as the kind that they were registered with. */
function kindFault(item: ManifestItem, known: (Filed & { origin_path: string | null }) | undefined) {
  const { source_ext = null, asset_class, origin_path: packagePath, source_path } = item
  const kind = extensionOf({ source_ext, asset_class })
  const gained = known && known.origin_path === null ? whyNotKept({ kind: extensionOf(known), packagePath }) : undefined
  const faults: { field: string; why: string | undefined }[] = [
    { field: 'source_ext', why: whyNotKept({ kind }) },
    { field: 'origin_path', why: whyNotKept({ kind, packagePath }) ?? (packagePath ? gained : undefined) },
    { field: 'source_path', why: source_path ? whyNotKept({ kind: kindOf(source_path) }) : undefined },
  ]
  return faults.find(({ why }) => why !== undefined)
}

/** How a message names an item. */
export const nameOf = (item: Pick<ManifestItem, 'origin_path' | 'asset_name' | 'content_hash'>): string =>
  item.origin_path ?? item.asset_name ?? item.content_hash

/** Package paths are compared without regard to case everywhere (contract-gaps 5). */
export const pathKey = (path: string): string => path.toLowerCase()

/** Names of plugins, each once, in order: they are compared without regard to case. */
export const distinctNames = (names: readonly string[] | null | undefined): string[] =>
  [...new Map((names ?? []).map((name) => [name.toLowerCase(), name])).entries()].sort().map(([, name]) => name)

/** Two files of one prop have this in common: package path, class and extension of source files. */
export const placeOf = (at: {
  origin_path?: string | null
  asset_class: string
  source_ext?: string | null
}): string | undefined => (at.origin_path ? `${pathKey(at.origin_path)} ${at.asset_class} ${at.source_ext ?? ''}` : undefined)

/** Signposts that a rename leaves behind: they never continue a lineage by their GUID and never become an entry. */
export const isRedirector = (item: { asset_class: string }): boolean => item.asset_class === 'ObjectRedirector'

/** An external actor or object of a level: told by its path, never an entry. */
export const isPart = ({ origin_path }: Pick<ManifestItem, 'origin_path'>): boolean => isLevelPart(origin_path ?? '')

/** The GUID that decides about the lineage. */
export const lineageGuid = (item: ManifestItem): string | undefined =>
  isRedirector(item) || isPart(item) ? undefined : guidKey(item.package_guid)

type Path = string | null | undefined

const foldersOf = (originPath: Path): string[] => originPath?.split('/').slice(2, -1) ?? []

/** The first folder under /Game. */
export const packFolderOf = (originPath: Path): string | undefined => foldersOf(originPath)[0]

/** The first folder below the pack's folder. */
export const categoryFolderOf = (originPath: Path): string | undefined => foldersOf(originPath)[1]

/** The default pack, named after its folder, else `Unsorted`. Folders whose names are alike as far as a name goes are one pack. */
export const packNameOf = (originPath: Path): string => cutToLimit(packFolderOf(originPath) ?? 'Unsorted', limits.names.pack)

/** The automatic category, named after its folder in the same way, else null. */
export function categoryOf(originPath: Path): string | null {
  const folder = categoryFolderOf(originPath)
  return folder === undefined ? null : cutToLimit(folder, limits.names.category)
}

/** The flat fields of an item: what its document says, then what it says outright. */
export function metadataOf(item: ManifestItem): FlatMetadata {
  const known = Object.entries(item.entry?.metadata ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return { ...flatFromCore(item.metadata_doc?.core), ...Object.fromEntries(known) }
}
