/** Gives a whole file its name in the store. A name that is there is never taken away from the bytes that have it. */
import { existsSync, linkSync, renameSync, unlinkSync } from 'node:fs'
import { alone } from '../../system/folder-lock.ts'

/**
 * What systems say of a disk without hard links: exFAT and FAT, some SMB and FUSE. Windows says of them that a function is wrong,
 * which Node calls EISDIR.
 */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'])

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
    if (noLinks.has(code)) return alone(lockDir, () => renameNew(from, target))
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
