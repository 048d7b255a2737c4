/** A thread that runs the models, one order at a time. See clip-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { FormatError, type FormatErrorReason } from '../../../formats/format-error.ts'
import { EmbedderError } from '../embedder-error.ts'
import { Models } from './models.ts'

export type ClipOrder = { picture: Uint8Array } | { words: string }

export type ClipAnswer =
  | { kind: 'ready'; dimensions: number }
  | { kind: 'vector'; vector: Float32Array }
  /** `reason` of a FormatError: the picture's fault. */
  | { kind: 'failed'; reason?: FormatErrorReason; message: string }

const opening = Models.open((workerData as { folder: string }).folder)

parentPort?.on('message', async (order: ClipOrder) => answer(() => answerTo(order)))
await answer(async () => ({ kind: 'ready', dimensions: (await opening).dimensions }))

async function answerTo(order: ClipOrder): Promise<ClipAnswer> {
  const models = await opening
  return { kind: 'vector', vector: 'picture' in order ? await models.picture(order.picture) : await models.words(order.words) }
}

async function answer(make: () => Promise<ClipAnswer>): Promise<void> {
  parentPort?.postMessage(await make().catch(failed))
}

function failed(error: unknown): ClipAnswer {
  if (error instanceof FormatError) return { kind: 'failed', reason: error.reason, message: error.message }
  if (error instanceof EmbedderError) return { kind: 'failed', message: error.message }
  throw error
}
