/** A queue for work that takes memory: so much of it at once. What comes later waits, in a fair order, and not for long. */
import { ApiError, validationError } from '../../contract/errors.ts'

/** Who is behind a request: shares are theirs. */
export interface Owner {
  workspace: string
  key: string
}

export interface Work {
  owner: Owner
  weight: number
  /** Ends the waiting, with its reason. */
  signal?: AbortSignal
}

/** Given back once; again does nothing. */
export type GiveBack = () => void

interface Waiting extends Work {
  enter: (giveBack: GiveBack) => void
  giveUp: (reason: unknown) => void
}

/** Work that has waited so long is refused, to be sent again (contract, head of docs/api.md). */
const patience = { waitMs: 10_000, retrySeconds: 5 }

export class WeightedQueue {
  /** The weight that may be inside at once. */
  readonly most: number
  readonly #waitMs: number
  readonly #mostWaiting: number
  readonly #waiting: Waiting[] = []
  readonly #used = new Map<string, number>()
  #inside = 0

  /** `mostWaiting`: of a longer line the last one of the workspace, and in it of the key, that has most of it is refused. */
  constructor(most: number, waitMs = patience.waitMs, mostWaiting = Number.POSITIVE_INFINITY) {
    this.most = most
    this.#waitMs = waitMs
    this.#mostWaiting = mostWaiting
  }

  /** Fails with UNAVAILABLE after ten seconds or when the line is full, and with VALIDATION when there is never so much room. */
  async take(work: Work): Promise<GiveBack> {
    const { signal } = work
    signal?.throwIfAborted()
    if (work.weight > this.most) throw tooHeavy(work.weight, this.most)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      }
      const giveUp = (reason: unknown) => {
        leave()
        reject(reason)
        this.#admit()
      }
      const enter = (giveBack: GiveBack) => {
        leave()
        resolve(giveBack)
      }
      const onAbort = () => giveUp(signal?.reason)
      const waiting: Waiting = { ...work, enter, giveUp }
      const timer = setTimeout(() => giveUp(busy()), this.#waitMs)
      signal?.addEventListener('abort', onAbort)
      this.#waiting.push(waiting)
      this.#admit()
      if (this.#waiting.length > this.#mostWaiting) this.#lastOfMost()?.giveUp(busy())
    })
  }

  #lastOfMost(): Waiting | undefined {
    const ofWorkspace = countBy(this.#waiting, ({ owner }) => owner.workspace)
    const ofKey = countBy(this.#waiting, ({ owner }) => keyOf(owner))
    const most = ({ owner }: Work) =>
      (ofWorkspace.get(owner.workspace) ?? 0) * this.#waiting.length + (ofKey.get(keyOf(owner)) ?? 0)
    let last: Waiting | undefined
    for (const one of this.#waiting) if (!last || most(one) >= most(last)) last = one
    return last
  }

  /** Of those whose own share has room, who has least inside comes first; nobody slips past, so that large ones are let in too. */
  #admit(): void {
    for (;;) {
      const next = this.#next()
      if (!next || (this.#inside > 0 && this.#inside + next.weight > this.most)) return
      next.enter(this.#enter(next))
    }
  }

  #next(): Waiting | undefined {
    let best: Waiting | undefined
    for (const one of this.#waiting) if (this.#hasShare(one) && (!best || this.#rank(one) < this.#rank(best))) best = one
    return best
  }

  /** A workspace has half of the room, a key a quarter; a single one may take more than that. */
  #hasShare({ owner, weight }: Work): boolean {
    const [workspace, key] = [this.#usedBy(owner.workspace), this.#usedBy(keyOf(owner))]
    return (workspace === 0 || workspace + weight <= this.most / 2) && (key === 0 || key + weight <= this.most / 4)
  }

  #rank({ owner }: Work): number {
    return this.#usedBy(owner.workspace) + this.#usedBy(keyOf(owner)) / this.most
  }

  #usedBy(name: string): number {
    return this.#used.get(name) ?? 0
  }

  #enter({ owner, weight }: Work): GiveBack {
    this.#count(owner, weight)
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      this.#count(owner, -weight)
      this.#admit()
    }
  }

  #count(owner: Owner, weight: number): void {
    this.#inside += weight
    for (const name of [owner.workspace, keyOf(owner)]) {
      const used = this.#usedBy(name) + weight
      if (used > 0) this.#used.set(name, used)
      else this.#used.delete(name)
    }
  }
}

function countBy<One>(all: readonly One[], nameOf: (one: One) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1)
  return counts
}

const keyOf = ({ workspace, key }: Owner): string => `${workspace} ${key}`

/** For whom there is no room at present. */
export const busy = (): ApiError =>
  new ApiError('UNAVAILABLE', `The server is busy with other large requests. Send this again in ${patience.retrySeconds} s.`, {
    reason: 'busy',
    retry_after_seconds: patience.retrySeconds,
  })

const tooHeavy = (weight: number, maximum: number): ApiError =>
  validationError([
    { path: 'body', message: 'is more than the memory of this server takes at once; send less at once', weight, maximum },
  ])
