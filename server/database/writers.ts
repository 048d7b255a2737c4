/** Connections for transactions, apart from those of other statements: who waits for a lock keeps no reader waiting. */
import { FairQueue, type Leave } from './fair-queue.ts'
import type { LimitedPool, RenewedPool } from './pool.ts'
import type { Waits } from './waits.ts'

/** Who asks for a place: a workspace by its number, or the accounts, which belong to none. */
export type Writer = number | 'accounts'

export interface WritersOptions {
  pool: RenewedPool
  places: number
  /** No workspace has all of them. */
  placesEach: number
  /** Another process may hold a workspace's lock. */
  isShared: boolean
  waits: Waits
}

export class Writers {
  /** Whether a workspace's lock has to be taken in the database too. */
  readonly isShared: boolean
  /** So long a process waits for another one to let go of a workspace. */
  readonly lockMs: number
  /** One of each workspace's writers at a time goes on under its lock; the others hold no connection meanwhile (workspace-lock.ts). */
  readonly locks: FairQueue<number>
  readonly #pool: RenewedPool
  readonly #places: FairQueue<Writer>

  constructor({ pool, places, placesEach, isShared, waits }: WritersOptions) {
    this.isShared = isShared
    this.lockMs = waits.lockMs
    const waitMs = waits.lockMs
    this.locks = new FairQueue({
      places: Number.POSITIVE_INFINITY,
      placesEach: 1,
      waitMs,
      message: busy('this workspace', waitMs),
    })
    this.#places = new FairQueue({ places, placesEach, waitMs, message: busy('the library', waitMs) })
    this.#pool = pool
  }

  /** The connections as they are now: a transaction stays with those it began on. */
  get pool(): LimitedPool {
    return this.#pool.current
  }

  /** A place among those who write at the same time. */
  enter(writer: Writer): Promise<Leave> {
    return this.#places.take(writer)
  }
}

/** Transactions that read several things as of one moment. PGlite has one session, in which they stand between two who write. */
export class Moments {
  readonly #pool: RenewedPool
  readonly #places: FairQueue<'reading'> | undefined

  constructor(pool: RenewedPool, limits?: { places: number; waitMs: number }) {
    this.#pool = pool
    if (limits) {
      const message = `The library has been busy with other readers for ${limits.waitMs / 1000} seconds. Try again in a few seconds.`
      this.#places = new FairQueue({ ...limits, placesEach: limits.places, message })
    }
  }

  get pool(): LimitedPool {
    return this.#pool.current
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    return this.#places ? this.#places.run('reading', work) : work()
  }
}

/** What those are told who waited in vain for others to finish. */
export const busy = (what: string, waitMs: number): string =>
  `Other changes to ${what} have gone on for ${waitMs / 1000} seconds, so this one was not begun. Nothing was changed; try again in a few seconds.`
