/** The folders of a project below which pulls land, and what another one than `/Game` breaks (contract-gaps 4). Loads no schemas. */
import type { PullWarning } from './pull-jobs.ts'

/** Files keep the paths that they were pushed with, and so do the references between them. */
export const plainRoot = '/Game'

/** What people want to know before files land below another root. */
export const rootWarnings = (targetRoot: string): PullWarning[] =>
  targetRoot === plainRoot
    ? []
    : [
        {
          type: 'other_root',
          message: `Files land below ${targetRoot} instead of ${plainRoot}. References between packages are paths: they still name ${plainRoot}, and break. With the root ${plainRoot} they hold.`,
          target_root: targetRoot,
        },
      ]
