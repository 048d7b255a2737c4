/**
 * A process that does work for the agent which takes much memory, and ends when it had nothing to do for a while: what such work takes is
 * given back at once (a thread keeps 50 MiB of a look at 50,000 files), and the agent answers meanwhile.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { readVersion } from '../../client/version.ts'
import { compileCacheEnv } from '../../system/threads/compile-cache.ts'
import type { FromWorker, ToWorker } from './order-worker.ts'
import { received } from './sent-error.ts'

const idleMs = 5000

interface Waiting {
  resolve(result: unknown): void
  reject(error: unknown): void
  tell?: ((news: unknown) => void) | undefined
}

interface Ordering {
  signal?: AbortSignal | undefined
  /** Is given what is told on the way. */
  tell?: ((news: unknown) => void) | undefined
}

export class OrderProcess {
  readonly #file: string
  readonly #what: string
  readonly #version: string
  readonly #waiting = new Map<number, Waiting>()
  #worker: ChildProcess | undefined
  #ending: NodeJS.Timeout | undefined
  #last = 0

  /** `file`: the program without its end, which is that of `from`. `what` it does, as messages say it. `version`: of the agent itself. */
  constructor(file: string, { from, what, version = readVersion() }: { from: string; what: string; version?: string }) {
    this.#file = fileURLToPath(new URL(`${file}${from.endsWith('.ts') ? '.ts' : '.js'}`, from))
    this.#what = what
    this.#version = version
  }

  /** Throws as what was ordered throws, and what an aborted signal says. */
  async order(name: string, given: unknown, { signal, tell }: Ordering): Promise<unknown> {
    signal?.throwIfAborted()
    clearTimeout(this.#ending)
    this.#worker ??= this.#start()
    const worker = this.#worker
    hold(worker)
    const id = ++this.#last
    const stop = () => send(worker, { stop: id })
    signal?.addEventListener('abort', stop)
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, tell })
        send(worker, { id, name, given })
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
    if (worker) this.#ended(worker, new Error(`the agent ends, and with it what ${this.#what}`))
    worker?.kill()
  }

  #start(): ChildProcess {
    const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const
    const worker = spawn(process.execPath, [this.#file, this.#version], {
      ...compileCacheEnv(),
      stdio: [...stdio],
      serialization: 'advanced',
      windowsHide: true,
    })
    worker.on('message', (message) => {
      const said = message as FromWorker
      const waiting = this.#waiting.get(said.id)
      if ('news' in said) waiting?.tell?.(said.news)
      else if ('error' in said) waiting?.reject(received(said.error))
      else waiting?.resolve(said.result)
    })
    worker.on('error', (error) => this.#ended(worker, error))
    worker.on('exit', (code, signal) => this.#ended(worker, new Error(`what ${this.#what} ended (${signal ?? code})`)))
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
const send = (worker: ChildProcess, message: ToWorker): void => {
  worker.send(message, () => {})
}
