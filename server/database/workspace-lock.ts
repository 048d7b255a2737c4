/**
 * The lock of a workspace, under which commits and wide curation go one after the other (rows/hold.ts). A transaction that has to wait for it
 * holds nothing meanwhile, no connection either: it is rolled back, and begun again when the lock is free.
 */

import { ApiError } from '../../contract/errors.ts'
import { isLockTimeout } from './failure.ts'
import type { Leave } from './fair-queue.ts'
import type { Sql } from './sql.ts'
import { busy, type Writers } from './writers.ts'

/** Thrown out of a transaction that has to wait: it is rolled back. */
export class LockTaken extends Error {}

/** So long a transaction waits for another process with its connection, before others have it for a moment. */
const connectedWaitMs = 500

/** In a restored library the numbers of workspaces go far beyond an integer; two with one key only wait for one another. */
const lockKey = (sql: Sql, workspaceId: number) => sql`(${workspaceId}::bigint % 2147483647)::int`

/** Of one request, over all its attempts. */
export class WorkspaceLock {
  readonly #writers: Writers
  #workspaceId: number | undefined
  #leave: Leave | undefined
  #isHeld = false
  /** When another process was first found to hold it. */
  #othersSinceMs: number | undefined

  constructor(writers: Writers) {
    this.#writers = writers
  }

  /** In a transaction that has changed nothing yet. Throws LockTaken, for `wait`, or UNAVAILABLE `busy`. */
  async hold(sql: Sql, workspaceId: number): Promise<void> {
    this.#workspaceId = workspaceId
    this.#leave ??= this.#writers.locks.takeNow(workspaceId)
    if (!this.#leave) throw new LockTaken()
    if (this.#writers.isShared) await this.#holdAmongProcesses(sql, workspaceId)
    this.#isHeld = true
  }

  /** Until it is worth another attempt. */
  async wait(): Promise<void> {
    if (this.#workspaceId !== undefined) this.#leave ??= await this.#writers.locks.take(this.#workspaceId)
  }

  /** At the end of the last attempt. */
  letGo(): void {
    this.#leave?.(!this.#isHeld)
  }

  async #holdAmongProcesses(sql: Sql, workspaceId: number): Promise<void> {
    const [tried] = await sql<
      { is_held: boolean }[]
    >`select pg_try_advisory_xact_lock(7410, ${lockKey(sql, workspaceId)}) as is_held`
    if (tried?.is_held) return
    const now = performance.now()
    this.#othersSinceMs ??= now
    const leftMs = Math.ceil(this.#othersSinceMs + this.#writers.lockMs - now)
    if (leftMs <= 0)
      throw new ApiError('UNAVAILABLE', busy('this workspace by another server', this.#writers.lockMs), { reason: 'busy' })
    await sql`select set_config('lock_timeout', ${String(Math.min(connectedWaitMs, leftMs))}, true)`
    try {
      await sql`select pg_advisory_xact_lock(7410, ${lockKey(sql, workspaceId)})`
    } catch (error) {
      throw isLockTimeout(error) ? new LockTaken() : error
    }
    await sql`select set_config('lock_timeout', ${String(this.#writers.lockMs)}, true)`
  }
}

const locks = new WeakMap<Sql, WorkspaceLock>()

/** The transaction may take this lock. */
export function mayHold(sql: Sql, lock: WorkspaceLock): void {
  locks.set(sql, lock)
}

export function lockOf(sql: Sql): WorkspaceLock {
  const lock = locks.get(sql)
  if (!lock) throw new Error('the lock of a workspace is taken in a transaction of transaction.ts only')
  return lock
}
