// Entropy-coded arrays: each decoded as its header says, behind the one before.
import { type ArrayHeader, readArrayHeader } from './array-header.ts'
import { damaged, unsupported } from './damage.ts'
import { HuffmanReader } from './huffman-array.ts'
import type { DecoderMemory, Span } from './memory.ts'
import { expandRuns } from './run-length.ts'

/** Reads the arrays of a chunk into the decoder's arrays. */
export class ArrayReader {
  readonly #memory: DecoderMemory
  readonly #huffman: HuffmanReader
  #left: Span = { from: 0, to: 0 }
  #usedBytes = 0

  constructor(memory: DecoderMemory) {
    this.#memory = memory
    this.#huffman = new HuffmanReader(memory)
  }

  /** Begins anew with the input at `chunk`; arrays read before are given up. */
  enter(chunk: Span): void {
    this.#left = chunk
    this.#usedBytes = 0
  }

  /** The input behind the arrays read so far. */
  get left(): Span {
    return this.#left
  }

  /** The next array, of `most` bytes at most: where it lies in the decoder's arrays. */
  read(most: number): Span {
    const header = readArrayHeader(this.#memory.inputView, this.#left)
    if (header.rawBytes > most) throw damaged(`has an array of ${header.rawBytes} bytes where ${most} are possible`)
    const raw = { from: this.#usedBytes, to: this.#usedBytes + header.rawBytes }
    if (header.coding === 'run-length') this.#readRuns(header.packed, raw)
    else this.#decode(header, raw)
    this.#left = { from: header.packed.to, to: this.#left.to }
    this.#usedBytes = raw.to
    return raw
  }

  #decode({ coding, packed }: ArrayHeader, raw: Span): void {
    const { input, arrays } = this.#memory
    if (coding === 'raw') arrays.set(input.subarray(packed.from, packed.to), raw.from)
    else this.#huffman.read(packed, raw, coding === 'huffman' ? 3 : 6)
  }

  /** A single byte repeats. Else the commands follow a zero, or the first of them are an array of their own. */
  #readRuns(packed: Span, raw: Span): void {
    const { input, arrays } = this.#memory
    if (packed.from === packed.to) throw damaged('has an empty run-length array')
    const first = input[packed.from] as number
    if (packed.to - packed.from === 1) arrays.fill(first, raw.from, raw.to)
    else if (first === 0) expandRuns(input, { from: packed.from + 1, to: packed.to }, { bytes: arrays, ...raw })
    else expandRuns(arrays, this.#unpackCommands(packed, raw.to), { bytes: arrays, ...raw })
  }

  /** Puts the array at the start of `packed`, and the rest of `packed` as it is, into the arrays at `from`. */
  #unpackCommands(packed: Span, from: number): Span {
    const { input, inputView, arrays } = this.#memory
    const header = readArrayHeader(inputView, packed)
    if (header.coding === 'run-length') throw unsupported('run lengths within run lengths')
    const middle = from + header.rawBytes
    const to = middle + packed.to - header.packed.to
    if (to > arrays.length) throw damaged('has more run-length commands than an array can need')
    this.#decode(header, { from, to: middle })
    arrays.set(input.subarray(header.packed.to, packed.to), middle)
    return { from, to }
  }
}
