/** `ph search`: finds entries by words and by what they are like, or lists them all. */

import { type EntryPage, type EntryQuestion, entryPages, readEntryPages } from '../../client/entries/pages.ts'
import type { Api } from '../../client/http/api.ts'
import { limits } from '../../contract/limits.ts'
import { command, flag, text, value } from '../command.ts'
import type { Context } from '../context.ts'
import type { Library } from '../library.ts'
import { offlineOption, withLibraryOrMirror } from '../offline.ts'
import { choiceOf, wholeNumber, wrongUsage } from '../refusal.ts'
import { count, number } from '../terminal/amounts.ts'
import { pictureTerms } from '../terminal/pictures.ts'
import { tellHowToNarrow, tellWhatEmpties } from './search/advice.ts'
import { facetLines } from './search/facets.ts'
import { type Condition, filterOptions, questionOf, readConditions } from './search/filters.ts'
import { hitTable, showCards } from './search/hits.ts'
import {
  asksOf,
  atLeast,
  findLike,
  inWords,
  type Looks,
  looksOptions,
  notOffline,
  readLooks,
  refuseLookContradictions,
} from './search/looks.ts'
import { requireFilters } from './search/support.ts'

const mostEntries = 1_000_000
/** Percent-encoded, at three letters a byte, they still fit into the line of a request. */
const longestWordsBytes = 4000

/** What people sort by, as the library calls it, and the way round that they expect first. */
const sorts = {
  relevance: ['relevance', 'asc'],
  name: ['name', 'asc'],
  added: ['date_indexed', 'desc'],
  updated: ['date_updated', 'desc'],
  size: ['blob_size', 'desc'],
  triangles: ['tri_count', 'desc'],
} as const
type Sort = keyof typeof sorts

export const commands = [
  command({
    usage: 'search [words...]',
    description:
      'Words are looked for in names, categories, tags, packs and comments, each from its beginning: barrel finds SM_OldBarrels, and so do oldbarrel, OldBarrel and old_barrel. All of them must be there; words in quotes must stand side by side, whole. Without words everything is listed by name. --like and --similar-to find by looks, the most similar first; words and filters leave out others. Different filters narrow the search, one filter given several times widens it.',
    arguments: { words: 'what to look for' },
    options: {
      ...looksOptions,
      ...filterOptions,
      deprecated: flag('--deprecated', 'also those that are deprecated'),
      sort: value(
        '--sort <by>',
        'relevance (the default with words), name, added, updated, size or triangles; newest and largest first',
        choiceOf('--sort', Object.keys(sorts) as Sort[]),
      ),
      reverse: flag('--reverse', 'the other way round'),
      limit: value('--limit <n>', 'at most so many (default 50)', wholeNumber('--limit', 1, mostEntries)),
      all: flag('--all', 'all of them, however many there are'),
      cursor: text('--cursor <text>', 'go on where the `next_cursor` of an earlier answer stopped'),
      ids: flag('--ids', 'only the ids, one a line, of all hits unless --limit is given: for other commands to read'),
      facets: flag('--facets', 'count the hits by type, category, tag, pack … instead, with the filters that lead to each'),
      noPictures: flag('--no-pictures', 'show no pictures'),
      offline: offlineOption,
    },
    terms: pictureTerms,
    examples: [
      ['search barrel', 'what has a word that begins with barrel, the best hits first'],
      ['search "oak barrel" --type mesh --triangles ..5k', 'meshes of up to 5,000 triangles, with both words side by side'],
      ['search --tag oak --tag pine --sort updated', 'what has one of two tags, changed last'],
      ['search crate --facets', 'what kinds of crates there are, and how to narrow to them'],
      ['search crate --ids | ph tag add wood -', 'put a tag on every crate'],
      ['search --like sketch.png --type mesh', 'meshes that look like a picture'],
      ['search --similar-to SM_Barrel --min-score 0.9', 'what looks very much like the barrel'],
      ['search --path /Game/Medieval/Props/SM_Barrel', 'what lies at a path'],
      ['search --all --json | jq -r ".entries[].name"', 'every name, for a script'],
    ],
    async run(context, { words, ...given }) {
      if (Buffer.byteLength(words.join(' ')) > longestWordsBytes)
        throw wrongUsage('The search text is too long.', 'Use fewer words.')
      const byLooks = given.like !== undefined || given.similarTo !== undefined
      const options = { ...given, byLooks, isRanked: byLooks || words.some((word) => word.trim() !== '') }
      refuseLookContradictions(given, given)
      refuseContradictions(context, options)
      const leftOut = options.isRanked ? 'Words are not looked for in comments.' : undefined
      await withLibraryOrMirror(context, { offline: given.offline, leftOut }, async (library) => {
        if (byLooks && library.isOffline) throw notOffline()
        const conditions = await readConditions(library.api, words, given)
        const looks = await readLooks(context, library.api, given)
        const question = { ...questionOf(conditions), ...(given.deprecated ? { include_deprecated: true } : {}) }
        if (!library.isOffline) await requireFilters(library.api, question)
        const search = { conditions, question, order: { ...orderOf(options), ...asksOf(looks) }, looks }
        await inWords(given, async () => {
          if (given.facets) await showFacets(context, library.api, { ...search, all: given.all })
          else if (given.ids) await printIds(context, library.api, { ...search, limit: given.limit })
          else await showHits(context, library, { ...search, ...given })
        })
      })
      return undefined
    },
  }),
]

interface ListOptions {
  byLooks: boolean
  isRanked: boolean
  sort: Sort | undefined
  reverse: boolean
  limit: number | undefined
  all: boolean
  cursor: string | undefined
  ids: boolean
  facets: boolean
}

function refuseContradictions({ out }: Context, options: ListOptions): void {
  const { isRanked, sort, reverse, limit, all, cursor, ids, facets } = options
  const excluded = (one: string, other: string) => wrongUsage(`${one} and ${other} exclude each other.`, 'Use one of them.')
  if (all && limit !== undefined) throw excluded('--all', '--limit')
  if (ids && facets) throw excluded('--ids', '--facets')
  if (ids && out.json) throw excluded('--ids', '--json')
  const ordered = Object.entries({ sort, limit, cursor }).find(([, given]) => given !== undefined)
  if (facets && ordered)
    throw wrongUsage(`--facets lists no entries, so --${ordered[0]} means nothing.`, 'Leave one of them out.')
  if (sort === 'relevance' && !isRanked)
    throw wrongUsage('--sort relevance needs words to search for.', 'Add words, or use --sort name.')
  if (reverse && isRanked && (sort ?? 'relevance') === 'relevance')
    throw wrongUsage('With words, --reverse needs --sort.', 'Write it like this: --sort name --reverse')
}

/** The best hits end at 1,000 (spec 4.2). Who asks for every id is given them by name, which has no end. */
function orderOf({ byLooks, isRanked, sort, reverse, limit, ids }: ListOptions): EntryQuestion {
  if (byLooks) return {}
  const isBest = isRanked && (!ids || limit !== undefined)
  // The library ranks by itself, unless what was typed holds signs only and nothing to rank by.
  if (isBest && sort === undefined) return {}
  const [by, first] = sorts[sort ?? 'name']
  if (by === 'relevance') return { sort: by }
  const other = first === 'asc' ? 'desc' : 'asc'
  return { sort: by, order: reverse ? other : first }
}

interface Search {
  conditions: readonly Condition[]
  question: EntryQuestion
  order: EntryQuestion
  looks: Looks | undefined
}

async function showFacets(context: Context, api: Api, { question, all }: Search & { all: boolean }): Promise<void> {
  const facets = await api.entries.facets(question)
  context.out.result(facets, () => facetLines(facets, { question, all, out: context.out }))
}

async function printIds(context: Context, api: Api, { limit, ...search }: Search & { limit: number | undefined }): Promise<void> {
  const { question, order, looks } = search
  let printed = 0
  const pages =
    looks && 'picture' in looks
      ? [await findLike(api, looks, { ...question, limit: limit ?? limits.page.max })]
      : entryPages(api, { ...question, ...order }, { limit })
  for await (const page of pages) {
    const { entries } = atLeast(page, looks)
    context.out.lines(entries.map(({ id }) => String(id)))
    printed += entries.length
  }
  if (printed === 0) await tellNothing(context, api, search)
}

interface Shown extends Search {
  limit: number | undefined
  all: boolean
  cursor: string | undefined
  noPictures: boolean
}

async function showHits(context: Context, library: Library, { limit, all, cursor, noPictures, ...search }: Shown): Promise<void> {
  const { api } = library
  const { question, order, looks } = search
  const most = all ? mostEntries : (limit ?? limits.page.default)
  if (looks && 'picture' in looks) {
    const found = atLeast(await findLike(api, looks, { ...question, limit: Math.min(most, limits.page.max) }), looks)
    return showAlike(context, library, { found, noPictures, ...search })
  }
  const found = atLeast(await readEntryPages(api, { ...question, ...order }, { limit: most, cursor }), looks)
  if (looks) return showAlike(context, library, { found, noPictures, ...search })
  const cards = await showCards(context, library, { entries: found.entries, withPictures: !noPictures && !library.isOffline })
  context.out.result(found, () => hitTable(found.entries.slice(cards), context))
  if (context.out.json) return
  if (found.entries.length === 0) await tellWhatEmpties(context, api, search)
  else if (found.next_cursor || found.entries.length >= limits.ranked) await tellHowToNarrow(context, api, { ...search, found })
  else if (context.out.terminal) context.out.note(`${countWords(found, cursor)}.`)
}

interface Alike extends Search {
  found: Pick<EntryPage, 'entries'>
  noPictures: boolean
}

/** Hits by looks: how similar they are says more than how many there are. */
async function showAlike(context: Context, library: Library, { found, noPictures, ...search }: Alike): Promise<void> {
  const { entries } = found
  const cards = await showCards(context, library, { entries, withPictures: !noPictures, byLooks: true })
  context.out.result(found, () => hitTable(entries.slice(cards), context, { byLooks: true }))
  if (context.out.json) return
  if (entries.length === 0) await tellNothing(context, library.api, search)
  else if (context.out.terminal) context.out.note(`${count(entries.length, 'entry', 'entries')}, the most similar first.`)
}

async function tellNothing(context: Context, api: Api, search: Search): Promise<void> {
  const { looks, conditions } = search
  if (looks?.minScore !== undefined) context.out.note(`Nothing is at least ${looks.minScore} similar. Try a lower --min-score.`)
  else if (looks && conditions.length === 0)
    context.out.note('The library has looked at no other picture yet. What was pushed just now takes a moment.')
  else await tellWhatEmpties(context, api, search)
}

/** How many there are in all. Behind a cursor only a server that says it knows. */
function countWords({ entries, total }: EntryPage, cursor: string | undefined): string {
  const shown = entries.length
  if (cursor === undefined || total === shown) return count(total ?? shown, 'entry', 'entries')
  return total === undefined
    ? `The last ${count(shown, 'entry', 'entries')}`
    : `The last ${number(shown)} of ${number(total)} entries`
}
