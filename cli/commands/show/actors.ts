/** The actors of a level: the last sets of them, and what the newest one changed, by the labels of the outliner. */
import type { ShownActors } from '../../../client/entries/entry-parts.ts'
import { partLabel } from '../../../contract/level-parts.ts'
import type { LevelSet } from '../../../contract/level-sets.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import type { Section } from '../../entries/closure-words.ts'
import { setChanges } from '../../entries/levels/set-words.ts'
import { noteLine } from '../../entries/version-name.ts'
import { age, count, number } from '../../terminal/amounts.ts'
import { shorten } from '../../terminal/table.ts'

const mostChanges = 12

/** The last sets, and what the newest one changed. */
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
