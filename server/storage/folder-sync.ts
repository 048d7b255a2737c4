/** Puts folders on the disk: a rename survives a power cut only once its folder was synced. */
import { close, fsync, open } from 'node:fs'
import { promisify } from 'node:util'

const openFolder = promisify(open)
const syncFolder = promisify(fsync)
const closeFolder = promisify(close)

/** Windows writes renames through by itself and lets nobody sync a folder. */
const canSync = process.platform !== 'win32'

export class FolderSync {
  /** Changed since their last sync began. */
  readonly #changed = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()

  /** Something was renamed into the folder, or made in it. */
  changed(folder: string): void {
    if (canSync) this.#changed.add(folder)
  }

  /** Done when every change named before this call is on the disk. Callers share the work: it is per folder, not per change. */
  async settled(): Promise<void> {
    const folders = [...this.#changed]
    this.#changed.clear()
    for (const folder of folders) this.#start(folder)
    await Promise.all(this.#running.values())
  }

  /** After the one under way, which may have begun before the change. A failure is told to all who wait, and tried anew by the next. */
  #start(folder: string): void {
    const before = this.#running.get(folder)
    const run = (before ? before.catch(() => {}) : Promise.resolve())
      .then(() => sync(folder))
      .catch((error) => {
        this.#changed.add(folder)
        throw error
      })
      .finally(() => {
        if (this.#running.get(folder) === run) this.#running.delete(folder)
      })
    this.#running.set(folder, run)
  }
}

async function sync(folder: string): Promise<void> {
  const fd = await openFolder(folder, 'r')
  try {
    await syncFolder(fd)
  } finally {
    await closeFolder(fd)
  }
}
