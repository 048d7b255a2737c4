/** Large package headers are read in a thread, one after the other. */
import pLimit from 'p-limit'
import { busy } from '../../../serving/bodies/weighted-queue.ts'
import { AnsweringThread, ThreadFailure } from '../../../system/threads/answering-thread.ts'
import type { Answer, Question } from './header-worker.ts'
import type { Look, Said } from './look.ts'

/** The largest header takes some seconds to read, and several times its length of memory. */
const threadLimits = { heapMiB: 1024, patienceMs: 60_000 }

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './header-worker.ts' : './header-worker.js', import.meta.url)
const thread = new AnsweringThread<Question, Answer>(workerFile, threadLimits)
const oneByOne = pLimit(1)

/** Reads the bytes in its turn. A header that takes more memory than the thread has is one that the reader does not know. Throws UNAVAILABLE. */
export const lookInThread = (read: () => Promise<Uint8Array>, said: Said): Promise<Look> =>
  oneByOne(async () => {
    const bytes = await read()
    try {
      return await ask({ bytes, said })
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error
      if (error.reason === 'memory') return { wrong: [] }
      throw busy()
    }
  })

async function ask(question: Exclude<Question, 'next'>): Promise<Look> {
  let answer = await thread.ask(question, [question.bytes.buffer as ArrayBuffer])
  const { look = { wrong: [] } } = answer
  const imports: string[] = []
  for (;;) {
    for (const path of answer.imports) imports.push(path)
    if (answer.isLast) return look.header ? { ...look, header: { ...look.header, imports } } : look
    answer = await thread.ask('next')
  }
}
