/** One thread with the models, and another one in its place when it took too long or ended: the server goes on meanwhile. */
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { FormatError } from '../../../formats/format-error.ts'
import { EmbedderError } from '../embedder-error.ts'
import type { ClipAnswer, ClipOrder } from './clip-worker.ts'

export interface ClipThreadOptions {
  /** For reading the models, gigabytes of them. */
  startMs?: number
  /** For one picture or text. */
  limitMs?: number
}

const usual = { startMs: 300_000, limitMs: 30_000 }
const workerFile = new URL(import.meta.url.endsWith('.ts') ? './clip-worker.ts' : './clip-worker.js', import.meta.url)

export class ClipThread {
  readonly #folder: string
  readonly #limits: Readonly<ClipThreadOptions>
  readonly #oneAtATime = pLimit(1)
  #worker: Worker | undefined

  constructor(folder: string, options: ClipThreadOptions = {}) {
    this.#folder = folder
    this.#limits = options
  }

  /** How many numbers the models give. Throws EmbedderError. */
  start(): Promise<number> {
    return this.#oneAtATime(() => this.#started())
  }

  /** Throws FormatError for a picture that cannot be read, EmbedderError otherwise. */
  vectorOf(order: ClipOrder): Promise<Float32Array> {
    return this.#oneAtATime(async () => {
      if (this.#worker === undefined) await this.#started()
      const answer = await this.#ask(order, this.#limits.limitMs ?? usual.limitMs)
      if (answer.kind !== 'vector') throw new EmbedderError('The thread of the models answered something else.')
      return answer.vector
    })
  }

  async end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  async #started(): Promise<number> {
    await this.end()
    this.#worker = new Worker(workerFile, { workerData: { folder: this.#folder } })
    // A server that is done does not wait for it; one that asks does.
    this.#worker.unref()
    try {
      const answer = await this.#ask(undefined, this.#limits.startMs ?? usual.startMs)
      return answer.kind === 'ready' ? answer.dimensions : 0
    } catch (error) {
      await this.end()
      throw error
    }
  }

  /** The next answer. A thread that takes too long is ended. */
  async #ask(order: ClipOrder | undefined, limitMs: number): Promise<ClipAnswer> {
    const worker = this.#worker
    if (worker === undefined) throw new EmbedderError('The thread of the models has ended.')
    const { promise, resolve, reject } = Promise.withResolvers<ClipAnswer>()
    const gone = (message: string) => {
      if (this.#worker === worker) this.#worker = undefined
      reject(new EmbedderError(message))
    }
    const tooLong = setTimeout(() => gone(`The models took longer than ${limitMs / 1000} seconds, and were given up.`), limitMs)
    const broken = (error: Error) => gone(`The models failed: ${error.message}`)
    const ended = () => gone('The thread of the models ended.')
    worker.ref()
    worker.once('message', resolve)
    worker.once('error', broken)
    worker.once('exit', ended)
    if (order !== undefined) worker.postMessage(order)
    try {
      const answer = await promise
      if (answer.kind === 'failed')
        throw answer.reason === undefined ? new EmbedderError(answer.message) : new FormatError(answer.reason, answer.message)
      return answer
    } finally {
      clearTimeout(tooLong)
      worker.off('message', resolve)
      worker.off('error', broken)
      worker.off('exit', ended)
      worker.unref()
      if (this.#worker !== worker) await worker.terminate()
    }
  }
}
