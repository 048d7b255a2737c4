/** A picture that is searched for, as it comes in: so many bytes of them at once, and so many decoded, in fair turns (spec 4.2). */
import type { Readable } from 'node:stream'
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { FormatError } from '../../formats/format-error.ts'
import { type Owner, WeightedQueue } from '../../serving/bodies/weighted-queue.ts'
import { inDecodingTurn } from '../decoding.ts'
import { requireFits, tooLarge } from '../storage/counting/upload-size.ts'
import type { Look } from './embedder.ts'
import { type EmbedderThread, ThreadEnded } from './embedder-thread.ts'

const { bytes: mostBytes } = limits.searchImage
/** Pictures in memory, of all people together: a key has a quarter of that, a workspace half. */
const receiving = new WeightedQueue(8 * mostBytes)

interface AskedPicture {
  bytes: Readable
  contentLength: number | undefined
  embedder: EmbedderThread
  owner: Owner
}

/** The views of the picture that count as the same. VALIDATION where it is none that can be read, EMBEDDINGS_UNAVAILABLE where nobody can. */
export async function questionsOf({ bytes, contentLength, embedder, owner }: AskedPicture): Promise<Look[]> {
  requireFits(contentLength, mostBytes)
  const giveBytesBack = await receiving.take({ owner, weight: Math.max(1, contentLength ?? mostBytes) })
  try {
    const picture = await wholeOf(bytes)
    return await inDecodingTurn({ owner }, () => asked(embedder, picture))
  } finally {
    giveBytesBack()
  }
}

/** Chunks are copied: they are not to be used once the next one is there. */
async function wholeOf(bytes: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) throw tooLarge(mostBytes)
    chunks.push(Buffer.from(chunk))
  }
  if (size === 0) throw validationError([{ path: 'body', message: 'is empty; send the bytes of a PNG or JPEG' }])
  return Buffer.concat(chunks)
}

/** Once more where the thread has ended: it may have been for another picture. */
async function asked(embedder: EmbedderThread, picture: Buffer, isAgain = false): Promise<Look[]> {
  try {
    return await embedder.questions(picture)
  } catch (error) {
    if (error instanceof FormatError) throw validationError([{ path: 'body', message: error.message }])
    if (!(error instanceof ThreadEnded)) throw error
    if (!isAgain) return asked(embedder, picture, true)
    throw new ApiError('EMBEDDINGS_UNAVAILABLE', `The picture could not be looked at: ${error.message}`, { httpStatus: 503 })
  }
}
