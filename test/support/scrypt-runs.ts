/** Counts what the process hashes with scrypt, as Node itself reports it. */
import { createHook } from 'node:async_hooks'

export interface ScryptRuns {
  count: number
  /** The most that ran at one moment. */
  most: number
}

/** While `work` runs. */
export async function scryptRuns(work: () => Promise<unknown>): Promise<ScryptRuns> {
  const running = new Set<number>()
  const runs = { count: 0, most: 0 }
  const hook = createHook({
    init(id, type) {
      if (type !== 'SCRYPTREQUEST') return
      running.add(id)
      runs.count += 1
      runs.most = Math.max(runs.most, running.size)
    },
    before: (id) => void running.delete(id),
  }).enable()
  try {
    await work()
  } finally {
    hook.disable()
  }
  return runs
}
