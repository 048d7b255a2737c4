/** Where the files of an order land in a project, and what is said of another root than `/Game` (contract-gaps 4). */
import type { Project } from '../../../contract/projects.ts'
import type { PullWarning } from '../../../contract/pull-jobs.ts'
import { plainRoot, rootWarnings } from '../../../contract/target-roots.ts'

/** The root that was chosen for the project, whose name is compared without regard to case; `/Game` where nobody chose one. */
export function chosenRoot(projects: readonly Pick<Project, 'name' | 'default_root'>[], project: string): string {
  const known = projects.find(({ name }) => name.toLowerCase() === project.toLowerCase())
  return known?.default_root ?? plainRoot
}

/** What the library warned of, and once that of the root, whether the library does that or not. */
export function withRootWarning(warnings: readonly PullWarning[], targetRoot: string): PullWarning[] {
  const [own] = rootWarnings(targetRoot)
  return own ? [...warnings.filter(({ type }) => type !== own.type), own] : [...warnings]
}
