/** Bodies: bytes that can be sent more than once, answers read up to a limit, lines and events out of a stream. */
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { readEvents, type StreamEvent } from '../../contract/event-stream.ts'
import { limits } from '../../contract/limits.ts'
import { ClientError } from '../client-error.ts'

/** A request body. `open` is called for every attempt; `size` is exact, in bytes. */
export interface Bytes {
  size: number
  open(): Uint8Array | Readable | AsyncIterable<Uint8Array>
}

/** An opened presigned address: its headers and the bytes, which must be read or destroyed. */
export interface Stored {
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

/** Bytes that are in memory already. */
export function bodyOf(content: string | Uint8Array): Bytes {
  const buffer = typeof content === 'string' ? Buffer.from(content) : content
  return { size: buffer.byteLength, open: () => buffer }
}

/** A whole answer as text, at most as long as any JSON body of the service may be. */
export async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limits.jsonBodyBytes)
      throw new ClientError('ANSWER_TOO_LARGE', `The answer is longer than ${limits.jsonBodyBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const longestLineBytes = 8 * 1024 * 1024
const lineFeed = 10

/** The lines of a stream, decoded as UTF-8, each of at most 8 MiB; empty ones only where they mean something. */
export async function* splitLines(body: Readable, { empty }: { empty?: 'kept' } = {}): AsyncGenerator<string> {
  let rest: Buffer[] = []
  let restSize = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)]).toString('utf8')
      rest = []
      restSize = 0
      start = end + 1
      if (line !== '' || empty) yield line
    }
    restSize += chunk.length - start
    if (restSize > longestLineBytes)
      throw new ClientError('ANSWER_TOO_LARGE', `A line of the answer is longer than ${longestLineBytes} bytes.`)
    if (start < chunk.length) rest.push(chunk.subarray(start))
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString('utf8')
}

/** The events of an answer. Throws ClientError NOT_A_LIBRARY where something else answers, and what the connection throws. */
export async function* eventsOf({ headers, body }: Dispatcher.ResponseData, from: string): AsyncGenerator<StreamEvent> {
  if (!String(headers['content-type']).startsWith('text/event-stream')) {
    body.on('error', () => {}).destroy()
    throw noEvents(from)
  }
  try {
    for await (const event of readEvents(splitLines(body, { empty: 'kept' }))) if (event) yield event
  } catch (error) {
    throw error instanceof SyntaxError ? noEvents(from) : error
  }
}

const noEvents = (from: string) =>
  new ClientError('NOT_A_LIBRARY', `${from} answered with something that is no stream of events.`)
