/** The dependencies and referencers of an entry, as trees; a file that several others share stands where it is nearest. */

import type { ClosureMember, DependentsMember } from '../../contract/closure-members.ts'
import type { EntryClosure, EntryDependents } from '../../contract/entry-parts.ts'
import { isLevelPart, levelsOf, partLabel } from '../../contract/level-parts.ts'
import { printable } from '../../system/printable.ts'
import { count, number, size } from '../terminal/amounts.ts'
import { branchesBelow, drawTree, type TreeBounds } from '../terminal/tree.ts'
import { className } from './type-names.ts'

/** A heading, and what stands below it. */
export interface Section {
  heading: string
  lines: string[]
  /** How much is left out. */
  hidden: number
}

export function needs({ root_object_id, total_bytes, members }: EntryClosure, bounds: TreeBounds): Section {
  const others = members.filter(({ edge }) => edge !== 'root')
  if (others.length === 0) return { heading: 'No dependencies', lines: [], hidden: 0 }
  return {
    heading: `Dependencies: ${count(others.length, 'file')}, ${size(total_bytes)} with this one`,
    ...drawTree(branchesBelow(root_object_id, others, needed), bounds),
  }
}

const needed = (member: ClosureMember): string => {
  const { shared_with_count: users } = member
  const shared = users > 1 ? `, needed by ${number(users)}` : ''
  return `${printable(nameOf(member))}  ${kindOf(member)}, ${size(member.blob_size)}${shared}`
}

/** A name with letters beyond ASCII is no `asset_name`: then the end of the path says it. */
function nameOf({ asset_name, package_name, ...member }: ClosureMember | DependentsMember): string {
  const { origin_path: place, asset_class } = member
  if (place !== null && isLevelPart(place))
    return partLabel({ path: place, asset_class, label: 'label' in member ? member.label : undefined })
  const path = package_name ?? ('source_path' in member ? member.source_path?.replace(/\.[^./]*$/, '') : undefined)
  return asset_name ?? path?.split('/').at(-1) ?? 'a file without a name'
}

export function usedBy({ root_object_id, used_by_entries, members }: EntryDependents, bounds: TreeBounds): Section {
  if (members.length === 0) return { heading: 'No referencers', lines: [], hidden: 0 }
  return {
    heading: `Referencers: ${count(used_by_entries, 'entry', 'entries')}`,
    ...drawTree(branchesBelow(root_object_id, members, using), bounds),
  }
}

const using = (member: DependentsMember): string => {
  const { entry_id, entry_name, entry_status } = member
  const state = entry_status === 'deprecated' ? ', deprecated' : entry_id === null ? withoutEntry(member) : ''
  return `${printable(entry_name ?? nameOf(member))}  ${kindOf(member)}${state}`
}

/** An actor that lies in a file of its own is no entry, in no version; of other files only the current version is one. */
function withoutEntry({ origin_path }: DependentsMember): string {
  if (origin_path === null) return ', without an entry'
  const [level] = levelsOf(origin_path)
  return level === undefined ? ', an earlier version' : `, part of ${printable(level.slice(level.lastIndexOf('/') + 1))}`
}

const kindOf = ({ asset_class, edge }: ClosureMember | DependentsMember): string =>
  `${printable(className(asset_class))}${edge === 'soft' ? ' (soft)' : ''}`
