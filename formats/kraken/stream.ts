// Kraken streams: one block of up to 256 KiB of raw bytes, in at most two chunks.
import { ArrayReader } from './coded-array.ts'
import { damaged, unsupported } from './damage.ts'
import { LzReader } from './lz-chunk.ts'
import { DecoderMemory, maxChunkBytes, maxStreamBytes, type Span } from './memory.ts'

const blockHeaderBytes = 2
const quantumHeaderBytes = 3
const chunkHeaderBytes = 3
const fillSize = 0x3ffff

type Target = Span & { bytes: Uint8Array }

/** Decodes streams one after the other in the same memory. */
export class KrakenDecoder {
  readonly #maxBytes: number
  readonly #memory: DecoderMemory
  readonly #arrays: ArrayReader
  readonly #lz: LzReader

  /** No stream gives more than `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = Math.min(maxBytes, maxStreamBytes)
    this.#memory = new DecoderMemory(this.#maxBytes)
    this.#arrays = new ArrayReader(this.#memory)
    this.#lz = new LzReader(this.#memory, this.#arrays)
  }

  /** Decodes all of `stream`, which gives all of `target`; after a FormatError the target holds anything. */
  decode(stream: Uint8Array, target: Target): void {
    if (target.to - target.from > this.#maxBytes) throw damaged('gives more than a stream can')
    if (readBlockHeader(stream) === 'stored') copyStored(stream.subarray(blockHeaderBytes), target)
    else this.#decodeQuantum(stream.subarray(blockHeaderBytes), target)
  }

  #decodeQuantum(quantum: Uint8Array, target: Target): void {
    if (quantum.length < quantumHeaderBytes) throw damaged('ends within the header of a quantum')
    const header = readThreeBytes(quantum, 0)
    const size = header & fillSize
    const body = quantum.subarray(quantumHeaderBytes)
    if (size === fillSize) fill(header >> 18, body, target)
    else if (size + 1 !== body.length) throw damaged(`has a quantum of ${size + 1} bytes where ${body.length} are`)
    else if (body.length >= target.to - target.from) copyStored(body, target)
    else this.#decodeChunks(this.#memory.load(body), target)
  }

  #decodeChunks(packed: Span, target: Target): void {
    let next = packed.from
    for (let from = target.from; from < target.to; from += maxChunkBytes) {
      const to = Math.min(from + maxChunkBytes, target.to)
      next = this.#decodeChunk({ from: next, to: packed.to }, { bytes: target.bytes, from, to, start: target.from })
    }
    if (next !== packed.to) throw damaged('has bytes behind its last chunk')
  }

  /** Decodes the chunk at the start of `packed`; returns where the next begins. */
  #decodeChunk(packed: Span, target: Target & { start: number }): number {
    const { input } = this.#memory
    const start = packed.from + chunkHeaderBytes
    if (start > packed.to) throw damaged('ends before a chunk')
    const header = readThreeBytes(input, packed.from)
    if (header < 0x80_0000) return this.#decodeArray(packed, target)
    const rawBytes = target.to - target.from
    const mode = (header >> 19) & 15
    const chunk = { from: start, to: start + (header & 0x7_ffff) }
    if (chunk.to > packed.to) throw damaged('has a chunk that is longer than what holds it')
    if (chunk.to - start >= rawBytes && mode === 0) copyStored(input.subarray(start, chunk.to), target)
    else if (mode > 1) throw unsupported('an unknown kind of literals')
    else if (chunk.to - start >= rawBytes) throw damaged('has a chunk that is longer than what it gives')
    else this.#lz.read(chunk, target, mode === 0 ? 'differences' : 'plain')
    return chunk.to
  }

  /** A chunk without matches is one array. */
  #decodeArray(packed: Span, { bytes, from, to }: Target): number {
    this.#arrays.enter(packed)
    const array = this.#arrays.read(to - from)
    if (array.to - array.from !== to - from) throw damaged('has a chunk that gives too little')
    bytes.set(this.#memory.arrays.subarray(array.from, array.to), from)
    return this.#arrays.left.from
  }
}

function readBlockHeader(stream: Uint8Array): 'stored' | 'coded' {
  const [first, second] = stream
  if (first === undefined || second === undefined) throw damaged('ends within the header of a block')
  if ((first & 0x3f) !== 12) throw damaged('does not begin with a block')
  if (first < 0x80) throw unsupported('blocks that continue others')
  if ((second & 0x7f) !== 6) throw unsupported('another compression than Kraken')
  if (second >= 0x80) throw unsupported('checksums')
  return (first & 0x40) === 0 ? 'coded' : 'stored'
}

function copyStored(stored: Uint8Array, target: Target): void {
  if (stored.length !== target.to - target.from)
    throw damaged(`stores ${stored.length} bytes in place of ${target.to - target.from}`)
  target.bytes.set(stored, target.from)
}

function fill(kind: number, body: Uint8Array, { bytes, from, to }: Target): void {
  if (kind !== 1) throw unsupported('an unknown kind of quantum')
  if (body.length !== 1) throw damaged('fills with something else than one byte')
  bytes.fill(body[0] as number, from, to)
}

function readThreeBytes(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
}
