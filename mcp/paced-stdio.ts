/**
 * The protocol on stdin and stdout. While many requests wait for their answers, further ones wait here, and soon in the client: what
 * arrives is read on for a while, because the end of a client is seen only by reading.
 */
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest, type Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { type Head, MessageLines } from './message-lines.ts'
import { longestPictureText } from './tools/search.ts'

/** A search by the largest picture that a library takes, with all else that it may say. */
const longestMessage = longestPictureText + 1_000_000
/** Requests of one client that are not answered yet. */
const mostUnanswered = 64
/** Bytes that are read while so many are unanswered. */
const mostWaitingBytes = 256 * 1024

type Id = string | number

export class PacedStdio implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #stdin: Readable
  /** Whole messages, each of which is taken at once. */
  readonly #lines = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER })
  readonly #wire: StdioServerTransport
  readonly #unanswered = new Set<Id>()
  /** Requests that were read and not begun. */
  #waiting: JSONRPCRequest[] = []
  #waitingBytes = 0
  readonly #ended = Promise.withResolvers<void>()
  /** Resolves when nothing more can come or go. */
  readonly ended = this.#ended.promise

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin
    this.#wire = new StdioServerTransport(this.#lines, stdout, { maxBufferSize: Number.MAX_SAFE_INTEGER })
  }

  async start(): Promise<void> {
    this.#wire.onmessage = (message) => this.#take(message)
    this.#wire.onclose = () => {
      this.#waiting = []
      this.#ended.resolve()
      this.onclose?.()
    }
    this.#wire.onerror = (error) => this.onerror?.(error)
    const lines = new MessageLines(longestMessage, {
      take: (line) => void this.#lines.write(line),
      skip: (head) => this.#refuse(head),
    })
    await this.#wire.start()
    for (const event of ['end', 'close', 'error']) this.#stdin.once(event, () => this.#lines.end())
    this.#stdin.on('data', (chunk: Buffer) => {
      this.#count(chunk.length)
      lines.write(chunk)
    })
  }

  /** Resolves when there is room for more. */
  async send(message: JSONRPCMessage): Promise<void> {
    await this.#wire.send(message)
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#answered(message.id)
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  /** Of what is no request nobody waits for an answer. Clients of the newest revision want the type of a result, others pass over it. */
  #refuse({ id, method }: Head): void {
    if (id === undefined || method === undefined) return
    const limit = `${Math.floor(longestMessage / 1_000_000)} MB`
    const text = `VALIDATION: This message is longer than ${limit}, the most that is taken here. Next: Send less at once. For a picture in a linked project, name its file in image_file instead of sending its bytes.`
    const answer =
      method === 'tools/call'
        ? { result: { resultType: 'complete', isError: true, content: [{ type: 'text', text }] } }
        : { error: { code: -32600, message: text } }
    this.#wire.send({ jsonrpc: '2.0', id, ...answer }).catch((error) => this.onerror?.(error))
  }

  #isFull = (): boolean => this.#unanswered.size >= mostUnanswered

  #take(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#request(message)
    else {
      if ('method' in message && message.method === 'notifications/cancelled') this.#cancel(message.params?.requestId as Id)
      this.onmessage?.(message)
    }
  }

  #request(message: JSONRPCRequest): void {
    if (this.#isFull()) this.#waiting.push(message)
    else {
      this.#unanswered.add(message.id)
      this.onmessage?.(message)
    }
  }

  #cancel(id: Id): void {
    this.#waiting = this.#waiting.filter((message) => message.id !== id)
    this.#answered(id)
  }

  #count(bytes: number): void {
    if (!this.#isFull()) return
    this.#waitingBytes += bytes
    if (this.#waitingBytes >= mostWaitingBytes) this.#stdin.pause()
  }

  #answered(id: Id): void {
    if (!this.#unanswered.delete(id)) return
    const next = this.#waiting.shift()
    if (next) this.#request(next)
    if (this.#isFull()) return
    this.#waitingBytes = 0
    this.#stdin.resume()
  }
}
