// Turns the tables of an Unreal package into the facts a library wants.
import { knownEngine } from '../engine-version.ts'
import { FormatError } from '../format-error.ts'
import { ExportTable } from './exports.ts'
import { nameInSummary, ownNameCandidates, redirectTarget, type StableGuid, stableGuid, surestOwnName } from './identity.ts'
import { ImportTable } from './imports.ts'
import { NameTable } from './names.ts'
import type { EngineVersion, PackageReader } from './reader.ts'
import { readRegistry } from './registry.ts'
import { readSoftReferences } from './soft-references.ts'
import { type FileVersions, hasFlag, packageFlags, type Summary } from './summary.ts'
import { readThumbnailTable, type ThumbnailPosition } from './thumbnail-table.ts'

/**
 * What a package says of itself. Package names are long names (`/Game/Props/SM_Barrel`) in the file's own spelling;
 * compare them ignoring case. Lists are sorted and free of doubles.
 */
export type PackageFacts = {
  /** False for a cooked package whose layout the file does not tell: what is null or empty here is unknown, not absent. */
  complete: boolean
  /** The long name in the file, there from 5.1 on. Before, the folder makes the name. */
  packageName: string | null
  stableGuid: StableGuid | null
  /** `5.4.2`; null when the engine that saved it was built without version information. */
  engineVersion: string | null
  savedBy: EngineVersion | null
  fileVersions: FileVersions
  /** Package flags, 0 when unknown. */
  flags: number
  cooked: boolean
  containsMap: boolean
  assetName: string | null
  /** Without its module: `StaticMesh`. */
  assetClass: string | null
  /** Every package needed to load this one, native code (`/Script/…`) and engine content among them. */
  imports: string[]
  /** Those of `imports` that only the editor needs; null where the file does not say. */
  editorOnlyImports: string[] | null
  /** Packages named but not needed to load this one; without its own name as far as that is known from the file. */
  softReferences: string[]
  /** Names in the name table that look like its own; where `packageName` is known, that one at most. */
  ownNameCandidates: string[]
  /** Asset registry tags of the main asset. Values can be long, and some hold folders of their author. */
  tags: Map<string, string>
  thumbnail: ThumbnailPosition | null
  /** Of an ObjectRedirector: the package that the asset was moved to. */
  redirectTarget: string | null
  /** Plain sentences about what could not be read or trusted. */
  warnings: string[]
}

/** A hundred times what the largest of real packages refer to. */
const maxPackages = 100_000

/** Reads the tables that the summary points to. Throws FormatError. */
export function readFacts(reader: PackageReader, summary: Summary, stem: string): PackageFacts {
  const names = new NameTable(reader, summary)
  const importTable = new ImportTable(reader, names, summary)
  const exportTable = new ExportTable(reader, names, summary)
  const registry = readRegistry(reader, summary, stem)
  const imports = limited(importTable.packages())
  const main = registry?.main ?? exportTable.mainAsset(stem, importTable)
  const tags = registry?.main?.tags ?? new Map<string, string>()
  const thumbnail = readThumbnailTable(reader, summary, main?.name ?? null)
  const packageName = nameInSummary(summary.folderName)
  const lookalikes = ownNameCandidates(names, stem, imports)
  const candidates = packageName === null ? lookalikes : lookalikes.filter((name) => name === packageName)
  const ownName = surestOwnName(packageName, tags, candidates)?.toLowerCase()
  const softReferences = limited(readSoftReferences(reader, names, summary))
  const used = registry?.isImportUsedInGame
  return {
    complete: true,
    packageName,
    ...saveFacts(summary),
    assetName: main?.name ?? null,
    assetClass: main?.class ?? null,
    imports,
    editorOnlyImports: used ? importTable.editorOnlyPackages(used) : null,
    softReferences: softReferences.filter((name) => name.toLowerCase() !== ownName),
    ownNameCandidates: candidates,
    tags,
    thumbnail: thumbnail.picture,
    redirectTarget: redirectTarget(main?.class ?? null, tags, imports),
    warnings: thumbnail.warning === null ? [] : [thumbnail.warning],
  }
}

/** Facts about the save itself, which the summary alone tells. */
function saveFacts(summary: Summary) {
  const { flags, savedBy } = summary
  return {
    stableGuid: stableGuid(summary),
    engineVersion: knownEngine(savedBy.version),
    savedBy,
    fileVersions: summary.versions,
    flags,
    cooked: hasFlag(flags, packageFlags.cooked) || hasFlag(flags, packageFlags.filterEditorOnly),
    containsMap: hasFlag(flags, packageFlags.containsMap),
  }
}

function limited(packages: string[]): string[] {
  if (packages.length <= maxPackages) return packages
  throw new FormatError('too-large', `This package refers to ${packages.length} others, more than this reader accepts.`)
}
