/** Pictures on a terminal: decoded and resized by sharp, then written in the way the terminal understands. */
import type { PngOptions, Sharp } from 'sharp'
import { FormatError } from '../../../formats/format-error.ts'
import {
  decodePicture,
  isPictureWithin,
  ownPixels,
  type PictureBounds,
  pictureWithin,
} from '../../../formats/pictures/decoding.ts'
import { blocks, type Pixels } from './blocks.ts'
import { kittyPicture } from './kitty.ts'
import type { PictureProtocol } from './picture-terminal.ts'
import { encodeSixel, type IndexedPicture } from './sixel.ts'

/** Character cells that a picture may fill. A cell is taken to be twice as high as it is wide. */
export interface PictureBox {
  columns: number
  rows: number
}

export interface PictureStyle {
  protocol: PictureProtocol
  /** 8 or 24 bits, for `blocks`. */
  colorDepth: number
}

/** Pixels of a cell for the protocols that draw real pixels. */
const cell = { width: 10, height: 20 }
/** Thumbnails are 512 x 512 at most (spec 8), pictures that people attach are larger; this bounds what a wrong one can cost. */
const bounds: PictureBounds = { kinds: ['PNG', 'JPEG', 'WebP'], maxEdgePx: 16_384, maxPixels: 4096 * 4096 }

/** A picture (PNG, JPEG, WebP) as text to write at the start of a line; ends with a line feed. Empty for `none`, and for what is no picture. */
export async function drawPicture(bytes: Uint8Array, box: PictureBox, style: PictureStyle): Promise<string> {
  const { protocol } = style
  if (protocol === 'none' || !isPictureWithin(bytes, bounds)) return ''
  const pixels = await decodePicture(bytes, {
    bounds,
    make: (source) => rgbaOf(source.resize(sizeOf(bytes, box, protocol))),
  }).catch(undefinedWhereDamaged)
  if (!pixels) return ''
  if (protocol === 'blocks') return blocks(pixels, style.colorDepth)
  const fitted = await ownPixels(pixels.rgba, rawOf(pixels))
  if (protocol === 'sixel') return `${encodeSixel(indexed(await fewColors(fitted)))}\n`
  const png = await fitted.png().toBuffer()
  const columns = Math.ceil(pixels.width / cell.width)
  return `${protocol === 'kitty' ? kittyPicture(png, columns) : iterm(png, columns)}\n`
}

function sizeOf(bytes: Uint8Array, box: PictureBox, protocol: PictureProtocol) {
  if (protocol === 'blocks') return quarterCells(pictureWithin(bytes, bounds), box)
  return { width: Math.round(box.columns * cell.width), height: Math.round(box.rows * cell.height), fit: 'inside' } as const
}

/** A picture that cannot be decoded is not drawn. */
function undefinedWhereDamaged(error: unknown): undefined {
  if (!(error instanceof FormatError)) throw error
}

export const rawOf = ({ width, height }: Pixels) => ({ width, height, channels: 4 }) as const

/** Where pictures of a row stand: `margin` columns from the left, each in a box of its own, `gap` columns apart. */
export interface RowLayout {
  box: PictureBox
  gap: number
  margin: number
}

/** Several pictures side by side; undefined, or what is no picture, leaves its box empty. */
export async function drawRow(
  pictures: readonly (Uint8Array | undefined)[],
  { box, gap, margin }: RowLayout,
  style: PictureStyle,
): Promise<string> {
  const width = box.columns * cell.width
  const height = box.rows * cell.height
  const step = width + gap * cell.width
  const fit = { width, height, fit: 'contain', background: clear } as const
  const make = (source: Sharp) => source.resize(fit).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer()
  const parts = await Promise.all(
    pictures.map(async (bytes, at) => {
      if (!bytes || !isPictureWithin(bytes, bounds)) return []
      const input = await decodePicture(bytes, { bounds, make }).catch(undefinedWhereDamaged)
      if (!input) return []
      return [{ input, raw: { width, height, channels: 4 as const }, left: margin * cell.width + at * step, top: 0 }]
    }),
  )
  const columns = margin + pictures.length * (box.columns + gap) - gap
  const whole = { width: columns * cell.width, height, channels: 4 } as const
  const sheet = (await ownPixels(new Uint8Array(whole.width * height * 4), whole)).composite(parts.flat())
  return drawPicture(await sheet.png().toBuffer(), { columns, rows: box.rows }, style)
}

const clear = { r: 0, g: 0, b: 0, alpha: 0 }

/** Two by two pixels for each cell that the picture fills when it is fitted into its box. */
function quarterCells({ width, height }: { width: number; height: number }, box: PictureBox) {
  const scale = Math.min((box.columns * cell.width) / width, (box.rows * cell.height) / height)
  const cells = (pixels: number, unit: number) => Math.max(1, Math.round((pixels * scale) / unit))
  return { width: cells(width, cell.width) * 2, height: cells(height, cell.height) * 2, fit: 'fill' } as const
}

async function rgbaOf(picture: Sharp) {
  const { data, info } = await picture.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

/** No picture here holds more: it is made for a screen. */
const screenBounds: PictureBounds = { kinds: ['PNG'], maxEdgePx: 32_768, maxPixels: 64_000_000 }

/** The encoder of PNG reduces colours. */
export async function fewColors(picture: Sharp, how: Pick<PngOptions, 'effort' | 'dither'> = {}): Promise<Pixels> {
  const png = await picture.png({ ...how, palette: true, colours: mostSixelColors }).toBuffer()
  return decodePicture(png, { bounds: screenBounds, make: rgbaOf })
}

/** Beside the background. */
export const mostSixelColors = 255

/** Pixels of at most as many colours, which are counted into a palette. */
export function indexed({ width, height, rgba }: Pixels): IndexedPicture {
  const palette: [number, number, number][] = []
  const known = new Map<number, number>()
  const indexes = new Int16Array(width * height)
  for (let at = 0; at < indexes.length; at++) {
    const [red = 0, green = 0, blue = 0] = [rgba[at * 4], rgba[at * 4 + 1], rgba[at * 4 + 2]]
    const alpha = rgba[at * 4 + 3] ?? 0
    const key = (red << 16) | (green << 8) | blue
    if (alpha >= 128 && !known.has(key)) known.set(key, palette.push([red, green, blue]) - 1)
    indexes[at] = alpha < 128 ? -1 : (known.get(key) ?? -1)
  }
  return { width, height, palette, indexes }
}

const iterm = (png: Buffer, columns: number): string =>
  `\u001b]1337;File=inline=1;size=${png.length};width=${columns};height=auto;preserveAspectRatio=1:${png.toString('base64')}\u0007`
