/** Actors under their level, by what people call them: `L_Inn: Door_2, Table and 3 more`. Their files are named by hashes. */
import type { PartName } from '../../../client/entries/part-names.ts'
import { number } from '../../terminal/amounts.ts'

/** Of each level, so many actors are named. */
const mostActors = 10

/** A text for each level. `more`: how all of them are shown. */
export function partGroups(parts: readonly PartName[], { all, more }: { all: boolean; more?: string }): string[] {
  const byLevel = Map.groupBy(parts, ({ level }) => level)
  return [...byLevel].map(([level, actors]) => {
    const labels = actors.map(({ label, left_level }) => `${label}${left_level ? ' (left the level)' : ''}`)
    const shown = all ? labels : labels.slice(0, mostActors)
    const hidden = labels.length - shown.length
    const others = hidden > 0 ? [`and ${number(hidden)} more${more === undefined ? '' : ` (${more})`}`] : []
    return `${level.slice(level.lastIndexOf('/') + 1)}: ${[...shown, ...others].join(', ')}`
  })
}
