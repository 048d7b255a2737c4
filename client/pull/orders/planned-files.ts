/** What jobs are to bring: their lists of files as one, where each file goes, and what is to be said of them before anything is compared. */
import type { PullJobDetail, PullJobObject, PullOrder, PullWarning } from '../../../contract/pull-jobs.ts'
import { type Destinations, destinationsOf, type PullFile, receiverIn, withLeftOut, withMisnamed } from '../destinations.ts'
import { type JobFiles, uniteMisnamed, uniteWarnings, wrongLists, yieldingItem } from '../job-report.ts'
import { type MissingInProject, missingInProject, namedObject } from '../missing-in-project.ts'
import { type Obstacle, obstacle } from '../obstacle.ts'
import type { PulledFile } from '../report.ts'
import type { PullTarget } from '../target-project.ts'
import { withRootWarning } from './target-root.ts'
import { uniteFiles } from './united-files.ts'

export interface PlannedFiles extends Destinations {
  /** What is no list that a library gives; then no file is planned. */
  obstacles: Obstacle[]
  /** Of each job, as it was answered. */
  lists: readonly (readonly PullJobObject[])[]
  /** Each file once. */
  objects: readonly PullJobObject[]
  /** Those that go into the project, and those that are left out. */
  all: PullFile[]
  /** Older versions that a newer one stands for: told to the library alone. */
  yielding: PulledFile[]
  warnings: PullWarning[]
  missing: MissingInProject
  /** Bytes of all that goes into the project. */
  bytes: number
}

interface Ordered {
  jobs: readonly { job: PullJobDetail }[]
  order: PullOrder | null
  warnings: readonly PullWarning[]
  target: PullTarget
}

/** Before the lists are known. */
export const nothingYet = ({ jobs, warnings, target }: Ordered): PlannedFiles => ({
  ...{ obstacles: [], lists: [], objects: [], all: [], yielding: [], bytes: 0 },
  ...{ files: [], leftOut: [], refused: [] },
  warnings: withRootWarning(warnings, rootOf(jobs)),
  missing: missingInProject([], target),
})

const rootOf = (jobs: Ordered['jobs']): string => jobs[0]?.job.target_root ?? ''

export function plannedFilesOf(answers: readonly JobFiles[], ordered: Ordered): PlannedFiles {
  const { jobs, order, target } = ordered
  const nothing = nothingYet(ordered)
  const wrong = wrongLists(jobs, answers)
  if (wrong.length > 0) return { ...nothing, obstacles: wrong }
  const root = rootOf(jobs)
  const lists = answers.map(({ objects }) => objects)
  const { objects, yielding, warnings } = uniteFiles(lists, order ?? undefined)
  const destined = destinationsOf(objects, root, receiverIn(target))
  const { files, leftOut, refused } = destined
  if (refused.length > 0)
    return { ...nothing, lists, obstacles: refused.map(({ what, why }) => obstacle('not-allowed', what, `${what} ${why}.`)) }
  const said = uniteWarnings([...ordered.warnings, ...warnings], { objects, engineVersion: target.engineVersion })
  const misnamed = uniteMisnamed(jobs.map(({ job }) => job))
  return {
    ...{ ...nothing, ...destined, lists, objects },
    all: [...files, ...leftOut],
    yielding: yielding.flatMap((object) => destinationsOf([object], root).files.map(yieldingItem)),
    warnings: withLeftOut(withRootWarning(withMisnamed(said, { misnamed }, target.root), root), leftOut),
    missing: missingInProject(objects.map(namedObject), target),
    bytes: files.reduce((sum, { object }) => sum + object.blob_size, 0),
  }
}
