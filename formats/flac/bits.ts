// FLAC: a stream of bits, the highest of each byte first.
import { FormatError } from '../format-error.ts'

/** A prefix of more zeros than this stands for no sample of 32 bits. */
const maxUnary = 1 << 20

export class BitReader {
  readonly #bytes: Uint8Array
  #at: number
  /** Bits of the current byte that are left. */
  #left = 0
  #byte = 0

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes
    this.#at = offset
  }

  /** Of the next byte; the reader has to stand at a byte's beginning. */
  get offset(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length && this.#left === 0
  }

  /** Up to 32 bits as a positive number. */
  unsigned(count: number): number {
    let value = 0
    for (let wanted = count; wanted > 0; ) {
      if (this.#left === 0) this.#next()
      const taken = Math.min(wanted, this.#left)
      this.#left -= taken
      value = value * 2 ** taken + ((this.#byte >> this.#left) & ((1 << taken) - 1))
      wanted -= taken
    }
    return value
  }

  /** Up to 33 bits in two's complement. */
  signed(count: number): number {
    if (count === 0) return 0
    const high = this.unsigned(count > 32 ? 1 : 0)
    const value = high * 2 ** 32 + this.unsigned(Math.min(count, 32))
    return value >= 2 ** (count - 1) ? value - 2 ** count : value
  }

  /** Zeros before the next one. */
  unary(): number {
    let zeros = 0
    for (;;) {
      if (this.#left === 0) this.#next()
      const rest = this.#byte & ((1 << this.#left) - 1)
      if (rest !== 0) {
        const leading = Math.clz32(rest) - (32 - this.#left)
        this.#left -= leading + 1
        return zeros + leading
      }
      zeros += this.#left
      this.#left = 0
      if (zeros > maxUnary) throw new FormatError('damaged', 'The FLAC file is damaged: a sample is too large.')
    }
  }

  /** Goes on at the next byte. */
  align(): void {
    this.#left = 0
  }

  #next(): void {
    if (this.#at >= this.#bytes.length)
      throw new FormatError('truncated', `The FLAC file is cut off after ${this.#bytes.length} bytes.`)
    this.#byte = this.#bytes[this.#at++] ?? 0
    this.#left = 8
  }
}
