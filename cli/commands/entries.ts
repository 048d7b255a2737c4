/** `ph entries`: lists what is in the library. */
import type { EntrySummary } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { entryTypes } from '../../formats/entry-types.ts'
import { age, count, size } from '../amounts.ts'
import { command, flag, text, texts, value, values } from '../command.ts'
import type { Context } from '../context.ts'
import { type Library, withLibrary } from '../library.ts'
import { wholeNumber, wrongUsage } from '../refusal.ts'
import { type Column, table } from '../table.ts'

const mostEntries = 1_000_000
const packId = wholeNumber('--pack', 1, Number.MAX_SAFE_INTEGER)

export const commands = [
  command({
    usage: 'entries',
    description: 'Sorted by name. Filters of one kind widen the list, different ones narrow it.',
    options: {
      name: texts('--name <name>', 'only entries of exactly this name (repeatable)'),
      path: texts('--path <path>', 'only the entry at this /Game path (repeatable)'),
      type: texts('--type <type>', 'only this type: mesh, texture, material … (repeatable)'),
      pack: values('--pack <id>', 'only this pack, by its id in `ph pack list` (repeatable)', packId),
      reverse: flag('--reverse', 'from Z to A'),
      deprecated: flag('--deprecated', 'also those that are deprecated'),
      limit: value('--limit <n>', 'at most so many (default 50)', wholeNumber('--limit', 1, mostEntries)),
      all: flag('--all', 'all of them, however many there are'),
      cursor: text('--cursor <text>', 'go on where the `next_cursor` of an earlier answer stopped'),
    },
    examples: [
      ['entries', 'the first 50 by name'],
      ['entries --type mesh --type skeletal_mesh --limit 500', 'up to 500 meshes of both kinds'],
      ['entries --path /Game/Medieval/Props/SM_Barrel', 'what lies at a path'],
      ['entries --all --json | jq -r ".entries[].name"', 'every name, for a script'],
    ],
    async run(context, { name, path, type, pack, reverse, deprecated, limit: most, all, cursor }) {
      if (all && most !== undefined) throw wrongUsage('--all and --limit exclude each other.', 'Use one of them.')
      const limit = all ? mostEntries : (most ?? limits.page.default)
      const filter = {
        ...some({ name, origin_path: path, type, pack }),
        ...(reverse ? { order: 'desc' as const } : {}),
        ...(deprecated ? { include_deprecated: true } : {}),
      }
      await withLibrary(context, async ({ api }) => {
        const found = await pages(api, { filter, limit, cursor })
        context.out.result(found, () => (found.entries.length > 0 ? entryTable(found.entries, context) : noneWords(type)))
        if (found.next_cursor)
          context.out.note(`${count(found.entries.length, 'entry', 'entries')} shown; there are more: see them with --all.`)
      })
      return undefined
    },
  }),
]

/** The library takes any type, so one that nobody gives is noticed when nothing has it. */
function noneWords(types: readonly string[]): string[] {
  const strange = types.filter((type) => !entryTypes.includes(type))
  if (strange.length === 0) return ['No entries.']
  return [
    `No entries. ${strange.map((type) => `"${type}"`).join(', ')} is no usual type; these are:`,
    `  ${entryTypes.join(' ')}`,
  ]
}

/** The lists that are not empty: an empty filter is none. */
const some = <T extends Record<string, readonly unknown[]>>(lists: T): Partial<T> =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<T>

interface Wanted {
  filter: Parameters<Library['api']['entries']['list']>[0]
  limit: number
  cursor: string | undefined
}

/** Page after page until there are enough; the answer has the form of one page. */
async function pages(api: Library['api'], { filter, limit, cursor: first }: Wanted) {
  const entries: EntrySummary[] = []
  let cursor: string | null | undefined = first
  do {
    const page = Math.min(limit - entries.length, limits.page.max)
    const answer = await api.entries.list({ ...filter, limit: page, ...(cursor ? { cursor } : {}) })
    entries.push(...answer.entries)
    cursor = answer.next_cursor
  } while (cursor && entries.length < limit)
  return { entries, next_cursor: cursor ?? null }
}

function entryTable(entries: readonly EntrySummary[], { out, now }: Context): string[] {
  const today = now()
  const columns: Column<EntrySummary>[] = [
    { title: 'ID', value: (entry) => entry.id, right: true },
    { title: 'NAME', value: (entry) => entry.name, cut: 'middle' },
    { title: 'TYPE', value: (entry) => (entry.status === 'deprecated' ? `${entry.entry_type} (deprecated)` : entry.entry_type) },
    { title: 'PACK', value: (entry) => entry.pack.name, cut: 'end', spare: true },
    { title: 'CATEGORY', value: (entry) => entry.category ?? '-', cut: 'end', spare: true },
    { title: 'SIZE', value: (entry) => size(entry.blob_size), right: true },
    { title: 'UPDATED', value: (entry) => age(entry.date_updated, today), spare: true },
  ]
  return table(entries, columns, out)
}
