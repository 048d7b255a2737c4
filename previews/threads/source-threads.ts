/** Reads source data in threads: a file that takes too long, or more memory than a thread has, ends its thread only, and is named. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import pLimit, { type LimitFunction } from 'p-limit'
import { shareDecodingPlaces } from '../../formats/pictures/decoding-places.ts'
import { compileCacheEnv } from '../../system/threads/compile-cache.ts'
import type { SourceAnswer, SourceOrder } from './source-worker.ts'

export interface SourceThreadsOptions {
  /** At once; by default one per core, at most four: each may hold a large texture. */
  threads?: number
  /** An order that waited so long for a thread has another one started. */
  startsAfterMs?: number
  /** For one file. */
  limitMs?: number
  /** Of what JavaScript holds in one thread; the bytes of files and pixels come on top, within the limits of the readers. */
  heapMiB?: number
}

const mostThreads = 4
const usualLimitMs = 60_000
const usualHeapMiB = 1024
/** About twice what starting one takes. */
const usualStartsAfterMs = 250

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
  options: SourceThreadsOptions = {},
): Promise<void> {
  const threads = new SourceThreads(options)
  try {
    const ends = await Promise.allSettled(orders.map(async (order, index) => onAnswer(index, await threads.run(order, signal))))
    signal?.throwIfAborted()
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  } finally {
    await threads.end()
  }
}

/**
 * Threads for orders that come one after the other: those that are free are used again. Starting one takes longer than reading a few small
 * files: another is started only once an order has waited for it.
 */
export class SourceThreads {
  readonly #free: SourceThread[] = []
  readonly #waiting: ((thread: SourceThread) => void)[] = []
  readonly #limit: LimitFunction
  readonly #limits: ThreadLimits
  readonly #startsAfterMs: number
  #started = 0

  constructor(options: SourceThreadsOptions = {}) {
    const { threads = Math.min(availableParallelism(), mostThreads), limitMs = usualLimitMs, heapMiB = usualHeapMiB } = options
    this.#limit = pLimit(threads)
    this.#limits = { limitMs, heapMiB }
    this.#startsAfterMs = options.startsAfterMs ?? usualStartsAfterMs
  }

  /** Starts a thread before there is an order, for which it is ready sooner then. */
  prepare(): void {
    if (this.#started > 0) return
    const thread = this.#start()
    thread.prepare()
    this.#give(thread)
  }

  /** Waits for its turn. Failures are answers; `signal` ends it with the signal's reason. */
  run(order: SourceOrder, signal?: AbortSignal): Promise<SourceAnswer> {
    return this.#limit(async () => {
      signal?.throwIfAborted()
      const thread = await this.#take()
      try {
        signal?.throwIfAborted()
        const isUsed = thread.isUsed
        const answer = await thread.run(order, signal)
        signal?.throwIfAborted()
        // What the files before it left behind may have been too much.
        return isUsed && isOutOfMemory(answer) ? await thread.run(order, signal) : answer
      } finally {
        this.#give(thread)
      }
    })
  }

  async #take(): Promise<SourceThread> {
    const free = this.#free.pop()
    if (free) return free
    if (this.#started === 0) return this.#start()
    const { promise, resolve } = Promise.withResolvers<SourceThread>()
    this.#waiting.push(resolve)
    const startAnother = () => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1)
      resolve(this.#start())
    }
    const tooLong = setTimeout(startAnother, this.#startsAfterMs)
    return promise.finally(() => clearTimeout(tooLong))
  }

  #start(): SourceThread {
    this.#started++
    return new SourceThread(this.#limits)
  }

  #give(thread: SourceThread): void {
    const next = this.#waiting.shift()
    if (next) next(thread)
    else this.#free.push(thread)
  }

  async end(): Promise<void> {
    await Promise.all(this.#free.splice(0).map((thread) => thread.end()))
  }
}

const isOutOfMemory = (answer: SourceAnswer): boolean => answer.kind === 'failed' && answer.message === outOfMemory

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './source-worker.ts' : './source-worker.js', import.meta.url)

/** For one file. */
interface ThreadLimits {
  limitMs: number
  heapMiB: number
}

/** One thread, and another one in its place when it has ended. */
class SourceThread {
  readonly #limitMs: number
  readonly #heapMiB: number
  #worker: Worker | undefined
  #isUsed = false

  constructor({ limitMs, heapMiB }: ThreadLimits) {
    this.#limitMs = limitMs
    this.#heapMiB = heapMiB
  }

  /** Whether it has done something already. */
  get isUsed(): boolean {
    return this.#isUsed
  }

  prepare(): void {
    this.#worker ??= this.#begin()
  }

  async run(order: SourceOrder, signal: AbortSignal | undefined): Promise<SourceAnswer> {
    const worker = this.#worker ?? this.#begin()
    this.#isUsed = true
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
      this.#isUsed = this.#worker !== undefined
    }
  }

  /** One that ends between two files is not asked again; it must not end this process with it either. */
  #begin(): Worker {
    shareDecodingPlaces()
    const worker = new Worker(workerFile, { ...compileCacheEnv(), resourceLimits: { maxOldGenerationSizeMb: this.#heapMiB } })
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
