/** Reads large bodies in a thread of its own, one after the other. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import pLimit from 'p-limit'
import { ApiError, validationError } from '../../contract/errors.ts'
import { AnsweringThread, ThreadFailure } from '../../system/threads/answering-thread.ts'
import { join } from './pieces.ts'
import type { Answer, Question, Task } from './reader-worker.ts'
import { busy } from './weighted-queue.ts'

/** The largest body takes some five seconds to read. */
const patienceMs = 60_000

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './reader-worker.ts' : './reader-worker.js', import.meta.url)

export class BodyReader {
  readonly #thread: AnsweringThread<Question, Answer>
  readonly #oneByOne = pLimit(1)

  /** `heapMiB` of the thread: several times what the weight of the heaviest body lets it need. */
  constructor(heapMiB: number) {
    this.#thread = new AnsweringThread(workerFile, { heapMiB, patienceMs })
  }

  /** The route's checked input. The blocks are handed over, and gone here. Throws VALIDATION, or the reason of the signal. */
  read(task: Task, signal: AbortSignal): Promise<Record<string, unknown>> {
    return this.#oneByOne(() => {
      signal.throwIfAborted()
      return this.#read(task, signal)
    })
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #read(task: Task, signal: AbortSignal): Promise<Record<string, unknown>> {
    const input: Record<string, unknown> = {}
    const handedOver = task.blocks.map(({ buffer }) => buffer as ArrayBuffer)
    for (let { pieces, isLast } = read(await this.#ask(task, handedOver)); ; ) {
      const coming = isLast ? undefined : this.#ask('next')
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

  async #ask(question: Question, handedOver: ArrayBuffer[] = []): Promise<Answer> {
    try {
      return await this.#thread.ask(question, handedOver)
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error
      throw error.reason === 'memory' ? tooMuch() : busy()
    }
  }
}

function read(answer: Answer): Extract<Answer, { isLast: boolean }> {
  if ('failure' in answer) throw new Error(`A body could not be read: ${answer.failure}`)
  if ('refusal' in answer) throw new ApiError(answer.refusal.code, answer.refusal.message, answer.refusal.details)
  return answer
}

const tooMuch = (): ApiError =>
  validationError([{ path: 'body', message: 'takes more memory than there is for one body; send less at once' }])
