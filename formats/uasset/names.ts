// The name table of an Unreal package: found once, decoded only where a name is asked for.
import { FormatError } from '../format-error.ts'
import type { PackageReader } from './reader.ts'
import type { Summary } from './summary.ts'

/** Engines refuse longer ones (NAME_SIZE, its NUL included). */
const maxNameUnits = 1024
/** Numbered names are built, not stored, so a small table could ask for any amount of text. */
const maxBuiltCharacters = 8 * 1024 * 1024
const slash = 0x2f

export class NameTable {
  readonly count: number
  readonly #reader: PackageReader
  readonly #offsets: Uint32Array
  readonly #decoded: (string | undefined)[]
  #builtLeft = maxBuiltCharacters

  /** Walks the table once to find where each entry begins; throws FormatError when one does not fit. */
  constructor(reader: PackageReader, summary: Summary) {
    const hashBytes = summary.versions.ue4 >= 504 ? 4 : 0
    reader.enter(summary.names, 'names', 4 + hashBytes)
    this.count = summary.names.count
    this.#reader = reader
    this.#offsets = new Uint32Array(this.count)
    this.#decoded = new Array(this.count)
    for (let i = 0; i < this.count; i++) {
      this.#offsets[i] = reader.offset
      const units = reader.i32()
      if (units > maxNameUnits || units < -maxNameUnits) throw reader.damaged(`has a name ${Math.abs(units)} characters long`)
      reader.skip((units < 0 ? -2 * units : units) + hashBytes)
    }
  }

  /**
   * Reads a name at the offset of a reader, the header's own unless another is given: an index into the table and a
   * number, which stands after a `_`.
   */
  read(reader: PackageReader = this.#reader): string {
    const index = reader.i32()
    const number = reader.i32()
    const entry = this.entry(index)
    if (number === 0) return entry
    this.#builtLeft -= entry.length
    if (this.#builtLeft < 0) throw new FormatError('too-large', 'This package spells out more names than this reader accepts.')
    return `${entry}_${number - 1}`
  }

  /** The entry at an index that may come from the file. */
  entry(index: number): string {
    const offset = this.#offsets[index]
    if (offset === undefined) throw this.#reader.damaged(`names entry ${index} of ${this.count} names`)
    const known = this.#decoded[index]
    if (known !== undefined) return known
    const back = this.#reader.offset
    this.#reader.seek(offset)
    const text = this.#reader.string()
    this.#reader.seek(back)
    this.#decoded[index] = text
    return text
  }

  /** How many entries are stored as UTF-16. */
  get wideCount(): number {
    return this.#offsets.reduce((count, offset) => count + (this.#at(offset) < 0 ? 1 : 0), 0)
  }

  /** The entries that begin with `/`, as package paths do. The others are not decoded. */
  *paths(): Generator<string> {
    for (let i = 0; i < this.count; i++) if (this.#beginsWithSlash(this.#offsets[i] ?? 0)) yield this.entry(i)
  }

  #beginsWithSlash(offset: number): boolean {
    const units = this.#at(offset)
    const { bytes, littleEndian } = this.#reader
    if (units > 0) return bytes[offset + 4] === slash
    return units < 0 && (littleEndian ? bytes.readUInt16LE(offset + 4) : bytes.readUInt16BE(offset + 4)) === slash
  }

  #at(offset: number): number {
    const { bytes, littleEndian } = this.#reader
    return littleEndian ? bytes.readInt32LE(offset) : bytes.readInt32BE(offset)
  }
}
