/** A QR code in half blocks: two rows of modules in a line of text, with the quiet zone that scanners need. */
import { encode } from 'uqr'

/** Modules on each side that stay light (ISO/IEC 18004, 6.3.8). */
const quietZone = 4

/** A QR code: lines of one width, in columns. */
export interface QrBlock {
  lines: string[]
  width: number
}

/** The code of a text. */
export function qrBlock(text: string, color: boolean): QrBlock {
  const { data, size } = encode(text, { ecc: 'L', border: quietZone })
  const isDark = (row: number, column: number) => data[row]?.[column] === true
  const paint = color ? inColor : withoutColor
  const lines: string[] = []
  for (let row = 0; row < size; row += 2)
    lines.push(paint(Array.from({ length: size }, (_, column) => [isDark(row, column), isDark(row + 1, column)] as const)))
  return { lines, width: size }
}

/** Two modules, one above the other: whether each is dark. */
type Cell = readonly [upper: boolean, lower: boolean]

/** Black and white out of the fixed part of the 256 colours, whatever the terminal's own are. */
const ink = (isDark: boolean): number => (isDark ? 16 : 231)

/** Backgrounds fill a line from edge to edge, letters seldom do: so letters stand only where both halves differ. */
function inColor(cells: readonly Cell[]): string {
  let line = ''
  let last = ''
  for (const [upper, lower] of cells) {
    const style = `\u001b[38;5;${ink(upper)};48;5;${ink(lower)}m`
    line += (style === last ? '' : style) + (upper === lower ? ' ' : '▀')
    last = style
  }
  return `${line}\u001b[0m`
}

/** The light modules are drawn, as most terminals are dark. */
const withoutColor = (cells: readonly Cell[]): string =>
  cells.map(([upper, lower]) => (upper ? (lower ? ' ' : '▄') : lower ? '▀' : '█')).join('')
