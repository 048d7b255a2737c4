/** Pictures on a terminal: decoded and resized by sharp, then written in the way the terminal understands. */
import sharp, { type Sharp } from 'sharp'
import { halfBlocks } from './half-blocks.ts'
import type { PictureProtocol } from './picture-terminal.ts'
import { encodeSixel } from './sixel.ts'

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

/** A picture (PNG, JPEG, WebP) as text to write at the start of a line; ends with a line feed. Empty for `none`. */
export async function drawPicture(bytes: Uint8Array, box: PictureBox, style: PictureStyle): Promise<string> {
  const { protocol } = style
  if (protocol === 'none') return ''
  const unit = protocol === 'blocks' ? { width: 1, height: 2 } : cell
  const fitted = sharp(bytes, { limitInputPixels, failOn: 'none' }).resize({
    width: box.columns * unit.width,
    height: box.rows * unit.height,
    fit: 'inside',
  })
  if (protocol === 'blocks') return halfBlocks(await rgbaOf(fitted), style.colorDepth)
  if (protocol === 'sixel') return `${await sixelOf(fitted)}\n`
  const { data, info } = await fitted.png().toBuffer({ resolveWithObject: true })
  const filled = { columns: Math.ceil(info.width / cell.width), rows: Math.ceil(info.height / cell.height) }
  return `${protocol === 'kitty' ? kitty(data, filled) : iterm(data, filled)}\n`
}

/** Several pictures side by side, each in a box of its own, `gap` columns apart; undefined leaves its box empty. */
export async function drawRow(
  pictures: readonly (Uint8Array | undefined)[],
  { box, gap }: { box: PictureBox; gap: number },
  style: PictureStyle,
): Promise<string> {
  const width = box.columns * cell.width
  const height = box.rows * cell.height
  const step = width + gap * cell.width
  const parts = await Promise.all(
    pictures.map(async (bytes, at) => {
      if (!bytes) return []
      const fitted = sharp(bytes, { limitInputPixels, failOn: 'none' }).resize({
        width,
        height,
        fit: 'contain',
        background: clear,
      })
      return [{ input: await fitted.png().toBuffer(), left: at * step, top: 0 }]
    }),
  )
  const sheetWidth = pictures.length * step - gap * cell.width
  const sheet = sharp({ create: { width: sheetWidth, height, channels: 4, background: clear } }).composite(parts.flat())
  const whole = { columns: pictures.length * (box.columns + gap) - gap, rows: box.rows }
  return drawPicture(await sheet.png().toBuffer(), whole, style)
}

const clear = { r: 0, g: 0, b: 0, alpha: 0 }

async function rgbaOf(picture: Sharp) {
  const { data, info } = await picture.toColourspace('srgb').ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

/** sharp reduces the picture to a palette; the pixels that remain are counted into one. */
async function sixelOf(picture: Sharp): Promise<string> {
  const reduced = await picture.png({ palette: true, colours: 255 }).toBuffer()
  const { width, height, rgba } = await rgbaOf(sharp(reduced))
  const palette: [number, number, number][] = []
  const known = new Map<number, number>()
  const indexes = new Int16Array(width * height)
  for (let at = 0; at < indexes.length; at++) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray(at * 4, at * 4 + 4)
    const key = (red << 16) | (green << 8) | blue
    if (alpha >= 128 && !known.has(key)) known.set(key, palette.push([red, green, blue]) - 1)
    indexes[at] = alpha < 128 ? -1 : (known.get(key) ?? -1)
  }
  return encodeSixel({ width, height, palette, indexes })
}

const CHUNK = 4096

/** `a=T`: send and show, `f=100`: PNG, `q=2`: answer nothing, `m=1`: more follows. */
function kitty(png: Buffer, { columns, rows }: PictureBox): string {
  const text = png.toString('base64')
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += CHUNK) {
    const more = at + CHUNK < text.length ? 1 : 0
    const control = at === 0 ? `a=T,f=100,q=2,c=${columns},r=${rows},m=${more}` : `m=${more}`
    chunks.push(`\u001b_G${control};${text.slice(at, at + CHUNK)}\u001b\\`)
  }
  return chunks.join('')
}

const iterm = (png: Buffer, { columns, rows }: PictureBox): string =>
  `\u001b]1337;File=inline=1;size=${png.length};width=${columns};height=${rows};preserveAspectRatio=1:${png.toString('base64')}\u0007`
