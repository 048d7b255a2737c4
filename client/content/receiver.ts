/**
 * Receives many files at once, in threads that read, hash and write by themselves: each byte stays in the one that received it. A
 * file is tried once, from its beginning; what does not come as it should is for `fillPart`, which takes up what is there.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { NumberedOrder, ReceiveReport, ReceiverSettings } from './receive-worker.ts'
import type { Received, ReceiveOrder } from './receiving-connection.ts'

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './receive-worker.ts' : './receive-worker.js', import.meta.url)

const mostThreads = 4
/** One thread receives this much before a second one has started. */
const forOneThread = 32 * 1024 * 1024

interface Transfer extends PromiseWithResolvers<Received> {
  size: number
  onProgress: (bytes: number) => void
}

interface Thread {
  worker: Worker
  transfers: Map<number, Transfer>
}

export interface ReceiverOptions {
  /** Connections in all. */
  connections: number
  /** Bytes that are to come, as far as known. */
  expectedBytes: number
}

export class Receiver {
  readonly #threads: Thread[] = []
  readonly #mostThreads: number
  readonly #connections: number
  #orders = 0
  #isEnded = false

  constructor({ connections, expectedBytes }: ReceiverOptions) {
    this.#mostThreads = expectedBytes < forOneThread ? 1 : Math.min(availableParallelism(), mostThreads)
    this.#connections = Math.ceil(connections / this.#mostThreads)
  }

  /** Rejects with what the disk says. `onProgress` is told now and then how many bytes are there. */
  receive(order: ReceiveOrder, onProgress: (bytes: number) => void): Promise<Received> {
    if (this.#isEnded) return Promise.reject(ended())
    const { worker, transfers } = this.#idlest()
    const transfer = { size: order.size, onProgress, ...Promise.withResolvers<Received>() }
    const id = ++this.#orders
    transfers.set(id, transfer)
    worker.postMessage({ ...order, id } satisfies NumberedOrder)
    return transfer.promise
  }

  /** Nothing is written any more afterwards; what was on its way is neither whole nor refused. */
  async end(): Promise<void> {
    this.#isEnded = true
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  /** The one with the fewest bytes to bring; another one while there may be more. */
  #idlest(): Thread {
    const loadOf = ({ transfers: askers }: Thread) => [...askers.values()].reduce((sum, { size }) => sum + size, 0)
    const [idlest] = this.#threads.toSorted((a, b) => loadOf(a) - loadOf(b))
    if (idlest && (idlest.transfers.size === 0 || this.#threads.length === this.#mostThreads)) return idlest
    const thread = this.#start()
    this.#threads.push(thread)
    return thread
  }

  /** A small young generation keeps a thread at a few MiB. */
  #start(): Thread {
    const workerData: ReceiverSettings = { connections: this.#connections }
    const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 }
    const thread: Thread = { worker: new Worker(workerFile, { workerData, resourceLimits }), transfers: new Map() }
    thread.worker.on('message', (report: ReceiveReport) => settle(thread, report))
    const fail = (error: unknown) => {
      for (const { reject } of thread.transfers.values()) reject(error)
      thread.transfers.clear()
    }
    thread.worker.once('error', fail)
    thread.worker.once('exit', () => fail(ended()))
    return thread
  }
}

const ended = (): Error => new Error('The threads that receive files have ended.')

function settle({ transfers }: Thread, report: ReceiveReport): void {
  if ('progress' in report) {
    for (const [id, bytes] of report.progress) transfers.get(id)?.onProgress(bytes)
    return
  }
  const transfer = transfers.get(report.id)
  transfers.delete(report.id)
  if ('failure' in report) transfer?.reject(Object.assign(new Error(report.failure.message), report.failure))
  else transfer?.resolve({ outcome: report.outcome, bytes: report.bytes })
}
