/** Puts folders on the disk: a name in a folder survives a power cut only once that folder was synced, by whichever process. */
import { close, fsync, open } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import pLimit from 'p-limit'

const openFolder = promisify(open)
const syncFolder = promisify(fsync)
const closeFolder = promisify(close)

/** Windows writes names through by itself and lets nobody sync a folder. */
const canSync = process.platform !== 'win32'

/** Folders open at once, of one sync. */
const mostOpen = 32

/** What systems say of a folder on a disk that does not know how to sync one, such as SMB on older kernels. PostgreSQL lets it pass, too. */
const cannotSync = new Set(['EINVAL', 'EBADF', 'ENOTSUP', 'EOPNOTSUPP'])

/** What they say of a folder above our own that belongs to someone else: we did not make it. */
const notOurs = new Set(['EACCES', 'EPERM'])

export class FolderSync {
  readonly #running = new Map<string, Promise<void>>()
  /** Those that have not begun: they serve everyone who comes before they do. */
  readonly #waiting = new Map<string, Promise<void>>()

  /** Done when every name that was in one of the folders before this call is on the disk. Callers share the work: it is per folder. */
  async settle(folders: Iterable<string>): Promise<void> {
    if (canSync) await pLimit(mostOpen).map(folders, (folder) => this.#sync(folder))
  }

  /** Done when the names of the folder, and of those above it, are on the disk. */
  async settleAbove(folder: string): Promise<void> {
    for (let at = folder; canSync && dirname(at) !== at; at = dirname(at)) {
      await this.#sync(dirname(at)).catch((error: NodeJS.ErrnoException) => {
        if (!notOurs.has(String(error.code))) throw error
      })
    }
  }

  /** Begins after the one under way, which may have begun before the name was made. */
  #sync(folder: string): Promise<void> {
    const waiting = this.#waiting.get(folder)
    if (waiting) return waiting
    const before = this.#running.get(folder) ?? Promise.resolve()
    const run = before
      .catch(() => {})
      .then(() => {
        this.#waiting.delete(folder)
        this.#running.set(folder, run)
        return sync(folder)
      })
      .finally(() => {
        if (this.#running.get(folder) === run) this.#running.delete(folder)
      })
    this.#waiting.set(folder, run)
    return run
  }
}

async function sync(folder: string): Promise<void> {
  const fd = await openFolder(folder, 'r')
  try {
    await syncFolder(fd)
  } catch (error) {
    if (!cannotSync.has(String((error as NodeJS.ErrnoException).code))) throw error
  } finally {
    await closeFolder(fd)
  }
}
