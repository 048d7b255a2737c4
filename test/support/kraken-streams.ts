// Writes Kraken streams and the buffers that hold them: the mirror of formats/kraken.
import { bitsOf, packBits, rawArray } from './kraken-arrays.ts'

/** Literals, then a copy of `match` bytes from `offset` before. */
export type Command = { literals: number; match: number; offset: number }

export type ChunkForm = {
  commands: readonly Command[]
  /** The chunk's place in what the stream gives; all of it by default. */
  from?: number
  to?: number
  literals?: 'plain' | 'differences'
  /** Writes the arrays for literals, commands, offsets and lengths. */
  array?: (bytes: Uint8Array, name: 'literals' | 'commands' | 'offsets' | 'lengths') => Buffer
}

/** A chunk of matches that gives `raw`, if its commands copy what is there. */
export function lzChunk(raw: Uint8Array, form: ChunkForm): Buffer {
  const { commands, from = 0, to = raw.length, literals: kind = 'plain', array = (bytes) => rawArray(bytes) } = form
  const lists = { literals: [] as number[], commands: [] as number[], offsets: [] as number[], lengths: [] as number[] }
  const recent = [8, 8, 8]
  const first = from === 0 ? 8 : 0
  let at = from + first
  const literal = () => {
    lists.literals.push(((raw[at] ?? 0) - (kind === 'plain' ? 0 : (raw[at - (recent[0] ?? 0)] ?? 0))) & 0xff)
    at++
  }
  for (const { literals, match, offset } of commands) {
    for (let i = 0; i < literals; i++) literal()
    const known = recent.indexOf(offset)
    if (known < 0) lists.offsets.push(offset)
    recent.splice(known < 0 ? 2 : known, 1)
    recent.unshift(offset)
    lists.commands.push(Math.min(literals, 3) | (Math.min(match - 2, 15) << 2) | ((known < 0 ? 3 : known) << 6))
    if (literals >= 3) lists.lengths.push(literals)
    if (match >= 17) lists.lengths.push(match - 14)
    at += match
  }
  while (at < to) literal()
  const { packedOffsets, packedLengths, bits } = packMatches(lists.offsets, lists.lengths)
  const body = Buffer.concat([
    raw.subarray(from, from + first),
    array(Buffer.from(lists.literals), 'literals'),
    array(Buffer.from(lists.commands), 'commands'),
    array(packedOffsets, 'offsets'),
    array(packedLengths, 'lengths'),
    bits,
  ])
  return chunk(body, kind === 'plain' ? 1 : 0)
}

/** The bytes behind a chunk's header; mode 0 with as many bytes as it gives is a stored chunk. */
export function chunk(body: Uint8Array, mode: number): Buffer {
  const header = Buffer.alloc(3)
  header.writeUIntBE((1 << 23) | (mode << 19) | body.length, 0, 3)
  return Buffer.concat([header, body])
}

type PackedMatches = { packedOffsets: Buffer; packedLengths: Buffer; bits: Buffer }

/** Offsets and lengths (3 and more) as the bytes of their arrays, and the bits that complete these. */
export function packMatches(offsets: readonly number[], lengths: readonly number[]): PackedMatches {
  const ends = ['', '']
  const long = lengths.filter((length) => length - 3 >= 255)
  const count = long.length + 1
  const countBits = Math.floor(Math.log2(count))
  ends[1] += '0'.repeat(countBits) + bitsOf(count, countBits + 1)
  const packedOffsets = offsets.map((offset, i) => {
    const { byte, bits } = packOffset(offset)
    ends[i % 2] += bits
    return byte
  })
  for (const [i, length] of long.entries()) {
    const value = length - 3 - 255 + 64
    const size = Math.floor(Math.log2(value))
    ends[i % 2] += '0'.repeat(size - 6) + bitsOf(value, size + 1)
  }
  return {
    packedOffsets: Buffer.from(packedOffsets),
    packedLengths: Buffer.from(lengths.map((length) => Math.min(length - 3, 255))),
    bits: Buffer.concat([packBits(ends[0] ?? ''), packBits(ends[1] ?? '').reverse()]),
  }
}

const farthest = 8322816

function packOffset(offset: number): { byte: number; bits: string } {
  const near = offset + 248
  const far = offset - farthest
  if (far >= 1 << 16) {
    const size = Math.floor(Math.log2(far >> 12))
    return { byte: 0xf0 + size - 4, bits: bitsOf(far >> 12, size) + bitsOf(far, 12) }
  }
  const size = Math.floor(Math.log2(near >> 4))
  return { byte: ((size - 4) << 4) | (near & 15), bits: bitsOf(near >> 4, size) }
}

/** One block that holds a coded quantum of these chunks. */
export function krakenStream(...chunks: Uint8Array[]): Buffer {
  const body = Buffer.concat(chunks)
  const header = Buffer.alloc(3)
  header.writeUIntBE(body.length - 1, 0, 3)
  return Buffer.concat([blockHeader, header, body])
}

const blockHeader = Buffer.of(0x8c, 0x06)

export function filledStream(byte: number): Buffer {
  return Buffer.concat([blockHeader, Buffer.of(0x07, 0xff, 0xff, byte)])
}

export function storedStream(raw: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0xcc, 0x06), raw])
}

export type BufferForm = {
  blocks: readonly Uint8Array[]
  rawSize: number
  method?: number
  compressor?: number
  exponent?: number
}

/** A compressed buffer; the hashes in it are zeros. */
export function compressedBuffer({ blocks, rawSize, method = 3, compressor = 3, exponent = 18 }: BufferForm): Buffer {
  const header = Buffer.alloc(64)
  const sizes = Buffer.alloc(method === 0 ? 0 : 4 * blocks.length)
  for (const [i, { length }] of blocks.entries()) if (method !== 0) sizes.writeUInt32BE(length, 4 * i)
  const bytes = Buffer.concat([header, sizes, ...blocks])
  bytes.writeUInt32BE(0xb7756362, 0)
  bytes.set([method, compressor, 3, exponent], 8)
  bytes.writeUInt32BE(blocks.length, 12)
  bytes.writeBigUInt64BE(BigInt(rawSize), 16)
  bytes.writeBigUInt64BE(BigInt(bytes.length), 24)
  return bytes
}
