/** A folder of one process below one that several share: locked while the process lives, removed by a later one after its death. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FolderLock, lockFolder } from './folder-lock.ts'

/** Another process that starts may take a folder for a left one, in the moment before it is locked. */
const mostAttempts = 5

export class ProcessFolder {
  readonly dir: string
  readonly #lock: FolderLock

  /** Removes what killed processes left below `parent`; other living ones keep theirs. */
  constructor(parent: string) {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(parent)) removeIfLeft(join(parent, name))
    const made = make(parent)
    this.dir = made.dir
    this.#lock = made.lock
  }

  close(): void {
    this.#lock.release()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

function make(parent: string): { dir: string; lock: FolderLock } {
  for (let attempt = 1; ; attempt++) {
    const dir = mkdtempSync(join(parent, 'p-'))
    try {
      const lock = lockFolder(dir)
      if (lock && existsSync(dir)) return { dir, lock }
      lock?.release()
    } catch (error) {
      if (existsSync(dir) || attempt === mostAttempts) throw error
    }
    if (attempt === mostAttempts) throw new Error(`${dir} was just made and is locked already`)
  }
}

/** Under its lock, where the system lets an open file be removed. */
function removeIfLeft(dir: string): void {
  const lock = lockFolder(dir)
  if (!lock) return
  if (process.platform === 'win32') lock.release()
  rmSync(dir, { recursive: true, force: true })
  lock.release()
}
