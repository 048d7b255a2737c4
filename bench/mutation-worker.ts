/** A thread that does the runs of bench/mutations.ts, and tells of each before it begins. */
import { parentPort, workerData } from 'node:worker_threads'
import { mutationCorpus, warmUp } from '../test/support/mutation-corpus.ts'
import { MutationRuns } from '../test/support/mutation-runs.ts'

export interface MutationOrder {
  seed: string
  from: number
  to: number
  maxBytes: number
  reader?: string
  /** The index of the run that is under way; -1 before the first. */
  current: Int32Array
}

const { seed, from, to, maxBytes, reader, current } = workerData as MutationOrder
/** Runs between two messages. */
const batch = 500

const all = await mutationCorpus(maxBytes)
const runs = new MutationRuns(reader === undefined ? all : all.filter((subject) => subject.reader === reader), seed)
await warmUp()
for (let index = from; index < to; index++) {
  Atomics.store(current, 0, index)
  await runs.run(index)
  if (index + 1 === to || (index - from) % batch === batch - 1) {
    const { counts, faults, slowestMs } = runs
    parentPort?.postMessage({ done: index + 1, counts, slowestMs, faults: faults.splice(0) })
    for (const key of Object.keys(counts)) delete counts[key]
  }
}
