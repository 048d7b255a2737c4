/** A lock on a folder that the system releases when its holder dies. Process ids would mislead in containers. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { ApiError } from '../contract/errors.ts'
import { explainDisk } from './disk-failure.ts'

const lockName = 'in-use.sqlite'
/** Of the lock that is held for moments only. */
const namingName = 'naming.sqlite'
const patienceMs = 5000

export interface FolderLock {
  release(): void
}

/** Takes the lock of a folder that exists; undefined when another process, or another part of this one, holds it. */
export function lockFolder(dir: string): FolderLock | undefined {
  try {
    return lockFile(join(dir, lockName))
  } catch (error) {
    throw explainDisk(error, dir)
  }
}

/** Calls `work` while no other process does the same for this folder. It has to be quick: others stand still until it is done. */
export function alone<T>(dir: string, work: () => T): T {
  const path = join(dir, namingName)
  const lock = lockFile(path, patienceMs)
  if (!lock)
    throw new ApiError('UNAVAILABLE', `Another process has held ${path} for ${patienceMs / 1000} seconds. Try again.`, {
      reason: 'disk_failed',
    })
  try {
    return work()
  } finally {
    lock.release()
  }
}

function lockFile(path: string, timeout = 0): FolderLock | undefined {
  const lock = new SQLite(path, { timeout })
  try {
    lock.exec('begin exclusive')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
}

/** Whether a process holds the lock of a folder. Makes nothing there. */
export function isFolderLocked(dir: string): boolean {
  const path = join(dir, lockName)
  if (!existsSync(path)) return false
  const look = new SQLite(path, { readonly: true, timeout: 0 })
  try {
    look.prepare('select 1 from sqlite_master').get()
    return false
  } catch (error) {
    if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true
    throw error
  } finally {
    look.close()
  }
}
