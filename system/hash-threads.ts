/** SHA-256 of many files at once, in threads that read each file a single time; and copies of them, made on the way. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { batchesBySize } from './file-batches.ts'
import type { Hashed, HashJob, HashOrder, HashReport, HashSetting } from './hash-worker.ts'

export type { Hashed, HashJob } from './hash-worker.ts'

export interface SizedJob extends HashJob {
  /** Bytes, as far as known: decides the order. */
  size: number
}

const mostThreads = 8
const bytesPerMessage = 8 * 1024 * 1024

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './hash-worker.ts' : './hash-worker.js', import.meta.url)

interface Thread {
  worker: Worker
  /** Settles with the next report. */
  hear: (report: HashReport) => void
  fail: (error: unknown) => void
  /** It has ended, and takes no orders. */
  ended?: { error: unknown }
}

export class HashThreads {
  readonly #threads: Thread[]

  /** `bytesPerSecond`: of all together. */
  constructor({ bytesPerSecond }: { bytesPerSecond?: number | undefined } = {}) {
    const count = Math.min(availableParallelism(), mostThreads)
    const setting: HashSetting = { bytesPerSecond: bytesPerSecond === undefined ? undefined : bytesPerSecond / count }
    this.#threads = Array.from({ length: count }, () => startThread(setting))
  }

  /** Results in the order of the jobs: failures are results. `onBytes` hears how many bytes more were read. One call at a time. */
  async run(jobs: readonly SizedJob[], onBytes: (bytes: number) => void = () => {}): Promise<Hashed[]> {
    const results: Hashed[] = new Array(jobs.length)
    const queue = batchesBySize(jobs, bytesPerMessage).values()
    const work = async (thread: Thread) => {
      for (const batch of queue) {
        const done = await ask(thread, jobs, { batch, onBytes })
        for (const [at, index] of batch.entries()) {
          const result = done[at]
          if (result) results[index] = result
        }
      }
    }
    await Promise.all(this.#threads.map(work))
    return results
  }

  /** At once, in the middle of a file as well. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }
}

function startThread(workerData: HashSetting): Thread {
  const worker = new Worker(workerFile, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 },
  })
  const thread: Thread = { worker, hear: () => {}, fail: () => {} }
  worker.on('message', (report: HashReport) => thread.hear(report))
  const end = (error: unknown) => {
    thread.ended ??= { error }
    thread.fail(error)
  }
  worker.on('error', end)
  worker.once('exit', () => end(new Error('A hashing thread ended by itself.')))
  return thread
}

function ask(
  thread: Thread,
  jobs: readonly SizedJob[],
  { batch, onBytes }: { batch: readonly number[]; onBytes: (bytes: number) => void },
): Promise<Hashed[]> {
  return new Promise((resolve, reject) => {
    if (thread.ended) return reject(thread.ended.error)
    let told = 0
    thread.fail = reject
    thread.hear = (report) => {
      if ('bytes' in report) {
        told += report.bytes
        return onBytes(report.bytes)
      }
      const read = report.results.reduce((sum, result) => sum + ('size' in result ? result.size : 0), 0)
      onBytes(Math.max(0, read - told))
      return resolve(report.results)
    }
    const order = batch.flatMap((index): HashOrder => {
      const job = jobs[index]
      return job ? [{ path: job.path, ...(job.copyTo === undefined ? {} : { copyTo: job.copyTo }) }] : []
    })
    thread.worker.postMessage(order)
  })
}
