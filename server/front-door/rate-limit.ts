/** The two request budgets of a key, and those of all keys of a member together: which one a request counts against, and how much is left of it (spec 8). */
import type { Route } from '../../contract/route.ts'
import type { Settings } from '../config.ts'
import type { Actor } from '../principal.ts'
import { Window } from './windows.ts'

export type Budget = 'requests' | 'push'

/** All keys of a member may make as many requests together as so many of them: who has fewer is never held up by another key. */
export const keysOfMember = 20

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

/** Whose window has no room, and for how many ms. */
export interface Wait {
  ms: number
  isOfMember: boolean
}

export const noWait: Wait = { ms: 0, isOfMember: false }

/** Waits are told in seconds: where the key's own window explains the wait to the second, the others of its member are not spoken of. */
const toldMs = 1000

export const longerWait = (keyMs: number, memberMs: number): Wait => ({
  ms: Math.max(keyMs, memberMs),
  isOfMember: memberMs > (keyMs === 0 ? 0 : keyMs + toldMs),
})

/** The windows of all keys and members, of a process that has the database to itself. */
export class Windows {
  readonly #limits: Limits
  readonly #ofKeys = new OneKind()
  readonly #ofMembers = new OneKind()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** No wait when the request is let in, and counted; a refused one counts nowhere. */
  take({ keyId, id: memberId }: Pick<Actor, 'keyId' | 'id'>, budget: Budget, nowMs: number): Wait {
    const [key, member] = [this.#ofKeys.get(keyId, budget, nowMs), this.#ofMembers.get(memberId, budget, nowMs)]
    const limit = this.#limits[budget]
    const wait = longerWait(key.waitMs(nowMs, limit), member.waitMs(nowMs, limit * keysOfMember))
    if (wait.ms > 0) return wait
    key.take(nowMs, limit)
    member.take(nowMs, limit * keysOfMember)
    return noWait
  }
}

/** Windows by number: of keys, or of members. */
class OneKind {
  readonly #windows: Record<Budget, Map<number, Window>> = { requests: new Map(), push: new Map() }
  #pruneAt: Limits = { requests: fewWindows, push: fewWindows }

  get(id: number, budget: Budget, nowMs: number): Window {
    const windows = this.#windows[budget]
    const known = windows.get(id)
    if (known) return known
    if (windows.size >= this.#pruneAt[budget]) this.#prune(budget, nowMs)
    const window = new Window()
    windows.set(id, window)
    return window
  }

  /** Comes about once for every window that was added, so that the work stays in proportion. */
  #prune(budget: Budget, nowMs: number): void {
    const windows = this.#windows[budget]
    for (const [id, window] of windows) if (window.isEmpty(nowMs)) windows.delete(id)
    this.#pruneAt[budget] = Math.max(fewWindows, windows.size * 2)
  }
}
