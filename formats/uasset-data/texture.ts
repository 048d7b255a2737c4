// The source picture of a texture: what was imported, before the engine compressed it for the graphics card.
import { FormatError } from '../format-error.ts'
import { imagePixels, readImage } from '../image.ts'
import type { Picture } from '../source/picture.ts'
import { readBulkData } from './bulk-data.ts'
import type { ObjectReader } from './package.ts'
import { maxPayloadBytes, type Payload, withoutSource } from './payload.ts'
import { type Properties, readObjectProperties } from './properties.ts'
import { undoDelta } from './texture-delta.ts'
import { exchangeRedAndBlue, type PixelFormat, picturePixels, pixelFormats } from './texture-pixels.ts'

/** `compression` and `format` as the engine names them: `TSCF_PNG`, `TSF_BGRA8`. The picture is its largest mip, the first slice. */
export type TextureSource = { compression: string; format: string; payloadId: string | null; picture: Picture }

/** From this version of the main branch on, the payload is described in the editor's form. */
const editorBulkSince = 42
/** The largest texture that engines make. */
const maxSide = 16_384

type Description = { width: number; height: number; format: string; compression: string }

/**
 * Reads the source of a texture from the beginning of its data. Throws FormatError: `unsupported` where the format or
 * encoding is not known or the payload is kept elsewhere, `too-large`, `damaged`, `truncated`.
 */
export async function readTexture(object: ObjectReader): Promise<TextureSource> {
  const description = describe(object, readObjectProperties(object))
  const payload = payloadBehindProperties(object)
  const { format, compression } = description
  const layout = pixelFormats.get(format)
  if (layout === undefined) throw unsupported(`pixel format ${format}`)
  if (payload.rawSize === 0) throw withoutSource(object.what)
  const { width, height } = description
  if (width * height * layout.pixelBytes > maxPayloadBytes)
    throw new FormatError('too-large', `The texture has ${width} x ${height} pixels, more than this reader accepts.`)
  const picture = await readPicture(ownBytes(payload, object), description, layout)
  return { compression, format, payloadId: payload.id, picture }
}

/** The payload of a texture, from the beginning of its data. Throws FormatError. */
export function texturePayload(object: ObjectReader): Payload {
  readObjectProperties(object)
  return payloadBehindProperties(object)
}

function payloadBehindProperties(object: ObjectReader): Payload {
  object.skip(2) // what was stripped
  return readBulkData(object, editorBulkSince)
}

function describe(object: ObjectReader, properties: Properties): Description {
  const source = properties.struct('Source')
  if (source === undefined) throw new FormatError('damaged', `The ${object.what} has no description of its source.`)
  const [width, height] = [source.number('SizeX') ?? 0, source.number('SizeY') ?? 0]
  if (!(width > 0 && height > 0))
    throw new FormatError('damaged', `The ${object.what} has a source of ${width} x ${height} pixels.`)
  if (width > maxSide || height > maxSide)
    throw new FormatError(
      'too-large',
      `The ${object.what} has a source of ${width} x ${height} pixels, larger than engines make.`,
    )
  const png = source.bool('bPNGCompressed') === true ? 'TSCF_PNG' : 'TSCF_None'
  return { width, height, format: source.text('Format') ?? 'TSF_Invalid', compression: source.text('CompressionFormat') ?? png }
}

/** The payload with bytes that may be changed: no part of the package. Large ones are not copied where that is not needed. */
function ownBytes(payload: Payload, { package: { bytes: file } }: ObjectReader): Payload {
  const bytes = () => {
    const own = payload.bytes()
    return own.buffer === file.buffer ? new Uint8Array(own) : own
  }
  return { ...payload, bytes }
}

/** The payload's bytes may be changed. */
async function readPicture(payload: Payload, description: Description, format: PixelFormat): Promise<Picture> {
  const { compression } = description
  if (compression === 'TSCF_PNG' || compression === 'TSCF_JPEG') return readCompressed(payload.bytes(), description, format)
  const pixels = compression === 'TSCF_None' ? firstSlice(payload, description, format) : readDeltas(payload, description, format)
  return picturePixels(format.blueFirst ? exchangeRedAndBlue(pixels) : pixels, description, format)
}

function readDeltas(payload: Payload, description: Description, format: PixelFormat): Uint8Array {
  const { compression } = description
  if (compression !== 'TSCF_UEDELTA') throw unsupported(`encoding ${compression}`)
  if (format.kind !== 'u8') throw unsupported(`encoding ${compression} of ${description.format}`)
  return undoDelta(firstSlice(payload, description, format), description, format.pixelBytes)
}

/** The largest mip comes first; behind it are its other slices and smaller mips. */
function firstSlice(payload: Payload, { width, height }: Description, { pixelBytes }: PixelFormat): Uint8Array {
  const needed = width * height * pixelBytes
  if (payload.rawSize >= needed) return payload.bytes().subarray(0, needed)
  throw new FormatError(
    'damaged',
    `The texture is damaged: its ${width} x ${height} pixels need ${needed} bytes, but it has ${payload.rawSize}.`,
  )
}

/** Engines put 8-bit colours into a PNG with red and blue exchanged; wider ones, and those of a JPEG, are in order. */
async function readCompressed(bytes: Uint8Array, description: Description, format: PixelFormat): Promise<Picture> {
  const { width, height, compression } = description
  const facts = await readImage(bytes)
  const { width: storedWidth, height: storedHeight } = facts
  if (storedWidth !== width || storedHeight !== height)
    throw new FormatError(
      'damaged',
      `The texture is damaged: it should have ${width} x ${height} pixels, but holds a picture of ${storedWidth} x ${storedHeight}.`,
    )
  if (format.kind === 'half') throw unsupported(`encoding ${compression} of ${description.format}`)
  const bits = format.kind === 'u16' ? 16 : 8
  const pixels = await imagePixels(bytes, facts, { channels: format.channels, bits })
  const exchanged = format.blueFirst && compression === 'TSCF_PNG'
  return picturePixels(exchanged ? exchangeRedAndBlue(pixels) : pixels, description, format)
}

function unsupported(what: string): FormatError {
  return new FormatError('unsupported', `The texture's source has ${what}, which this reader does not know.`)
}
