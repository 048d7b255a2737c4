/** Reads source data in threads: a file that takes too long, or more memory than a thread has, ends its thread only, and is named. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SourceAnswer, SourceOrder } from './source-worker.ts'

export interface SourceThreadsOptions {
  /** At once; by default one per core, at most four: each may hold a large texture. */
  threads?: number
  /** For one file. */
  limitMs?: number
  /** Of what JavaScript holds in one thread; the bytes of files and pixels come on top, within the limits of the readers. */
  heapMiB?: number
}

const mostThreads = 4
const usualLimitMs = 60_000
const usualHeapMiB = 1024

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
  {
    threads = Math.min(availableParallelism(), mostThreads),
    limitMs = usualLimitMs,
    heapMiB = usualHeapMiB,
  }: SourceThreadsOptions = {},
): Promise<void> {
  const queue = orders.entries()
  const lanes = Array.from({ length: Math.min(threads, orders.length) }, async () => {
    const thread = new SourceThread({ limitMs, heapMiB })
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

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './source-worker.ts' : './source-worker.js', import.meta.url)

/** One thread, and another one in its place when it has ended. */
class SourceThread {
  readonly #limitMs: number
  readonly #heapMiB: number
  #worker: Worker | undefined

  constructor({ limitMs, heapMiB }: { limitMs: number; heapMiB: number }) {
    this.#limitMs = limitMs
    this.#heapMiB = heapMiB
  }

  async run(order: SourceOrder, signal: AbortSignal | undefined): Promise<SourceAnswer> {
    const worker = this.#worker ?? this.#begin()
    const { promise, resolve } = Promise.withResolvers<SourceAnswer>()
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

  /** One that ends between two files is not asked again; it must not end this process with it either. */
  #begin(): Worker {
    const worker = new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: this.#heapMiB } })
    const gone = () => {
      if (this.#worker === worker) this.#worker = undefined
    }
    this.#worker = worker.on('error', gone).on('exit', gone)
    return worker
  }

  async end(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }
}
