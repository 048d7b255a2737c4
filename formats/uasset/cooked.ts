// Cooked Unreal packages without versions: finds the one known layout that fits, or says that none does.
import { FormatError } from '../format-error.ts'
import { ExportTable } from './exports.ts'
import { type PackageFacts, readFacts } from './facts.ts'
import { NameTable } from './names.ts'
import { PackageReader } from './reader.ts'
import {
  type FileVersions,
  hasFlag,
  newestKnown,
  type Opening,
  packageFlags,
  readOpening,
  readPreamble,
  readSummary,
  type Summary,
} from './summary.ts'

type ObjectVersions = { ue4: number; ue5: number }

/** UE4 object versions that changed the header, oldest first. */
const ue4Layouts = [214, 224, 278, 326, 336, 365, 384, 444, 459, 484, 485, 504, 507, 508, 510, 511, 514, 516, 518, 520, 521, 522]

/** Every layout that a file of this legacy version can have. */
function layoutsFor(legacy: number): ObjectVersions[] {
  if (legacy > -8) return ue4Layouts.map((ue4) => ({ ue4, ue5: 0 }))
  return Array.from({ length: newestKnown.ue5 - 999 }, (_, i) => ({ ue4: newestKnown.ue4, ue5: 1000 + i }))
}

/** The summaries that the bytes hold under any known layout: each ends exactly at its name table and says that it is cooked. */
function fittingSummaries(bytes: Uint8Array, legacy: number): Summary[] {
  return layoutsFor(legacy).flatMap((layout) => {
    const reader = new PackageReader(bytes, { what: 'cooked package header' })
    const opening = readOpening(reader)
    const assumed = { ...opening, versions: { ...opening.versions, ...layout } }
    const summary = attempt(() => readSummary(reader, readPreamble(reader, assumed)))
    const fits = summary && summary.headerSize >= summary.endOffset && hasFlag(summary.flags, packageFlags.filterEditorOnly)
    return fits ? [summary] : []
  })
}

/** How many bytes the header has; undefined when no layout, or more than one length, fits. */
export function cookedHeaderSize(bytes: Uint8Array, { versions }: Opening): number | undefined {
  const sizes = new Set(fittingSummaries(bytes, versions.legacy).map((summary) => summary.headerSize))
  const [size] = sizes
  return sizes.size === 1 ? size : undefined
}

/**
 * What can be known of a cooked package that leaves its versions out. Layouts that fit are all read; only facts
 * they agree on are given, else the result is marked as not complete. Never throws for a package of this kind.
 */
export function readUnversioned(bytes: Uint8Array, { versions }: Opening, stem: string): PackageFacts {
  const readings = new Map<string, PackageFacts>()
  for (const summary of fittingSummaries(bytes, versions.legacy)) {
    const read = attempt(() => readUnder(bytes, summary, stem))
    if (!read) continue
    // Whether the package guid is an identity depends on the version; in cooked files it is mostly zero anyway.
    const facts = {
      ...read,
      stableGuid: null,
      fileVersions: versions,
      cooked: true,
      warnings: [...read.warnings, unversionedWarning],
    }
    readings.set(JSON.stringify({ ...facts, tags: [...facts.tags] }), facts)
  }
  const [facts] = readings.values()
  return facts && readings.size === 1 ? facts : undescribed(versions)
}

const unversionedWarning = 'A cooked package without versions: engine version, identity and picture are not in it.'

function readUnder(bytes: Uint8Array, summary: Summary, stem: string): PackageFacts {
  if (summary.headerSize > bytes.length) throw lost('its header does not fit')
  const reader = new PackageReader(bytes.subarray(0, summary.headerSize), { what: 'cooked package header', pastEnd: 'damaged' })
  reader.littleEndian = summary.littleEndian
  const exports = new ExportTable(reader, new NameTable(reader, summary), summary)
  const dataOffset = exports.firstDataOffset()
  if (dataOffset !== undefined && dataOffset !== summary.headerSize) throw lost('its objects do not follow its header')
  return readFacts(reader, summary, stem)
}

function undescribed(versions: FileVersions): PackageFacts {
  return {
    complete: false,
    packageName: null,
    stableGuid: null,
    engineVersion: null,
    savedBy: null,
    fileVersions: versions,
    flags: 0,
    cooked: true,
    containsMap: false,
    assetName: null,
    assetClass: null,
    imports: [],
    editorOnlyImports: null,
    softReferences: [],
    ownNameCandidates: [],
    tags: new Map(),
    thumbnail: null,
    redirectTarget: null,
    warnings: ['A cooked package without versions, of no known layout: nothing in it can be described.'],
  }
}

function lost(problem: string): FormatError {
  return new FormatError('damaged', `Under this layout the package does not fit: ${problem}.`)
}

/** A layout that does not fit fails early and cheaply; anything but a FormatError is a fault of ours. */
function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
