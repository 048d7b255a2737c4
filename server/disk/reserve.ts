/** Room that is kept free on the server's own disks: writing is refused while reading still works. */
import { ApiError } from '../../contract/errors.ts'
import { freeBytes } from '../../system/free-space.ts'

const MiB = 1024 * 1024

/**
 * The embedded database takes its journal 16 MiB at a time, ends when it cannot, and needs the same again to be opened. What is
 * kept is enough for the largest commit under way, and to start again.
 */
export const reserveBytes = 64 * MiB

/** Throws UNAVAILABLE `disk_full` when no more than the reserve is left where the folder lies. */
export function requireRoom(folder: string): void {
  const left = freeBytes(folder)
  if (left >= reserveBytes) return
  throw new ApiError(
    'UNAVAILABLE',
    `The disk of the server that holds ${folder} is full: ${Math.floor(left / MiB)} MiB are left, and the server keeps ${reserveBytes / MiB} MiB for itself. Free some space there, then try again.`,
    { reason: 'disk_full' },
  )
}
