/**
 * Looks run in a process of their own, which ends when nothing was looked at for a while: what a look at 50,000 files takes in memory is given
 * back at once (a thread keeps 50 MiB of it), and the agent answers meanwhile.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LookWire, lookOrders } from './look-orders.ts'
import type { FromLooker, ToLooker } from './look-worker.ts'
import { received } from './sent-error.ts'

type Orders = typeof lookOrders
export type Given<N extends keyof Orders> = Parameters<Orders[N]>[1]
export type Found<N extends keyof Orders> = Awaited<ReturnType<Orders[N]>>

const workerFile = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './look-worker.ts' : './look-worker.js', import.meta.url),
)
const idleMs = 5000

interface Waiting {
  resolve(found: unknown): void
  reject(error: unknown): void
}

export class LookProcess {
  readonly #wire: LookWire
  readonly #waiting = new Map<number, Waiting>()
  #worker: ChildProcess | undefined
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
    hold(worker)
    const id = ++this.#last
    const stop = () => send(worker, { stop: id })
    signal?.addEventListener('abort', stop)
    try {
      return await new Promise<Found<N>>((resolve, reject) => {
        this.#waiting.set(id, { resolve: resolve as (found: unknown) => void, reject })
        send(worker, { id, name, wire: this.#wire, root, given })
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) this.#endSoon(worker)
    }
  }

  close(): void {
    clearTimeout(this.#ending)
    const worker = this.#worker
    if (worker) this.#ended(worker, new Error('the agent looks at files no more'))
    worker?.kill()
  }

  #start(): ChildProcess {
    const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const
    const worker = spawn(process.execPath, [workerFile], { stdio: [...stdio], serialization: 'advanced', windowsHide: true })
    worker.on('message', (message) => {
      const found = message as FromLooker
      const waiting = this.#waiting.get(found.id)
      if ('error' in found) waiting?.reject(received(found.error))
      else waiting?.resolve(found.result)
    })
    worker.on('error', (error) => this.#ended(worker, error))
    worker.on('exit', (code, signal) => this.#ended(worker, new Error(`what looks at files ended (${signal ?? code})`)))
    return worker
  }

  #ended(worker: ChildProcess, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
  }

  #endSoon(last: ChildProcess): void {
    clearTimeout(this.#ending)
    last.unref()
    last.channel?.unref()
    this.#ending = setTimeout(() => {
      const worker = this.#worker
      this.#worker = undefined
      worker?.kill()
    }, idleMs)
    this.#ending.unref()
  }
}

/** An agent that ends waits for what was ordered, and not for one that has nothing to do. */
function hold(worker: ChildProcess): void {
  worker.ref()
  worker.channel?.ref()
}

/** One that has ended meanwhile is heard of by its end. */
const send = (worker: ChildProcess, message: ToLooker): void => {
  worker.send(message, () => {})
}
