// The one way to a decoder of pictures: the header is held against bounds first, then a place is waited for (`decoding-places.ts`), and the
// decoder works within limits of pixels and time. Nothing else loads sharp to read bytes (test/house/decoders.test.ts).
import type { Raw, Sharp } from 'sharp'
import { FormatError } from '../format-error.ts'
import { inPlace } from './decoding-places.ts'
import { type PictureHeader, type PictureKind, pictureHeader, pictureKind } from './header.ts'
import { pngToDecode } from './png-chunks.ts'

/** What is decoded. Each stands for a limit of who asks; a limit that is left out is not asked about. */
export interface PictureBounds {
  kinds: readonly PictureKind[]
  maxBytes?: number
  maxEdgePx: number
  maxPixels: number
  /** Of pictures that decoders hold as a whole, see `PictureHeader`. */
  maxWholePixels?: number
}

/** A decoder that needs longer for a picture within its bounds gives it up. */
const maxSeconds = 30

/** What the header says, when it lies within the bounds. Throws FormatError `not-this-format`, `truncated`, `damaged` or `too-large`. */
export function pictureWithin(bytes: Uint8Array, bounds: PictureBounds, sizeBytes = bytes.length): PictureHeader {
  const { kinds, maxBytes, maxEdgePx, maxPixels, maxWholePixels } = bounds
  if (!kinds.includes(pictureKind(bytes)))
    throw new FormatError('not-this-format', `This is a ${pictureKind(bytes)} file; ${kinds.join(' or ')} is needed.`)
  if (maxBytes !== undefined && sizeBytes > maxBytes)
    throw new FormatError('too-large', `The picture has ${sizeBytes} bytes; at most ${maxBytes} are allowed.`)
  const header = pictureHeader(bytes)
  const { width, height, isWhole } = header
  const said = `The picture has ${width} x ${height} pixels`
  if (Math.max(width, height) > maxEdgePx)
    throw new FormatError('too-large', `${said}, too many to decode safely; at most ${maxEdgePx} x ${maxEdgePx} are allowed.`)
  if (width * height > maxPixels)
    throw new FormatError('too-large', `${said}, too many to decode safely; at most ${maxPixels} are allowed.`)
  if (isWhole && maxWholePixels !== undefined && width * height > maxWholePixels)
    throw new FormatError('too-large', `${said}, too many to decode safely as a whole; save it without interlacing.`)
  return header
}

/** The same for who has no use for the reason. */
export function isPictureWithin(bytes: Uint8Array, bounds: PictureBounds): boolean {
  try {
    return pictureWithin(bytes, bounds) !== undefined
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

interface DecodingOptions<T> {
  bounds: PictureBounds
  /** Leaves colours as they are stored. */
  ignoreIcc?: boolean
  /** Waits for the pixels: the place is given back when it is done. */
  make: (picture: Sharp) => Promise<T>
}

/** What `make` makes of a picture; of an animation its first frame. Throws what `pictureWithin` does, and FormatError `damaged` for pixels that cannot be decoded. */
export async function decodePicture<T>(bytes: Uint8Array, { bounds, ignoreIcc = false, make }: DecodingOptions<T>): Promise<T> {
  const { kind, width, height } = pictureWithin(bytes, bounds)
  const sharp = await loadSharp()
  return inPlace(async () => {
    try {
      const limits = { limitInputPixels: width * height, failOn: 'error', sequentialRead: true, pages: 1 } as const
      return await make(sharp(toDecode(bytes), { ...limits, ignoreIcc }).timeout({ seconds: maxSeconds }))
    } catch (cause) {
      throw new FormatError('damaged', `The ${kind} file is damaged: its pixels cannot be decoded.`, { cause })
    }
  })
}

/** What sharp says of the header of a picture whose kind is known. Throws what sharp throws. */
export async function headerDetails(bytes: Uint8Array) {
  const sharp = await loadSharp()
  return inPlace(() => sharp(toDecode(bytes), { limitInputPixels: false, failOn: 'none', pages: 1 }).metadata())
}

const toDecode = (bytes: Uint8Array): Uint8Array => (pictureKind(bytes) === 'PNG' ? pngToDecode(bytes) : bytes)

/** Pixels of our own, to be made smaller or written: nothing of them is decoded. Their number is bounded by who has them. */
export async function ownPixels(values: Uint8Array | Uint16Array, raw: Raw): Promise<Sharp> {
  const sharp = await loadSharp()
  return sharp(values, { raw, limitInputPixels: false })
}

/**
 * Loaders of libvips that open nothing in this process; those of PNG, JPEG, WebP and GIF are left. They are closed one by one: to close all
 * and open four again would fail what another thread decodes in between.
 */
const closedLoaders = [
  'Svg',
  'Pdf',
  'Tiff',
  'Heif',
  'Jxl',
  'Jp2k',
  'Uhdr',
  'Magick',
  'Magick7',
  'Openslide',
  'Dcraw',
  'Openexr',
].concat(['Fits', 'Nifti', 'Mat', 'Rad', 'Ppm', 'Csv', 'Matrix', 'Raw', 'Vips', 'Analyze'])

let loading: Promise<typeof import('sharp')['default']> | undefined

/** sharp takes 50 ms to load: only who meets a picture pays for it. Its cache is of no use where no file is read twice. */
function loadSharp(): Promise<typeof import('sharp')['default']> {
  loading ??= import('sharp').then(({ default: loaded }) => {
    loaded.cache(false)
    loaded.block({ operation: closedLoaders.map((name) => `VipsForeignLoad${name}`) })
    return loaded
  })
  return loading
}
