/** Connections for transactions, apart from those of other statements, so that waiting for a lock delays no reader. */
import type { ConnectionPool } from './driver/pool.ts'
import { FairQueue, type Leave } from './fair-queue.ts'
import type { Waits } from './waits.ts'

/** Who asks for a slot: a workspace by its number, or the accounts, which belong to none. */
export type Writer = number | 'accounts'

export interface WritersOptions {
  pool: ConnectionPool
  slots: number
  /** No workspace has all of them. */
  slotsEach: number
  /** Another process may hold a workspace's lock. */
  isShared: boolean
  waits: Waits
}

export class Writers {
  /** Whether a workspace's lock has to be taken in the database too. */
  readonly isShared: boolean
  /** How long a process waits for another one to release a workspace. */
  readonly lockMs: number
  /** One of each workspace's writers at a time goes on under its lock; the others hold no connection meanwhile (workspace-lock.ts). */
  readonly locks: FairQueue<number>
  /** Told after each commit of this process that moved the feeds of a workspace (feed.ts). */
  readonly onFeedMoved = new Set<(workspaceId: number) => void>()
  readonly pool: ConnectionPool
  readonly #slots: FairQueue<Writer>

  constructor({ pool, slots, slotsEach, isShared, waits }: WritersOptions) {
    this.isShared = isShared
    this.lockMs = waits.lockMs
    const waitMs = waits.lockMs
    this.locks = new FairQueue({
      slots: Number.POSITIVE_INFINITY,
      slotsEach: 1,
      waitMs,
      message: busy('this workspace', waitMs),
    })
    this.#slots = new FairQueue({ slots, slotsEach, waitMs, message: busy('the library', waitMs) })
    this.pool = pool
  }

  /** A slot among those who write at the same time. */
  enter(writer: Writer): Promise<Leave> {
    return this.#slots.take(writer)
  }
}

/** Transactions that read several things as of one moment. PGlite has one session, in which they stand between two who write. */
export class Moments {
  readonly pool: ConnectionPool
  readonly #slots: FairQueue<'reading'> | undefined

  constructor(pool: ConnectionPool, limits?: { slots: number; waitMs: number }) {
    this.pool = pool
    if (limits) {
      const message = `The library has been busy with other readers for ${limits.waitMs / 1000} seconds. Try again in a few seconds.`
      this.#slots = new FairQueue({ ...limits, slotsEach: limits.slots, message })
    }
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    return this.#slots ? this.#slots.run('reading', work) : work()
  }
}

/** The error after waiting in vain for others to finish. */
export const busy = (what: string, waitMs: number): string =>
  `Other changes to ${what} have gone on for ${waitMs / 1000} seconds, so this one was not begun. Nothing was changed; try again in a few seconds.`
