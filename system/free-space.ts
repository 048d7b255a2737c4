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
