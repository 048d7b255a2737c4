/** A lock on a folder that the system releases when its holder dies. Process ids would mislead in containers. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { explainDisk } from './disk-failure.ts'

export interface FolderLock {
  release(): void
}

/** Takes the lock of a folder that exists; undefined when another process, or another part of this one, holds it. */
export function lockFolder(dir: string): FolderLock | undefined {
  try {
    return lockFile(join(dir, 'in-use.sqlite'))
  } catch (error) {
    throw explainDisk(error, dir)
  }
}

function lockFile(path: string): FolderLock | undefined {
  const lock = new SQLite(path, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
}
