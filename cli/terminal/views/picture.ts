/** Pictures on a terminal: decoded and resized by sharp, then written in the way the terminal understands. */
import sharp, { type Sharp } from 'sharp'
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
/** Thumbnails are 512 x 512 at most (spec 8); this bounds what a wrong one can cost. */
const limitInputPixels = 4096 * 4096

/** A picture (PNG, JPEG, WebP) as text to write at the start of a line; ends with a line feed. Empty for `none`, and for what is no picture. */
export async function drawPicture(bytes: Uint8Array, box: PictureBox, style: PictureStyle): Promise<string> {
  const { protocol } = style
  if (protocol === 'none' || !(await isPicture(bytes))) return ''
  const source = sharp(bytes, { limitInputPixels, failOn: 'none' })
  if (protocol === 'blocks') return blocks(await quarterCells(source, box), style.colorDepth)
  const [width, height] = [Math.round(box.columns * cell.width), Math.round(box.rows * cell.height)]
  const fitted = source.resize({ width, height, fit: 'inside' })
  if (protocol === 'sixel') return `${await sixelOf(fitted)}\n`
  const { data, info } = await fitted.png().toBuffer({ resolveWithObject: true })
  const columns = Math.ceil(info.width / cell.width)
  return `${protocol === 'kitty' ? kittyPicture(data, columns) : iterm(data, columns)}\n`
}

/** What is uploaded directly is taken as it comes (spec 4.9), so a thumbnail may be anything. */
async function isPicture(bytes: Uint8Array): Promise<boolean> {
  try {
    const { width, height } = await sharp(bytes, { limitInputPixels, failOn: 'none' }).metadata()
    return width * height <= limitInputPixels
  } catch {
    return false
  }
}

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
  const parts = await Promise.all(
    pictures.map(async (bytes, at) => {
      if (!bytes || !(await isPicture(bytes))) return []
      const fitted = sharp(bytes, { limitInputPixels, failOn: 'none' }).resize({
        width,
        height,
        fit: 'contain',
        background: clear,
      })
      return [{ input: await fitted.png().toBuffer(), left: margin * cell.width + at * step, top: 0 }]
    }),
  )
  const columns = margin + pictures.length * (box.columns + gap) - gap
  const sheet = sharp({ create: { width: columns * cell.width, height, channels: 4, background: clear } }).composite(parts.flat())
  return drawPicture(await sheet.png().toBuffer(), { columns, rows: box.rows }, style)
}

const clear = { r: 0, g: 0, b: 0, alpha: 0 }

/** Two by two pixels for each cell that the picture fills when it is fitted into its box. */
async function quarterCells(source: Sharp, box: PictureBox) {
  const { width, height } = await source.metadata()
  const scale = Math.min((box.columns * cell.width) / width, (box.rows * cell.height) / height)
  const cells = (pixels: number, unit: number) => Math.max(1, Math.round((pixels * scale) / unit))
  return rgbaOf(source.resize({ width: cells(width, cell.width) * 2, height: cells(height, cell.height) * 2, fit: 'fill' }))
}

async function rgbaOf(picture: Sharp) {
  const { data, info } = await picture.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

const sixelOf = async (picture: Sharp): Promise<string> =>
  encodeSixel(indexed(await rgbaOf(sharp(await picture.png({ palette: true, colours: mostSixelColors }).toBuffer()))))

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
