/** A receiver of webhooks: keeps what it was sent, and answers as a test says. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Json } from './api.ts'
import { certificate, privateKey } from './tls-identity.ts'

export interface Hit {
  path: string
  headers: IncomingHttpHeaders
  bytes: Buffer
  json: Json
}

export interface Receiver {
  /** `http://127.0.0.1:1234`. */
  url: string
  port: number
  hits: Hit[]
  of(path: string): Hit[]
  /** Ids of the events that came to the path, in the order in which they came. */
  ids(path: string): number[]
  /** Requests to a path that are under way. */
  open(path: string): number
}

/** A status, or whatever is done with the response. */
type Answer = number | ((response: ServerResponse, hit: Hit) => void)

/** Nothing is answered until the request is given up. */
export const never: Answer = () => {}
export const redirectTo =
  (location: string, status = 307): Answer =>
  (response) =>
    void response.writeHead(status, { location }).end()

/** Listens on a free port until the test is over. */
export async function startReceiver(
  answer: (path: string, hit: Hit) => Answer = () => 200,
  { tls = false, host = '127.0.0.1', port = 0 } = {},
): Promise<Receiver> {
  const hits: Hit[] = []
  const open = new Map<string, number>()
  const listener: RequestListener = async (request, response) => {
    const path = request.url ?? ''
    open.set(path, (open.get(path) ?? 0) + 1)
    response.on('close', () => open.set(path, (open.get(path) ?? 0) - 1))
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const bytes = Buffer.concat(parts)
    const hit = { path, headers: request.headers, bytes, json: JSON.parse(bytes.toString()) }
    hits.push(hit)
    const given = answer(path, hit)
    if (typeof given === 'number') response.writeHead(given).end()
    else given(response, hit)
  }
  const server = tls ? createTlsServer({ cert: certificate, key: privateKey }, listener) : createServer(listener)
  server.listen(port, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port: taken } = server.address() as AddressInfo
  const of = (path: string) => hits.filter((hit) => hit.path === path)
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${taken}`,
    port: taken,
    hits,
    of,
    ids: (path) => of(path).map(({ json }) => json.id),
    open: (path) => open.get(path) ?? 0,
  }
}
