/** Looks into uploaded media: pictures are decoded whole, models and sounds are checked by their structure (spec 4.9, 8). */
import { validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { MediaKind } from '../../contract/media.ts'
import { pictureBounds } from '../../contract/picture-bounds.ts'
import { FormatError } from '../../formats/format-error.ts'
import { maxGltfJsonBytes, openGltf } from '../../formats/gltf/json.ts'
import { type PngFacts, readImage } from '../../formats/image.ts'
import { decodePicture, type PictureBounds, pictureWithin } from '../../formats/pictures/decoding.ts'
import type { PictureHeader } from '../../formats/pictures/header.ts'
import { readWav } from '../../formats/wav.ts'
import type { Owner } from '../../serving/bodies/weighted-queue.ts'
import { inDecodingTurn, wholeRoom } from '../decoding.ts'

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

/** The header of a PNG, which tells its size. */
const headerBytes = 64
/** An attachment of more pixels that is interlaced is decoded alone. */
const fewInterlacedPixels = 4096 * 4096
/** Of an attachment that is interlaced; while it is decoded, no other picture is. */
const maxInterlacedBytes = 256_000_000
/** Chunks of a GLB: one of JSON, one of buffers, and what extensions may add. */
const maxGlbChunks = 16
/** What stands before the sound of a WAV: formats, lists of names, cover pictures. */
const wavHeadBytes = 4 * 1024 * 1024

/** Fails with VALIDATION, saying why, when the bytes are not whole media of this kind or exceed its limits. */
export async function inspectMedia(kind: MediaKind, file: Uploaded, owner: Owner): Promise<Dimensions> {
  return explained(async () => {
    if (kind === 'thumbnail' || kind === 'image') return inspectPng(file, { bounds: pictureBounds[kind], owner })
    await (kind === 'glb' ? inspectGlb(file) : inspectWav(file))
    return { width: null, height: null }
  })
}

/** The same of a picture that is attached to something (spec 4.7): any shape within so many pixels. Of an animation the first frame counts. */
export async function inspectAttachment(file: Uploaded, owner: Owner): Promise<{ width: number; height: number }> {
  return explained(async () => {
    const bounds = pictureBounds.attachment
    const { width, height, isWhole } = await headerWithin(file, bounds)
    const isHeavy = isWhole && width * height > fewInterlacedPixels
    await inDecodingTurn({ owner, weight: isHeavy ? wholeRoom : 1 }, async () => {
      const bytes = await file.read(0, file.size)
      const facts = await pngFacts(bytes)
      if (isWhole && width * height * bytesPerPixel(facts) > maxInterlacedBytes)
        throw malformed(`is an interlaced picture of ${width} x ${height} pixels; save one this large without interlacing`)
      await decodeWhole(bytes, bounds)
    })
    return { width, height }
  })
}

/** What the header of a picture says, before anything of it is decoded. Throws FormatError. */
async function headerWithin(file: Uploaded, bounds: PictureBounds): Promise<PictureHeader> {
  return pictureWithin(await file.read(0, Math.min(headerBytes, file.size)), bounds, file.size)
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

const malformed = (message: string) => validationError([{ path: 'body', message }])

async function inspectPng(file: Uploaded, { bounds, owner }: { bounds: PictureBounds; owner: Owner }): Promise<Dimensions> {
  const { width, height } = await headerWithin(file, bounds)
  await inDecodingTurn({ owner }, async () => decodeWhole(await file.read(0, file.size), bounds))
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
async function decodeWhole(bytes: Buffer, bounds: PictureBounds): Promise<void> {
  requirePngEnd(bytes)
  await decodePicture(bytes, { bounds, make: (picture) => picture.resize(1, 1, { fit: 'fill' }).raw().toBuffer() })
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
