/** The actors of a level: the last sets of them, and what the newest one changed, by the labels of the outliner. */
import { changesOf } from '../../../client/memory/set-changes.ts'
import { partLabel } from '../../../contract/level-parts.ts'
import type { LevelSet, SetPart } from '../../../contract/level-sets.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import type { Section } from '../../entries/closure-words.ts'
import { setChanges } from '../../entries/levels/set-words.ts'
import { noteLine } from '../../entries/version-name.ts'
import type { Library } from '../../library.ts'
import { age, count, number } from '../../terminal/amounts.ts'
import { shorten } from '../../terminal/table.ts'

export interface ShownActors {
  /** Newest first. */
  sets: LevelSet[]
  /** What the newest one changed of the one before it in the same project. */
  changes: SetPart[]
}

const mostSets = 5
const mostChanges = 12

/** Undefined for a level without, and where the library does not say it. */
export async function readActors(api: Library['api'], lineage_id: string): Promise<ShownActors | undefined> {
  const [known] = (await api.lineages.find({ lineage_ids: [lineage_id] }).catch(() => undefined))?.lineages ?? []
  if (!known?.sets || known.sets.length === 0) return undefined
  const { sets } = await api.lineages.parts({ lineage_id, limit: mostSets })
  const [newest] = sets
  const before = sets.find((one) => one !== newest && one.project === newest?.project)
  const changes = newest && before ? await changesOf(api, { lineageId: lineage_id, set: newest.id, since: before.id }) : []
  return { sets, changes: changes ?? [] }
}

export function actorsSection({ sets, changes }: ShownActors, { out, now }: Context, all: boolean): Section {
  const [newest] = sets
  const shown = all ? changes : changes.slice(0, mostChanges)
  const signs = { added: '+', changed: '~', removed: '-' } as const
  const setLine = ({ number: at, created_at, author, project, parts, note, ...changed }: LevelSet) => {
    const by = author ? ` by ${author.name}` : ''
    const words = `set ${number(at)}${project === null ? '' : ` of ${project}`}, ${age(created_at, now())}${by}: ${setChanges(changed)}`
    return shorten(printable(`  ${words}; ${number(parts)} then  ${noteLine(note)}`.trimEnd()), out.width)
  }
  return {
    heading: count(newest?.parts ?? 0, 'actor and object', 'actors and objects'),
    lines: [
      ...sets.map(setLine),
      ...shown.map((part) => `    ${signs[part.change ?? 'changed']} ${printable(partLabel(part))}`),
      ...(changes.length > shown.length ? [`    and ${number(changes.length - shown.length)} more`] : []),
    ],
    hidden: 0,
  }
}
