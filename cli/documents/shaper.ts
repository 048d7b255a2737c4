/** Shapes documents in a thread of their own, with limits: what `--jq` and `--template` print. */
import { Worker } from 'node:worker_threads'
import { exits } from '../../contract/errors.ts'
import { Refusal, wrongUsage } from '../refusal.ts'
import { duration } from '../terminal/amounts.ts'
import type { Shape } from './shape.ts'
import type { ShapingReport } from './shaping-thread.ts'

export interface Shaper extends AsyncDisposable {
  /** What is printed of a document; `remarks` go to stderr. `failed` is thrown after the text is printed. */
  shape(document: unknown): Promise<{ text: string; remarks: string; failed?: Refusal }>
}

interface Limits {
  /** For one document: those of a million props take a few seconds. */
  longestMs: number
  /** What jq has made of it, as text; jq's own memory ends at 2 GiB by itself. */
  heapMiB: number
}

const usual: Limits = { longestMs: 60_000, heapMiB: 1024 }
const workerFile = new URL(import.meta.url.endsWith('.ts') ? './shaping-thread.ts' : './shaping-thread.js', import.meta.url)

const optionOf = ({ kind }: Shape): string => `--${kind}`

/** Starts the thread; refuses what it cannot use, so that nothing is done before it is said. */
export async function openShaper(shape: Shape, signal: AbortSignal, limits: Partial<Limits> = {}): Promise<Shaper> {
  const { longestMs, heapMiB } = { ...usual, ...limits }
  signal.throwIfAborted()
  const resourceLimits = { maxOldGenerationSizeMb: heapMiB }
  // What WebAssembly says by itself when its memory is full is no output of the command.
  const worker = new Worker(workerFile, { workerData: shape, resourceLimits, stdout: true, stderr: true })
  const answer = (): Promise<ShapingReport> => answerOf(worker, { shape, signal, longestMs })
  const close = async () => void (await worker.terminate())
  const first = await answer().catch(async (error) => {
    await close()
    throw error
  })
  if (first.kind === 'refused') {
    await close()
    throw unusable(shape, first.why)
  }
  return {
    async shape(document) {
      const answered = answer()
      worker.postMessage(JSON.stringify(document))
      const told = await answered
      if (told.kind !== 'shaped') throw new Error('The thread that shapes documents answered something else.')
      const { text, remarks, failed } = told
      return { text, remarks, ...(failed === undefined ? {} : { failed: stopped(shape, failed) }) }
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The next answer of the thread; fails where it takes too long, or when the person stops the command. */
function answerOf(
  worker: Worker,
  { shape, signal, longestMs }: { shape: Shape; signal: AbortSignal; longestMs: number },
): Promise<ShapingReport> {
  const { promise, resolve, reject } = Promise.withResolvers<ShapingReport>()
  const onError = (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? stopped(shape, 'It needs more memory than there is.') : error)
  const onExit = () => reject(stopped(shape, 'Its thread has ended.'))
  const onAbort = () => reject(signal.reason)
  const timer = setTimeout(() => reject(stopped(shape, `It took longer than ${duration(longestMs)}.`)), longestMs)
  worker.on('message', resolve).on('error', onError).on('exit', onExit)
  signal.addEventListener('abort', onAbort)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', onError).off('exit', onExit)
    signal.removeEventListener('abort', onAbort)
  })
}

/** What jq writes above and below the place of a mistake is for its own terminal. */
const firstLine = (why: string): string => (why.split('\n')[0] ?? '').replace(/^(jq: )?error:? ?|^jq: /, '').replace(/\.$/, '')

function unusable(shape: Shape, why: string): Refusal {
  const language = shape.kind === 'jq' ? 'jq cannot read the expression' : 'The template cannot be read'
  return wrongUsage(
    `${language} after ${optionOf(shape)}: ${firstLine(why)}.`,
    shape.kind === 'jq'
      ? 'Fix the expression: https://jqlang.org/manual/. Nothing was done.'
      : 'Fix the template: https://liquidjs.com. Nothing was done.',
  )
}

const stopped = (shape: Shape, why: string): Refusal =>
  new Refusal({
    code: shape.kind === 'jq' ? 'JQ_FAILED' : 'TEMPLATE_FAILED',
    exit: exits.failed,
    message: `${optionOf(shape)} could not print the result: ${firstLine(why)}.`,
    next: 'The command itself did its work; only what it says is missing. See all that it says with --json.',
  })
