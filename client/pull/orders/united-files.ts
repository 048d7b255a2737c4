/** The files of the jobs that one order came to, as one list: each file once, and clashes between jobs as the library says them within one. */
import { clashError, newerVersionUsed, newestOf } from '../../../contract/pull-clashes.ts'
import type { PullJobObject, PullOrder, PullWarning } from '../../../contract/pull-jobs.ts'
import { extensionOf } from '../../../formats/package-place.ts'

export interface UnitedFiles {
  objects: PullJobObject[]
  /** Older versions that a newer one of the list stands for: listed by a job, and not placed. */
  yielding: PullJobObject[]
  warnings: PullWarning[]
}

type Choice = Pick<PullOrder, 'prefer' | 'entries'>

/** Without a choice the newest of two versions comes: its sender wanted that, or the library refused. Throws VALIDATION as the library does where two jobs bring different files to one place. The list of one job stays as it is. */
export function uniteFiles(
  lists: readonly (readonly PullJobObject[])[],
  { prefer, entries }: Choice = { prefer: 'newest', entries: null },
): UnitedFiles {
  const objects = eachOnce(lists)
  if (lists.length < 2) return { objects, yielding: [], warnings: [] }
  const clashes = [...Map.groupBy(objects, placeOf).values()].filter((group) => group.length > 1)
  if (clashes.length > 0 && prefer !== 'newest') throw clashError(clashes)
  const pinned = new Set(entries?.flatMap(({ object_id }) => object_id ?? []))
  const settled = clashes.map((group) => newestOf(group, pinned))
  const yielding = new Set(settled.flatMap((one) => one.yielding))
  return {
    objects: objects.filter((object) => !yielding.has(object)),
    yielding: [...yielding],
    warnings: settled.flatMap(({ newest, yielding }) => yielding.map((older) => newerVersionUsed(older, newest))),
  }
}

/** What an earlier list has is left out of later ones. A list that names a file twice keeps it: that is refused later. */
function eachOnce(lists: readonly (readonly PullJobObject[])[]): PullJobObject[] {
  const seen = new Set<number>()
  return lists.flatMap((list) => {
    const fresh = list.filter((object) => !seen.has(object?.object_id))
    for (const object of list) seen.add(object?.object_id)
    return fresh
  })
}

/** Compared as the library does: with the extension, without regard to case. What has no place clashes with nothing. */
const placeOf = (object: PullJobObject): string | PullJobObject =>
  typeof (object?.origin_path ?? object?.package_name) === 'string'
    ? `${object.origin_path ?? object.package_name}.${extensionOf(object)}`.toLowerCase()
    : object
