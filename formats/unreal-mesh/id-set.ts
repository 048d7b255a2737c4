// The ids of a mesh description: bits that say which of them are in use, as deleted elements leave holes.
import type { ByteReader } from '../byte-reader.ts'

/** Ids in use, in ascending order. Takes as much memory as the bits in the file, whatever they claim. */
export class IdSet {
  /** How many are in use. */
  readonly count: number
  readonly #words: Uint32Array
  /** For each word, how many are in use before it. */
  readonly #before: Uint32Array

  private constructor(words: Uint32Array) {
    this.#words = words
    this.#before = new Uint32Array(words.length)
    let count = 0
    for (let i = 0; i < words.length; i++) {
      this.#before[i] = count
      count += bitCount(words[i] ?? 0)
    }
    this.count = count
  }

  /** Reads a bit array: how many bits, then words of 32, the lowest bit first. */
  static read(reader: ByteReader, of: string): IdSet {
    const bits = reader.i32()
    if (bits < 0) throw reader.damaged(`counts ${bits} ids of ${of}`)
    const wordCount = Math.ceil(bits / 32)
    const bytes = reader.take(4 * wordCount)
    const words = new Uint32Array(wordCount)
    for (let i = 0; i < wordCount; i++) words[i] = bytes.readUInt32LE(4 * i)
    const unused = wordCount * 32 - bits
    if (unused > 0) words[wordCount - 1] = ((words[wordCount - 1] ?? 0) << unused) >>> unused
    return new IdSet(words)
  }

  /** How many ids in use are lower; -1 when the id itself, which may be any number, is not in use. */
  rank(id: number): number {
    const word = this.#words[id >> 5]
    if (word === undefined || id < 0) return -1
    const bit = id & 31
    if (((word >>> bit) & 1) === 0) return -1
    return (this.#before[id >> 5] ?? 0) + bitCount(bit === 0 ? 0 : word & (0xffffffff >>> (32 - bit)))
  }

  *[Symbol.iterator](): Generator<number> {
    for (let i = 0; i < this.#words.length; i++) {
      for (let rest = this.#words[i] ?? 0; rest !== 0; rest &= rest - 1) yield 32 * i + 31 - Math.clz32(rest & -rest)
    }
  }
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
