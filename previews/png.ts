/** A picture as PNG, as large as the library takes it. */
import { limits } from '../contract/limits.ts'
import { FormatError } from '../formats/format-error.ts'
import { ownPixels } from '../formats/pictures/decoding.ts'
import type { Picture } from '../formats/source/picture.ts'

export interface PngOptions {
  maxEdgePx?: number
  maxBytes?: number
}

export interface Png {
  png: Uint8Array
  width: number
  height: number
  /** Of one sample. */
  bits: 8 | 16
  /** What was made less than the picture has, in sentences; empty where nothing was. */
  reduced: string[]
}

/** Samples that a PNG can hold. */
interface Pixels {
  width: number
  height: number
  channels: 1 | 4
  values: Uint8Array | Uint16Array
}

/** Throws FormatError `damaged` for a picture without pixels, or with more or fewer samples than its size says. */
export async function picturePng(picture: Picture, options: PngOptions = {}): Promise<Png> {
  const { maxEdgePx = limits.preview.imageEdgePx, maxBytes = limits.preview.imageBytes } = options
  const { width, height, channels, samples } = picture
  const isSound = Math.min(width, height) >= 1 && samples.values.length === width * height * channels
  if (!isSound) {
    const words = `${width} x ${height} pixels of ${channels} channels`
    throw new FormatError('damaged', `The picture is damaged: it has ${samples.values.length} samples for ${words}.`)
  }
  const reduced: string[] = []
  if (samples.kind === 'half') reduced.push('Floating-point colours were cut off at white and made 8-bit.')
  let pixels: Pixels = {
    width,
    height,
    channels,
    values: samples.kind === 'half' ? bytesOf(picture, samples.values) : samples.values,
  }
  while (Math.max(pixels.width, pixels.height) > maxEdgePx) pixels = halved(pixels)
  let png = await encoded(pixels)
  if (png.length > maxBytes && pixels.values instanceof Uint16Array) {
    reduced.push('16-bit samples were made 8-bit.')
    pixels = { ...pixels, values: shortened(pixels.values) }
    png = await encoded(pixels)
  }
  while (png.length > maxBytes && Math.max(pixels.width, pixels.height) > 1) {
    pixels = halved(pixels)
    png = await encoded(pixels)
  }
  if (pixels.width < width || pixels.height < height)
    reduced.push(`${width} x ${height} pixels were reduced to ${pixels.width} x ${pixels.height}.`)
  const bits = pixels.values instanceof Uint16Array ? 16 : 8
  return { png, width: pixels.width, height: pixels.height, bits, reduced }
}

/** The same with 8 bits a sample, halved until no edge is longer. */
export function smallPicture(picture: Picture, maxEdgePx: number): Picture {
  const { width, height, channels, samples } = picture
  const values = samples.kind === 'half' ? bytesOf(picture, samples.values) : samples.values
  let pixels: Pixels = { width, height, channels, values: values instanceof Uint16Array ? shortened(values) : values }
  while (Math.max(pixels.width, pixels.height) > maxEdgePx) pixels = halved(pixels)
  return { ...pixels, samples: { kind: 'u8', values: pixels.values as Uint8Array } }
}

async function encoded({ width, height, channels, values }: Pixels): Promise<Buffer> {
  const picture = await ownPixels(values, { width, height, channels })
  const space = values instanceof Uint16Array ? (channels === 1 ? 'grey16' : 'rgb16') : channels === 1 ? 'b-w' : 'srgb'
  return picture.toColourspace(space).png().toBuffer()
}

/** Linear light to a screen's bytes, clamped, with a gamma of 2.2; alpha is no light and stays as it is. What is no number becomes 0. */
function bytesOf({ channels }: Picture, halves: Uint16Array): Uint8Array {
  const shades = new Uint8Array(0x1_0000)
  const alphas = new Uint8Array(0x1_0000)
  for (let bits = 0; bits < 0x7c01; bits++) {
    const value = Math.min(1, valueOfHalf(bits))
    shades[bits] = Math.round(value ** (1 / 2.2) * 255)
    alphas[bits] = Math.round(value * 255)
  }
  const out = new Uint8Array(halves.length)
  for (let at = 0; at < out.length; at++) out[at] = (channels === 4 && at % 4 === 3 ? alphas : shades)[halves[at] ?? 0] ?? 0
  return out
}

/** Of a positive 16-bit float (IEEE 754 binary16). */
function valueOfHalf(bits: number): number {
  const exponent = bits >> 10
  const fraction = bits & 0x3ff
  if (exponent === 31) return Number.POSITIVE_INFINITY
  return exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
}

function shortened(values: Uint16Array): Uint8Array {
  const out = new Uint8Array(values.length)
  for (let at = 0; at < out.length; at++) out[at] = Math.round((values[at] ?? 0) / 257)
  return out
}

/** Every pixel the mean of four. Channels do not mix: colours under a transparent alpha are data to some materials. */
function halved({ width, height, channels, values }: Pixels): Pixels {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  const count = half.width * half.height * channels
  const out = values instanceof Uint16Array ? new Uint16Array(count) : new Uint8Array(count)
  let to = 0
  for (let y = 0; y < half.height; y++) {
    const above = y * 2 * width
    const below = Math.min(y * 2 + 1, height - 1) * width
    for (let x = 0; x < half.width; x++) {
      const left = x * 2
      const right = Math.min(left + 1, width - 1)
      for (let channel = 0; channel < channels; channel++) {
        const at = (pixel: number) => values[pixel * channels + channel] ?? 0
        out[to++] = (at(above + left) + at(above + right) + at(below + left) + at(below + right) + 2) >> 2
      }
    }
  }
  return { ...half, channels, values: out }
}
