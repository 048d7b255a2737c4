/** Where uploads lie until they are whole: one folder per process, locked while it lives, emptied by the next one after its death. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FolderLock, lockFolder } from '../folder-lock.ts'

export class IncomingFolder {
  readonly #dir: string
  readonly #lock: FolderLock
  #count = 0

  /** Removes what killed processes left below `parent`; other living ones keep theirs. */
  constructor(parent: string) {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(parent)) removeIfLeft(join(parent, name))
    this.#dir = mkdtempSync(join(parent, 'p-'))
    const lock = lockFolder(this.#dir)
    if (!lock) throw new Error(`${this.#dir} was just made and is locked already`)
    this.#lock = lock
  }

  /** A name that was never used before. */
  newPath(): string {
    this.#count += 1
    return join(this.#dir, String(this.#count))
  }

  close(): void {
    this.#lock.release()
    rmSync(this.#dir, { recursive: true, force: true })
  }
}

function removeIfLeft(dir: string): void {
  const lock = lockFolder(dir)
  if (!lock) return
  lock.release()
  rmSync(dir, { recursive: true, force: true })
}
