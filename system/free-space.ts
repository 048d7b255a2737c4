/** Room that is kept free on the server's own disks: writing is refused while reading still works. */
import { statfsSync } from 'node:fs'
import { ApiError } from '../contract/errors.ts'

const MiB = 1024 * 1024

/**
 * The embedded database takes its journal 16 MiB at a time, ends when it cannot, and needs the same again to be opened. What is
 * kept is enough for the largest commit under way, and to start again.
 */
export const reserveBytes = 64 * MiB

/** What may still be written to the disk of a folder. Disks that do not say (some of the network, in memory) have no end. */
export function freeBytes(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder)
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
}

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
