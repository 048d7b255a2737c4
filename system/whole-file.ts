/** Files that are never half there: written beside their place, synced, then renamed into it (design.md 4). */
import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface WholeFileOptions {
  /** Permissions of the file; the default is what the system gives to new files. */
  mode?: number
  /** Permissions of folders made on the way. */
  folderMode?: number
}

/**
 * Makes or replaces `path` by what `write` puts into a new file of the same folder. When `write` fails nothing has changed
 * and the new file is gone. Throws what the system says.
 */
export async function writeWhole(
  path: string,
  write: (file: FileHandle) => Promise<unknown>,
  options: WholeFileOptions = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: options.folderMode })
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}.part`)
  try {
    const file = await open(temporary, 'wx', options.mode)
    try {
      await write(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
