/**
 * Looks run in a thread, which ends when nothing was looked at for a while: what a look at 50,000 files takes in memory is given back, and the
 * agent answers meanwhile.
 */
import { Worker } from 'node:worker_threads'
import type { LookWire, lookOrders } from './look-orders.ts'
import type { FromLooker, LookOrder, ToLooker } from './look-worker.ts'
import { received } from './sent-error.ts'

type Orders = typeof lookOrders
export type Given<N extends keyof Orders> = Parameters<Orders[N]>[1]
export type Found<N extends keyof Orders> = Awaited<ReturnType<Orders[N]>>

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './look-worker.ts' : './look-worker.js', import.meta.url)
const idleMs = 5000

interface Waiting {
  resolve(found: unknown): void
  reject(error: unknown): void
}

export class LookThread {
  readonly #wire: LookWire
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #ending: NodeJS.Timeout | undefined
  #last = 0

  constructor({ url, key, folders }: LookWire) {
    this.#wire = { url, key, folders }
  }

  /** Throws as what was ordered throws, and what an aborted signal says. */
  async order<N extends keyof Orders>(
    name: N,
    root: string,
    { given, signal }: { given: Given<N>; signal?: AbortSignal | undefined },
  ): Promise<Found<N>> {
    signal?.throwIfAborted()
    clearTimeout(this.#ending)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#last
    const stop = () => worker.postMessage({ stop: id } satisfies ToLooker)
    signal?.addEventListener('abort', stop)
    try {
      return await new Promise<Found<N>>((resolve, reject) => {
        this.#waiting.set(id, { resolve: resolve as (found: unknown) => void, reject })
        worker.postMessage({ id, name, wire: this.#wire, root, given } satisfies LookOrder)
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) this.#endSoon()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#ending)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(workerFile, { resourceLimits: { maxYoungGenerationSizeMb: 8 } })
    worker.unref()
    worker.on('message', (message: FromLooker) => {
      const waiting = this.#waiting.get(message.id)
      if ('error' in message) waiting?.reject(received(message.error))
      else waiting?.resolve(message.result)
    })
    worker.on('error', (error) => this.#ended(worker, error))
    worker.on('exit', () => this.#ended(worker, new Error('the thread that looks at files ended')))
    return worker
  }

  #ended(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
  }

  #endSoon(): void {
    clearTimeout(this.#ending)
    this.#ending = setTimeout(() => {
      const worker = this.#worker
      this.#worker = undefined
      void worker?.terminate()
    }, idleMs)
    this.#ending.unref()
  }
}
