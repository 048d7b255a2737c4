/** A QR code in half blocks: two rows of modules in a line of text, with the quiet zone that scanners need. */
import { encode } from 'uqr'
import type { QrBlock } from '../device-screen.ts'

/** Modules on each side that stay light (ISO/IEC 18004, 6.3.8). */
const quietZone = 4

/** Black on white out of the fixed part of the 256 colours, whatever the terminal's own are. */
const inked = (line: string): string => `\u001b[38;5;16;48;5;231m${line}\u001b[0m`

/** The code of a text. Without colour its light modules are drawn: most terminals are dark. */
export function qrBlock(text: string, color: boolean): QrBlock {
  const { data, size } = encode(text, { ecc: 'L', border: quietZone })
  const isDrawn = (row: number, column: number) => (data[row]?.[column] === true) === color
  const lines: string[] = []
  for (let row = 0; row < size; row += 2) {
    const cells = Array.from({ length: size }, (_, column) => halves(isDrawn(row, column), isDrawn(row + 1, column)))
    lines.push(color ? inked(cells.join('')) : cells.join(''))
  }
  return { lines, width: size }
}

function halves(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
