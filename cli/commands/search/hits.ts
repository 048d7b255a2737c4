/** Hits of a search on the terminal: the first of them as cards beside their pictures, the others as rows. */
import type { EntrySummary } from '../../../contract/entries.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { likenessWords, looksOf } from '../../entries/likeness.ts'
import { typeWords } from '../../entries/type-names.ts'
import type { Library } from '../../library.ts'
import { age, number, size } from '../../terminal/amounts.ts'
import { fetchThumbnails, pictureDrawing } from '../../terminal/pictures.ts'
import { type Column, shorten, table } from '../../terminal/table.ts'

/** Pictures cost requests, and room on the screen. */
const mostCards = 12
const gap = 2
const margin = 1
/** On a narrower terminal a card would have no room for its words. */
const narrowest = 40

/** Draws the first hits beside their pictures, where the terminal shows pictures and there are any. Gives how many hits that were. */
export async function showCards(
  context: Context,
  library: Library,
  { entries, withPictures, byLooks = false }: { entries: readonly EntrySummary[]; withPictures: boolean; byLooks?: boolean },
): Promise<number> {
  const { out } = context
  const hits = entries.slice(0, mostCards)
  const pictured = hits.filter((hit) => hit.has_thumbnail).map(({ id }) => id)
  const drawing = await pictureDrawing(context, withPictures && pictured.length > 0 && out.width >= narrowest)
  if (!drawing) return 0
  const pictures = await fetchThumbnails(context, library, pictured)
  const layout = { box: drawing.smallBox, gap, margin }
  const width = out.width - margin - layout.box.columns - gap
  for (const hit of hits)
    out.raw(await drawing.drawBeside(pictures.get(hit.id), cardLines(hit, context, { width, byLooks }), layout))
  return hits.length
}

/** As many lines as a small picture has rows, or fewer. */
function cardLines(hit: EntrySummary, { out, now }: Context, { width, byLooks }: { width: number; byLooks: boolean }): string[] {
  const line = (parts: readonly string[]) => shorten(printable(parts.join(' · ')), width)
  return [
    out.paint('bold', shorten(printable(hit.name), width, 'middle')),
    ...alike(hit, byLooks),
    line([kindWords(hit), hit.pack.name, ...(hit.category === null ? [] : [hit.category])]),
    out.paint(
      'dim',
      line([`entry ${hit.id}`, size(hit.blob_size), `updated ${age(hit.date_updated, now())}`, ...matchedWords(hit)]),
    ),
  ]
}

const alike = (hit: EntrySummary, byLooks: boolean): string[] => {
  const score = looksOf(hit) ?? (byLooks ? hit.score : undefined)
  return score === undefined ? [] : [likenessWords(score)]
}

const kindWords = ({ entry_type, status }: EntrySummary): string => `${typeWords(entry_type)}${deprecated({ status })}`

const deprecated = ({ status }: Pick<EntrySummary, 'status'>): string => (status === 'deprecated' ? ' (deprecated)' : '')

const fieldWords: Record<string, string> = { tags: 'tag', comments: 'comment' }

/** Where the words were found, as people say it. */
const matchedIn = ({ matched = [] }: EntrySummary): string => matched.map((field) => fieldWords[field] ?? field).join(', ')

const matchedWords = (hit: EntrySummary): string[] => (matchedIn(hit) === '' ? [] : [`matched: ${matchedIn(hit)}`])

/** Hits as rows; no lines for none. */
export function hitTable(hits: readonly EntrySummary[], { out, now }: Context, { byLooks = false } = {}): string[] {
  if (hits.length === 0) return []
  const today = now()
  const columns: Column<EntrySummary>[] = [
    { title: 'ID', value: (hit) => hit.id, right: true },
    { title: 'NAME', value: (hit) => hit.name, cut: 'middle' },
    { title: 'TYPE', value: (hit) => (out.terminal ? kindWords(hit) : `${hit.entry_type}${deprecated(hit)}`) },
    { title: 'PACK', value: (hit) => hit.pack.name, cut: 'end', spare: true },
    { title: 'CATEGORY', value: (hit) => hit.category ?? '-', cut: 'end', spare: true },
    { title: 'SIZE', value: (hit) => size(hit.blob_size), right: true, spare: 'late' },
    { title: 'UPDATED', value: (hit) => age(hit.date_updated, today), spare: true },
    {
      title: 'TRIANGLES',
      value: ({ metadata }) => (metadata.tri_count === null ? '-' : number(metadata.tri_count)),
      right: true,
      spare: true,
    },
    { title: 'PATH', value: (hit) => hit.origin_path ?? '-', cut: 'middle', spare: true },
  ]
  if (byLooks) columns.splice(2, 0, { title: 'LOOKS', value: (hit) => alike(hit, true)[0] ?? '-' })
  const isMatched = hits.some((hit) => matchedIn(hit) !== '')
  return table(hits, isMatched ? [...columns, { title: 'MATCHED', value: matchedIn }] : columns, out)
}
