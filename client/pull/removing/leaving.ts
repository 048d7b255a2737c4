/** What has no place in a project any more after a pull: files where props were before they moved, and parts that left their levels. */
import type { PullJobObject } from '../../../contract/pull-jobs.ts'
import type { PulledFile } from '../report.ts'
import { takeAwayFormer } from './former-places.ts'
import { broughtLevels, settleLevels } from './left-parts.ts'
import type { TakingAway, TakingParts } from './take-away.ts'

interface Brought {
  objects: readonly PullJobObject[]
  files: readonly PulledFile[]
  targetRoot: string
  jobId: number
  /** Called before anything is taken away. */
  onBegin(): Promise<unknown>
}

/** Takes such files away, as far as they may be, and remembers the sets of levels that are here now. */
export async function takeAwayLeaving(parts: TakingParts, { objects, files, ...about }: Brought): Promise<TakingAway> {
  const brought = files.filter(({ outcome }) => outcome !== 'left_out' && outcome !== 'failed')
  const moved = await takeAwayFormer(parts, { brought, ...about })
  const levels = broughtLevels(objects, files)
  const removed = levels.length > 0 ? await settleLevels(parts, levels, about.jobId) : { taken: [], left: [] }
  return { taken: [...moved.taken, ...removed.taken], left: [...moved.left, ...removed.left] }
}
