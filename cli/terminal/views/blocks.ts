/** A picture out of block characters: each cell holds two by two pixels in two colours, the ones that distort it least. */

export interface Pixels {
  width: number
  height: number
  /** Four bytes a pixel, rows from the top. */
  rgba: Uint8Array
}

type Color = readonly [red: number, green: number, blue: number]

const RESET = '\u001b[0m'
const OPAQUE = 128
/** By which quarters are in the foreground: 1 upper left, 2 upper right, 4 lower left, 8 lower right. */
const letters = ' ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█'

/** Lines that each end with a line feed, and with a reset where they were coloured. `depth`: 24 bits, else the 256 colours of xterm. */
export function blocks({ width, height, rgba }: Pixels, depth: number): string {
  const code = depth >= 24 ? trueColor : indexedColor
  let text = ''
  for (let y = 0; y < height; y += 2) {
    let style = ''
    for (let x = 0; x < width; x += 2) {
      const [letter, cellStyle] = drawCell(quarters({ width, height, rgba }, x, y), code)
      text += cellStyle === style ? letter : `${RESET}${cellStyle}${letter}`
      style = cellStyle
    }
    text += style === '' ? '\n' : `${RESET}\n`
  }
  return text
}

/** The four pixels of a cell; undefined where it is transparent or outside. */
function quarters({ width, height, rgba }: Pixels, x: number, y: number): (Color | undefined)[] {
  const pixel = (column: number, row: number): Color | undefined => {
    const at = (row * width + column) * 4
    if (column >= width || row >= height || (rgba[at + 3] ?? 0) < OPAQUE) return undefined
    return [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0]
  }
  return [pixel(x, y), pixel(x + 1, y), pixel(x, y + 1), pixel(x + 1, y + 1)]
}

type Code = (color: Color) => string

/** The character of a cell and the escape sequences it stands in. */
function drawCell(cell: (Color | undefined)[], code: Code): [letter: string, style: string] {
  const opaque = cell.flatMap((color) => (color ? [color] : []))
  const seen = cell.reduce((bits, color, at) => (color ? bits | (1 << at) : bits), 0)
  if (opaque.length === 0) return [' ', '']
  if (opaque.length < 4) return [letters[seen] ?? ' ', `\u001b[38;${code(mean(opaque))}m`]
  const { bits, front, back } = bestSplit(opaque)
  const [ink, paper] = [code(front), code(back)]
  // In one colour too both are set: a font may draw its full block smaller than the cell.
  return [ink === paper ? '█' : (letters[bits] ?? ' '), `\u001b[38;${ink}m\u001b[48;${paper}m`]
}

interface Split {
  bits: number
  front: Color
  back: Color
  error: number
}

/** Of the eight ways to part four pixels into two colours, the one that changes them least. The lower right is always behind. */
function bestSplit(pixels: readonly Color[]): Split {
  let best: Split | undefined
  for (let bits = 1; bits < 8; bits++) {
    const front = pixels.filter((_, at) => bits & (1 << at))
    const back = pixels.filter((_, at) => !(bits & (1 << at)))
    const [ink, paper] = [mean(front), mean(back)]
    const error = spread(front, ink) + spread(back, paper)
    if (!best || error < best.error) best = { bits, front: ink, back: paper, error }
  }
  const all = mean(pixels)
  return best ?? { bits: 15, front: all, back: all, error: 0 }
}

const mean = (colors: readonly Color[]): Color => {
  const average = (channel: 0 | 1 | 2) => Math.round(colors.reduce((sum, color) => sum + color[channel], 0) / colors.length)
  return [average(0), average(1), average(2)]
}

const distance = (a: Color, b: Color): number => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
const spread = (colors: readonly Color[], center: Color): number =>
  colors.reduce((sum, color) => sum + distance(color, center), 0)

const trueColor: Code = ([red, green, blue]) => `2;${red};${green};${blue}`

/** The 6 x 6 x 6 cube begins at 16 with these levels; 24 greys from 8 to 238 begin at 232. */
const levels = [0, 95, 135, 175, 215, 255]
const nearestLevel = (channel: number): number => (channel < 48 ? 0 : channel < 115 ? 1 : Math.floor((channel - 35) / 40))

const indexedColor: Code = (color) => {
  const [red, green, blue] = color
  const [r, g, b] = [nearestLevel(red), nearestLevel(green), nearestLevel(blue)]
  const inCube: Color = [levels[r] ?? 0, levels[g] ?? 0, levels[b] ?? 0]
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)))
  const inGreys: Color = [8 + grey * 10, 8 + grey * 10, 8 + grey * 10]
  return distance(color, inGreys) < distance(color, inCube) ? `5;${232 + grey}` : `5;${16 + 36 * r + 6 * g + b}`
}
