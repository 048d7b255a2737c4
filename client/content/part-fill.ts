/** Receives what is missing of a file, with all the patience of `Http`: cut connections are taken up again where they stopped. */
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ApiError } from '../../contract/errors.ts'
import { ClientError } from '../client-error.ts'
import { isNetworkError } from '../http/failures/network-error.ts'
import type { Http } from '../http/http.ts'
import type { PartFile } from './part-file.ts'

export interface Source {
  /** Gives a presigned address; asked again when the connection was cut. */
  locate(): Promise<string>
  /** Bytes that the file must have. */
  sizeBytes: number
  /** What the file is called when something is wrong with it. */
  title: string
  /** Told how many bytes of the file there are. */
  onProgress?: (bytesDone: number) => void
  signal?: AbortSignal
}

/** Cut connections that are taken up again while each of them brought something. */
const mostFruitlessTries = 3

/** Receives what is missing of a file. Throws ClientError `WRONG_BYTES`, `UNREACHABLE`, and what Http and the disk throw. */
export async function fillPart(http: Http, part: PartFile, source: Source): Promise<void> {
  let fruitless = 0
  while (part.size < source.sizeBytes) {
    const before = part.size
    try {
      await receive(http, part, source)
    } catch (error) {
      source.signal?.throwIfAborted()
      if (!isNetworkError(error)) throw error
      fruitless = part.size > before ? 0 : fruitless + 1
      if (fruitless < mostFruitlessTries) continue
      throw new ClientError('UNREACHABLE', `The connection was cut again and again while ${source.title} was downloaded.`, {
        cause: error,
      })
    }
    if (part.size === before) throw new ClientError('WRONG_BYTES', `The download of ${source.title} has stalled.`)
  }
}

/** One answer's bytes. A server that ignores Range sends the file from its beginning, and then so does the part. */
async function receive(http: Http, part: PartFile, { locate, sizeBytes, title, onProgress, signal }: Source): Promise<void> {
  const headers: Record<string, string> = part.size > 0 ? { range: `bytes=${part.size}-` } : {}
  const answer = await http.open({ url: await locate(), headers, signal }).catch((error: unknown) => {
    // The storage has less of the file than there is here (RFC 9110 15.5.17).
    if (!(error instanceof ApiError && error.status === 416)) throw error
    throw new ClientError('WRONG_BYTES', `The download of ${title} has stalled.`, { cause: error })
  })
  if (part.size > 0 && !String(answer.headers['content-range'] ?? '').startsWith(`bytes ${part.size}-`)) part.restart()
  await receiveChunks(answer.body, (chunk) => {
    if (part.size + chunk.length > sizeBytes)
      throw new ClientError('WRONG_BYTES', `More bytes arrive for ${title} than the file has.`)
    part.write(chunk)
    release(chunk)
    onProgress?.(part.size)
  })
}

/** Every chunk as it arrives, without a turn of the event loop in between. */
async function receiveChunks(body: Readable, take: (chunk: Buffer) => void): Promise<void> {
  let failure: { error: unknown } | undefined
  body.on('data', (chunk: Buffer) => {
    if (failure) return
    try {
      take(chunk)
    } catch (error) {
      failure = { error }
      body.destroy()
    }
  })
  await finished(body).catch((error: unknown) => {
    throw failure ? failure.error : error
  })
}

/**
 * Gives the memory of what was read from the socket back at once. Every 64 KiB that arrive have memory of their own, which the
 * collector learns of late: it marked the whole heap every few megabytes. Chunks come in order, so the one that reaches to the
 * end of that memory is the last to need it.
 */
function release({ buffer, byteOffset, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteOffset + byteLength === buffer.byteLength) buffer.transfer(0)
}
