/** Puts folders on the disk: a rename survives a power cut only once its folder was synced. */
import { close, fsync, open } from 'node:fs'
import { promisify } from 'node:util'

const openFolder = promisify(open)
const syncFolder = promisify(fsync)
const closeFolder = promisify(close)

/** Windows writes renames through by itself and lets nobody sync a folder. */
const canSync = process.platform !== 'win32'

export class FolderSync {
  /** Syncs under way, and for those folders the one that follows. */
  readonly #running = new Map<string, Promise<void>>()
  readonly #next = new Map<string, Promise<void>>()

  /** Done after a sync that began after this call. Those who wait for one folder share it. */
  sync(folder: string): Promise<void> {
    if (!canSync) return Promise.resolve()
    const waiting = this.#next.get(folder)
    if (waiting) return waiting
    const running = this.#running.get(folder)
    if (!running) return this.#start(folder)
    const next = running
      .catch(() => {})
      .then(() => {
        this.#next.delete(folder)
        return this.#start(folder)
      })
    this.#next.set(folder, next)
    return next
  }

  /** Done when everything renamed before this call is on the disk; for one folder, or all. */
  async settled(folder?: string): Promise<void> {
    const pending = (syncs: Map<string, Promise<void>>) => (folder === undefined ? [...syncs.values()] : [syncs.get(folder)])
    await Promise.all([...pending(this.#running), ...pending(this.#next)])
  }

  #start(folder: string): Promise<void> {
    const run = this.#sync(folder).finally(() => this.#running.delete(folder))
    this.#running.set(folder, run)
    return run
  }

  async #sync(folder: string): Promise<void> {
    const fd = await openFolder(folder, 'r')
    try {
      await syncFolder(fd)
    } finally {
      await closeFolder(fd)
    }
  }
}
