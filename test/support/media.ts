/** Small media files as bytes: pictures by sharp, models and sounds by their layout. */
import { crc32 } from 'node:zlib'
import sharp from 'sharp'

/** A PNG of one colour. */
export const pngOf = (width: number, height: number, { interlaced = false } = {}): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#3a7' } })
    .png({ progressive: interlaced })
    .toBuffer()

/** Pixels that do not compress, so that a cut falls into them. */
export const noisyPng = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 60 } } })
    .png()
    .toBuffer()

interface GlbOptions {
  json?: string
  bufferBytes?: number
}

/** GLB: header, JSON chunk, and a buffer chunk when asked for (glTF 2.0 section 4.4). */
export function glbOf({ json = '{"asset":{"version":"2.0"}}', bufferBytes = 0 }: GlbOptions = {}): Buffer {
  const text = Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4))
  const chunks = [chunkOf('JSON', text), ...(bufferBytes > 0 ? [chunkOf('BIN\0', Buffer.alloc(bufferBytes))] : [])]
  const head = Buffer.alloc(12)
  head.write('glTF', 0, 'latin1')
  head.writeUInt32LE(2, 4)
  head.writeUInt32LE(12 + chunks.reduce((sum, chunk) => sum + chunk.length, 0), 8)
  return Buffer.concat([head, ...chunks])
}

function chunkOf(type: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(bytes.length, 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, bytes])
}

interface WavOptions {
  channels?: number
  /** 1 is PCM, 3 is float. */
  encoding?: number
  bits?: number
  frames?: number
}

export function wavOf({ channels = 1, encoding = 1, bits = 16, frames = 100 }: WavOptions = {}): Buffer {
  const block = (channels * bits) / 8
  const wav = Buffer.alloc(44 + frames * block)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(encoding, 20)
  wav.writeUInt16LE(channels, 22)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(8000 * block, 28)
  wav.writeUInt16LE(block, 32)
  wav.writeUInt16LE(bits, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(frames * block, 40)
  return wav
}

/** A chunk of a PNG: length, type, bytes, checksum. */
export function pngChunk(type: string, bytes: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), bytes])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(bytes.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}

/** Where the chunks behind the header of a PNG begin. */
export const pngHeadBytes = 33

/** The picture with chunks put in behind its header. */
export const withChunks = (png: Buffer, ...chunks: Buffer[]): Buffer =>
  Buffer.concat([png.subarray(0, pngHeadBytes), ...chunks, png.subarray(pngHeadBytes)])

/** The picture in so many bytes: a chunk that nobody reads fills it up. */
export const paddedPng = (png: Buffer, sizeBytes: number): Buffer =>
  withChunks(png, pngChunk('ruFf', Buffer.alloc(sizeBytes - png.length - 12, 0x61)))
