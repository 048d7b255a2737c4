// PNG and JPEG: facts from the header, and a small picture of the whole.
import type { Metadata, Sharp } from 'sharp'
import { FormatError } from './format-error.ts'
import { decodePicture, headerDetails, ownPixels, type PictureBounds } from './pictures/decoding.ts'
import { pictureKind } from './pictures/header.ts'

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

/**
 * The largest texture Unreal makes: decoded line by line, such a picture costs little memory and two seconds. Lines that are longer cost
 * gigabytes whatever the number of pixels. Interlaced and progressive pictures are decoded as a whole: at most about 100 MB for so many
 * pixels.
 */
export const sourceBounds: PictureBounds = {
  kinds: ['PNG', 'JPEG'],
  maxEdgePx: 32_768,
  maxPixels: 16_384 * 16_384,
  maxWholePixels: 4096 * 4096,
}
/** Of the pixels that are given out, which all lie in memory: 8192 x 8192 of four samples with 16 bits. */
const maxPixelBytes = 512 * 1024 * 1024

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
 * Throws FormatError `not-this-format`, `damaged` or `too-large` (beyond `bounds`).
 */
export async function imageThumbnail(bytes: Uint8Array, edgePx = thumbnailEdgePx, bounds = sourceBounds): Promise<Buffer> {
  return decodePicture(bytes, { bounds, make: (picture) => toThumbnail(picture.autoOrient(), edgePx) })
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
  return decodePicture(bytes, { bounds: sourceBounds, ignoreIcc: true, make })
}

/** Red, green, blue and alpha of each pixel, a byte each, top row first. */
export type SmallPicture = { width: number; height: number; rgba: Uint8Array }

/** What someone may hand in only to be looked at. */
const lookedAtBounds: PictureBounds = { ...sourceBounds, maxBytes: 16 * 1024 * 1024, maxPixels: 64 * 1024 * 1024 }

/**
 * The whole picture upright, in the colours of a screen, in at most `edgePx` x `edgePx` pixels; small pictures keep their size.
 * Throws FormatError `not-this-format`, `damaged` or `too-large` (more than 16 MiB or 64 megapixels, or too many to decode safely).
 */
export async function smallPicture(bytes: Uint8Array, edgePx: number): Promise<SmallPicture> {
  const size = { width: edgePx, height: edgePx, fit: 'inside', withoutEnlargement: true } as const
  const make = (picture: Sharp) =>
    picture
      .autoOrient()
      .resize(size)
      .toColourspace('srgb')
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
  const { data, info } = await decodePicture(bytes, { bounds: lookedAtBounds, make })
  return { width: info.width, height: info.height, rgba: data }
}

/** A thumbnail of raw 8-bit RGBA rows, top row first. Throws nothing of its own: the pixels are ours. */
export async function pixelsThumbnail(rgba: Uint8Array, width: number, height: number): Promise<Buffer> {
  return toThumbnail(await ownPixels(rgba, { width, height, channels: 4 }), thumbnailEdgePx)
}

function toThumbnail(picture: Sharp, edgePx: number): Promise<Buffer> {
  const size = { width: edgePx, height: edgePx, fit: 'inside', withoutEnlargement: true } as const
  return picture.resize(size).png().toBuffer()
}

function imageName(bytes: Uint8Array): 'PNG' | 'JPEG' {
  const kind = pictureKind(bytes)
  if (kind === 'PNG' || kind === 'JPEG') return kind
  throw new FormatError('not-this-format', `This is neither a PNG nor a JPEG file, but a ${kind}.`)
}

async function readHeader(name: string, bytes: Uint8Array, sizeBytes: number): Promise<Metadata> {
  try {
    return await headerDetails(bytes)
  } catch (cause) {
    if (bytes.length < sizeBytes) {
      throw new FormatError('truncated', `The first ${bytes.length} bytes of the ${name} file do not hold its header.`, { cause })
    }
    throw new FormatError('damaged', `The ${name} file is damaged or cut off: its header cannot be read.`, { cause })
  }
}
