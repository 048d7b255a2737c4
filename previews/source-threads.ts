/** Reads source data in threads: a file that takes too long, or more memory than a thread has, ends its thread only, and is named. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import pLimit, { type LimitFunction } from 'p-limit'
import type { SourceAnswer, SourceOrder } from './source-worker.ts'

export interface SourceThreadsOptions {
  /** At once; by default one per core, at most four: each may hold a large texture. */
  threads?: number
  /** For one file. */
  limitMs?: number
}

const mostThreads = 4
const usualLimitMs = 60_000
/** Of what JavaScript holds; the bytes of files and pixels come on top, within the limits of the readers. */
const heapMiB = 1024

const outOfMemory = 'Reading it took more memory than there is for one file.'

export interface SourceRun {
  signal?: AbortSignal
  /** Told of each order once it is done, in whatever order they get done. */
  onAnswer: (index: number, answer: SourceAnswer) => void
}

/** Does all orders. Failures are answers, not exceptions; `signal` ends it with the signal's reason. */
export async function runSourceOrders(
  orders: readonly SourceOrder[],
  { signal, onAnswer }: SourceRun,
  { threads = Math.min(availableParallelism(), mostThreads), limitMs = usualLimitMs }: SourceThreadsOptions = {},
): Promise<void> {
  const queue = orders.entries()
  const lanes = Array.from({ length: Math.min(threads, orders.length) }, async () => {
    const thread = new SourceThread(limitMs)
    try {
      for (const [index, order] of queue) {
        signal?.throwIfAborted()
        onAnswer(index, await thread.run(order, signal))
      }
    } finally {
      await thread.end()
    }
  })
  const ends = await Promise.allSettled(lanes)
  signal?.throwIfAborted()
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Threads for orders that come one after the other: those that are free are used again. */
export class SourceThreads {
  readonly #free: SourceThread[] = []
  readonly #limit: LimitFunction
  readonly #limitMs: number

  constructor({ threads = Math.min(availableParallelism(), mostThreads), limitMs = usualLimitMs }: SourceThreadsOptions = {}) {
    this.#limit = pLimit(threads)
    this.#limitMs = limitMs
  }

  /** Waits for its turn. Failures are answers; `signal` ends it with the signal's reason. */
  run(order: SourceOrder, signal?: AbortSignal): Promise<SourceAnswer> {
    return this.#limit(async () => {
      signal?.throwIfAborted()
      const thread = this.#free.pop() ?? new SourceThread(this.#limitMs)
      try {
        const answer = await thread.run(order, signal)
        signal?.throwIfAborted()
        return answer
      } finally {
        this.#free.push(thread)
      }
    })
  }

  async end(): Promise<void> {
    await Promise.all(this.#free.splice(0).map((thread) => thread.end()))
  }
}

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './source-worker.ts' : './source-worker.js', import.meta.url)

/** One thread, and another one in its place when it has ended. */
class SourceThread {
  readonly #limitMs: number
  #worker: Worker | undefined

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  async run(order: SourceOrder, signal: AbortSignal | undefined): Promise<SourceAnswer> {
    this.#worker ??= new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: heapMiB } })
    const { promise, resolve } = Promise.withResolvers<SourceAnswer>()
    const worker = this.#worker
    const failed = (reason: 'timeout' | 'ended', message: string) => {
      this.#worker = undefined
      resolve({ kind: 'failed', reason, message })
    }
    const tooLong = setTimeout(
      () => failed('timeout', `Reading it took longer than ${this.#limitMs / 1000} seconds, and was given up.`),
      this.#limitMs,
    )
    const stop = () => failed('ended', 'Reading it was stopped.')
    const ended = () => failed('ended', 'The thread that read it ended.')
    const broken = (error: NodeJS.ErrnoException) =>
      failed('ended', error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory : `Reading it failed: ${error.message}`)
    signal?.addEventListener('abort', stop, { once: true })
    worker.once('message', resolve)
    worker.once('error', broken)
    worker.once('exit', ended)
    worker.postMessage(order)
    try {
      return await promise
    } finally {
      clearTimeout(tooLong)
      signal?.removeEventListener('abort', stop)
      worker.off('message', resolve)
      worker.off('error', broken)
      worker.off('exit', ended)
      if (this.#worker === undefined) await worker.terminate()
    }
  }

  async end(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }
}
