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
   * On Linux one call puts all that was written to the disk of the folder on it; elsewhere file by file. What could not be written is told
   * to one such call only, and may be of a file that comes later: when one has failed, the rest goes file by file.
   */
  async settle(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return
    this.#isTogether &&= await run('sync', ['-f', this.#folder]).then(...yesOrNo)
    if (this.#isTogether) return
    await pLimit(mostOpen).map(paths, async (path) => {
      const file = await open(path, 'r+')
      await file.sync().finally(() => file.close())
    })
  }
}

const yesOrNo = [() => true, () => false] as const
