/** Files of a pull that would land in one place: as what they are refused, and what is said where the newest stands for the others. */
import { type ApiError, validationError } from './errors.ts'
import type { PullJobObject, PullWarning } from './pull-jobs.ts'

type Clashing = Pick<PullJobObject, 'object_id' | 'lineage_id' | 'origin_path' | 'asset_name' | 'version'>

const titleOf = ({ origin_path, asset_name, object_id }: Clashing): string => origin_path ?? asset_name ?? `version ${object_id}`

/** Two files cannot have one destination: VALIDATION that names both. */
export function clashError(clashes: readonly (readonly Clashing[])[]): ApiError {
  return validationError(
    clashes.map((group) => {
      const isOneProp = new Set(group.map(({ lineage_id }) => lineage_id)).size === 1
      const what = isOneProp ? 'versions of one prop' : 'different props'
      const which = group.map(({ object_id }) => object_id).join(' and ')
      const advice = isOneProp ? '; ask for one of them, or send prefer: "newest"' : ''
      const [first] = group
      const message = `${group.length} ${what} (${which}) would land at ${first ? titleOf(first) : ''}${advice}`
      return { path: 'entries', message, object_ids: group.map(({ object_id }) => object_id) }
    }),
  )
}

export const newerVersionUsed = (older: Clashing, newer: Clashing): PullWarning => ({
  type: 'newer_version_used',
  message: `${titleOf(newer)} comes in v${newer.version}, although v${older.version} is asked for too.`,
  lineage_id: newer.lineage_id,
  object_id: older.object_id,
  newer_object_id: newer.object_id,
})

export const ownPropUsed = (other: Clashing, own: Clashing): PullWarning => ({
  type: 'own_prop_used',
  message: `${titleOf(own)} is a prop of this project, and stands for another one (version ${other.object_id}) that was needed at that path.`,
  lineage_id: own.lineage_id,
  object_id: own.object_id,
  other_lineage_id: other.lineage_id,
  other_object_id: other.object_id,
})

/**
 * The newest of files with one destination, where it may stand for the others: they are versions of one prop, and at most one of them was
 * requested by its id. Throws `clashError` otherwise.
 */
export function newestOf<F extends Clashing>(group: readonly F[], pinned: ReadonlySet<number>): { newest: F; yielding: F[] } {
  const newest = group.reduce((a, b) => (b.object_id > a.object_id ? b : a))
  const yielding = group.filter((file) => file !== newest)
  const isOneProp = yielding.every(({ lineage_id }) => lineage_id === newest.lineage_id)
  if (!isOneProp || group.filter(({ object_id }) => pinned.has(object_id)).length > 1) throw clashError([group])
  return { newest, yielding }
}
