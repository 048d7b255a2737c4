/** Hashing and writing of what arrives, in a thread of its own: the one that receives then does nothing else. */
import { Worker } from 'node:worker_threads'
import type { PartOrder, PartReport } from './part-worker.ts'

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './part-worker.ts' : './part-worker.js', import.meta.url)

interface Asker {
  resolve: (hash: string | undefined) => void
  reject: (error: unknown) => void
}

export class PartThread {
  #worker: Worker | undefined
  readonly #askers: Asker[] = []
  #parts = 0
  #isEnded = false

  /** A number that no other file of this thread has. */
  newPart(): number {
    return ++this.#parts
  }

  /** Orders are carried out one after the other. The memory of `chunks` goes with them. */
  ask(order: Exclude<PartOrder, 'end'>): Promise<string | undefined> {
    if (this.#isEnded) return Promise.reject(new Error('The thread that writes what arrives has ended.'))
    return new Promise((resolve, reject) => {
      this.#askers.push({ resolve, reject })
      this.#worker ??= this.#start()
      this.#worker.postMessage(order, 'chunks' in order ? order.chunks.map(({ buffer }) => buffer as ArrayBuffer) : [])
    })
  }

  /** It ends when everything it was asked for is done. */
  end(): void {
    this.#isEnded = true
    this.#worker?.postMessage('end' satisfies PartOrder)
  }

  /** A small young generation keeps a thread at a few MiB. */
  #start(): Worker {
    const worker = new Worker(workerFile, { resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 } })
    worker.on('message', (report: PartReport) => {
      const asker = this.#askers.shift()
      if ('failure' in report) asker?.reject(Object.assign(new Error(report.failure.message), report.failure))
      else asker?.resolve(report.hash)
    })
    const fail = (error: unknown) => {
      this.#isEnded = true
      for (const { reject } of this.#askers.splice(0)) reject(error)
    }
    worker.once('error', fail)
    worker.once('exit', () => fail(new Error('The thread that writes what arrives ended by itself.')))
    return worker
  }
}
