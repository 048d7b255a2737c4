/** Looks into uploaded media: pictures are decoded whole, models and sounds are checked by their structure (spec 4.9, 8). */
import { validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { MediaKind } from '../../contract/media.ts'
import { FormatError } from '../../formats/format-error.ts'
import { maxGltfJsonBytes, openGltf } from '../../formats/gltf/json.ts'
import { loadSharp, type PngFacts, readImage } from '../../formats/image.ts'
import { readWav } from '../../formats/wav.ts'
import { type Owner, WeightedQueue, type Work } from '../../serving/bodies/weighted-queue.ts'

/** Bytes that were taken in and not yet believed. */
export interface Uploaded {
  size: number
  read(start: number, end: number): Promise<Buffer>
}

/** In pixels; null for what is no picture. */
export interface Dimensions {
  width: number | null
  height: number | null
}

/** A picture is in memory while it is decoded, up to 64 MiB of it; nobody's pictures wait behind all of someone else's. */
const decoding = new WeightedQueue(2, 60_000)
/** Interlaced pictures are decoded as a whole, 8 bytes a pixel at worst; others line by line. */
const maxInterlacedPixels = 4096 * 4096
/** Of an attachment that is interlaced; while it is decoded, no other picture is. */
const maxInterlacedBytes = 256_000_000
/** Chunks of a GLB: one of JSON, one of buffers, and what extensions may add. */
const maxGlbChunks = 16
/** What stands before the sound of a WAV: formats, lists of names, cover pictures. */
const wavHeadBytes = 4 * 1024 * 1024

/** Fails with VALIDATION, saying why, when the bytes are not whole media of this kind or exceed its limits. */
export async function inspectMedia(kind: MediaKind, file: Uploaded, owner: Owner): Promise<Dimensions> {
  return explained(async () => {
    if (kind === 'thumbnail') return inQueue({ owner, weight: 1 }, () => inspectPng(file, limits.thumbnail.edgePx))
    if (kind === 'image') return inQueue({ owner, weight: 1 }, () => inspectPng(file, limits.preview.imageEdgePx))
    await (kind === 'glb' ? inspectGlb(file) : inspectWav(file))
    return { width: null, height: null }
  })
}

/** The same of a picture that is attached to something (spec 4.7): any shape within so many pixels. Of an animation the first frame counts. */
export async function inspectAttachment(file: Uploaded, owner: Owner): Promise<{ width: number; height: number }> {
  return explained(async () => {
    const bytes = await file.read(0, file.size)
    const facts = await pngFacts(bytes)
    const { width, height } = facts
    const pixels = width * height
    if (pixels > limits.attachment.pixels)
      throw malformed(`is ${width} x ${height} pixels; at most ${limits.attachment.pixels} of them are allowed`)
    const atOnce = facts.interlaced ? pixels * bytesPerPixel(facts) : 0
    if (atOnce > maxInterlacedBytes)
      throw malformed(`is an interlaced picture of ${width} x ${height} pixels; save one this large without interlacing`)
    const isHeavy = facts.interlaced && pixels > maxInterlacedPixels
    await inQueue({ owner, weight: isHeavy ? decoding.most : 1 }, () => decodeWhole(bytes))
    return { width, height }
  })
}

/** As it is decoded. */
const bytesPerPixel = ({ bitDepth, color }: PngFacts): number =>
  (bitDepth > 8 ? 2 : 1) * { gray: 1, 'gray-alpha': 2, rgb: 3, rgba: 4, palette: 4 }[color]

async function explained<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look()
  } catch (error) {
    throw error instanceof FormatError ? malformed(error.message) : error
  }
}

async function inQueue<T>(work: Work, look: () => Promise<T>): Promise<T> {
  const giveBack = await decoding.take(work)
  try {
    return await look()
  } finally {
    giveBack()
  }
}

const malformed = (message: string) => validationError([{ path: 'body', message }])

async function inspectPng(file: Uploaded, maxEdgePx: number): Promise<Dimensions> {
  const bytes = await file.read(0, file.size)
  const { width, height, interlaced } = await pngFacts(bytes)
  if (width > maxEdgePx || height > maxEdgePx)
    throw malformed(`is ${width} x ${height} pixels; at most ${maxEdgePx} x ${maxEdgePx} are allowed`)
  if (interlaced && width * height > maxInterlacedPixels)
    throw malformed(`is an interlaced picture of ${width} x ${height} pixels; save one this large without interlacing`)
  await decodeWhole(bytes)
  return { width, height }
}

async function pngFacts(bytes: Buffer): Promise<PngFacts> {
  const facts = await readImage(bytes)
  if (facts.format !== 'png') throw malformed('is a JPEG file; a PNG is needed')
  return facts
}

/** The chunk that ends every PNG (PNG 11.2.5), with its length, which is 0, and its check sum. */
const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex')

/** Decoders stop at the last pixel, and do not look for the end. */
function requirePngEnd(bytes: Buffer): void {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.subarray(at, at + 12).equals(pngEnd)) return
  throw new FormatError('truncated', 'The PNG file is cut off: its last chunk is missing.')
}

/** Shrinking to one pixel needs every pixel, and keeps few of them. */
async function decodeWhole(bytes: Buffer): Promise<void> {
  requirePngEnd(bytes)
  const sharp = await loadSharp()
  const picture = sharp(bytes, { failOn: 'error', sequentialRead: true, limitInputPixels: limits.preview.imageEdgePx ** 2 })
  try {
    await picture.resize(1, 1, { fit: 'fill' }).raw().toBuffer()
  } catch (cause) {
    throw new FormatError('damaged', 'The PNG file is damaged: its pixels cannot be decoded.', { cause })
  }
}

/** GLB (glTF 2.0 section 4.4): the header tells the length, then chunks follow to the end, JSON first. */
async function inspectGlb(file: Uploaded): Promise<void> {
  const head = await file.read(0, 20)
  if (head.length < 20 || head.toString('latin1', 0, 4) !== 'glTF') throw malformed('is not a GLB file')
  const length = head.readUInt32LE(8)
  if (length !== file.size) throw malformed(`is ${file.size} bytes, while its GLB header says ${length}`)
  const json = head.readUInt32LE(12)
  if (json > maxGltfJsonBytes) throw malformed(`describes its scene in more than ${maxGltfJsonBytes} bytes, too much to read`)
  let end = 12
  for (let chunks = 0; end < length; chunks += 1) {
    const chunk = await file.read(end, end + 8)
    if (chunk.length < 8 || chunks === maxGlbChunks) throw malformed('does not end where its chunks do')
    end += 8 + chunk.readUInt32LE(0)
  }
  if (end !== length) throw malformed('does not end where its chunks do')
  openGltf(await file.read(0, 20 + json), new Map())
}

async function inspectWav(file: Uploaded): Promise<void> {
  const facts = readWav(await file.read(0, wavHeadBytes), file.size)
  const { audioChannels } = limits.preview
  if (facts.container !== 'RIFF') throw malformed(`is ${facts.container}; a RIFF WAV is needed`)
  if (facts.encoding !== 'pcm' && facts.encoding !== 'float')
    throw malformed(`is encoded as ${facts.encoding}; PCM or float is needed`)
  if (facts.channels > audioChannels) throw malformed(`has ${facts.channels} channels; at most ${audioChannels} are allowed`)
  if (facts.blockAlign !== facts.channels * Math.ceil(facts.bitsPerSample / 8))
    throw malformed(`has blocks of ${facts.blockAlign} bytes for ${facts.channels} channels of ${facts.bitsPerSample} bits`)
  if (facts.truncated)
    throw malformed(`ends early: ${facts.dataBytesPresent} of ${facts.dataBytesDeclared} bytes of sound are there`)
}
