/** What a push keeps of a file's content beside its hash: enough to build its manifest item without reading it again. */

import type { EntryMetadata } from '../../formats/entry-metadata.ts'
import { entryTypeOf } from '../../formats/entry-types.ts'
import type { FormatError, FormatErrorReason } from '../../formats/format-error.ts'
import type { SourceFacts } from '../../formats/source-file.ts'
import { metadataFromTags } from '../../formats/uasset/asset-registry-tags.ts'
import type { PackageFacts, ThumbnailPosition } from '../../formats/uasset/uasset.ts'

/** An Unreal package. Package names are in the file's own spelling; native code (`/Script/`) is a list of its own. */
export interface KnownPackage {
  kind: 'package'
  /** False for a cooked package whose layout is not known: what is null or empty is unknown. */
  complete: boolean
  packageName: string | null
  /** What the name table suggests as its name, where the header does not say it. */
  ownNames: string[]
  guid: string | null
  /** A GUID that lasts over saves, rather than one that is new with each (before 4.24). */
  guidLasts: boolean
  engineVersion: string | null
  assetClass: string | null
  assetName: string | null
  entryType: string | null
  cooked: boolean
  imports: string[]
  softReferences: string[]
  /** Modules of native code whose classes it uses: `Engine`, `KawaiiPhysics`. Absent in what was kept by earlier versions. */
  modules?: string[]
  /** Source data in it, by id (contract-gaps 9). Absent in what was kept by earlier versions. */
  payloadIds?: string[]
  metadata: EntryMetadata
  picture: ThumbnailPosition | null
  redirectTarget: string | null
  warnings: string[]
}

/** A source file. `companions` are addresses relative to its folder. */
export interface KnownSource {
  kind: 'source'
  ext: string
  /** What the bytes turned out to be (`png` in a file named .jpg), else the extension. */
  format: string
  assetClass: string
  /** Null: it only goes along with a file that names it as companion. */
  entryType: string | null
  metadata: EntryMetadata
  companions: string[]
  pictured: boolean
  /** Why nothing could be read from it, as a sentence; it is pushed anyway. */
  undescribed: string | null
}

/** Bytes of which nothing is known: a package newer than the reader, or any file with `--all`. */
export interface Opaque {
  kind: 'opaque'
  ext: string
  isPackage: boolean
  undescribed: string | null
}

/** Bytes that must not be pushed. */
export interface Refused {
  kind: 'refused'
  reason: FormatErrorReason
  message: string
}

export type FileFacts = KnownPackage | KnownSource | Opaque | Refused

const nativeRoot = '/Script/'
const isNative = (name: string): boolean => name.startsWith(nativeRoot)
const mostModules = 200
const mostOwnNames = 4
const mostWarnings = 4

/** Keeps what a manifest needs of a package's facts. */
export function keepPackage(facts: PackageFacts, payloadIds: string[] = []): KnownPackage {
  const { assetClass, stableGuid } = facts
  return {
    kind: 'package',
    complete: facts.complete,
    packageName: facts.packageName,
    ownNames: facts.packageName === null ? facts.ownNameCandidates.slice(0, mostOwnNames) : [],
    guid: stableGuid?.value ?? null,
    guidLasts: stableGuid?.source === 'persistent_guid',
    engineVersion: facts.engineVersion,
    assetClass,
    assetName: facts.assetName,
    entryType: assetClass === null ? null : entryTypeOf(assetClass),
    cooked: facts.cooked || !facts.complete,
    imports: facts.imports.filter((name) => !isNative(name)),
    softReferences: facts.softReferences.filter((name) => !isNative(name)),
    modules: modulesOf(facts),
    payloadIds,
    metadata: assetClass === null ? {} : metadataFromTags(assetClass, facts.tags),
    picture: facts.thumbnail,
    redirectTarget: facts.redirectTarget,
    warnings: facts.warnings.slice(0, mostWarnings),
  }
}

const modulesOf = ({ imports }: PackageFacts): string[] =>
  [...new Set(imports.filter(isNative).map((name) => name.slice(nativeRoot.length)))].slice(0, mostModules)

/** Keeps what a manifest needs of a source file's facts. */
export function keepSource(facts: SourceFacts, undescribed: string | null = null): KnownSource {
  const { ext, format, assetClass, entryType, metadata, companions, pictured } = facts
  return { kind: 'source', ext, format, assetClass, entryType, metadata, companions, pictured, undescribed }
}

/** A package that cannot be read: newer ones are kept as plain files, damaged ones are refused. */
export function keepUnreadablePackage(error: FormatError, ext: string): Opaque | Refused {
  if (error.reason === 'unsupported' || error.reason === 'too-large')
    return { kind: 'opaque', ext, isPackage: true, undescribed: error.message }
  return { kind: 'refused', reason: error.reason, message: error.message }
}
