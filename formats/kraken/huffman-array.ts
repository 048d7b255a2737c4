// Huffman arrays: three streams of codes in turn, two of them read from either end towards the middle one.
import { BitReader } from './bit-reader.ts'
import { readCodeLengths } from './code-lengths.ts'
import { damaged } from './damage.ts'
import { fillTable, tableSlots } from './huffman-table.ts'
import type { DecoderMemory, Span } from './memory.ts'

const slotMask = tableSlots - 1

export class HuffmanReader {
  readonly #input: DataView
  readonly #arrays: Uint8Array
  readonly #table = new Uint16Array(tableSlots)

  constructor(memory: DecoderMemory) {
    this.#input = memory.inputView
    this.#arrays = memory.arrays
  }

  /** Decodes the packed bytes at `packed` into the arrays at `raw`; with six streams the first three give its first half. */
  read(packed: Span, raw: Span, streams: 3 | 6): void {
    const bits = new BitReader(this.#input, packed, 'forward')
    const code = readCodeLengths(bits)
    if (code.count === 1) {
      this.#arrays.fill(code.symbols[0] ?? 0, raw.from, raw.to)
      return
    }
    fillTable(this.#table, code)
    const start = packed.from + bits.takenBytes
    if (streams === 3) {
      this.#readStreams({ from: start, to: packed.to }, raw)
      return
    }
    const low = this.#input.getUint16(start, true)
    const middle = start + 3 + (low | (this.#input.getUint8(start + 2) << 16))
    if (middle > packed.to) throw damaged('divides a Huffman array past its end')
    const rawMiddle = raw.from + ((raw.to - raw.from + 1) >> 1)
    this.#readStreams({ from: start + 3, to: middle }, { from: raw.from, to: rawMiddle })
    this.#readStreams({ from: middle, to: packed.to }, { from: rawMiddle, to: raw.to })
  }

  /** One u16 that says where the middle stream begins, then the three. */
  #readStreams(packed: Span, raw: Span): void {
    const from = packed.from + 2
    const middle = from + this.#input.getUint16(packed.from, true)
    if (middle > packed.to) throw damaged('divides a Huffman array past its end')
    this.#decode({ from, middle, to: packed.to }, raw)
  }

  /**
   * Bits come lowest first. The first stream runs on from `from`, the second back from `to`, the third on from `middle`, which
   * has to be where the first ends; the third has to end where the second does. At each load a stream is within its
   * bounds, so that it reads at most 4 bytes past them, which the margins of the input allow; 25 bits are two codes.
   */
  #decode({ from, middle, to }: Span & { middle: number }, raw: Span): void {
    const input = this.#input
    const arrays = this.#arrays
    const table = this.#table
    const firstBits = (middle - from) * 8
    const restBits = (to - middle) * 8
    const lastFour = to - 4
    let [first, second, third, at] = [0, 0, 0, raw.from]
    for (const stop = raw.to - 5; at < stop; at += 6) {
      if (first > firstBits || second > restBits || third > restBits) break
      let a = input.getInt32(from + (first >> 3), true) >>> (first & 7)
      let b = input.getInt32(lastFour - (second >> 3), false) >>> (second & 7)
      let c = input.getInt32(middle + (third >> 3), true) >>> (third & 7)
      const a0 = table[a & slotMask] as number
      const b0 = table[b & slotMask] as number
      const c0 = table[c & slotMask] as number
      a >>>= a0 & 15
      b >>>= b0 & 15
      c >>>= c0 & 15
      const a1 = table[a & slotMask] as number
      const b1 = table[b & slotMask] as number
      const c1 = table[c & slotMask] as number
      first += (a0 & 15) + (a1 & 15)
      second += (b0 & 15) + (b1 & 15)
      third += (c0 & 15) + (c1 & 15)
      arrays[at] = a0 >> 4
      arrays[at + 1] = b0 >> 4
      arrays[at + 2] = c0 >> 4
      arrays[at + 3] = a1 >> 4
      arrays[at + 4] = b1 >> 4
      arrays[at + 5] = c1 >> 4
    }
    // The last few, one stream after the other.
    for (let turn = 0; at < raw.to; at++, turn = (turn + 1) % 3) {
      if (first > firstBits || second > restBits || third > restBits) break
      const taken = turn === 0 ? first : turn === 1 ? second : third
      const word =
        turn === 1
          ? input.getInt32(lastFour - (taken >> 3), false)
          : input.getInt32((turn === 0 ? from : middle) + (taken >> 3), true)
      const entry = table[(word >>> (taken & 7)) & slotMask] as number
      arrays[at] = entry >> 4
      if (turn === 0) first += entry & 15
      else if (turn === 1) second += entry & 15
      else third += entry & 15
    }
    const meets = from + ((first + 7) >> 3) === middle && middle + ((third + 7) >> 3) === to - ((second + 7) >> 3)
    if (!meets) throw damaged('has Huffman streams that do not meet')
  }
}
