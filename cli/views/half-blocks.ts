/** A picture out of characters: each cell holds two pixels, `▀` in the colour of the upper on the colour of the lower. */

export interface Pixels {
  width: number
  height: number
  /** Four bytes a pixel, rows from the top. */
  rgba: Uint8Array
}

const RESET = '\u001b[0m'
const OPAQUE = 128

type Color = string | undefined

/** Lines that each end with a reset and a line feed. `depth`: 24 bits, else the 256 colours of xterm. */
export function halfBlocks({ width, height, rgba }: Pixels, depth: number): string {
  const code = depth >= 24 ? trueColor : indexedColor
  const colorAt = (x: number, y: number): Color => {
    const [red = 0, green = 0, blue = 0, alpha = 0] = rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)
    return y < height && alpha >= OPAQUE ? code(red, green, blue) : undefined
  }
  let text = ''
  for (let y = 0; y < height; y += 2) {
    let style = ''
    for (let x = 0; x < width; x++) {
      const [letter, wanted] = cellOf(colorAt(x, y), colorAt(x, y + 1))
      text += wanted === style ? letter : `${RESET}${wanted}${letter}`
      style = wanted
    }
    text += style === '' ? '\n' : `${RESET}\n`
  }
  return text
}

/** The character of a cell and the escape sequences it stands in. */
function cellOf(upper: Color, lower: Color): [letter: string, style: string] {
  if (upper === undefined && lower === undefined) return [' ', '']
  if (upper === undefined) return ['▄', `\u001b[38;${lower}m`]
  if (lower === undefined) return ['▀', `\u001b[38;${upper}m`]
  return ['▀', `\u001b[38;${upper}m\u001b[48;${lower}m`]
}

const trueColor = (red: number, green: number, blue: number): string => `2;${red};${green};${blue}`

/** The 6 x 6 x 6 cube begins at 16 with these levels; 24 greys from 8 to 238 begin at 232. */
const levels = [0, 95, 135, 175, 215, 255]
const nearestLevel = (channel: number): number => (channel < 48 ? 0 : channel < 115 ? 1 : Math.floor((channel - 35) / 40))

function indexedColor(red: number, green: number, blue: number): string {
  const cube = [red, green, blue].map(nearestLevel)
  const [r = 0, g = 0, b = 0] = cube
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)))
  const greyLevel = 8 + grey * 10
  const distance = (a: number[]) => [red, green, blue].reduce((sum, channel, at) => sum + (channel - (a[at] ?? 0)) ** 2, 0)
  const asCube = distance(cube.map((level) => levels[level] ?? 0))
  return distance([greyLevel, greyLevel, greyLevel]) < asCube ? `5;${232 + grey}` : `5;${16 + 36 * r + 6 * g + b}`
}
