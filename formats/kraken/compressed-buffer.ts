// Compressed buffers: the container of source data in packages of 5.0 and later. A header, and blocks of compressed bytes.
import { ByteReader } from '../byte-reader.ts'
import { FormatError } from '../format-error.ts'
import { unsupported } from './damage.ts'
import { KrakenDecoder } from './stream.ts'

const magic = 0xb7756362
const headerBytes = 64
const rawSizeLimit = 512 * 1024 * 1024
const methods = { none: 0, oodle: 3, lz4: 4 }
const kraken = 3
const otherCompressors: Record<number, string> = { 1: 'Selkie', 2: 'Mermaid', 4: 'Leviathan' }
/** Each block is one stream, and those give 2^18 bytes at most. */
const maxExponent = 18

type Header = {
  method: number
  compressor: number
  blockSizeExponent: number
  blocks: number
  rawSize: number
  /** Header, sizes and blocks. */
  totalSize: number
}

/**
 * The raw bytes of the buffer at the start of `bytes`, which may go on behind it. What is stored uncompressed is a view of
 * `bytes`, not a copy. Nothing is allocated before the sizes agree with each other and with the limit of 512 MiB.
 */
export function readCompressedBuffer(bytes: Uint8Array): Uint8Array {
  const reader = new ByteReader(bytes, { what: 'compressed buffer', littleEndian: false })
  const header = readHeader(reader)
  if (header.method === methods.none) return readStored(reader, header)
  if (header.method === methods.oodle) return readBlocks(reader, header)
  throw unsupported(header.method === methods.lz4 ? 'LZ4 compression' : `compression method ${header.method}`)
}

function readHeader(reader: ByteReader): Header {
  if (reader.u32() !== magic) throw new FormatError('not-this-format', 'This is not a compressed buffer.')
  reader.skip(4) // CRC
  const method = reader.u8()
  const compressor = reader.u8()
  reader.skip(1) // level
  const blockSizeExponent = reader.u8()
  const blocks = reader.u32()
  const rawSize = reader.i64()
  const totalSize = reader.i64()
  reader.skip(32) // BLAKE3 of the raw bytes
  if (rawSize < 0) throw reader.damaged(`announces ${rawSize} raw bytes`)
  if (rawSize > rawSizeLimit)
    throw new FormatError('too-large', `The compressed buffer holds ${rawSize} bytes, more than the limit of 512 MiB.`)
  return { method, compressor, blockSizeExponent, blocks, rawSize, totalSize }
}

function readStored(reader: ByteReader, { rawSize, totalSize }: Header): Uint8Array {
  if (totalSize !== headerBytes + rawSize) throw reader.damaged(`stores ${rawSize} bytes in ${totalSize}`)
  return reader.take(rawSize)
}

function readBlocks(reader: ByteReader, header: Header): Uint8Array {
  if (header.compressor !== kraken) throw unsupported(`${otherCompressors[header.compressor] ?? 'unknown'} compression`)
  if (header.blockSizeExponent > maxExponent) throw unsupported(`blocks of 2^${header.blockSizeExponent} bytes`)
  const blockBytes = 1 << header.blockSizeExponent
  const sizes = readSizes(reader, header, blockBytes)
  const blocks = reader.take(header.totalSize - reader.offset)
  const raw = new Uint8Array(header.rawSize)
  const decoder = new KrakenDecoder(Math.min(blockBytes, raw.length))
  let [at, from] = [0, 0]
  for (const size of sizes) {
    const block = blocks.subarray(at, at + size)
    const to = Math.min(from + blockBytes, raw.length)
    if (size === to - from) raw.set(block, from)
    else decoder.decode(block, { bytes: raw, from, to })
    at += size
    from = to
  }
  return raw
}

/** The compressed size of each block; they and the header add up to the total. */
function readSizes(reader: ByteReader, { blocks, rawSize, totalSize }: Header, blockBytes: number): number[] {
  if (blocks !== Math.ceil(rawSize / blockBytes)) throw reader.damaged(`counts ${blocks} blocks for ${rawSize} bytes`)
  const list = reader.take(blocks * 4)
  const sizes = Array.from({ length: blocks }, (_, i) => list.readUInt32BE(i * 4))
  const sum = sizes.reduce((total, size) => total + size, reader.offset)
  if (sum !== totalSize) throw reader.damaged(`announces ${totalSize} bytes, and blocks that end at ${sum}`)
  return sizes
}
