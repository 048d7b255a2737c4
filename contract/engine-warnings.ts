/** What people want to know of files that were saved by an older engine than the project has. */
import type { PullWarning } from './pull-jobs.ts'

/** None where there is no such file. */
export function olderEngineWarnings(objects: number): PullWarning[] {
  if (objects === 0) return []
  const count = objects === 1 ? '1 file was' : `${objects} files were`
  return [
    { type: 'older_engine', message: `${count} saved by an older engine; the editor converts what it saves again.`, objects },
  ]
}
