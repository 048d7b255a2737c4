// Bits of a byte range, the highest of each byte first, from its start onwards or from its end backwards.
import { damaged } from './damage.ts'
import type { Span } from './memory.ts'

/** Never takes a bit from outside its range. The view has to reach 4 bytes past both ends. */
export class BitReader {
  readonly #view: DataView
  readonly #span: Span
  readonly #backward: boolean
  readonly #sizeBits: number
  #taken = 0

  constructor(view: DataView, span: Span, direction: 'forward' | 'backward') {
    this.#view = view
    this.#span = span
    this.#backward = direction === 'backward'
    this.#sizeBits = (span.to - span.from) * 8
  }

  /** Bytes taken, one that was begun included. */
  get takenBytes(): number {
    return (this.#taken + 7) >> 3
  }

  /** The next bits, 25 at most, as a number. */
  bits(count: number): number {
    const value = this.peek(count)
    this.skip(count)
    return value
  }

  /** The same without taking them; past the end they are anything. */
  peek(count: number): number {
    return (this.#window() >>> 1) >>> (31 - count)
  }

  skip(count: number): void {
    this.#taken += count
    if (this.#taken > this.#sizeBits) throw damaged('asks for bits past their end')
  }

  /** Takes zeros up to the next one, which stays; more than `most`, at most 24, are damage. */
  zeros(most: number): number {
    const count = Math.clz32(this.#window())
    if (count > most) throw damaged('holds a number that is too large')
    this.skip(count)
    return count
  }

  /** 25 bits and more, at the top of 32. */
  #window(): number {
    const { from, to } = this.#span
    const bytes = this.#taken >> 3
    const word = this.#backward ? this.#view.getInt32(to - 4 - bytes, true) : this.#view.getInt32(from + bytes, false)
    return word << (this.#taken & 7)
  }
}
