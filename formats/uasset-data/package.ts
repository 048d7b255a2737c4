// A whole Unreal package at hand, and the data of the objects in it.
import { FormatError } from '../format-error.ts'
import { customVersionOf } from '../uasset/custom-versions.ts'
import { ExportTable } from '../uasset/exports.ts'
import { readerOf, readHeader, withinKnownLayouts } from '../uasset/header.ts'
import { ImportTable } from '../uasset/imports.ts'
import { NameTable } from '../uasset/names.ts'
import { PackageReader } from '../uasset/reader.ts'
import { hasFlag, packageFlags, readOpening, readPreamble, type Summary } from '../uasset/summary.ts'

/** No editor writes a larger one. */
const maxPackageBytes = 2 * 1024 ** 3
/** A hundred times what the properties of real assets come to: tags, type names and elements, each time they are read. */
const maxPropertyParts = 300_000

/** A package saved by an editor, with all of its bytes. Make one with `openPackage`. */
export class OpenPackage {
  readonly bytes: Uint8Array
  readonly summary: Summary
  readonly names: NameTable
  readonly imports: ImportTable
  readonly exports: ExportTable
  #partsLeft = maxPropertyParts

  constructor(bytes: Uint8Array, header: { reader: PackageReader; summary: Summary }) {
    const { reader, summary } = header
    this.bytes = bytes
    this.summary = summary
    this.names = new NameTable(reader, summary)
    this.imports = new ImportTable(reader, this.names, summary)
    this.exports = new ExportTable(reader, this.names, summary)
  }

  /** Class of an export, without its module: `StaticMesh`. */
  className(index: number): string {
    return this.exports.className(index, this.imports)
  }

  /** A reader at the beginning of an export's data, which sees nothing beyond their end. Throws FormatError. */
  object(index: number): ObjectReader {
    const { offset, size } = this.exports.dataRange(index)
    const what = `object ${this.exports.objectName(index)}`
    if (offset < this.summary.headerSize || size < 0)
      throw new FormatError('damaged', `The package is damaged: ${size} bytes of its ${what} should lie at byte ${offset}.`)
    if (offset + size > this.bytes.length)
      throw new FormatError('truncated', `The package is cut off after ${this.bytes.length} bytes, before its ${what} ends.`)
    return new ObjectReader(this.bytes.subarray(offset, offset + size), this, what)
  }

  /** Counts what is read of properties, so that a small file cannot ask for endless work. */
  countParts(parts: number): void {
    this.#partsLeft -= parts
    if (this.#partsLeft < 0) throw new FormatError('too-large', 'This package has more properties than this reader accepts.')
  }
}

/** Reads data of one object, in which names are indices into the package's table. */
export class ObjectReader extends PackageReader {
  readonly package: OpenPackage

  constructor(bytes: Uint8Array, from: OpenPackage, what: string) {
    super(bytes, { what, pastEnd: 'damaged' })
    this.package = from
  }

  get versions() {
    return this.package.summary.versions
  }

  /** The version of an engine part, by a guid of `customVersion`; -1 when absent. */
  version(guid: string): number {
    return customVersionOf(this.package.summary, guid)
  }

  name(): string {
    return this.package.names.read(this)
  }

  /** A truth value of four bytes. Another number means that the reader is lost. */
  bool32(): boolean {
    const value = this.u32()
    if (value > 1) throw this.damaged(`holds ${value} where yes or no belongs`)
    return value === 1
  }

  /** A second reader of the same bytes, from their beginning. */
  again(): ObjectReader {
    return new ObjectReader(this.bytes, this.package, this.what)
  }

  /** A reader of the next bytes alone; this one goes on behind them. */
  part(length: number): ObjectReader {
    return new ObjectReader(this.take(length), this.package, this.what)
  }
}

/**
 * Opens a package of which `bytes` is the whole file, or its header and more of a file of `fileSize` bytes: then what lies further
 * behind counts as cut off. Throws FormatError: as `readPackage` does, and `unsupported` for
 * cooked packages, which carry no source data, and for those in big-endian order; `too-large` beyond 2 GiB.
 */
export function openPackage(bytes: Uint8Array, fileSize = bytes.length): OpenPackage {
  if (bytes.length > maxPackageBytes)
    throw new FormatError('too-large', `The package is ${bytes.length} bytes long, more than this reader accepts.`)
  const reader = readerOf(bytes)
  const opening = readOpening(reader)
  if (opening.unversioned) throw cooked()
  if (!opening.littleEndian)
    throw new FormatError('unsupported', 'This package is in big-endian order, in which no editor of today writes source data.')
  return withinKnownLayouts(opening, () => {
    const header = readHeader(bytes, readPreamble(reader, opening), fileSize)
    if (hasFlag(header.summary.flags, packageFlags.filterEditorOnly)) throw cooked()
    return new OpenPackage(bytes, header)
  })
}

function cooked(): FormatError {
  return new FormatError('unsupported', 'This package is cooked: the source data are not in it, only what a game needs.')
}
