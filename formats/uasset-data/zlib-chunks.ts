// Chunks compressed with zlib, as packages before 5.0 keep their payloads.
import { inflateSync } from 'node:zlib'
import { ByteReader } from '../byte-reader.ts'
import type { FileWindow } from '../file-window.ts'
import { FormatError } from '../format-error.ts'
import { checkRawSize } from './payload.ts'

const tag = 0x9e2a83c1
/** Engines write 128 KiB; much smaller ones would cost more time than they hold bytes. */
const smallestChunk = 32 * 1024
/** A chunk is inflated as a whole, beside what comes of it. */
const largestChunk = 8 * 1024 * 1024
/** No zlib stream grows more than this. */
const largestGrowth = 1032
/** What a stream needs beside its bits. */
const streamBytes = 16

/** The raw bytes of the chunks at the start of `bytes`, `rawSize` in all. Throws FormatError. */
export function inflateChunks(bytes: Uint8Array, rawSize: number): Buffer {
  const reader = new ByteReader(bytes, { what: 'zlib payload', pastEnd: 'damaged' })
  const sizes = readChunkSizes(reader, rawSize)
  const raw = Buffer.allocUnsafe(rawSize)
  let end = 0
  for (const size of sizes) {
    inflateChunk(reader.take(size.compressed), size.raw).copy(raw, end)
    end += size.raw
  }
  return raw
}

/**
 * The same bytes chunk by chunk, of a payload that lies in a file from `offset` on, in little memory. Throws FormatError as
 * `inflateChunks`, and `truncated` where the file ends, or a chunk is longer than engines write.
 */
export function* inflatePieces(file: FileWindow, stored: { offset: number; size: number }, rawSize: number): Generator<Buffer> {
  const head = file.at(stored.offset, 32)
  const table = 32 + 16 * Math.ceil(rawSize / Math.max(smallestChunk, Number(head.readBigInt64LE(8))))
  const reader = new ByteReader(file.at(stored.offset, table), { what: 'zlib payload', pastEnd: 'damaged' })
  let offset = stored.offset + table
  for (const size of readChunkSizes(reader, rawSize, stored.size - table)) {
    yield inflateChunk(file.at(offset, size.compressed), size.raw)
    offset += size.compressed
  }
}

type ChunkSizes = { compressed: number; raw: number }

/** Every chunk is full but the last, and all of them fit into the bytes at hand, or the `storedBytes` behind their sizes. */
function readChunkSizes(reader: ByteReader, rawSize: number, storedBytes?: number): ChunkSizes[] {
  if (reader.i64() !== tag) throw reader.damaged('does not begin with the tag of compressed chunks')
  const [chunkSize, compressedTotal, rawTotal] = [reader.i64(), reader.i64(), reader.i64()]
  checkRawSize(rawTotal)
  if (rawTotal !== rawSize) throw reader.damaged(`holds ${rawTotal} raw bytes instead of ${rawSize}`)
  if (chunkSize < smallestChunk || chunkSize > largestChunk) throw reader.damaged(`is cut into chunks of ${chunkSize} bytes`)
  const count = Math.ceil(rawTotal / chunkSize)
  if (count * 16 > reader.left || compressedTotal > (storedBytes ?? reader.left - count * 16))
    throw reader.damaged(`holds ${count} chunks, which do not fit`)
  const sizes: ChunkSizes[] = []
  let compressedSum = 0
  for (let rawLeft = rawTotal; rawLeft > 0; rawLeft -= chunkSize) {
    const [compressed, raw] = [reader.i64(), reader.i64()]
    const full = Math.min(chunkSize, rawLeft)
    if (raw !== full || compressed < 0 || raw > largestGrowth * (compressed + streamBytes))
      throw reader.damaged(`makes ${raw} bytes of a chunk of ${compressed}`)
    compressedSum += compressed
    sizes.push({ compressed, raw })
  }
  if (compressedSum !== compressedTotal)
    throw reader.damaged(`has chunks of ${compressedSum} bytes instead of ${compressedTotal}`)
  return sizes
}

function inflateChunk(compressed: Buffer, rawSize: number): Buffer {
  let raw: Buffer
  try {
    raw = inflateSync(compressed, { maxOutputLength: rawSize })
  } catch (cause) {
    throw new FormatError('damaged', 'The package is damaged: a compressed payload in it cannot be read.', { cause })
  }
  if (raw.length === rawSize) return raw
  throw new FormatError('damaged', `The package is damaged: a chunk gives ${raw.length} bytes instead of ${rawSize}.`)
}
