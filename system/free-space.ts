/** Room on disks. */
import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** Bytes that may still be written to the disk of a folder. Disks that do not say (some of the network, in memory) have no end. */
export function freeBytes(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder)
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
}

/** The folder, or the nearest one above that is there. */
export function nearestFolder(folder: string): string {
  let at = folder
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at)
  return at
}

/** SQLite writes pages of 4 KiB, and a few at once. */
const fewBytes = 64 * 1024

/** Whether an error of SQLite about a file is one of the room on its disk: it calls some of them errors of reading and writing. */
export function isRoomMissing(code: string | undefined, folder: string): boolean {
  if (code === 'SQLITE_FULL') return true
  if (!code?.startsWith('SQLITE_IOERR')) return false
  try {
    return freeBytes(folder) < fewBytes
  } catch {
    return false
  }
}
