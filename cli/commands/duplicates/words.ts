/** What `ph duplicates` says to people: groups with their pictures, what could be saved, what to do. */
import type { LookAlikes } from '../../../client/looks/duplicates.ts'
import type { DuplicateGroup, PayloadKind } from '../../../contract/duplicates.ts'
import type { EntryDetail, EntrySummary } from '../../../contract/entries.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { likenessWords } from '../../entries/likeness.ts'
import { typeWords } from '../../entries/type-names.ts'
import type { Library } from '../../library.ts'
import { count, number, size } from '../../terminal/amounts.ts'
import { showFramed } from '../../terminal/gallery.ts'
import { fetchThumbnails, pictureDrawing } from '../../terminal/pictures.ts'
import { type Column, table } from '../../terminal/table.ts'
import { wrap } from '../../terminal/wrap.ts'

export const kindNames: Record<PayloadKind, string> = { mesh: 'mesh', picture: 'picture', sound: 'sound' }

/** Entries of one group that are listed and shown; pictures cost requests and room. */
export const mostListed = 12
const mostInRow = 6
const mostPicturedGroups = 8

export interface View {
  context: Context
  library: Library
  withPictures: boolean
}

/** Programs that read lines get every entry in a line of its own: its group, what it is, how much or how alike, id and name. */
export function plainLines(groups: readonly DuplicateGroup[], looks: LookAlikes | undefined, { out }: Context): string[] {
  const copies = groups.flatMap(({ payload_id, kind, bytes, entries }) =>
    entries.map((entry) => ({ group: payload_id, kind, amount: size(bytes), entry })),
  )
  const alike = (looks?.groups ?? []).flatMap(({ entry: head, entries }) =>
    [head, ...entries].map((entry) => ({
      ...{ group: `looks-like-${head.id}`, kind: entry.entry_type, entry },
      amount: entry === head ? '-' : String(entry.score ?? '-'),
    })),
  )
  const columns: Column<(typeof copies | typeof alike)[number]>[] = [
    { title: 'GROUP', value: ({ group }) => group },
    { title: 'KIND', value: ({ kind }) => kind },
    { title: 'AMOUNT', value: ({ amount }) => amount },
    { title: 'ID', value: ({ entry }) => entry.id },
    { title: 'NAME', value: ({ entry }) => entry.name },
  ]
  return table([...copies, ...alike], columns, out)
}

const heading = (text: string, { out }: Context): string[] => wrap(text, out.width).map((line) => out.paint('bold', line))

export async function showGroups(
  { context, library, withPictures }: View,
  groups: readonly DuplicateGroup[],
  details: ReadonlyMap<number, EntryDetail>,
): Promise<void> {
  const { out } = context
  for (const [at, group] of groups.entries()) {
    const { kind, bytes, total_entries, entries } = group
    const listed = entries.slice(0, mostListed).map((entry) => details.get(entry.id) ?? entry)
    if (at > 0) out.lines([''])
    out.lines(heading(`${number(total_entries)} props hold the same ${kindNames[kind]}: ${size(bytes)} could be saved`, context))
    const pictured = listed.filter((entry): entry is EntryDetail => 'pack' in entry).slice(0, mostInRow)
    if (at < mostPicturedGroups) await showPictures({ context, library, withPictures }, pictured)
    out.lines(table(listed, entryColumns, out))
    if (total_entries > listed.length) out.lines([out.paint('dim', `and ${count(total_entries - listed.length, 'other')}`)])
  }
}

type Listed = EntryDetail | DuplicateGroup['entries'][number]
const fieldOf = (entry: Listed, read: (detail: EntryDetail) => string): string => ('pack' in entry ? read(entry) : '-')

const entryColumns: Column<Listed>[] = [
  { title: 'ID', value: ({ id }) => id, right: true },
  { title: 'NAME', value: ({ name }) => name, cut: 'middle' },
  { title: 'TYPE', value: (entry) => fieldOf(entry, ({ entry_type }) => typeWords(entry_type)) },
  { title: 'SIZE', value: (entry) => fieldOf(entry, ({ blob_size }) => size(blob_size)), right: true },
  { title: 'PACK', value: (entry) => fieldOf(entry, ({ pack }) => pack.name), cut: 'end', spare: true },
  { title: 'PATH', value: (entry) => fieldOf(entry, ({ origin_path }) => origin_path ?? '-'), cut: 'middle', spare: true },
]

async function showPictures(
  { context, library, withPictures }: View,
  entries: readonly Pick<EntrySummary, 'id' | 'name' | 'has_thumbnail'>[],
): Promise<void> {
  const ids = entries.filter(({ has_thumbnail }) => has_thumbnail).map(({ id }) => id)
  if (ids.length === 0 || !(await pictureDrawing(context, withPictures))) return
  const pictures = await fetchThumbnails(context, library, ids)
  if (pictures.size > 0)
    await showFramed(
      context,
      entries.map(({ id, name }) => ({ picture: pictures.get(id), caption: name })),
    )
  context.out.lines([''])
}

/** What to do about the first group, and about all of them. */
export function nextSteps(groups: readonly DuplicateGroup[], { out }: Context): string[] {
  const [first] = groups
  const [keep, ...others] = first?.entries ?? []
  if (!keep || others.length === 0) return []
  const saved = groups.reduce((sum, { bytes }) => sum + bytes, 0)
  const sum = `${count(groups.length, 'group')}; ${size(saved)} could be saved by keeping one of each.`
  const named = others
    .slice(0, 4)
    .map(({ id }) => id)
    .join(' ')
  const steps = `Look at each with \`ph show ${keep.id}\`: it says what uses the prop. To keep that one, let what uses the others use it instead, then take them out of lists and searches: \`ph deprecate ${named}\``
  return ['', ...wrap(sum, out.width), ...wrap(steps, out.width)]
}

export async function showLookAlikes(view: View, { groups }: LookAlikes): Promise<void> {
  const { out } = view.context
  for (const [at, { entry, entries }] of groups.entries()) {
    const words = `${count(entries.length, 'other prop')} that ${entries.length === 1 ? 'is' : 'are'} not known to hold the same`
    out.lines(['', ...heading(`${printable(entry.name)} looks like ${words}`, view.context)])
    if (at < mostPicturedGroups) await showPictures(view, [entry, ...entries].slice(0, mostInRow))
    out.lines(table([entry, ...entries], alikeColumns, out))
  }
}

const alikeColumns: Column<EntrySummary>[] = [
  { title: 'ID', value: ({ id }) => id, right: true },
  { title: 'NAME', value: ({ name }) => name, cut: 'middle' },
  { title: 'LOOKS', value: ({ score }) => (score === undefined ? '' : likenessWords(score)) },
  { title: 'TYPE', value: ({ entry_type }) => typeWords(entry_type), spare: 'late' },
  { title: 'SIZE', value: ({ blob_size }) => size(blob_size), right: true, spare: true },
  { title: 'PACK', value: ({ pack }) => pack.name, cut: 'end', spare: true },
]
