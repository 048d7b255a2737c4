/** The two request budgets of a key: which one a request counts against, and how much is left of it (spec 8). */
import type { Route } from '../../contract/route.ts'
import type { Settings } from '../config.ts'
import { Window } from './windows.ts'

export type Budget = 'requests' | 'push'

/** Requests per key and minute. */
export type Limits = Record<Budget, number>

export const limitsOf = ({ rateLimitRequests, rateLimitPush }: Settings): Limits => ({
  requests: rateLimitRequests,
  push: rateLimitPush,
})

/** Everything below these is of the larger budget, whether there is a route or not. */
const pushPath = /^\/api\/v1\/(push|blobs)\//

export const budgetOf = (route: Route | undefined, path: string): Budget =>
  route?.budget ?? (!route && pushPath.test(path) ? 'push' : 'requests')

/** Windows kept before those that nobody uses any more are looked for. */
const fewWindows = 1000

/** The windows of all keys, of a process that has the database to itself. */
export class Windows {
  readonly #limits: Limits
  readonly #windows: Record<Budget, Map<number, Window>> = { requests: new Map(), push: new Map() }
  #pruneAt: Limits = { requests: fewWindows, push: fewWindows }

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** 0 when the request is let in, and counted; else how many milliseconds the key has to wait. */
  take(keyId: number, budget: Budget, nowMs: number): number {
    const windows = this.#windows[budget]
    let window = windows.get(keyId)
    if (!window) {
      if (windows.size >= this.#pruneAt[budget]) this.#prune(budget, nowMs)
      window = new Window()
      windows.set(keyId, window)
    }
    return window.take(nowMs, this.#limits[budget])
  }

  /** Comes about once for every window that was added, so that the work stays in proportion. */
  #prune(budget: Budget, nowMs: number): void {
    const windows = this.#windows[budget]
    for (const [keyId, window] of windows) if (window.isEmpty(nowMs)) windows.delete(keyId)
    this.#pruneAt[budget] = Math.max(fewWindows, windows.size * 2)
  }
}
