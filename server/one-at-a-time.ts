/** Work of which one run follows the other, however often it is called for. */

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
