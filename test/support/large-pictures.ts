/** Pictures that are small as files and large for a decoder, real ones: every decoder would begin to read them. */
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { pngChunk } from './media.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

interface BlackPng {
  width: number
  height: number
  /** What the header says instead. */
  says?: { width: number; height: number }
  /** Behind the header. */
  chunks?: readonly Buffer[]
}

/** Black, one bit a pixel. */
export function blackPng({ width, height, says = { width, height }, chunks = [] }: BlackPng): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(says.width, 0)
  header.writeUInt32BE(says.height, 4)
  header[8] = 1
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height)
  const end = [pngChunk('IDAT', deflateSync(rows)), pngChunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, pngChunk('IHDR', header), ...chunks, ...end])
}

/** The largest square that anybody calls a texture. */
export const hugePng = (): Buffer => blackPng({ width: 16_384, height: 16_384 })

const huge = (width: number, height: number) =>
  sharp(Buffer.alloc(width * height), { raw: { width, height, channels: 1 }, limitInputPixels: false })

export const hugeJpeg = (): Promise<Buffer> => huge(16_384, 2048).jpeg({ quality: 20 }).toBuffer()

/** As large as the format allows, lossless. */
export const hugeWebp = (): Promise<Buffer> => huge(16_383, 1024).webp({ lossless: true, effort: 0 }).toBuffer()

/** Text that takes a thousand times the room when it is unpacked, in as many chunks as the bytes have room for. */
export function textChunks(bytes: number): Buffer[] {
  const chunk = pngChunk('zTXt', Buffer.concat([Buffer.from('x\0\0', 'latin1'), deflateSync(Buffer.alloc(7_000_000))]))
  return Array.from({ length: Math.floor(bytes / chunk.length) }, () => chunk)
}
