// The summary that opens an Unreal package: versions, identity, and where its tables lie.
import { FormatError } from '../format-error.ts'
import { type CustomVersions, readCustomVersions } from './custom-versions.ts'
import type { EngineVersion, PackageReader, TablePosition } from './reader.ts'

/** `ue4` and `ue5` are the object versions that decide the layout; 0 where the file has none. */
export type FileVersions = { legacy: number; ue4: number; ue5: number; licensee: number }

/** Fields 1 to 6. What follows depends on the versions. */
export type Opening = {
  littleEndian: boolean
  versions: FileVersions
  /** Saved by a cooker that left the versions out: the layout of the rest is not told. */
  unversioned: boolean
}

/** The fields before the package name: enough to know how long the header is. */
export type Preamble = Opening & {
  /** 20 bytes as hex; from UE5 object version 1016 on. */
  savedHash: string | null
  customVersions: CustomVersions
  headerSize: number
  /** Where the part read so far ends. */
  endOffset: number
}

export type Summary = Preamble & {
  /** The package's long name from 5.1 on, `None` before. */
  folderName: string
  flags: number
  names: TablePosition
  softObjectPaths: TablePosition
  imports: TablePosition
  exports: TablePosition
  softPackageReferences: TablePosition
  thumbnailTableOffset: number
  assetRegistryOffset: number
  /** What the offsets of bulk data count from. */
  bulkDataOffset: number
  /** Where the package trailer lies, if the bytes there say that they are one; null before UE5 object version 1002. */
  payloadTocOffset: number | null
  packageGuid: string | null
  persistentGuid: string | null
  savedBy: EngineVersion
  compatibleWith: EngineVersion
}

export const packageFlags = { cooked: 0x200, unversionedProperties: 0x2000, containsMap: 0x20000, filterEditorOnly: 0x80000000 }

export const newestKnown = { ue4: 522, ue5: 1018 }
const oldestUe4 = 214
const tag = 0x9e2a83c1
const noTable: TablePosition = { count: 0, offset: 0 }

/** Whether a bit of `packageFlags` is set. */
export function hasFlag(flags: number, flag: number): boolean {
  return (flags & flag) !== 0
}

/** Whether the four bytes are the package tag, and in which byte order the rest is; undefined when they are not. */
export function packageByteOrder(bytes: Uint8Array): 'little' | 'big' | undefined {
  if (bytes.length < 4) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, 4)
  if (view.getUint32(0, true) === tag) return 'little'
  return view.getUint32(0, false) === tag ? 'big' : undefined
}

/** Reads fields 1 to 6 and leaves the reader, in the file's byte order, behind them. Throws FormatError. */
export function readOpening(reader: PackageReader): Opening {
  const order = packageByteOrder(reader.bytes)
  if (order === undefined)
    throw new FormatError('not-this-format', 'This is no Unreal package: it does not begin with the tag of one.')
  if (reader.bytes.length < smallestSummaryBytes)
    throw new FormatError(
      'truncated',
      `This package ends after ${reader.bytes.length} bytes, in the middle of its summary. Copy or export it again.`,
    )
  reader.littleEndian = order === 'little'
  reader.seek(4)
  const versions = readVersions(reader)
  return { littleEndian: reader.littleEndian, versions, unversioned: versions.ue4 === 0 && versions.ue5 === 0 }
}

/** No release ever wrote a summary this short, whatever versions the first bytes name. */
const smallestSummaryBytes = 64

/** Reads fields 7 to 10, right behind the opening, under the opening's versions. Throws FormatError. */
export function readPreamble(reader: PackageReader, opening: Opening): Preamble {
  const { legacy, ue5 } = opening.versions
  const hashFirst = ue5 >= 1016
  const savedHash = hashFirst ? reader.take(20).toString('hex') : null
  const early = hashFirst ? reader.i32() : undefined
  const customVersions = readCustomVersions(reader, legacy)
  const headerSize = early ?? reader.i32()
  return { ...opening, savedHash, customVersions, headerSize, endOffset: reader.offset }
}

function readVersions(reader: PackageReader): FileVersions {
  const legacy = reader.i32()
  if (legacy >= -1) throw new FormatError('unsupported', 'This package is of Unreal Engine 3 or older, which is not read.')
  if (legacy < -9) throw tooNew(`legacy file version ${legacy}`)
  if (legacy !== -4) reader.skip(4)
  const ue4 = reader.i32()
  const ue5 = legacy <= -8 ? reader.i32() : 0
  const licensee = reader.i32()
  if (ue4 < oldestUe4 && (ue4 !== 0 || ue5 !== 0))
    throw new FormatError('unsupported', `This package has object version ${ue4}, older than any released Unreal Engine 4 reads.`)
  return { legacy, ue4, ue5, licensee }
}

/** The error for a layout that this reader cannot know yet. */
export function tooNew(version: string, cause?: unknown): FormatError {
  const message = `This package has ${version}, which this reader does not know. A newer release of this program may read it.`
  return new FormatError('unsupported', message, { cause })
}

/** Reads fields 11 to 44, from the package name on, and checks that they end at the name table. Throws FormatError. */
export function readSummary(reader: PackageReader, preamble: Preamble): Summary {
  reader.seek(preamble.endOffset)
  const tables = readTablePositions(reader, preamble.versions)
  const identity = readIdentity(reader, preamble.versions, tables.flags)
  const rest = readRest(reader, preamble.versions)
  if (reader.offset !== tables.names.offset) throw reader.damaged(`ends its summary, but the names lie at ${tables.names.offset}`)
  return { ...preamble, ...tables, ...identity, ...rest, endOffset: reader.offset }
}

function readTablePositions(reader: PackageReader, { ue4, ue5 }: FileVersions) {
  const folderName = reader.string()
  const flags = reader.u32()
  const names = reader.table()
  const softObjectPaths = ue5 >= 1008 ? reader.table() : noTable
  if (ue4 >= 516 && !hasFlag(flags, packageFlags.filterEditorOnly)) reader.skipString() // localization id
  if (ue4 >= 459) reader.skip(8) // gatherable text
  const exports = reader.table()
  const imports = reader.table()
  if (ue5 >= 1015) reader.skip(16) // Verse cells
  if (ue5 >= 1014) reader.skip(4) // metadata
  reader.skip(4) // depends
  const softPackageReferences = ue4 >= 384 ? reader.table() : noTable
  if (ue4 >= 510) reader.skip(4) // searchable names
  const thumbnailTableOffset = reader.i32()
  if (ue5 >= 1018) reader.skip(8) // import type hierarchies
  return { folderName, flags, names, softObjectPaths, exports, imports, softPackageReferences, thumbnailTableOffset }
}

function readIdentity(reader: PackageReader, { ue4, ue5 }: FileVersions, flags: number) {
  const editorData = !hasFlag(flags, packageFlags.filterEditorOnly)
  const packageGuid = ue5 < 1016 ? reader.guid() : null
  const persistentGuid = ue4 >= 518 && editorData ? reader.guid() : null
  if (ue4 >= 518 && ue4 < 520 && editorData) reader.skip(16) // owner persistent guid
  reader.skip(8 * reader.count('generations', 8))
  const savedBy = ue4 >= 336 ? reader.engineVersion() : changelistOnly(reader.u32())
  const compatibleWith = ue4 >= 444 ? reader.engineVersion() : savedBy
  return { packageGuid, persistentGuid, savedBy: withTrueLicensee(savedBy, ue4), compatibleWith }
}

function changelistOnly(changelist: number): EngineVersion {
  return { version: '0.0.0', changelist, licensee: false, branch: '' }
}

/** 4.26.0 builds from this changelist on set the licensee bit by mistake until object version 522. */
function withTrueLicensee(saved: EngineVersion, ue4: number): EngineVersion {
  const mistaken = ue4 < 522 && saved.version === '4.26.0' && saved.changelist >= 12740027
  return mistaken ? { ...saved, licensee: false } : saved
}

/** Fields 32 to 44, of which only positions are of use. */
function readRest(reader: PackageReader, { legacy, ue4, ue5 }: FileVersions) {
  const compression = reader.u32()
  if (reader.i32() !== 0 || compression !== 0)
    throw new FormatError('unsupported', 'This package is compressed as a whole, which no editor writes and is not read.')
  reader.skip(4) // package source
  for (let left = reader.count('packages to cook', 4); left > 0; left--) reader.skipString()
  if (legacy > -7) reader.skip(4) // texture allocations
  const assetRegistryOffset = reader.i32()
  const bulkDataOffset = reader.i64()
  if (ue4 >= 224) reader.skip(4) // world tile info
  if (ue4 >= 326) reader.skip(4 * reader.count('chunk ids', 4))
  else if (ue4 >= 278) reader.skip(4)
  if (ue4 >= 507) reader.skip(8) // preload dependencies
  if (ue5 >= 1001) reader.skip(4) // names referenced from export data
  const payloadTocOffset = ue5 >= 1002 ? reader.i64() : null
  if (ue5 >= 1009) reader.skip(4) // data resources
  return { assetRegistryOffset, bulkDataOffset, payloadTocOffset }
}
