/** `ph duplicates`: props that hold the same mesh, picture or sound, and what only looks alike. */
import { readEntryDetails } from '../../client/entries/details.ts'
import { readEntryPages } from '../../client/entries/pages.ts'
import { requireEntryId } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import { type Duplicates, type LookAlikes, readDuplicates, readLookAlikes } from '../../client/looks/duplicates.ts'
import { type PayloadKind, payloadKinds } from '../../contract/duplicates.ts'
import type { EntrySummary } from '../../contract/entries.ts'
import { ApiError, exits } from '../../contract/errors.ts'
import { sourceKinds } from '../../formats/entry-types.ts'
import { among, command, flag, texts, value } from '../command.ts'
import type { Context } from '../context.ts'
import { requirePacks } from '../entries/pack-list.ts'
import { type Library, withLibrary } from '../library.ts'
import { failed, wholeNumber, wrongUsage } from '../refusal.ts'
import { count, number } from '../terminal/amounts.ts'
import { pictureTerms } from '../terminal/pictures.ts'
import { itemRow, track } from '../terminal/progress.ts'
import { openDisplay, type ProgressModel } from '../terminal/progress-display.ts'
import { mostListed, nextSteps, plainLines, showGroups, showLookAlikes, type View } from './duplicates/words.ts'
import { likeness } from './search/looks.ts'

const usualGroups = 20
const mostGroups = 100_000
/** Each is a request. */
const mostCompared = 200
const usualScore = 0.95
/** Ten requests. */
const mostKnownGroups = 2000

export const commands = [
  command({
    usage: 'duplicates [prop]',
    description:
      'Lists props whose current versions hold the same source: the same triangles, pixels or samples, whatever the packages are called and whatever else is in them. The largest saving comes first; what is deprecated does not count. Known of packages from 5.0 on, and of older ones whose source is small; not of source files, which may well lie beside the package that was made of them. Look-alikes are something else: props that hold different things and have very similar pictures; variants of one prop are none, nor are a source file and a package.',
    arguments: { prop: 'only what has something in common with this prop: its id, name or /Game path' },
    options: {
      type: value('--type <kind>', 'only mesh, picture or sound', among(['mesh', 'picture', 'sound'], readKind)),
      pack: texts('--pack <pack>', 'only what has a prop from this pack in it, by name or id (repeatable)'),
      lookAlikes: flag('--look-alikes', `also what looks alike: of the prop, or of the ${mostCompared} that changed last`),
      minScore: value(
        '--min-score <0..1>',
        `how similar look-alikes are at least (default ${usualScore})`,
        likeness('--min-score'),
      ),
      limit: value('--limit <n>', `at most so many groups (default ${usualGroups})`, wholeNumber('--limit', 1, mostGroups)),
      all: flag('--all', 'all groups'),
      noPictures: flag('--no-pictures', 'show no pictures'),
    },
    terms: pictureTerms,
    examples: [
      ['duplicates', 'where the most could be saved'],
      ['duplicates SM_Barrel --look-alikes', 'is there another like the barrel?'],
      ['duplicates --pack Tavern --type mesh', 'which meshes of a pack there are twice'],
      ['duplicates --all --json | jq "[.groups[].bytes] | add"', 'how many bytes all copies take'],
    ],
    exits: ['partly'],
    async run(context, { prop, all, ...given }) {
      if (all && given.limit !== undefined) throw wrongUsage('--all and --limit exclude each other.', 'Use one of them.')
      if (given.minScore !== undefined && !given.lookAlikes)
        throw wrongUsage('--min-score is about look-alikes.', 'Add --look-alikes.')
      return withLibrary(context, async (library) => {
        const { api } = library
        const about = {
          kind: given.type,
          entryId: prop === undefined ? undefined : await requireEntryId(api, prop),
          packIds: given.pack.length > 0 ? (await requirePacks(api, given.pack)).map(({ id }) => id) : undefined,
        }
        const limit = all ? mostGroups : (given.limit ?? usualGroups)
        const found = await readDuplicates(api, questionOf(about), limit).catch(refuseWhereUnknown)
        const looks = given.lookAlikes
          ? await compareLooks(context, api, { about, found, minScore: given.minScore ?? usualScore })
          : undefined
        await show({ context, library, withPictures: !given.noPictures }, found, looks)
        return looks?.unavailable ? exits.partly : exits.done
      })
    },
  }),
]

const otherWords: Record<string, PayloadKind> = {
  texture: 'picture',
  audio: 'sound',
  meshes: 'mesh',
  pictures: 'picture',
  sounds: 'sound',
}

function readKind(given: string): PayloadKind {
  const word = given.trim().toLowerCase()
  const kind = payloadKinds.find((one) => one === word) ?? otherWords[word]
  if (kind !== undefined) return kind
  throw wrongUsage(`--type does not take "${given}".`, `It takes ${payloadKinds.join(', ')}.`)
}

interface About {
  kind: PayloadKind | undefined
  entryId: number | undefined
  packIds: number[] | undefined
}

const questionOf = ({ kind, entryId, packIds }: About) => ({
  ...(kind === undefined ? {} : { kind }),
  ...(entryId === undefined ? {} : { entry_id: entryId }),
  ...(packIds === undefined ? {} : { pack: packIds }),
})

/** Other servers, and older ones, have no such list. */
function refuseWhereUnknown(error: unknown): never {
  if (!(error instanceof ApiError && error.status === 404 && error.code !== 'ENTRY_NOT_FOUND')) throw error
  throw failed('NOT_SUPPORTED', 'This server does not know which props hold the same.', 'Ask its administrator to update it.')
}

interface ComparedLooks extends LookAlikes {
  /** There are more that were not compared. */
  more: boolean
  /** The library cannot compare pictures now. */
  unavailable: boolean
}

/** Sounds have no looks: their pictures are waveforms. */
const looksTypes = (kind: PayloadKind | undefined): string[] =>
  kind === undefined ? [...sourceKinds.mesh, ...sourceKinds.picture] : [...sourceKinds[kind]]

async function compareLooks(
  context: Context,
  api: Api,
  { about, found, minScore }: { about: About; found: Duplicates; minScore: number },
): Promise<ComparedLooks> {
  const question = { type: looksTypes(about.kind) }
  const { entries, more } = await chooseCompared(api, about, question)
  // What is shown may be the first groups only; what holds the same is no look-alike all the same.
  const { groups } = found.next_cursor === null ? found : await readDuplicates(api, questionOf(about), mostKnownGroups)
  const members = groups.map(({ entries: held }) => new Set(held.map(({ id }) => id)))
  const isKnown = (one: EntrySummary, other: EntrySummary) => members.some((ids) => ids.has(one.id) && ids.has(other.id))
  const display = openDisplay(context, compareModel)
  const tell = (done: number, total: number) => display.tell({ kind: 'compared', done, total })
  try {
    const alike = await readLookAlikes(api, entries, { question, minScore, isKnown, tell })
    return { ...alike, more, unavailable: false }
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'EMBEDDINGS_UNAVAILABLE')) throw error
    return { groups: [], compared: 0, without_looks: 0, more, unavailable: true }
  } finally {
    await display.hide()
  }
}

async function chooseCompared(
  api: Api,
  { entryId, packIds }: About,
  question: { type: string[] },
): Promise<{ entries: EntrySummary[]; more: boolean }> {
  if (entryId !== undefined) return { entries: [...(await readEntryDetails(api, [entryId])).values()], more: false }
  const listed = { ...question, ...(packIds ? { pack: packIds } : {}), sort: 'date_updated', order: 'desc' } as const
  const { entries, next_cursor } = await readEntryPages(api, listed, { limit: mostCompared })
  return { entries: entries.filter(({ has_thumbnail }) => has_thumbnail), more: next_cursor !== null }
}

type Compared = { kind: 'compared'; done: number; total: number }

const compareModel: ProgressModel<Compared, Compared> = {
  start: () => ({ kind: 'compared', done: 0, total: 0 }),
  advance: (_, event) => event,
  look: ({ done, total }) => ({
    rows: total > 0 ? [itemRow('Comparing looks', { ...track(), done, total })] : [],
    waiting: undefined,
    idle: 'Looking at props',
  }),
}

async function show(view: View & { library: Library }, found: Duplicates, looks: ComparedLooks | undefined): Promise<void> {
  const { context, library } = view
  const { out } = context
  const alike = looks && { ...looks, groups: looks.groups.map(asAnswered) }
  out.result({ ...found, ...(alike ? { look_alikes: alike } : {}) }, () =>
    out.terminal ? [] : plainLines(found.groups, looks, context),
  )
  if (out.json) return
  if (out.terminal) {
    const listed = found.groups.flatMap(({ entries }) => entries.slice(0, mostListed).map(({ id }) => id))
    await showGroups(view, found.groups, await readEntryDetails(library.api, listed))
    out.lines(nextSteps(found.groups, context))
  }
  if (found.groups.length === 0) out.note(nothingWords)
  if (found.next_cursor !== null) out.note(`${number(found.groups.length)} groups shown; there are more: see them with --all.`)
  if (looks === undefined) return
  if (out.terminal) await showLookAlikes(view, looks)
  tellOfLooks(context, looks)
}

const nothingWords =
  'No two props are known to hold the same mesh, picture or sound. What was pushed by an older ph is not known: pushing it again tells.'

const asAnswered = ({ entry, entries }: LookAlikes['groups'][number]) => ({
  entry: { id: entry.id, name: entry.name },
  entries: entries.map(({ id, name, score }) => ({ id, name, score })),
})

function tellOfLooks({ out }: Context, { groups, compared, without_looks, more, unavailable }: ComparedLooks): void {
  if (unavailable) {
    out.note('Look-alikes are left out: the library cannot compare pictures at the moment. Try again later.')
    return
  }
  const last = more ? ' that changed last; name a prop or a pack to look at others' : ''
  if (groups.length > 0) out.note(`Compared the looks of ${count(compared, 'prop')}${last}.`)
  else if (compared === 1) out.note('No other prop looks like this one.')
  else if (compared > 1) out.note(`No two props look alike, of the ${count(compared, 'prop')}${last}.`)
  if (without_looks > 0)
    out.note(
      `${count(without_looks, 'prop')} could not be compared: there is no picture, or the library has not looked at it yet.`,
    )
}
