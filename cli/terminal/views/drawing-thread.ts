/** Draws in a thread of its own: keys are answered meanwhile, and what takes too long or too much memory ends that thread only. */
import { Worker } from 'node:worker_threads'
import type { SubjectFacts, SubjectSource } from '../../../previews/subjects/subject.ts'
import type { DrawingAnswer, DrawingOrder } from './drawing-worker.ts'

/** Of what JavaScript holds; the bytes of files and pixels come on top, within the limits of the readers. */
const heapMiB = 1024
/** For one order. */
const usualLimitMs = 60_000

/** Why nothing could be drawn, as a sentence. `reason`: of a FormatError, what the system calls it, `timeout` or `ended`. */
export class DrawingError extends Error {
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.name = 'DrawingError'
    this.reason = reason
  }
}

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './drawing-worker.ts' : './drawing-worker.js', import.meta.url)

type Of<K extends DrawingAnswer['kind']> = Extract<DrawingAnswer, { kind: K }>

/** One order at a time. Every method throws DrawingError, or the reason of the signal. */
export class DrawingThread {
  readonly #worker = new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: heapMiB } })
  readonly #signal: AbortSignal | undefined
  readonly #limitMs: number
  /** Why it ended, once it has: it may do so between two orders. */
  #ended: DrawingError | undefined

  constructor({ signal, limitMs = usualLimitMs }: { signal?: AbortSignal; limitMs?: number } = {}) {
    this.#signal = signal
    this.#limitMs = limitMs
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#ended ??= new DrawingError('ended', sentenceOf(error))
    })
    this.#worker.on('exit', () => {
      this.#ended ??= new DrawingError('ended', 'The thread that draws ended.')
    })
  }

  async read(sources: readonly SubjectSource[]): Promise<readonly SubjectFacts[]> {
    return (await this.#do<'read'>({ kind: 'read', sources })).facts
  }

  async stills(size: { width: number; height: number }): Promise<readonly Uint8Array[]> {
    return (await this.#do<'stills'>({ kind: 'stills', size })).pngs
  }

  async frame(order: Omit<Extract<DrawingOrder, { kind: 'frame' }>, 'kind'>): Promise<string> {
    return (await this.#do<'frame'>({ kind: 'frame', ...order })).text
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  async #do<K extends DrawingOrder['kind']>(order: DrawingOrder): Promise<Of<K>> {
    this.#signal?.throwIfAborted()
    if (this.#ended) throw this.#ended
    const { promise, resolve, reject } = Promise.withResolvers<DrawingAnswer>()
    const worker = this.#worker
    const seconds = this.#limitMs / 1000
    const tooLong = setTimeout(
      () => reject(new DrawingError('timeout', `Drawing it took longer than ${seconds} seconds, and was given up.`)),
      this.#limitMs,
    )
    const stop = () => reject(this.#signal?.reason)
    const ended = () => reject(this.#ended)
    this.#signal?.addEventListener('abort', stop, { once: true })
    worker.once('message', resolve)
    worker.once('error', ended)
    worker.once('exit', ended)
    worker.postMessage(order)
    try {
      const answer = await promise
      if (answer.kind === 'failed') throw new DrawingError(answer.reason, answer.message)
      return answer as Of<K>
    } finally {
      clearTimeout(tooLong)
      this.#signal?.removeEventListener('abort', stop)
      worker.off('message', resolve)
      worker.off('error', ended)
      worker.off('exit', ended)
    }
  }
}

const sentenceOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'Drawing it took more memory than there is for one prop.'
    : `Drawing it failed: ${message}`
