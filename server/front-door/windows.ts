/** The requests of each key within the last minute: a sliding window that is exact, and bounded (spec 8). */

export const windowMs = 60_000
/** Runs that a window is kept in at most; budgets up to this are counted request by request. */
const mostRuns = 240

/**
 * Requests of a large budget that come within so many milliseconds share a run, which counts as of its last one: a request leaves the window
 * at most so much later than it could, and never too early.
 */
export const grainMs = (limit: number): number => (limit <= mostRuns ? 1 : windowMs / mostRuns)

/** Times in milliseconds and counts, oldest first. */
export class Window {
  readonly #times: number[] = []
  readonly #counts: number[] = []
  #total = 0

  /** Counts a request where there is room: 0; else how many milliseconds until there is. A refused one does not count. */
  take(nowMs: number, limit: number): number {
    const waitMs = this.waitMs(nowMs, limit)
    if (waitMs === 0) this.#add(nowMs, 1, grainMs(limit))
    return waitMs
  }

  /** In how many milliseconds there is room; 0 where there is. */
  waitMs(nowMs: number, limit: number): number {
    this.#rewind(nowMs, grainMs(limit))
    this.#expire(nowMs)
    return this.#total < limit ? 0 : this.#untilRoom(nowMs, limit)
  }

  isEmpty(nowMs: number): boolean {
    this.#expire(nowMs)
    return this.#total === 0
  }

  #add(nowMs: number, count: number, grain: number): void {
    const last = this.#times.length - 1
    const time = this.#times[last]
    if (time !== undefined && Math.floor(time / grain) === Math.floor(nowMs / grain)) {
      this.#times[last] = nowMs
      this.#counts[last] = (this.#counts[last] ?? 0) + count
    } else {
      this.#times.push(nowMs)
      this.#counts.push(count)
    }
    this.#total += count
  }

  /** After the clock went back, what lies in its future counts as of now: nobody waits longer than a minute, and nothing is forgotten. */
  #rewind(nowMs: number, grain: number): void {
    let count = 0
    while ((this.#times.at(-1) ?? 0) > nowMs) {
      this.#times.pop()
      count += this.#counts.pop() ?? 0
    }
    this.#total -= count
    if (count > 0) this.#add(nowMs, count, grain)
  }

  #expire(nowMs: number): void {
    let gone = 0
    for (; (this.#times[gone] ?? Number.POSITIVE_INFINITY) <= nowMs - windowMs; gone++) this.#total -= this.#counts[gone] ?? 0
    if (gone === 0) return
    this.#times.splice(0, gone)
    this.#counts.splice(0, gone)
  }

  #untilRoom(nowMs: number, limit: number): number {
    let left = this.#total
    for (const [index, time] of this.#times.entries()) {
      left -= this.#counts[index] ?? 0
      if (left < limit) return time + windowMs - nowMs
    }
    return windowMs
  }
}
