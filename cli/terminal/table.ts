/** Rows of text in columns: aligned by display width and fitted to the terminal, tab-separated and whole elsewhere. */
import { printable } from '../../system/printable.ts'
import type { Output } from './output.ts'
import { columnsWide } from './wrap.ts'

export interface Column<Row> {
  title: string
  value(row: Row): string | number | null | undefined
  right?: boolean
  /** May be cut when the terminal is narrow; `middle` keeps both ends, as paths need. */
  cut?: 'end' | 'middle'
  /** Left out before others are cut much; `late`, only before they are cut to the bone. */
  spare?: boolean | 'late'
}

const GAP = 2
const COMFORTABLE = 20
const READABLE = 12
const NARROWEST = 8
/** A text cut to a display width, with `…` where something is missing. */
export function shorten(text: string, width: number, cut: 'end' | 'middle' = 'end'): string {
  if (columnsWide(text) <= width) return text
  const letters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
  const room = Math.max(width - 1, 0)
  const tail =
    cut === 'middle'
      ? takeWidth(letters.toReversed(), Math.floor(room / 2))
          .toReversed()
          .join('')
      : ''
  return `${takeWidth(letters, room - columnsWide(tail)).join('')}…${tail}`
}

function takeWidth(letters: readonly string[], width: number): string[] {
  let used = 0
  const end = letters.findIndex((letter) => {
    used += columnsWide(letter)
    return used > width
  })
  return end === -1 ? [...letters] : letters.slice(0, end)
}

/** A text padded to a display width. */
export const pad = (text: string, width: number, right = false): string => {
  const space = ' '.repeat(Math.max(width - columnsWide(text), 0))
  return right ? space + text : text + space
}

interface Sized<Row> {
  column: Column<Row>
  cells: string[]
  width: number
}

/** Lines for `rows`. On a terminal with a heading; else one line a row, cells separated by tabs, nothing cut. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], out: Output): string[] {
  const sized = columns.map((column) => measure(rows, column))
  if (!out.terminal) return rows.map((_, row) => sized.map(({ cells }) => cells[row] ?? '').join('\t'))
  const shown = fitted(sized, out.width)
  const line = (cells: string[]) =>
    cells
      .map((cell, at) => pad(cell, shown[at]?.width ?? 0, shown[at]?.column.right))
      .join(' '.repeat(GAP))
      .trimEnd()
  const heading = out.paint('dim', line(shown.map(({ column, width }) => shorten(column.title, width))))
  return [
    heading,
    ...rows.map((_, row) => line(shown.map(({ cells, width, column }) => shorten(cells[row] ?? '', width, column.cut)))),
  ]
}

function measure<Row>(rows: readonly Row[], column: Column<Row>): Sized<Row> {
  const cells = rows.map((row) => printable(String(column.value(row) ?? '')))
  return { column, cells, width: Math.max(columnsWide(column.title), ...cells.map((cell) => columnsWide(cell))) }
}

/** Leaves out spare columns, last first, until the others have a width at which they can be read; then cuts the widest. */
function fitted<Row>(columns: Sized<Row>[], width: number): Sized<Row>[] {
  const shown = columns.map((column) => ({ ...column }))
  leaveOut(shown, { spare: true, cutTo: COMFORTABLE, width })
  leaveOut(shown, { spare: 'late', cutTo: READABLE, width })
  const cuttable = shown.filter(({ column }) => column.cut)
  for (let over = widthOf(shown) - width; over > 0; over--) {
    const [widest] = cuttable.filter((column) => column.width > NARROWEST).toSorted((a, b) => b.width - a.width)
    if (!widest) break
    widest.width -= 1
  }
  return shown
}

/** Takes such columns out, last first, as long as the row does not fit although all that can be is cut to `cutTo`. */
function leaveOut<Row>(shown: Sized<Row>[], { spare, cutTo, width }: { spare: true | 'late'; cutTo: number; width: number }) {
  const least = ({ column, width: whole }: Sized<Row>) => (column.cut ? Math.min(whole, cutTo) : whole)
  while (widthOf(shown, least) > width) {
    const at = shown.findLastIndex(({ column }) => column.spare === spare)
    if (at === -1) return
    shown.splice(at, 1)
  }
}

const widthOf = <Row>(columns: readonly Sized<Row>[], each = ({ width }: Sized<Row>) => width): number =>
  columns.reduce((sum, column) => sum + each(column) + GAP, -GAP)
