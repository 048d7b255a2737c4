/** A thread that has the embedder: what it takes of the processor holds up no request. See embedder-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { FormatError } from '../../formats/format-error.ts'
import type { Embedder, Look } from './embedder.ts'
import type { EmbedderOrder, ThreadAnswer } from './embedder-answers.ts'

const { setting, module } = workerData as { setting: string; module: string }
const tell = (answer: ThreadAnswer): void => parentPort?.postMessage(answer)

const opening = open()
parentPort?.on('message', async (order: EmbedderOrder) => {
  const embedder = await opening
  if (!embedder) return
  try {
    tell({ id: order.id, looks: await answerTo(embedder, order) })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    tell({ id: order.id, failure: message, isUnreadable: error instanceof FormatError })
  }
})

async function open(): Promise<Embedder | undefined> {
  try {
    const { openEmbedder } = (await import(module)) as { openEmbedder(setting: string): Promise<Embedder | undefined> }
    const embedder = await openEmbedder(setting)
    if (!embedder) throw new Error(`There is no embedder for ${setting}.`)
    const { name, dimensions, colourWeight } = embedder
    tell({ opened: { name, dimensions, colourWeight, hasWords: embedder.words !== undefined } })
    return embedder
  } catch (error) {
    tell({ notOpened: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}

async function answerTo(embedder: Embedder, order: EmbedderOrder): Promise<Look[]> {
  if (order.want !== 'words') return order.want === 'look' ? [await embedder.look(order.bytes)] : embedder.questions(order.bytes)
  if (!embedder.words) throw new Error('This embedder knows no words.')
  return [await embedder.words(order.text)]
}
