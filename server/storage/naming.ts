/** Gives a whole file its name in the store. A name that is there is never taken away from the bytes that have it. */
import { existsSync, linkSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../../contract/errors.ts'
import { isNoLinkCode } from '../../system/disk-codes.ts'
import { tryLock } from '../../system/lock.ts'

/** Of the lock that is held for moments only. */
const lockName = 'naming.sqlite'
const patienceMs = 5000

/**
 * False when the name was there before: then the bytes it stands for stay, and those of `from` go. A second link fails when there is
 * a name, whichever process made it; a rename would replace it. Without links, those who rename do it one after the other: who
 * does is settled by a lock in `lockDir`, which all processes on the store share.
 */
export function nameFile(from: string, target: string, lockDir: string): boolean {
  try {
    linkSync(from, target)
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code)
    if (isNoLinkCode(code)) return alone(lockDir, () => renameNew(from, target))
    if (code !== 'EEXIST') throw error
    unlinkSync(from)
    return false
  }
  unlinkSync(from)
  return true
}

function renameNew(from: string, target: string): boolean {
  const isNew = !existsSync(target)
  if (isNew) renameSync(from, target)
  else unlinkSync(from)
  return isNew
}

/** Calls `work` while no other process does the same for this folder. It has to be quick: others stand still until it is done. */
function alone<T>(dir: string, work: () => T): T {
  const path = join(dir, lockName)
  const lock = tryLock(path, patienceMs)
  if (!lock)
    throw new ApiError('UNAVAILABLE', `Another process has held ${path} for ${patienceMs / 1000} seconds. Try again.`, {
      reason: 'disk_failed',
    })
  try {
    return work()
  } finally {
    lock.release()
  }
}
