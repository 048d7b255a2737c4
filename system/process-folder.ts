/** A folder of one process below one that several share: locked while the process lives, removed by a later one after its death. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bootId } from './boot-id.ts'
import { diskKindOf } from './disk-kind.ts'
import { type Lock, tryLockFolder } from './lock.ts'

/** Another process that starts may take a folder for a left one, in the moment before it is locked. */
const mostAttempts = 5

export class ProcessFolder {
  readonly dir: string
  readonly #lock: Lock

  /** Removes what killed processes left below `parent`; other living ones keep theirs. */
  constructor(parent: string) {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    for (const dir of foldersIn(parent).judged) removeIfLeft(dir)
    const made = make(parent)
    this.dir = made.dir
    this.#lock = made.lock
  }

  close(): void {
    this.#lock.release()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

/**
 * The folders below `parent`: those whose lock says whether their process lives, and those that stay because theirs may say nothing.
 * Locks hold within one run of one system; on a disk that other machines use as well, the folders of others are left alone.
 */
export function foldersIn(parent: string): { judged: string[]; strange: string[] } {
  const dirs = readdirSync(parent).map((name) => join(parent, name))
  const { reach } = diskKindOf(parent)
  if (reach === 'local' || reach === 'plain') return { judged: dirs, strange: [] }
  const own = prefix()
  const isOwn = (dir: string) => basename(dir).startsWith(own)
  return { judged: dirs.filter(isOwn), strange: dirs.filter((dir) => !isOwn(dir)) }
}

/** Of folders that processes on this machine made since it was started; containers on it share them. */
const prefix = (): string => `p-${createHash('sha256').update(bootId()).digest('hex').slice(0, 12)}_`

function make(parent: string): { dir: string; lock: Lock } {
  for (let attempt = 1; ; attempt++) {
    const dir = mkdtempSync(join(parent, prefix()))
    try {
      const lock = tryLockFolder(dir)
      if (lock && existsSync(dir)) return { dir, lock }
      lock?.release()
    } catch (error) {
      if (existsSync(dir) || attempt === mostAttempts) throw error
    }
    if (attempt === mostAttempts) throw new NoLocks(dir)
  }
}

/** The disk gives no locks. */
export class NoLocks extends Error {
  constructor(dir: string) {
    super(
      `${dir} was just made, and its lock cannot be had: the disk (${diskKindOf(dir).name}) gives no locks. Put the data folder on a disk of this machine, or mount this one with locks.`,
    )
  }
}

/** What is being removed has another name: a process that has just made it finds it gone, instead of a lock that goes with it. */
const leaving = '.gone'
/** Windows renames no folder in which a file is open. */
const busy = new Set(['ENOTEMPTY', ...(process.platform === 'win32' ? ['EPERM', 'EBUSY', 'EACCES'] : [])])

/** Under its lock, where the system lets an open file be removed. Several processes that start at once may remove the same one. */
function removeIfLeft(dir: string): void {
  let lock: Lock | undefined
  try {
    lock = tryLockFolder(dir)
    if (!lock) return
    if (process.platform === 'win32') lock.release()
    const gone = dir.endsWith(leaving) ? dir : `${dir}${leaving}`
    renameSync(dir, gone)
    rmSync(gone, { recursive: true, force: true })
  } catch (error) {
    // Another one was faster, or opens the lock's file anew in a folder that is being emptied: that stays for the next start.
    if (existsSync(dir) && !busy.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    lock?.release()
  }
}
