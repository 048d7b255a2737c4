/** `ph show`: one entry with its picture, facts, versions, what it needs and what needs it. */
import type { ClosureMember, DependentsMember, EntryDetail } from '../../contract/entries.ts'
import type { Lineage } from '../../contract/lineages.ts'
import { count, size } from '../amounts.ts'
import { command, flag } from '../command.ts'
import type { Context } from '../context.ts'
import { entryFacts } from '../entry-facts.ts'
import { requireEntryId } from '../entry-reference.ts'
import { type Library, withLibrary } from '../library.ts'
import { printable } from '../printable.ts'
import { shorten } from '../table.ts'
import { fetchThumbnail, pictureDrawing, pictureTerms } from '../thumbnails.ts'
import { branchesBelow, treeLines } from '../tree.ts'
import { versionTable } from '../version-table.ts'

const pictureBox = { columns: 40, rows: 16 }
/** Longer trees and lists end in a line that says how much is missing; `--all` shows everything. */
const mostTreeLines = 24
const mostVersions = 5

export const commands = [
  command({
    usage: 'show <entry>',
    arguments: { entry: 'its id, its name or its /Game path' },
    options: {
      all: flag('--all', 'show long lists whole'),
      noPictures: flag('--no-pictures', 'show no picture'),
    },
    terms: pictureTerms,
    examples: [
      ['show SM_Barrel', 'the entry of that name'],
      ['show /Game/Medieval/Props/SM_Barrel', 'the entry at that path, as the editor copies it'],
      ['show 42 --json', 'everything about entry 42 as JSON: entry, lineage, closure, dependents'],
    ],
    async run(context, { entry: reference, all, noPictures }) {
      await withLibrary(context, async (library) => {
        const found = await gather(library, await requireEntryId(library.api, reference))
        await showPicture(context, library, { entry: found.entry, wanted: !noPictures })
        context.out.result(found, () => description(found, context, all))
      })
      return undefined
    },
  }),
]

interface Found {
  entry: EntryDetail
  lineage: Lineage
  closure: { total_objects: number; total_bytes: number; root_object_id: number; members: ClosureMember[] }
  dependents: { total_objects: number; used_by_entries: number; root_object_id: number; members: DependentsMember[] }
}

async function gather({ api }: Library, entry_id: number): Promise<Found> {
  const entry = await api.entries.get({ entry_id })
  const [lineage, closure, dependents] = await Promise.all([
    api.lineages.get({ lineage_id: entry.lineage_id }),
    api.entries.closure({ entry_id }),
    api.entries.dependents({ entry_id }),
  ])
  return { entry, lineage, closure, dependents }
}

async function showPicture(context: Context, library: Library, { entry, wanted }: { entry: EntryDetail; wanted: boolean }) {
  const drawing = await pictureDrawing(context, wanted && entry.has_thumbnail)
  if (!drawing) return
  const bytes = await fetchThumbnail(library, entry.id)
  const columns = Math.min(pictureBox.columns, context.out.width)
  if (bytes) context.out.raw(await drawing.draw(bytes, { ...pictureBox, columns }))
}

function description({ entry, lineage, closure, dependents }: Found, context: Context, all: boolean): string[] {
  const { out } = context
  const most = all ? Number.POSITIVE_INFINITY : mostTreeLines
  const title = (text: string) => ['', out.paint('bold', text)]
  const versions = lineage.objects.slice(0, all ? undefined : mostVersions)
  const hidden = lineage.objects.length - versions.length
  return [
    `${out.paint('bold', printable(entry.name))}  ${entry.asset_class}${entry.status === 'deprecated' ? ', deprecated' : ''}`,
    ...(entry.origin_path ? [out.paint('dim', entry.origin_path)] : []),
    '',
    ...entryFacts(entry, out),
    ...title(count(lineage.objects.length, 'version')),
    ...versionTable(versions, context),
    ...(hidden > 0 ? [`and ${count(hidden, 'older version')}: ph history ${entry.id}`] : []),
    ...trees({ closure, dependents }, { title, most }).map((line) => shorten(line, out.width)),
  ]
}

const trees = ({ closure, dependents }: Pick<Found, 'closure' | 'dependents'>, style: TreeStyle): string[] => [
  ...needs(closure, style),
  ...usedBy(dependents, style),
]

interface TreeStyle {
  title(text: string): string[]
  most: number
}

function needs(closure: Found['closure'], { title, most }: TreeStyle): string[] {
  const others = closure.members.filter(({ edge }) => edge !== 'root')
  if (others.length === 0) return title('Needs nothing else')
  const heading = `Needs ${count(others.length, 'other file')}, ${size(closure.total_bytes)} in all`
  const label = ({ asset_name, asset_class, edge, object_id }: ClosureMember) =>
    `${printable(asset_name ?? `version ${object_id}`)}  ${asset_class}${edge === 'soft' ? ' (soft)' : ''}`
  return [...title(heading), ...treeLines(branchesBelow(closure.root_object_id, others, label), most)]
}

function usedBy(dependents: Found['dependents'], { title, most }: TreeStyle): string[] {
  if (dependents.members.length === 0) return title('Used by nothing')
  const heading = `Used by ${count(dependents.used_by_entries, 'entry', 'entries')}`
  const label = ({ entry_name, asset_name, asset_class, edge, object_id }: DependentsMember) =>
    `${printable(entry_name ?? asset_name ?? `version ${object_id}`)}  ${asset_class}${edge === 'soft' ? ' (soft)' : ''}`
  return [...title(heading), ...treeLines(branchesBelow(dependents.root_object_id, dependents.members, label), most)]
}
