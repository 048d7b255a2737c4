/** Reads large bodies in a thread of its own, one after the other; the thread comes with the first of them and goes when none comes any more. */
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { ApiError, validationError } from '../../contract/errors.ts'
import { join } from './pieces.ts'
import type { Answer, Question, Task } from './reader-worker.ts'
import { busy } from './weighted-queue.ts'

/** The largest body takes some five seconds to read. */
const patienceMs = 60_000
/** The thread is kept for the next body. */
const idleMs = 600_000

export class BodyReader {
  readonly #heapMiB: number
  readonly #oneByOne = pLimit(1)
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  /**
   * `heapMiB` of the thread: several times what the weight of the heaviest body lets it need. It is not to be relied on as a bound,
   * because V8 may end the whole process where a single step takes it past that.
   */
  constructor(heapMiB: number) {
    this.#heapMiB = heapMiB
  }

  /** The route's checked input. The blocks are handed over, and gone here. Throws VALIDATION, or the reason of the signal. */
  read(task: Task, signal: AbortSignal): Promise<Record<string, unknown>> {
    return this.#oneByOne(async () => {
      signal.throwIfAborted()
      clearTimeout(this.#idle)
      try {
        return await this.#read(task, signal)
      } finally {
        this.#idle = setTimeout(() => void this.close(), idleMs).unref()
      }
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    clearTimeout(this.#idle)
    await worker?.terminate()
  }

  async #read(task: Task, signal: AbortSignal): Promise<Record<string, unknown>> {
    const worker = this.#started()
    const input: Record<string, unknown> = {}
    const handedOver = task.blocks.map(({ buffer }) => buffer as ArrayBuffer)
    for (let { pieces, isLast } = read(await this.#ask(worker, task, handedOver)); ; ) {
      const coming = isLast ? undefined : this.#ask(worker, 'next')
      // It is waited for below; until then nobody would hear of its failure.
      coming?.catch(() => {})
      for (const piece of pieces) {
        join(input, piece)
        // Others come in between.
        await nextTurn()
      }
      if (!coming) return input
      ;({ pieces, isLast } = read(await coming))
      signal.throwIfAborted()
    }
  }

  async #ask(worker: Worker, question: Question, handedOver: ArrayBuffer[] = []): Promise<Answer> {
    const impatience = new AbortController()
    const timer = setTimeout(() => impatience.abort(), patienceMs)
    const answer = once(worker, 'message', { signal: impatience.signal })
    try {
      worker.postMessage(question, handedOver)
      return (await answer)[0]
    } catch (error) {
      // It ran out of memory, or of time: the next one gets a new thread.
      await this.close()
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') throw tooMuch()
      throw impatience.signal.aborted ? busy() : error
    } finally {
      clearTimeout(timer)
    }
  }

  #started(): Worker {
    if (this.#worker) return this.#worker
    const file = new URL(import.meta.url.endsWith('.ts') ? './reader-worker.ts' : './reader-worker.js', import.meta.url)
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: this.#heapMiB } })
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined
    }
    // Without a listener an error of the thread would end the process.
    worker.on('error', forget).on('exit', forget).unref()
    this.#worker = worker
    return worker
  }
}

function read(answer: Answer): Extract<Answer, { isLast: boolean }> {
  if ('failure' in answer) throw new Error(`A body could not be read: ${answer.failure}`)
  if ('refusal' in answer) throw new ApiError(answer.refusal.code, answer.refusal.message, answer.refusal.details)
  return answer
}

const tooMuch = (): ApiError =>
  validationError([{ path: 'body', message: 'takes more memory than there is for one body; send less at once' }])
