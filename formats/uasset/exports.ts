// The export table of an Unreal package: the objects in it, and which of them is the asset.
import type { ImportTable } from './imports.ts'
import type { NameTable } from './names.ts'
import type { PackageReader } from './reader.ts'
import { type FileVersions, hasFlag, packageFlags, type Summary } from './summary.ts'

const publicAndStandalone = 3

/** Byte positions within an entry, which grew with the versions. */
type Layout = { outerAt: number; dataOffsetAt: number; wideOffsets: boolean; isAssetAt: number | null; entryBytes: number }

export class ExportTable {
  readonly count: number
  readonly #reader: PackageReader
  readonly #names: NameTable
  readonly #start: number
  readonly #layout: Layout

  /** Throws FormatError when the table does not fit; entries are read only when asked for. */
  constructor(reader: PackageReader, names: NameTable, summary: Summary) {
    this.#layout = layoutOf(summary.versions, hasFlag(summary.flags, packageFlags.unversionedProperties))
    if (summary.exports.count !== 0) reader.enter(summary.exports, 'exports', this.#layout.entryBytes)
    this.count = summary.exports.count
    this.#start = summary.exports.offset
    this.#reader = reader
    this.#names = names
  }

  /**
   * Index of the export that is the asset: of those marked as assets the one named like the file's stem, else
   * the first. Cookers mark none in many packages: then the outermost export of that name, or a Blueprint's class of it.
   */
  mainAssetIndex(stem: string): number | undefined {
    const name = stem.toLowerCase()
    let best: { index: number; rank: number } | undefined
    for (let i = 0; i < this.count; i++) {
      const rank = this.#assetRank(i, name)
      if (rank > (best?.rank ?? 0)) best = { index: i, rank }
    }
    return best?.index
  }

  /** Name and class of that export. */
  mainAsset(stem: string, imports: ImportTable): { name: string; class: string } | undefined {
    const index = this.mainAssetIndex(stem)
    return index === undefined ? undefined : { name: this.objectName(index), class: this.className(index, imports) }
  }

  objectName(index: number): string {
    this.#seek(index, this.#layout.outerAt + 4)
    return this.#names.read()
  }

  /** Without its module: `StaticMesh`. */
  className(index: number, imports: ImportTable): string {
    const classIndex = this.#i32At(index, 0)
    if (classIndex === 0) return 'Class'
    return classIndex < 0 ? imports.objectName(-classIndex - 1) : this.objectName(classIndex - 1)
  }

  /** Where an object's data lie, in bytes from the start of the file; both as the file says, unchecked. */
  dataRange(index: number): { offset: number; size: number } {
    const { dataOffsetAt, wideOffsets } = this.#layout
    this.#seek(index, dataOffsetAt - (wideOffsets ? 8 : 4))
    const next = () => (wideOffsets ? this.#reader.i64() : this.#reader.i32())
    return { size: next(), offset: next() }
  }

  /** Where the first object's data begins, in bytes from the start of the file; undefined without exports. */
  firstDataOffset(): number | undefined {
    return this.count === 0 ? undefined : this.dataRange(0).offset
  }

  /** 4 an asset of this name, 3 an asset, 2 and 1 what may stand for one, 0 none. */
  #assetRank(index: number, assetName: string): number {
    if (!this.#isAsset(index) && this.#i32At(index, this.#layout.outerAt) !== 0) return 0
    const name = this.objectName(index).toLowerCase()
    if (this.#isAsset(index)) return name === assetName ? 4 : 3
    return name === assetName ? 2 : name === `${assetName}_c` ? 1 : 0
  }

  #isAsset(index: number): boolean {
    const { outerAt, isAssetAt } = this.#layout
    if (isAssetAt !== null) return this.#i32At(index, isAssetAt) !== 0
    const flags = this.#i32At(index, outerAt + 12)
    return this.#i32At(index, outerAt) === 0 && (flags & publicAndStandalone) === publicAndStandalone
  }

  #i32At(index: number, at: number): number {
    this.#seek(index, at)
    return this.#reader.i32()
  }

  #seek(index: number, at: number): void {
    if (!(index < this.count)) throw this.#reader.damaged(`means export ${index} of ${this.count}`)
    this.#reader.seek(this.#start + index * this.#layout.entryBytes + at)
  }
}

function layoutOf({ ue4, ue5 }: FileVersions, unversionedProperties: boolean): Layout {
  const outerAt = ue4 >= 508 ? 12 : 8
  let at = outerAt + 4 + 8 + 4 // outer, object name, object flags
  const wideOffsets = ue4 >= 511
  const dataOffsetAt = at + (wideOffsets ? 8 : 4)
  at += wideOffsets ? 16 : 8 // serial size and offset
  at += 12 // forced export, not for client, not for server
  if (ue5 < 1005) at += 16 // package guid
  if (ue5 >= 1006) at += 4 // is inherited instance
  at += 4 // package flags
  if (ue4 >= 365) at += 4 // not always loaded for editor game
  const isAssetAt = ue4 >= 485 ? at : null
  if (ue4 >= 485) at += 4
  if (ue5 >= 1003) at += 4 // generate public hash
  if (ue4 >= 507) at += 20 // export dependencies
  if (ue5 >= 1010 && !unversionedProperties) at += 16 // script serialization
  return { outerAt, dataOffsetAt, wideOffsets, isAssetAt, entryBytes: at }
}
