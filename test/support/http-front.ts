/** A server as seen through a front that counts requests, leads to another library, or hides what the specification does not promise. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { allRoutes } from '../../contract/index.ts'

export interface Front {
  url: string
  /** `METHOD /path?query` of everything that was asked. */
  asked: string[]
}

export interface FrontOptions {
  /** Address of a workspace; asked anew for every request. */
  to: () => string
  /** The key to use instead of the caller's. */
  key?: () => string
  /** Answer 404 to the server's own additions, and give changes without their records. */
  plain?: boolean
  /** Parameters that never arrive, as with a server that does not know them. */
  without?: readonly string[]
  /** Requests (`METHOD /path?query`) that are answered with 503, come back in a minute. */
  busy?: (asked: string) => boolean
  /** Fields that answers to requests of this kind do not have, as with a server that does not know them. */
  lacking?: { asked: RegExp; fields: readonly string[] }
  /** Redirect to where nobody listens. */
  storageAway?: boolean
}

const additions = allRoutes.flatMap(([, , route]) =>
  route.extension ? [new RegExp(`^${route.method} ${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)] : [],
)

/** Listens until the test is over. */
export async function startFront({
  to,
  key,
  plain = false,
  without = [],
  busy,
  lacking,
  storageAway = false,
}: FrontOptions): Promise<Front> {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = url.replace('/api/v1', '')
    asked.push(`${method} ${path}`)
    if (plain && additions.some((addition) => addition.test(`${method} ${path.split('?')[0]}`))) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error": "There is nothing here."}')
      return
    }
    if (busy?.(`${method} ${path}`)) {
      response.writeHead(503, { 'retry-after': '60' }).end('{"error": "The server is busy."}')
      return
    }
    const target = new URL(to() + url)
    for (const parameter of plain ? [...without, 'expand'] : without) target.searchParams.delete(parameter)
    const body = method === 'GET' ? undefined : Buffer.concat(chunks)
    const { authorization = '', 'content-type': type = 'application/json' } = headers
    const auth = key ? `Bearer ${key()}` : authorization
    const answer = await fetch(target, {
      method,
      body,
      redirect: 'manual',
      headers: { authorization: auth, ...(body ? { 'content-type': type } : {}) },
    })
    const { status } = answer
    const location = answer.headers.get('location') && (storageAway ? 'http://127.0.0.1:9/' : answer.headers.get('location'))
    const answerType = answer.headers.get('content-type') ?? 'application/json'
    response.writeHead(status, { 'content-type': answerType, ...(location ? { location } : {}) })
    if (lacking?.asked.test(`${method} ${path}`)) {
      const kept = (key: string, value: unknown) => (lacking.fields.includes(key) ? undefined : value)
      response.end(JSON.stringify(JSON.parse(await answer.text(), kept)))
    } else response.end(Buffer.from(await answer.arrayBuffer()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
