// Vorbis: codebooks, which turn bits into numbers of entries, and entries into vectors. Source: Vorbis I specification, section 3.
import { FormatError } from '../format-error.ts'
import { bitsOf, type PacketBits } from './bits.ts'

const syncPattern = 0x56_43_42
const longestCode = 32
/** Of all codebooks of a sound together: far above what encoders write, and small enough to be built at once. */
export const maxTotalEntries = 1 << 18
const maxTotalValues = 1 << 23

/** What is left of these limits for the codebooks that follow. */
export interface CodebookRoom {
  entries: number
  values: number
}

export const codebookRoom = (): CodebookRoom => ({ entries: maxTotalEntries, values: maxTotalValues })

export class Codebook {
  readonly dimensions: number
  /** `dimensions` numbers of each entry; null for a book that only numbers. */
  readonly vectors: Float32Array | null
  /** Two places a node: where a zero and a one lead, a node above zero, or below it the entry from -1 down; 0 leads nowhere. */
  readonly #tree: Int32Array

  constructor(bits: PacketBits, room: CodebookRoom) {
    if (bits.unsigned(24) !== syncPattern) throw damaged('a codebook does not begin')
    this.dimensions = bits.unsigned(16)
    const entries = bits.unsigned(24)
    room.entries -= entries
    if (entries === 0 || this.dimensions === 0 || room.entries < 0) throw damaged(`a codebook has ${entries} entries`)
    this.#tree = treeOf(readLengths(bits, entries))
    this.vectors = readVectors(bits, { entries, dimensions: this.dimensions }, room)
    if (bits.isPastEnd) throw damaged('its codebooks are cut off')
  }

  /** The next entry; -1 at the packet's end. Throws FormatError for bits that stand for none. */
  next(bits: PacketBits): number {
    const tree = this.#tree
    let node = 0
    do {
      const to = tree[node * 2 + bits.bit()] ?? 0
      if (bits.isPastEnd) return -1
      if (to < 0) return -1 - to
      node = to
    } while (node > 0)
    throw damaged('a codebook has no entry for its bits')
  }
}

function readLengths(bits: PacketBits, entries: number): Uint8Array {
  const lengths = new Uint8Array(entries)
  if (bits.bit() === 1) {
    let at = 0
    for (let length = bits.unsigned(5) + 1; at < entries; length++) {
      const count = bits.unsigned(bitsOf(entries - at))
      if (length > longestCode || at + count > entries) throw damaged('a codebook has too many entries')
      lengths.fill(length, at, at + count)
      at += count
    }
    return lengths
  }
  const isSparse = bits.bit() === 1
  for (let at = 0; at < entries; at++) if (!isSparse || bits.bit() === 1) lengths[at] = bits.unsigned(5) + 1
  return lengths
}

/** Every entry gets the lowest code of its length that is free. */
function treeOf(lengths: Uint8Array): Int32Array {
  const next = new Float64Array(longestCode + 1)
  const tree: number[] = [0, 0]
  for (const [entry, length] of lengths.entries()) {
    if (length === 0) continue
    let code = next[length] ?? 0
    if (code >= 2 ** length) throw damaged('a codebook has more entries than codes')
    insert(tree, { code, length, entry })
    for (let at = length; at > 0; at--) {
      if ((next[at] ?? 0) % 2 === 1) {
        next[at] = at === 1 ? (next[1] ?? 0) + 1 : (next[at - 1] ?? 0) * 2
        break
      }
      next[at] = (next[at] ?? 0) + 1
    }
    for (let at = length + 1; at <= longestCode && Math.floor((next[at] ?? 0) / 2) === code; at++) {
      code = next[at] ?? 0
      next[at] = (next[at - 1] ?? 0) * 2
    }
  }
  return Int32Array.from(tree)
}

function insert(tree: number[], { code, length, entry }: { code: number; length: number; entry: number }): void {
  let node = 0
  for (let depth = length - 1; depth >= 0; depth--) {
    const place = node * 2 + (Math.floor(code / 2 ** depth) % 2)
    if (depth === 0) tree[place] = -1 - entry
    else if ((tree[place] ?? 0) === 0) {
      tree[place] = tree.length / 2
      tree.push(0, 0)
    }
    node = Math.max(0, tree[place] ?? 0)
  }
}

function readVectors(
  bits: PacketBits,
  { entries, dimensions }: { entries: number; dimensions: number },
  room: CodebookRoom,
): Float32Array | null {
  const type = bits.unsigned(4)
  if (type === 0) return null
  if (type > 2) throw damaged(`a codebook is of kind ${type}`)
  room.values -= entries * dimensions
  if (room.values < 0) throw damaged('its codebooks are too large')
  const [least, step] = [readFloat(bits), readFloat(bits)]
  const valueBits = bits.unsigned(4) + 1
  const isSequence = bits.bit() === 1
  const count = type === 1 ? rootOf(entries, dimensions) : entries * dimensions
  const values = Float64Array.from({ length: count }, () => bits.unsigned(valueBits))
  const vectors = new Float32Array(entries * dimensions)
  for (let entry = 0, to = 0; entry < entries; entry++) {
    let last = 0
    let rest = entry
    for (let index = 0; index < dimensions; index++, to++) {
      const value = (values[type === 1 ? rest % count : to] ?? 0) * step + least + last
      rest = Math.floor(rest / count)
      if (isSequence) last = value
      vectors[to] = value
    }
  }
  return vectors
}

/** The largest number whose power is within the entries. */
function rootOf(entries: number, dimensions: number): number {
  let root = Math.floor(entries ** (1 / dimensions)) + 1
  while (root > 1 && root ** dimensions > entries) root--
  return root
}

function readFloat(bits: PacketBits): number {
  const mantissa = bits.unsigned(21)
  const exponent = bits.unsigned(10)
  return (bits.bit() === 1 ? -mantissa : mantissa) * 2 ** (exponent - 788)
}

export function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The OGG file is damaged: ${problem}.`)
}
