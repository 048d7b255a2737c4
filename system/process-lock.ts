/** A lock that one process holds at a time, and that the system lets go when the process dies, however it dies. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { ClientError, systemCode } from '../client/client-error.ts'

export interface LockOptions {
  /** Told once, when someone else has it. */
  onWait: () => void
  signal?: AbortSignal
}

const pollMs = 200

/** Waits for the lock; gives what lets it go. Throws ClientError `STATE_UNUSABLE` and what the signal says. */
export async function takeLock(path: string, { onWait, signal }: LockOptions): Promise<() => void> {
  const db = openLock(path)
  try {
    for (let isFirst = true; !tryLock(db, path); isFirst = false) {
      if (isFirst) onWait()
      await sleep(pollMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
    }
  } catch (error) {
    db.close()
    throw error
  }
  return () => db.close()
}

/** Takes the lock if nobody has it; gives what lets it go. Throws ClientError `STATE_UNUSABLE`. */
export function takeFreeLock(path: string): (() => void) | undefined {
  const db = openLock(path)
  try {
    if (tryLock(db, path)) return () => db.close()
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  return undefined
}

function openLock(path: string): Database.Database {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return new Database(path, { timeout: 0 })
  } catch (cause) {
    throw unusable(path, cause)
  }
}

const unusable = (path: string, cause: unknown): ClientError =>
  new ClientError('STATE_UNUSABLE', `The lock ${path} cannot be taken: ${cause instanceof Error ? cause.message : cause}.`, {
    cause,
  })

/** An open exclusive transaction is the lock: the system ends it together with the process. */
function tryLock(db: Database.Database, path: string): boolean {
  try {
    db.exec('begin exclusive')
    return true
  } catch (error) {
    if (systemCode(error)?.startsWith('SQLITE_BUSY')) return false
    throw unusable(path, error)
  }
}
