/** Props as a wall of pictures with their names below, as many as the terminal has room for. */
import type { EntrySummary } from '../../contract/entries.ts'
import { printable } from '../../system/printable.ts'
import type { Context } from '../context.ts'
import type { Library } from '../library.ts'
import { fetchThumbnail, pictureDrawing } from './pictures.ts'
import { pad, shorten } from './table.ts'
import { columnsWide } from './wrap.ts'

const gap = 2
const margin = 2
const mostRows = 2
const mostInRow = 6

/** A picture with what is written below it. */
export interface Framed {
  picture: Uint8Array | undefined
  caption: string
}

/** Two rows of pictures with their names fit the screen. */
const boxFor = ({ stdout }: Context) => ((stdout.rows ?? 24) >= 32 ? { columns: 24, rows: 12 } : { columns: 18, rows: 9 })

/** How many pictures stand in a row. */
function perRow(context: Context): number {
  const fitting = Math.floor((context.out.width - margin + gap) / (boxFor(context).columns + gap))
  return Math.max(1, Math.min(mostInRow, fitting))
}

/** Shows a choice of these entries; nothing where there are no pictures. Gives how many are shown. */
export async function showGallery(
  context: Context,
  library: Library,
  { entries, withPictures }: { entries: readonly EntrySummary[]; withPictures: boolean },
): Promise<number> {
  const chosen = chooseForWall(entries, perRow(context) * mostRows)
  if (chosen.length === 0 || !(await pictureDrawing(context, withPictures))) return 0
  const framed = await Promise.all(
    chosen.map(async ({ id, name }) => ({ picture: await fetchThumbnail(library, id), caption: name })),
  )
  await showFramed(context, framed)
  return framed.length
}

/** Draws rows of framed pictures; nothing where the terminal shows none. */
export async function showFramed(context: Context, framed: readonly Framed[]): Promise<void> {
  const drawing = await pictureDrawing(context, true)
  if (!drawing) return
  const box = boxFor(context)
  const each = perRow(context)
  for (let at = 0; at < framed.length; at += each) {
    context.out.lines([''])
    const row = framed.slice(at, at + each)
    context.out.raw(
      await drawing.drawRow(
        row.map(({ picture }) => picture),
        { box, gap, margin },
      ),
    )
    context.out.lines(
      ' '.repeat(margin) + row.map(({ caption }) => centered(printable(caption), box.columns)).join(' '.repeat(gap)),
    )
  }
}

function centered(text: string, width: number): string {
  const short = shorten(text, width, 'middle')
  return pad(' '.repeat(Math.floor((width - columnsWide(short)) / 2)) + short, width)
}

/** Kinds that are worth showing beside what has a shape. */
const otherKinds = ['blueprint', 'vfx', 'texture', 'material']

/** Mostly things that have a shape, and one of some other kinds. */
export function chooseForWall(entries: readonly EntrySummary[], most: number): EntrySummary[] {
  const pictured = entries.filter(({ has_thumbnail }) => has_thumbnail)
  const shapes = pictured.filter(({ entry_type }) => entry_type === 'mesh' || entry_type === 'skeletal_mesh')
  const others = otherKinds.flatMap((kind) => pictured.find(({ entry_type }) => entry_type === kind) ?? [])
  const fromOthers = others.slice(0, Math.max(most - shapes.length, Math.floor(most / 3)))
  return [...spread(shapes, most - fromOthers.length), ...fromOthers]
}

/** So many of a list, taken evenly from its whole length. */
const spread = <T>(list: readonly T[], most: number): T[] =>
  list.length <= most ? [...list] : Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)] as T)
