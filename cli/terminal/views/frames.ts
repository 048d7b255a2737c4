/** Pictures that follow one another at the top of the screen, each over the one before, in the way the terminal understands. */
import { ownPixels } from '../../../formats/pictures/decoding.ts'
import { blocks, type Pixels } from './blocks.ts'
import { kittyDelete, kittyFrame } from './kitty.ts'
import { fewColors, indexed, type PictureBox, rawOf } from './picture.ts'
import type { PictureProtocol } from './picture-terminal.ts'
import { encodeSixel, type IndexedPicture } from './sixel.ts'

export interface FrameStyle {
  protocol: Exclude<PictureProtocol, 'none'>
  /** 8 or 24 bits, for `blocks`. */
  colorDepth: number
  /** Pixels of a character cell, for the others. */
  cell: { width: number; height: number }
}

export interface FrameShape {
  /** Cells from the upper left corner of the screen. */
  box: PictureBox
  /** From 0 to 1: how many of the pixels are drawn along a side, where time is short. */
  detail: number
}

const ESC = '\u001b'
/** A picture of a window that fills a large screen is drawn smaller, and scaled by the terminal. */
const mostPixels = 1_000_000

/** The square pixels to draw. A cell of blocks has two by two, each twice as high as it is wide: they are drawn in two halves. */
export function canvasOf({ protocol, cell }: FrameStyle, { box, detail }: FrameShape): { width: number; height: number } {
  const { columns, rows } = box
  if (protocol === 'blocks') return { width: columns * 2, height: rows * 4 }
  const whole = { width: columns * cell.width, height: rows * cell.height }
  const share = Math.min(detail, Math.sqrt(mostPixels / (whole.width * whole.height)))
  const repeat = protocol === 'sixel' ? Math.max(1, Math.round(1 / share)) : 1 / share
  return { width: Math.max(1, Math.floor(whole.width / repeat)), height: Math.max(1, Math.floor(whole.height / repeat)) }
}

/** Text that draws it. `turn` counts frames: kitty shows the next one before the last one goes, so that nothing flickers. */
export async function encodeFrame(pixels: Pixels, { style, shape, turn, firstId }: Frame): Promise<string> {
  const { protocol } = style
  const { columns, rows } = shape.box
  if (protocol === 'blocks') return rowsAt(blocks(halved(pixels), style.colorDepth))
  if (protocol === 'sixel') return `${ESC}[H${await sixelFrame(pixels, style, shape)}`
  const png = await (await ownPixels(pixels.rgba, rawOf(pixels))).png({ compressionLevel: 1 }).toBuffer()
  if (protocol === 'iterm') return `${ESC}[H${itermFrame(png, { columns, rows })}`
  const [id, before] = turn % 2 === 0 ? [firstId, firstId + 1] : [firstId + 1, firstId]
  return `${ESC}[H${kittyFrame(png, { id, columns, rows })}${kittyDelete(before)}`
}

export interface Frame {
  style: FrameStyle
  shape: FrameShape
  turn: number
  /** Of two pictures, for kitty. */
  firstId: number
}

/** Takes away what is no text on the screen. */
export const clearFrames = ({ protocol }: FrameStyle, firstId: number): string =>
  protocol === 'kitty' ? kittyDelete(firstId) + kittyDelete(firstId + 1) : ''

/** Each row by its place, as nothing may scroll. */
const rowsAt = (text: string): string =>
  text
    .split('\n')
    .slice(0, -1)
    .map((row, at) => `${ESC}[${at + 1};1H${row}`)
    .join('')

/** Two pixels above each other become one. See-through ones do not count. */
function halved({ rgba, width, height }: Pixels): Pixels {
  const half = { width, height: height >> 1, rgba: new Uint8Array(width * (height >> 1) * 4) }
  for (let to = 0; to < half.rgba.length; to += 4) {
    const above = to + Math.floor(to / (width * 4)) * width * 4
    const below = above + width * 4
    const [a, b] = [rgba[above + 3] ?? 0, rgba[below + 3] ?? 0]
    for (let channel = 0; channel < 3 && a + b > 0; channel++)
      half.rgba[to + channel] = ((rgba[above + channel] ?? 0) * a + (rgba[below + channel] ?? 0) * b) / (a + b)
    half.rgba[to + 3] = (a + b) / 2
  }
  return half
}

/** sharp reduces the colours. Pixels that were left out are repeated, as sixels do not scale. */
async function sixelFrame(pixels: Pixels, { cell }: FrameStyle, { box }: FrameShape): Promise<string> {
  const reduced = await fewColors(await ownPixels(pixels.rgba, rawOf(pixels)), { effort: 1, dither: 0.5 })
  const picture = indexed({ ...pixels, rgba: reduced.rgba })
  const times = Math.max(1, Math.floor((box.columns * cell.width) / pixels.width))
  return encodeSixel(times === 1 ? picture : repeated(picture, times), { over: true })
}

function repeated({ width, height, palette, indexes }: IndexedPicture, times: number): IndexedPicture {
  const large = { width: width * times, height: height * times, palette, indexes: new Int16Array(indexes.length * times * times) }
  for (let y = 0; y < large.height; y++)
    for (let x = 0; x < large.width; x++)
      large.indexes[y * large.width + x] = indexes[Math.floor(y / times) * width + Math.floor(x / times)] ?? -1
  return large
}

const itermFrame = (png: Buffer, { columns, rows }: PictureBox): string =>
  `${ESC}]1337;File=inline=1;size=${png.length};width=${columns};height=${rows};preserveAspectRatio=0;doNotMoveCursor=1:${png.toString('base64')}\u0007`
