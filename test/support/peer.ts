/** The other end of a wire that misbehaves on purpose: answers one request after the other as a test wrote it down. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Heard {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type Answer = (response: ServerResponse, heard: Heard) => void

/** `{status, headers, body}` as an answer. */
export const answer =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-ph-api': '1', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** The connection ends instead of an answer. */
export const cut: Answer = (response) => response.socket?.destroy()

/** Listens on a free port until the test is over. The last answer is given again when there are more requests than answers. */
export async function startPeer(...answers: Answer[]): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
    const next = answers[Math.min(heard.length, answers.length - 1)]
    heard.push(one)
    next?.(response, one)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}
