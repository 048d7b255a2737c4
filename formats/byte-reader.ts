// Reads numbers, text and byte ranges out of a buffer, in either byte order, never past its end.
import { FormatError } from './format-error.ts'

export type ByteReaderOptions = {
  /** What the bytes are, for messages: `package header`, `GLB file`. */
  what: string
  littleEndian?: boolean
  /** What a read past the end means: the bytes were cut off (the default), or they are whole and lie about a length. */
  pastEnd?: 'truncated' | 'damaged'
}

/**
 * A cursor over bytes. Every read checks the bytes left first, so a hostile length costs nothing; every failure is a
 * FormatError. Views share the buffer's memory: nothing is copied but text.
 */
export class ByteReader {
  readonly bytes: Buffer
  readonly what: string
  littleEndian: boolean
  readonly #view: DataView
  readonly #pastEnd: 'truncated' | 'damaged'
  #offset = 0

  constructor(bytes: Uint8Array, options: ByteReaderOptions) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.what = options.what
    this.littleEndian = options.littleEndian ?? true
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#pastEnd = options.pastEnd ?? 'truncated'
  }

  get offset(): number {
    return this.#offset
  }

  get left(): number {
    return this.bytes.length - this.#offset
  }

  /** Moves the cursor; `offset` may come from the file. */
  seek(offset: number): void {
    if (!Number.isSafeInteger(offset) || offset < 0 || offset > this.bytes.length) this.#fail(`points to byte ${offset}`)
    this.#offset = offset
  }

  skip(length: number): void {
    this.#take(length)
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1))
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), this.littleEndian)
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), this.littleEndian)
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4), this.littleEndian)
  }

  f32(): number {
    return this.#view.getFloat32(this.#take(4), this.littleEndian)
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), this.littleEndian)
  }

  /** A signed 64-bit number that a file can mean as size or offset; one that a double cannot hold exactly is damage. */
  i64(): number {
    const value = Number(this.#view.getBigInt64(this.#take(8), this.littleEndian))
    if (!Number.isSafeInteger(value)) throw this.damaged('holds an impossible 64-bit size')
    return value
  }

  /** A 32-bit count of elements of at least `elementBytes` each, all of which still fit into the bytes left. */
  count(of: string, elementBytes: number): number {
    const count = this.i32()
    if (count < 0) throw this.damaged(`counts ${count} ${of}`)
    if (count * elementBytes > this.left) this.#fail(`counts ${count} ${of} at byte ${this.#offset}, which do not fit`)
    return count
  }

  /** A view of the next bytes, not a copy. */
  take(length: number): Buffer {
    const start = this.#take(length)
    return this.bytes.subarray(start, start + length)
  }

  latin1(length: number): string {
    const start = this.#take(length)
    return this.bytes.toString('latin1', start, start + length)
  }

  utf8(length: number): string {
    const start = this.#take(length)
    return this.bytes.toString('utf8', start, start + length)
  }

  /** UTF-16 in the reader's byte order; lone surrogates become U+FFFD. */
  utf16(units: number): string {
    const start = this.#take(units * 2)
    const little = this.littleEndian
      ? this.bytes.subarray(start, start + units * 2)
      : Buffer.from(this.bytes.subarray(start, start + units * 2)).swap16()
    return little.toString('utf16le').toWellFormed()
  }

  /** An error of this reader: the bytes contradict themselves. */
  damaged(problem: string): FormatError {
    return new FormatError('damaged', `The ${this.what} is damaged: at byte ${this.#offset} it ${problem}.`)
  }

  #take(length: number): number {
    const start = this.#offset
    if (!(length >= 0 && length <= this.bytes.length - start)) this.#fail(`asks for ${length} bytes at byte ${start}`)
    this.#offset = start + length
    return start
  }

  #fail(problem: string): never {
    const size = this.bytes.length
    if (this.#pastEnd === 'damaged')
      throw new FormatError('damaged', `The ${this.what} is damaged: it ${problem} (${size} bytes in all).`)
    throw new FormatError('truncated', `The ${this.what} is cut off after ${size} bytes: it ${problem}.`)
  }
}
