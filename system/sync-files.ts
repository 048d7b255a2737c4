/** Puts many files on the disk at once. */
import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import pLimit from 'p-limit'

const run = promisify(execFile)
const mostOpen = 16

/** All of them lie on the disk of `folder`. On Linux one call puts all that was written there on it; elsewhere file by file. */
export async function syncFiles(folder: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  const isDone = process.platform === 'linux' && (await run('sync', ['-f', folder]).then(...yesOrNo))
  if (isDone) return
  await pLimit(mostOpen).map(paths, async (path) => {
    const file = await open(path, 'r+')
    await file.sync().finally(() => file.close())
  })
}

const yesOrNo = [() => true, () => false] as const
