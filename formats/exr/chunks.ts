// OpenEXR: the chunks of rows or tiles that a picture is stored in.
import { inflateSync } from 'node:zlib'
import { ByteReader } from '../byte-reader.ts'
import { FormatError } from '../format-error.ts'
import type { Channel, Compression, ExrHeader } from './header.ts'

export interface Chunk {
  /** Of the picture, from its left and top. */
  x: number
  y: number
  columns: number
  rows: number
  /** As stored. */
  bytes: Buffer
}

export const typeBytes = { uint: 4, half: 2, float: 4 }

/** Rows of one chunk. */
export const chunkRows: Record<Compression, number> = {
  none: 1,
  rle: 1,
  zips: 1,
  zip: 16,
  piz: 32,
  pxr24: 16,
  b44: 32,
  b44a: 32,
  dwaa: 32,
  dwab: 256,
}

/** The chunks of the picture, each found by the table of the file; of tiled files those of the full size. */
export function* chunksOf(bytes: Uint8Array, header: ExrHeader): Generator<Chunk> {
  const { width, height, compression, tile, yMin, tableOffset } = header
  const block = tile ?? { width, height: chunkRows[compression] }
  const count = Math.ceil(width / block.width) * Math.ceil(height / block.height)
  const reader = new ByteReader(bytes, { what: 'EXR file' })
  reader.seek(tableOffset)
  const table = new ByteReader(reader.take(count * 8), { what: 'EXR file' })
  for (let index = 0; index < count; index++) {
    const offset = table.i64()
    if (offset < tableOffset) throw reader.damaged('has chunks that were never written')
    reader.seek(offset)
    const x = tile ? reader.u32() * block.width : 0
    const y = tile ? reader.u32() * block.height : reader.i32() - yMin
    if (tile && (reader.u32() !== 0 || reader.u32() !== 0)) throw reader.damaged('names a smaller copy in place of the picture')
    if (x >= width || y < 0 || y >= height) throw reader.damaged(`places a chunk at ${x}, ${y}`)
    const [columns, rows] = [Math.min(block.width, width - x), Math.min(block.height, height - y)]
    yield { x, y, columns, rows, bytes: reader.take(reader.u32()) }
  }
}

/** Bytes of one row of one pixel's width. */
export function pixelBytes(channels: readonly Channel[]): number {
  return channels.reduce((sum, { type }) => sum + typeBytes[type], 0)
}

export interface Expectation {
  channels: readonly Channel[]
  /** Bytes. */
  expected: number
  compression: Compression
}

/** No more than `most` bytes. */
export function inflate(bytes: Uint8Array, most: number): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: Math.max(1, most) })
  } catch (cause) {
    throw new FormatError('damaged', 'The EXR file is damaged: a chunk cannot be decompressed.', { cause })
  }
}

export function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The EXR file is damaged: ${problem}.`)
}
