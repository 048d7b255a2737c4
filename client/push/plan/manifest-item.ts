/** One file as an item of a manifest: what the library is told of it (spec 4.9; contract-gaps 5). Pure. */

import { levelsOf } from '../../../contract/level-parts.ts'
import { limits } from '../../../contract/limits.ts'
import { cutToLimit, nameKey } from '../../../contract/names.ts'
import { longestPath, packagePathPattern } from '../../../contract/path-patterns.ts'
import type { ManifestEntry, ManifestItem } from '../../../contract/push.ts'
import { entryTypeOf } from '../../../formats/entry-types.ts'
import type { KnownPackage } from '../../project/file-facts.ts'
import type { Base } from '../../project/known-file.ts'
import { type Copies, isExternal, isPackageFile, pathOf, type SendableFile } from '../../project/project-file.ts'
import { type LevelChange, partsOf } from './level-change.ts'
import type { References } from './references.ts'

/** Which lineage a file continues: the version it was edited from, or that a redirector at its old place stands for. */
export interface Stamp {
  lineageId: string
  baseHash?: string
  faceObjectId?: number
}

export interface ItemOptions {
  /** Name of the pack, which is its ref as well; undefined leaves it to the library. */
  packName: string | undefined
  variantGroupRef: string | undefined
  stamp: Stamp | undefined
  sourcePath: string | undefined
  /** Of a new prop, where the file's own name does not tell it apart. */
  name?: string | undefined
  /** Of a level: what changes of its parts. */
  level?: LevelChange | undefined
}

const unknownClass = 'Unknown'
/** As many names as fit well into the 64 KiB of a metadata document. */
const mostNamesInDocument = 300

/** The manifest item of a file. Fields that are not known are left out. */
export function itemOf([file]: Copies, references: References, options: ItemOptions): ManifestItem {
  const { facts, naming, hash, size, found } = file
  const isPackage = isPackageFile(file)
  const dependencies = [...references.needs].map(([content_hash, hard]) => ({ content_hash, hard }))
  return withoutUndefined({
    content_hash: hash,
    asset_class: assetClassOf(file),
    blob_size: size,
    asset_name: assetNameOf(file),
    origin_path: naming.originPath ?? undefined,
    engine_version: isPackage
      ? ((facts as Partial<KnownPackage>).engineVersion ?? found.mount?.engineVersion ?? undefined)
      : undefined,
    package_guid: guidOf(file),
    source_ext: isPackage ? undefined : /^[a-z0-9]{1,12}$/.exec(found.ext)?.[0],
    ...stampFields(options.stamp, file),
    metadata_doc: documentOf(file, references),
    dependencies: dependencies.length > 0 ? dependencies : undefined,
    pack_ref: options.packName ?? packOfPlugin(file) ?? packOfExternal(file),
    entry: entryOf(file, options),
    source_path: options.sourcePath,
    ...missingFields(references),
    payload_ids: payloadsOf(file),
    parts: options.level && partsOf(options.level),
  })
}

/** The GUID by which the library tells what a package is. */
export const guidOf = ({ facts }: SendableFile): string | undefined =>
  facts.kind === 'package' ? (facts.guid ?? undefined) : undefined

/** Whether people see it as a thing of its own. */
export const isEntry = (file: SendableFile): boolean => entryTypeOfFile(file) !== null

function payloadsOf({ facts }: SendableFile): string[] | undefined {
  const ids = facts.kind === 'package' ? (facts.payloadIds ?? []) : []
  return ids.length > 0 ? ids : undefined
}

/** Which version of a part is current says the set of its level. */
const stampFields = (stamp: Stamp | undefined, file: SendableFile): Partial<ManifestItem> =>
  stamp === undefined
    ? {}
    : {
        stamped_lineage_id: stamp.lineageId,
        stamped_base_hash: stamp.baseHash,
        expected_face_object_id: isExternal(file) ? undefined : stamp.faceObjectId,
      }

export function assetClassOf({ facts }: SendableFile): string {
  if (facts.kind === 'opaque') return facts.isPackage ? unknownClass : 'SourceFile'
  return cutToLimit(facts.assetClass ?? '', limits.names.assetClass) || unknownClass
}

/** What people see: the asset's own name, else the file's. */
export function nameOf(file: SendableFile): string {
  const { facts } = file
  const own = facts.kind === 'package' ? facts.assetName : null
  return cutToLimit((own || stemOf(file)).normalize('NFC'), limits.names.entry)
}

const stemOf = (file: SendableFile): string => (pathOf(file).split('/').at(-1) ?? '').replace(/\.[^.]*$/, '')

function assetNameOf(file: SendableFile): string | undefined {
  const name = file.facts.kind === 'package' ? (file.facts.assetName ?? stemOf(file)) : stemOf(file)
  return /^[A-Za-z0-9_-]{1,200}$/.test(name) ? name : undefined
}

function entryOf(file: SendableFile, { variantGroupRef, name = nameOf(file) }: ItemOptions): ManifestEntry | undefined {
  const type = entryTypeOfFile(file)
  if (type === null) return undefined
  const metadata = file.facts.kind === 'opaque' ? {} : file.facts.metadata
  return withoutUndefined({
    entry_type: type,
    name,
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    variant_group_ref: variantGroupRef,
  })
}

/** Content of a plugin has no folder under /Game that would name its pack. */
function packOfPlugin({ naming: { packageName, originPath } }: SendableFile): string | undefined {
  const [, mount] = /^\/([^/]+)\/./.exec(packageName ?? '') ?? []
  return originPath !== null || mount === undefined || mount.toLowerCase() === 'game'
    ? undefined
    : cutToLimit(mount, limits.names.pack)
}

/** Parts of a level belong to the pack of their level; by their own path it would be named for the engine's folder. */
function packOfExternal(file: SendableFile): string | undefined {
  if (!isExternal(file) || file.naming.packageName === null) return undefined
  const [level = ''] = levelsOf(file.naming.packageName)
  const folders = level.split('/').slice(2, -1)
  return cutToLimit(folders[0] ?? 'Unsorted', limits.names.pack)
}

/** Null for what is no entry. */
function entryTypeOfFile(file: SendableFile): string | null {
  const { facts } = file
  if (isExternal(file)) return null
  if (facts.kind === 'source') return facts.entryType
  if (facts.kind === 'opaque') return facts.isPackage ? entryTypeOf(unknownClass) : 'source_file'
  return facts.assetClass === null ? entryTypeOf(unknownClass) : facts.entryType
}

/** What the fixed fields do not hold: a name outside of /Game, and the plugins' packages that are referred to. */
function documentOf({ naming }: SendableFile, { plugins }: References): ManifestItem['metadata_doc'] {
  const unreal: Record<string, unknown> = {}
  if (naming.packageName !== null && naming.originPath === null) unreal.package_name = naming.packageName.slice(0, 2000)
  if (plugins.length > 0) unreal.plugin_references = plugins.slice(0, mostNamesInDocument).map((name) => name.slice(0, 150))
  if (plugins.length > mostNamesInDocument) unreal.plugin_reference_count = plugins.length
  return Object.keys(unreal).length > 0 ? { v: 1, ext: { unreal } } : undefined
}

/**
 * The stamp that makes an edit a new version of what was pushed or pulled before. None when the file is another asset
 * that took the old one's place: other lasting GUID or other class. Then the library holds it and someone decides.
 */
export function stampOf(file: SendableFile, base: Base | undefined): Stamp | undefined {
  if (!base || base.hash === file.hash) return undefined
  if (base.assetClass !== null && base.assetClass !== assetClassOf(file)) return undefined
  const guid = lastingGuid(file)
  if (base.guid !== null && guid !== null && base.guid !== guid) return undefined
  return { lineageId: base.lineageId, baseHash: base.hash, faceObjectId: base.objectId }
}

/** The GUID that a file keeps over saves; before 4.24 there is none that does. */
export const lastingGuid = ({ facts }: SendableFile): string | null =>
  facts.kind === 'package' && facts.guidLasts ? facts.guid : null

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}

const packagePath = new RegExp(packagePathPattern, 'u')
const isSayable = (name: string): boolean => packagePath.test(name) && [...name].length <= longestPath

/** What the file references and the library will not have, by what this push sends and what it knows of the library. Undefined: nothing. */
function missingFields({ absent, absentPlugins, codePlugins }: References): {
  missing_dependencies: string[] | undefined
  plugins: string[] | undefined
} {
  const packages = distinct(absent).filter(isSayable).slice(0, limits.missing.dependencies)
  const plugins = distinct([...absentPlugins, ...codePlugins])
    .filter((name) => [...name].length <= limits.missing.pluginName && !/\p{Cc}|^\s*$/u.test(name))
    .slice(0, limits.missing.plugins)
  return {
    missing_dependencies: packages.length > 0 ? packages : undefined,
    plugins: plugins.length > 0 ? plugins : undefined,
  }
}

/** However their letters are written. */
const distinct = (names: readonly string[]): string[] =>
  [...new Map(names.toReversed().map((name) => [nameKey(name), name])).values()].toReversed()
