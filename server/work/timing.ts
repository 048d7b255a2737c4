/** When background work is due, and that one look follows the other. */

/** After the first failure. It doubles with each further one. */
const firstPauseMs = 5_000
/** Doubled more often it would be years. */
const mostDoublings = 20

/** Until the next time: the job's interval, or after failures a pause that grows up to that. */
export const pauseMs = (everyMs: number, failures: number): number =>
  failures === 0 ? everyMs : Math.min(everyMs, firstPauseMs * 2 ** Math.min(failures - 1, mostDoublings))

/**
 * A time that lies further ahead than it was ever set was set by a clock that was wrong. Clocks of several servers may differ by as much as
 * the interval.
 */
export const isDue = (dueMs: number, nowMs: number, everyMs: number): boolean => dueMs <= nowMs || dueMs > nowMs + 2 * everyMs

/** Calls `work`, which never fails, once at a time: who calls meanwhile waits for one more run, which all who came share. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      running = work()
      return running
    })
    return next
  }
}
