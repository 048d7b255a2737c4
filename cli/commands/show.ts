/** `ph show`: one entry with its picture, facts, versions, its dependencies and referencers. */

import { ClientError } from '../../client/client-error.ts'
import { readEntryParts, type ShownActors } from '../../client/entries/entry-parts.ts'
import { requireEntryId } from '../../client/entries/reference.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import type { EntryClosure, EntryDependents } from '../../contract/entry-parts.ts'
import type { Lineage } from '../../contract/lineages.ts'
import { printable } from '../../system/printable.ts'
import { command, flag, value } from '../command.ts'
import type { Context } from '../context.ts'
import { needs, type Section, usedBy } from '../entries/closure-words.ts'
import { entryFacts } from '../entries/facts.ts'
import { className } from '../entries/type-names.ts'
import { versionTable } from '../entries/version-table.ts'
import type { Library } from '../library.ts'
import { offlineOption, withLibraryOrMirror } from '../offline.ts'
import { wholeNumber } from '../refusal.ts'
import { count } from '../terminal/amounts.ts'
import { pictureDrawing, pictureTerms } from '../terminal/pictures.ts'
import { shorten } from '../terminal/table.ts'
import { requireTurnStyle, turnTerms } from '../terminal/turn.ts'
import { wrap } from '../terminal/wrap.ts'
import { actorsSection } from './show/actors.ts'
import { entryPicture, withMeasures } from './show/picture.ts'
import { turnEntry } from './show/turn.ts'

/** Beside the facts where there is room for both, else above them. */
const picture = { beside: { columns: 36, rows: 18 }, above: { columns: 40, rows: 16 }, gap: 3, roomBeside: 100 }
/** In the overview; a part that is asked for by its option is shown longer, and whole with `--all`. */
const overview = { versions: 5, branches: 20, depth: 4 }
const detailed = { versions: 50, branches: 200, depth: 12 }
/** Deeper lines no longer fit. */
const deepest = 24

export const commands = [
  command({
    usage: 'show <entry>',
    description:
      'Shows the facts, and the beginning of the versions, dependencies and referencers. With --versions, --closure or --dependents it shows only that part, and more of it. A file that several others need stands once in a tree, at the nearest of them. The picture is drawn from the preview of a mesh, texture or sound where the library has one, else it is the thumbnail. With --turn a mesh stands on a turntable: left and right turn it, up and down tilt it, + and - zoom, 0 goes back to the beginning, space stops and starts, q or Esc leaves.',
    arguments: { entry: 'its id, its name or its /Game path' },
    options: {
      versions: flag('--versions', 'its versions'),
      closure: flag('--closure', 'its dependencies, direct and indirect'),
      dependents: flag('--dependents', 'its referencers, direct and indirect'),
      depth: value('--depth <n>', 'show this many levels of trees', wholeNumber('--depth', 1, deepest)),
      all: flag('--all', 'show long lists and trees whole'),
      noPictures: flag('--no-pictures', 'show no picture'),
      turn: flag('--turn', 'look at the mesh from all sides, on a turntable in the terminal'),
      offline: offlineOption,
    },
    terms: { ...pictureTerms, list: [...pictureTerms.list, ...turnTerms] },
    examples: [
      ['show SM_Barrel', 'the entry of that name'],
      ['show /Game/Medieval/Props/SM_Barrel', 'the entry at that path, as the editor copies it'],
      ['show BP_Campfire --closure --depth 2', 'what it needs, and what that needs'],
      ['show SM_Barrel --turn', 'on a turntable in the terminal'],
      ['show M_Oak --dependents --all', 'everything that would change with this material'],
      ['show 42 --json', 'everything about entry 42 as JSON: entry, lineage, closure, dependents'],
    ],
    async run(context, { entry: reference, turn, ...wish }) {
      const style = turn ? await requireTurnStyle(context, insteadOfTurning) : undefined
      if (style) {
        return withLibraryOrMirror(context, { offline: wish.offline }, async (library) => {
          const entry = await library.api.entries.get({ entry_id: await requireEntryId(library.api, reference) })
          return turnEntry(context, library, { entry, style })
        })
      }
      await withLibraryOrMirror(context, { offline: wish.offline, leftOut }, async (library) => {
        const found = await findParts(library, await requireEntryId(library.api, reference), partsOf(wish))
        const { entry, refused = [] } = found
        const head = wantsFacts(wish)
          ? await factLines(context, library, { entry, withPictures: !wish.noPictures })
          : [nameLine(entry, context, context.out.width)]
        const { refused: _, ...shown } = found
        context.out.result(shown, () => [...head, ...sections(shown, context, wish).slice(head.length === 0 ? 1 : 0)])
        for (const reason of refused) context.out.note(printable(reason))
      })
      return undefined
    },
  }),
]

const insteadOfTurning =
  '`ph show` says what is known of it, `ph download` brings its file, `ph convert` makes that a GLB for any viewer.'

interface Wish {
  versions: boolean
  closure: boolean
  dependents: boolean
  depth: number | undefined
  all: boolean
  noPictures: boolean
  offline: boolean
}

/** Nothing in particular means everything. */
const wantsFacts = ({ versions, closure, dependents }: Wish): boolean => !versions && !closure && !dependents

const allParts = ['versions', 'closure', 'dependents'] as const
type Part = (typeof allParts)[number]
const partsOf = (wish: Wish): Part[] => allParts.filter((part) => wish[part] || wantsFacts(wish))

interface Found {
  entry: EntryDetail
  lineage?: Lineage
  closure?: EntryClosure
  dependents?: EntryDependents
  /** Of a level: the last sets of its actors, and what the newest one changed. */
  actors?: ShownActors
  /** Why parts of an overview are left out. */
  refused?: string[]
}

/** What a mirror does not have of an entry. */
const leftOut =
  'Comments, collections, decisions, dependencies and referencers are not shown, and versions only of props that changed since the mirror was loaded.'

const asked = { versions: ['lineage', 'actors'], closure: ['closure'], dependents: ['dependents'] } as const

/** Asks for what is shown, no more. An overview goes without a part that is refused; who asks for that part hears why there is none. */
async function findParts({ api, isOffline }: Library, entry_id: number, parts: readonly Part[]): Promise<Found> {
  if (isOffline) {
    const entry = await api.entries.get({ entry_id })
    return { entry, ...(parts.includes('versions') && (await knownVersions(api, entry.lineage_id))) }
  }
  const { refused, ...found } = await readEntryParts(
    api,
    entry_id,
    parts.flatMap((part) => asked[part]),
  )
  const [first] = refused
  if (first && parts.length < allParts.length) throw first
  return { ...found, ...(first && { refused: refused.map(({ message }) => message) }) }
}

async function knownVersions(api: Library['api'], lineage_id: string): Promise<Pick<Found, 'lineage'>> {
  const lineage = await api.lineages.get({ lineage_id }).catch((error: unknown) => {
    if (!(error instanceof ClientError && error.code === 'NOT_OFFLINE')) throw error
  })
  return lineage ? { lineage } : {}
}

/** Title and facts. Where the picture stands beside them they are drawn with it, and no lines are left to print. */
async function factLines(
  context: Context,
  library: Library,
  { entry, withPictures }: { entry: EntryDetail; withPictures: boolean },
): Promise<string[]> {
  const { out } = context
  let measured = entry
  const factsIn = (width: number) => [
    ...title(entry, context, width),
    ...entryFacts(measured, { ...context, isOffline: library.isOffline }, width),
  ]
  const drawing = await pictureDrawing(context, withPictures)
  const found = drawing && (await entryPicture(context, library, entry))
  const { bytes, facts, without } = found ?? {}
  if (facts) measured = withMeasures(entry, facts)
  if (!drawing || !bytes) return [...factsIn(out.width), ...(without ? ['', ...wrap(without, out.width)] : [])]
  if (out.width >= picture.roomBeside) {
    const width = out.width - picture.beside.columns - picture.gap
    out.raw(await drawing.drawBeside(bytes, factsIn(width), { box: picture.beside, gap: picture.gap, margin: 0 }))
    return []
  }
  out.raw(await drawing.draw(bytes, { ...picture.above, columns: Math.min(picture.above.columns, out.width) }))
  return factsIn(out.width)
}

const title = (entry: EntryDetail, context: Context, width: number): string[] => [
  nameLine(entry, context, width),
  ...(entry.origin_path === null ? [] : [context.out.paint('dim', shorten(printable(entry.origin_path), width, 'middle'))]),
  '',
]

function nameLine({ name, asset_class, status }: EntryDetail, { out }: Context, width: number): string {
  const kind = shorten(
    `${printable(className(asset_class))}${status === 'deprecated' ? ', deprecated' : ''}`,
    Math.floor(width / 2),
  )
  return `${out.paint('bold', shorten(printable(name), width - kind.length - 2, 'middle'))}  ${kind}`
}

/** Each begins with an empty line. */
function sections({ entry, lineage, actors, closure, dependents }: Found, context: Context, wish: Wish): string[] {
  const { out } = context
  const bounds = wantsFacts(wish) ? overview : detailed
  const most = wish.all ? Number.POSITIVE_INFINITY : bounds.branches
  const trees = { most, deepest: wish.depth ?? (wish.all ? deepest : bounds.depth) }
  const fitted = ({ lines, ...section }: Section) => ({ ...section, lines: lines.map((line) => shorten(line, out.width)) })
  const shown: Partial<Record<Part | 'actors', Section>> = {
    ...(lineage && { versions: versionSection(lineage, context, wish.all ? undefined : bounds.versions) }),
    ...(actors && { actors: actorsSection(actors, context, wish.all) }),
    ...(closure && { closure: fitted(needs(closure, trees)) }),
    ...(dependents && { dependents: fitted(usedBy(dependents, trees)) }),
  }
  return Object.entries(shown).flatMap(([part, { heading, lines: below, hidden }]) => [
    '',
    out.paint('bold', shorten(heading, out.width)),
    ...below,
    ...(hidden > 0 && !wish.all ? [out.paint('dim', `all of it: ph show ${entry.id} --${part} --all`)] : []),
  ])
}

function versionSection({ objects }: Lineage, context: Context, most: number | undefined): Section {
  const shown = objects.slice(0, most)
  return {
    heading: count(objects.length, 'version'),
    lines: versionTable(shown, context),
    hidden: objects.length - shown.length,
  }
}
