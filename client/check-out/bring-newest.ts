/** Brings the newest versions of what was checked out into the project. What was changed here stays: it is a conflict of the pull, and is kept. */
import type { PullOptions } from '../pull/options.ts'
import type { PullReport } from '../pull/report.ts'
import { findTarget } from '../pull/target-project.ts'
import type { NamedProps } from './named-props.ts'
import type { CheckOutPlan } from './plan.ts'
import type { CheckedOut } from './take.ts'

/** Those that a pull would bring: older here, gone from the disk, or named and not in the project yet. By entry. */
export function findToBring({ props, project }: Pick<NamedProps, 'props' | 'project'>, made: readonly CheckedOut[]): number[] {
  if (project === null) return []
  const pulled = new Set(props.flatMap(({ lineage_id, origin_path }) => (origin_path === null ? [] : lineage_id)))
  return made.flatMap(({ entry_id, lineage_id, standing, is_needed, files }) =>
    entry_id !== null &&
    pulled.has(lineage_id) &&
    (standing === 'outdated' || (standing === 'missing' && (files.length > 0 || !is_needed)))
      ? entry_id
      : [],
  )
}

export type BringOptions = Omit<PullOptions, 'target' | 'order' | 'onConflict'>

/** Throws what `pull` throws; what was checked out stays checked out. */
export async function bringNewest(
  { root, project }: CheckOutPlan,
  entryIds: readonly number[],
  options: BringOptions,
): Promise<PullReport> {
  const { pull } = await import('../pull/pull.ts')
  const target = findTarget({ cwd: root ?? '.', project: project ?? '' })
  return pull({ ...options, target, order: async () => entryIds.map((entry_id) => ({ entry_id })), onConflict: 'keep' })
}

const isPlaced = new Set(['added', 'updated', 'identical', 'overwritten'])

/** The same props; those whose files are the newest version now say so, and which files they are. */
export function afterBringing(made: readonly CheckedOut[], { jobs }: PullReport): CheckedOut[] {
  const files = Map.groupBy(
    jobs.flatMap((job) => job.files.filter(({ outcome }) => isPlaced.has(outcome))),
    ({ lineage_id }) => lineage_id,
  )
  return made.map((one) => {
    const placed = files.get(one.lineage_id)
    if (!placed || (one.standing !== 'outdated' && one.standing !== 'missing')) return one
    return { ...one, standing: 'current', files: [...new Set([...one.files, ...placed.map(({ file }) => file)])] }
  })
}
