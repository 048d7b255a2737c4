/** A picture with lines of text to its right, on any terminal that shows pictures. */
import { shown } from '../output.ts'
import { columnsWide } from '../wrap.ts'
import { drawPicture, type PictureBox, type PictureStyle, type RowLayout } from './picture.ts'

const ESC = '\u001b'

/** What stands side by side; without bytes, or where they are no picture, its room is left empty. */
export interface Beside {
  bytes: Uint8Array | undefined
  /** Each fits into what is right of the picture. */
  lines: readonly string[]
}

/** Text to write at the start of a line; it ends at the start of the line below both. */
export async function drawBeside(
  { bytes, lines: given }: Beside,
  { box, gap, margin }: RowLayout,
  style: PictureStyle,
): Promise<string> {
  const { protocol } = style
  const lines = given.map(shown)
  if (protocol === 'blocks') {
    const rows = bytes ? (await drawPicture(bytes, box, style)).split('\n').slice(0, -1) : []
    return textBeside(rows, lines, { box, gap, margin })
  }
  const picture = bytes ? (await drawPicture(bytes, protocol === 'sixel' ? smaller(box) : box, style)).trimEnd() : ''
  return pixelsBeside(picture, lines, { box, gap, margin })
}

/** A picture made of characters is text, too. An empty line keeps it from what is below. */
function textBeside(rows: readonly string[], lines: readonly string[], { box, gap, margin }: RowLayout): string {
  const height = Math.max(rows.length, lines.length) + 1
  return Array.from({ length: height }, (_, at) => {
    const row = rows[at] ?? ''
    const space = ' '.repeat(Math.max(0, box.columns - columnsWide(row)) + gap)
    return `${' '.repeat(margin)}${row}${space}${lines[at] ?? ''}`.trimEnd()
  })
    .map((line) => `${line}\n`)
    .join('')
}

/**
 * Where the cursor stands after a picture differs between terminals. So its rows are made first, that nothing scrolls any more; the
 * place is saved (DECSC), the picture drawn, and the text written from there, each line moved right (CUF) past the picture.
 */
function pixelsBeside(picture: string, lines: readonly string[], { box, gap, margin }: RowLayout): string {
  // A row more than the picture has: where cells have another shape than expected (10 x 20) it reaches a little further.
  const height = Math.max(box.rows + 1, lines.length)
  const right = `${ESC}[${margin + box.columns + gap}C`
  const drawn = picture === '' ? '' : `${ESC}7${margin > 0 ? `${ESC}[${margin}C` : ''}${picture}${ESC}8`
  const text = Array.from({ length: height }, (_, at) => (lines[at] ? `${right}${lines[at]}\n` : '\n'))
  return `${'\n'.repeat(height)}${ESC}[${height}A${drawn}${text.join('')}`
}

/** Sixels are pixels of the screen, and a cell may have fewer of them than expected (10 x 20): then a picture would reach too far. */
const smaller = ({ columns, rows }: PictureBox): PictureBox => ({ columns: columns * 0.8, rows: rows * 0.8 })
