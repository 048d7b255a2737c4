/** The protocol on stdin and stdout, which takes no more requests while many of a client that does not read wait for their answers. */
import type { Readable, Writable } from 'node:stream'
import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

/** Four times what the hosted endpoint takes: pictures travel as base64. */
const longestMessage = 4 * 1024 * 1024
/** Requests of one client that are not answered yet. */
const mostUnanswered = 64

export class PacedStdio implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #stdin: Readable
  readonly #wire: StdioServerTransport
  readonly #unanswered = new Set<string | number>()

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin
    this.#wire = new StdioServerTransport(stdin, stdout, { maxBufferSize: longestMessage })
  }

  async start(): Promise<void> {
    this.#wire.onmessage = (message: JSONRPCMessage) => {
      this.#note(message)
      this.onmessage?.(message)
    }
    this.#wire.onclose = () => this.onclose?.()
    this.#wire.onerror = (error) => this.onerror?.(error)
    await this.#wire.start()
  }

  /** Resolves when there is room for more. */
  async send(message: JSONRPCMessage): Promise<void> {
    await this.#wire.send(message)
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#answered(message.id)
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id)
    else if ('method' in message && message.method === 'notifications/cancelled')
      this.#answered(message.params?.requestId as string | number)
    if (this.#unanswered.size >= mostUnanswered) this.#stdin.pause()
  }

  #answered(id: string | number): void {
    if (this.#unanswered.delete(id) && this.#unanswered.size < mostUnanswered) this.#stdin.resume()
  }
}
