/** A queue for a limited number of slots, fair to all who ask: who asks for many delays no one else, and every wait has an end. */
import { ApiError } from '../../contract/errors.ts'

export interface QueueLimits {
  /** In all, and for one key. */
  slots: number
  slotsEach: number
  /** How long a waiter waits while nobody gets a slot. */
  waitMs: number
  /** The message of the error when the wait was in vain. */
  message: string
}

/** Gives the slot back; a second call does nothing. `inVain`: nothing was done with it, so it does not count as progress for those who wait. */
export type Leave = (inVain?: boolean) => void

interface Waiter {
  enter: (leave: Leave) => void
  sinceMs: number
  timer: NodeJS.Timeout | undefined
}

interface Line {
  waiters: Set<Waiter>
  /** When one of them last got a slot whose last holder had used it. */
  movedMs: number
}

/** As long as the line moves, a waiter may wait this many times longer. */
const longestWaits = 6

/** Askers are told apart by a key, such as the number of their workspace. */
export class FairQueue<K> {
  readonly #limits: QueueLimits
  readonly #taken = new Map<K, number>()
  /** The line that is served next comes first. */
  readonly #lines = new Map<K, Line>()
  #used = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Undefined where there is none at this moment, or others were there first. */
  takeNow(key: K): Leave | undefined {
    return this.#lines.has(key) || !this.#isFree(key) ? undefined : this.#take(key)
  }

  /** Throws UNAVAILABLE `busy` after too long a wait. */
  take(key: K): Promise<Leave> {
    const leave = this.takeNow(key)
    if (leave) return Promise.resolve(leave)
    return new Promise((enter, reject) => {
      const line = this.#lines.get(key) ?? { waiters: new Set(), movedMs: 0 }
      this.#lines.set(key, line)
      const waiter: Waiter = { enter, sinceMs: performance.now(), timer: undefined }
      line.waiters.add(waiter)
      this.#watch(line, waiter, () => {
        line.waiters.delete(waiter)
        if (line.waiters.size === 0) this.#lines.delete(key)
        reject(new ApiError('UNAVAILABLE', this.#limits.message, { reason: 'busy' }))
      })
    })
  }

  async run<T>(key: K, work: () => Promise<T>): Promise<T> {
    const leave = await this.take(key)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  #isFree(key: K): boolean {
    return this.#used < this.#limits.slots && (this.#taken.get(key) ?? 0) < this.#limits.slotsEach
  }

  #take(key: K): Leave {
    this.#count(key, 1)
    let hasLeft = false
    return (inVain = false) => {
      if (hasLeft) return
      hasLeft = true
      this.#count(key, -1)
      this.#handOut(inVain)
    }
  }

  #count(key: K, change: 1 | -1): void {
    this.#used += change
    const taken = (this.#taken.get(key) ?? 0) + change
    if (taken === 0) this.#taken.delete(key)
    else this.#taken.set(key, taken)
  }

  /** After a slot was given to a line, that line goes behind the others. */
  #handOut(inVain: boolean): void {
    for (const [key, line] of [...this.#lines]) {
      if (this.#used >= this.#limits.slots) return
      const [first] = line.waiters
      if (!first || !this.#isFree(key)) continue
      this.#lines.delete(key)
      line.waiters.delete(first)
      if (line.waiters.size > 0) this.#lines.set(key, line)
      if (!inVain) line.movedMs = performance.now()
      clearTimeout(first.timer)
      first.enter(this.#take(key))
    }
  }

  #watch(line: Line, waiter: Waiter, giveUp: () => void): void {
    const { waitMs } = this.#limits
    const look = () => {
      const now = performance.now()
      const until = Math.min(Math.max(waiter.sinceMs, line.movedMs) + waitMs, waiter.sinceMs + longestWaits * waitMs)
      if (now >= until) giveUp()
      else waiter.timer = setTimeout(look, Math.ceil(until - now))
    }
    look()
  }
}
