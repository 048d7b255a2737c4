/**
 * A lock on a file that one holder has at a time, in whichever process. The system releases it when its holder dies: an open exclusive
 * transaction of SQLite is the lock. Process ids would mislead in containers.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'

export interface Lock {
  release(): void
}

/** Undefined when someone else holds it, after `patienceMs` too. Throws what SQLite says where a disk or a folder gives no lock. */
export function tryLock(path: string, patienceMs = 0): Lock | undefined {
  const lock = new SQLite(path, { timeout: patienceMs })
  try {
    lock.exec('begin exclusive')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

const lockName = 'in-use.sqlite'

/** The lock of a folder that exists. */
export const tryLockFolder = (dir: string): Lock | undefined => tryLock(join(dir, lockName))

/** Whether someone holds the lock of a folder. Makes nothing there. */
export function isFolderLocked(dir: string): boolean {
  const path = join(dir, lockName)
  if (!existsSync(path)) return false
  const look = new SQLite(path, { readonly: true, timeout: 0 })
  try {
    look.prepare('select 1 from sqlite_master').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    look.close()
  }
}

const isBusy = (error: unknown): boolean => error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')
