/** Puts many files on the disk at once. */
import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import pLimit from 'p-limit'

const run = promisify(execFile)
const mostOpen = 16

/** Of files on the disk of one folder. */
export class FileSync {
  readonly #folder: string
  #isTogether = process.platform === 'linux'

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * On Linux one call syncs everything that was written to the disk of the folder; elsewhere each file is synced. Linux tells a failed write
   * to one such call only, whichever file it was for: after one has failed, each file is synced by itself, and its own failure is told.
   */
  async settle(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return
    this.#isTogether &&= await syncDisk(this.#folder)
    if (this.#isTogether) return
    await pLimit(mostOpen).map(paths, async (path) => {
      const file = await open(path, 'r+')
      await file.sync().finally(() => file.close())
    })
  }
}

async function syncDisk(folder: string): Promise<boolean> {
  try {
    await run('sync', ['-f', folder])
    return true
  } catch {
    return false
  }
}
