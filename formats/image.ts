// PNG and JPEG: facts from the header, and a small picture of the whole, both through sharp.
import type { Metadata, Sharp } from 'sharp'
import { FormatError } from './format-error.ts'

export type PngFacts = {
  format: 'png'
  width: number
  height: number
  bitDepth: number
  color: 'gray' | 'gray-alpha' | 'rgb' | 'rgba' | 'palette'
  interlaced: boolean
}

export type JpegFacts = {
  format: 'jpeg'
  width: number
  height: number
  bitDepth: number
  components: number
  progressive: boolean
}

export type ImageFacts = PngFacts | JpegFacts

/** The edge of the largest thumbnail the library takes (spec 8), in pixels. */
export const thumbnailEdgePx = 512

/** The largest texture Unreal makes. Decoded line by line, such a picture costs little memory and two seconds. */
const maxPixels = 16_384 * 16_384
/** Of the pixels that are given out, which all lie in memory: 8192 x 8192 of four samples with 16 bits. */
const maxPixelBytes = 512 * 1024 * 1024
/** Lines that are longer cost gigabytes whatever the number of pixels. */
const maxEdgePx = 32_768
/** Interlaced and progressive pictures are decoded as a whole: at most about 100 MB for this many pixels. */
const maxPixelsAtOnce = 4096 * 4096
/** A machine that needs longer for a picture within these limits gives up on it. */
const maxSeconds = 30

/**
 * What a PNG or JPEG says of itself; width and height in pixels as stored, before any EXIF turn.
 *
 * `bytes` may be the file's beginning only: everything up to the first pixels suffices, and 1 MiB holds that of any file
 * that is not absurd. `sizeBytes` is the whole file's size.
 * Throws FormatError `not-this-format`, `truncated` or `damaged`.
 */
export async function readImage(bytes: Uint8Array, sizeBytes = bytes.length): Promise<ImageFacts> {
  const name = imageName(bytes)
  const { width, height, ...header } = await readHeader(name, bytes, sizeBytes)
  const bitDepth = Number(header.bitsPerSample ?? 8)
  const progressive = header.isProgressive === true
  if (name === 'JPEG') return { format: 'jpeg', width, height, bitDepth, components: header.channels, progressive }
  const color = header.isPalette ? 'palette' : (['gray', 'gray-alpha', 'rgb', 'rgba'] as const)[header.channels - 1]
  if (color === undefined) throw new FormatError('damaged', `The PNG file is damaged: it has ${header.channels} channels.`)
  return { format: 'png', width, height, bitDepth, color, interlaced: progressive }
}

/**
 * A PNG of at most `edgePx` x `edgePx` pixels that shows the picture upright; small pictures keep their size. `bytes` is the whole file.
 * Throws FormatError `not-this-format`, `damaged` or `too-large` (too many pixels to decode safely).
 */
export async function imageThumbnail(bytes: Uint8Array, edgePx = thumbnailEdgePx): Promise<Buffer> {
  const facts = await readImage(bytes)
  return decode(bytes, facts, { ignoreIcc: false, make: (picture) => toThumbnail(picture.autoOrient(), edgePx) })
}

/** How pixels are wanted: gray or red, green, blue, alpha; samples of 8 or 16 bits, those in the machine's byte order. */
export type PixelLayout = { channels: 1 | 4; bits: 8 | 16 }

/**
 * The pixels of a PNG or JPEG as stored, top row first, whatever its colour profile and EXIF turn say. `bytes` is the
 * whole file and `facts` what `readImage` says of it. Throws FormatError `damaged` or `too-large`.
 */
export async function imagePixels(bytes: Uint8Array, facts: ImageFacts, { channels, bits }: PixelLayout): Promise<Buffer> {
  const { width, height } = facts
  if ((width * height * channels * bits) / 8 > maxPixelBytes)
    throw new FormatError('too-large', `The picture has ${width} x ${height} pixels, too many to hold at once.`)
  const space = channels === 1 ? ({ 8: 'b-w', 16: 'grey16' } as const)[bits] : ({ 8: 'srgb', 16: 'rgb16' } as const)[bits]
  const make = (picture: Sharp) => {
    const layout = channels === 1 ? picture.removeAlpha() : picture.ensureAlpha()
    return layout
      .toColourspace(space)
      .raw({ depth: bits === 8 ? 'uchar' : 'ushort' })
      .toBuffer()
  }
  return decode(bytes, facts, { ignoreIcc: true, make })
}

/** Red, green, blue and alpha of each pixel, a byte each, top row first. */
export type SmallPicture = { width: number; height: number; rgba: Uint8Array }

/** What someone may hand in only to be looked at. */
const lookedAt = { maxBytes: 16 * 1024 * 1024, maxPixels: 64 * 1024 * 1024 }

/**
 * The whole picture upright, in the colours of a screen, in at most `edgePx` x `edgePx` pixels; small pictures keep their size.
 * Throws FormatError `not-this-format`, `damaged` or `too-large` (more than 16 MiB or 64 megapixels, or too many to decode safely).
 */
export async function smallPicture(bytes: Uint8Array, edgePx: number): Promise<SmallPicture> {
  const { maxBytes, maxPixels } = lookedAt
  if (bytes.length > maxBytes)
    throw new FormatError('too-large', `The picture has ${bytes.length} bytes; at most ${maxBytes} are looked at.`)
  const facts = await readImage(bytes)
  if (facts.width * facts.height > maxPixels)
    throw new FormatError(
      'too-large',
      `The picture has ${facts.width} x ${facts.height} pixels; at most 64 megapixels are looked at.`,
    )
  const size = { width: edgePx, height: edgePx, fit: 'inside', withoutEnlargement: true } as const
  const make = (picture: Sharp) =>
    picture
      .autoOrient()
      .resize(size)
      .toColourspace('srgb')
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
  const { data, info } = await decode(bytes, facts, { ignoreIcc: false, make })
  return { width: info.width, height: info.height, rgba: data }
}

type Decoding<T> = { ignoreIcc: boolean; make: (picture: Sharp) => Promise<T> }

/** Decodes within the limits of time and memory; only the result can be damaged by what the file holds. */
async function decode<T>(bytes: Uint8Array, facts: ImageFacts, { ignoreIcc, make }: Decoding<T>): Promise<T> {
  const { width, height } = facts
  const atOnce = facts.format === 'png' ? facts.interlaced : facts.progressive
  const limit = atOnce ? maxPixelsAtOnce : maxPixels
  if (width * height > limit || Math.max(width, height) > maxEdgePx) {
    throw new FormatError('too-large', `The picture has ${width} x ${height} pixels, too many to decode safely.`)
  }
  const sharp = await loadSharp()
  try {
    const picture = sharp(bytes, { limitInputPixels: limit, failOn: 'error', sequentialRead: true, ignoreIcc })
    return await make(picture.timeout({ seconds: maxSeconds }))
  } catch (cause) {
    throw new FormatError('damaged', `The ${imageName(bytes)} file is damaged: its pixels cannot be decoded.`, { cause })
  }
}

/** A thumbnail of raw 8-bit RGBA rows, top row first. Throws nothing of its own: the pixels are ours. */
export async function pixelsThumbnail(rgba: Uint8Array, width: number, height: number): Promise<Buffer> {
  const sharp = await loadSharp()
  return toThumbnail(sharp(rgba, { raw: { width, height, channels: 4 } }), thumbnailEdgePx)
}

function toThumbnail(picture: Sharp, edgePx: number): Promise<Buffer> {
  const size = { width: edgePx, height: edgePx, fit: 'inside', withoutEnlargement: true } as const
  return picture.resize(size).png().toBuffer()
}

/** sharp takes 50 ms to load: only who meets a picture pays for it. Its cache is of no use where no file is read twice. */
export async function loadSharp() {
  const { default: loaded } = await import('sharp')
  loaded.cache(false)
  return loaded
}

/** Decided here by the first bytes, because sharp would also open SVG, TIFF and others that we did not bound. */
function imageName(bytes: Uint8Array): 'PNG' | 'JPEG' {
  const starts = (...first: number[]) => first.every((byte, at) => bytes[at] === byte)
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'PNG'
  if (starts(0xff, 0xd8, 0xff)) return 'JPEG'
  throw new FormatError('not-this-format', 'This is neither a PNG nor a JPEG file.')
}

async function readHeader(name: string, bytes: Uint8Array, sizeBytes: number): Promise<Metadata> {
  const sharp = await loadSharp()
  try {
    return await sharp(bytes, { limitInputPixels: false, failOn: 'none' }).metadata()
  } catch (cause) {
    if (bytes.length < sizeBytes) {
      throw new FormatError('truncated', `The first ${bytes.length} bytes of the ${name} file do not hold its header.`, { cause })
    }
    throw new FormatError('damaged', `The ${name} file is damaged or cut off: its header cannot be read.`, { cause })
  }
}
