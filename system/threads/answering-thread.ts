/** A thread that answers one question after the other: it comes with the first of them and goes when none comes any more. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** The thread is kept for the next question. */
const idleMs = 600_000

/** `memory`: the question took more than the thread has. `time`: no answer came within the patience. */
export class ThreadFailure extends Error {
  readonly reason: 'memory' | 'time'

  constructor(reason: 'memory' | 'time') {
    super(reason === 'memory' ? 'a thread ran out of memory' : 'a thread did not answer in time')
    this.reason = reason
  }
}

export interface ThreadLimits {
  /**
   * Of the thread: several times what the heaviest question lets it need. It is not to be relied on as a bound, because V8 may end the
   * whole process where a single step takes it past that.
   */
  heapMiB: number
  /** Of one question. */
  patienceMs: number
}

export class AnsweringThread<Question, Answer> {
  readonly #file: URL
  readonly #limits: ThreadLimits
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  /** `file`: of the thread, which posts an answer for each message it hears. */
  constructor(file: URL, limits: ThreadLimits) {
    this.#file = file
    this.#limits = limits
  }

  /** One question at a time. What is handed over is gone here. Throws ThreadFailure, and whatever else ended the thread: the next question gets a new one. */
  async ask(question: Question, handedOver: readonly ArrayBuffer[] = []): Promise<Answer> {
    clearTimeout(this.#idle)
    const worker = this.#started()
    const impatience = new AbortController()
    const timer = setTimeout(() => impatience.abort(), this.#limits.patienceMs)
    const answer = once(worker, 'message', { signal: impatience.signal })
    try {
      worker.postMessage(question, handedOver)
      return (await answer)[0]
    } catch (error) {
      await this.close()
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') throw new ThreadFailure('memory')
      throw impatience.signal.aborted ? new ThreadFailure('time') : error
    } finally {
      clearTimeout(timer)
      this.#idle = setTimeout(() => void this.close(), idleMs).unref()
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    clearTimeout(this.#idle)
    await worker?.terminate()
  }

  #started(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(this.#file, { resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMiB } })
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined
    }
    // Without a listener an error of the thread would end the process.
    worker.on('error', forget).on('exit', forget).unref()
    this.#worker = worker
    return worker
  }
}
