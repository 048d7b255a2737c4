// Connections when there are too many: new ones are always taken, those without a request go, and nobody's request is cut for it.
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Settings } from '../../server/config.ts'
import { callAs } from '../support/api.ts'
import { asText, type BareConnection, metricOf, openConnection } from '../support/bare-connections.ts'
import { openStream } from '../support/live.ts'
import { item, pushed, sha256 } from '../support/push.ts'
import { sendRaw } from '../support/raw-http.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'

const connections = 64
/** A server of its own for each test: what another one left open would count. */
const startSmall = (over: Partial<Settings> = {}, most = connections) => startTestServer(over, { ...byHand, connections: most })
const ask = (url: string) => sendRaw(url, asText('GET /healthz', ['Connection: close']))

async function opened({ url }: TestServer, count: number, text = ''): Promise<BareConnection[]> {
  const made: BareConnection[] = []
  for (let n = 0; n < count; n++) made.push(await openConnection(url, text, { isRead: true }))
  onTestFinished(() => {
    for (const { socket } of made) socket.destroy()
  })
  return made
}
const answered = (some: readonly BareConnection[], text = 'HTTP/1.1 200') =>
  expect.poll(() => some.filter((one) => !one.said().includes(text)).length).toBe(0)
const isOpen = ({ socket }: BareConnection) => !socket.readableEnded && !socket.destroyed
const openIn = (some: readonly BareConnection[]) => some.filter(isOpen).length

test('300 connections that say nothing keep nobody out: the oldest of them go', async () => {
  const server = await startSmall()
  const silent = await opened(server, 300)
  expect(await ask(server.url)).toContain('200 OK')
  expect(await metricOf(server, 'ph_connections')).toBeLessThanOrEqual(connections)
  await expect.poll(() => openIn(silent)).toBeLessThan(connections)
  expect(silent.slice(-30).every(isOpen), 'the newest ones stay').toBe(true)
})

test('connections that say nothing go before one that waits for its next request, and of those who wait the longest', async () => {
  const server = await startSmall()
  const [first, second] = [await opened(server, 1, asText('GET /healthz')), await opened(server, 1, asText('GET /healthz'))]
  await answered([...first, ...second])
  const silent = await opened(server, 40)
  server.clock.advance(2000)
  const asked = await opened(server, connections - 2, asText('GET /healthz'))
  await answered(asked)
  expect([openIn(first), openIn(second), openIn(silent), openIn(asked)]).toEqual([1, 1, 0, connections - 2])
  await answered(await opened(server, 1, asText('GET /healthz')))
  await expect.poll(() => [openIn(first), openIn(second)]).toEqual([0, 1])
})

test('a request that is under way is never ended for others: a stream, an upload, an answer', async () => {
  const server = await startSmall()
  const { url, keys, slug } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const stream = openStream(url, keys.mia)
  await stream.head()
  const bytes = Buffer.alloc(1000, 'slow')
  const headers = [`Authorization: Bearer ${keys.mia}`, 'Content-Length: 1000', 'Content-Type: application/octet-stream']
  const put = asText(`PUT /w/${slug}/api/v1/blobs/${sha256(bytes)}`, headers)
  const [upload] = await opened(server, 1, put)
  await expect.poll(() => metricOf(server, 'ph_bodies_under_way')).toBe(1)
  await opened(server, 300)
  for (let times = 0; times < 20; times++) expect(await ask(server.url)).toContain('200 OK')
  upload?.socket.write(bytes)
  await answered([upload as BareConnection], 'HTTP/1.1 201')
  await pushed(mia, [item()])
  expect(await stream.head()).toBeGreaterThan(0)
})

test('an address that has more than a quarter of the connections loses its own first, as the proxy names it', async () => {
  const server = await startSmall({ trustedProxies: 1 })
  const from = (address: string) => asText('GET /healthz', [`X-Forwarded-For: ${address}`])
  const others = await opened(server, 10, from('203.0.113.1'))
  await answered(others)
  const greedy = await opened(server, 200, from('198.51.100.9'))
  await answered(greedy.slice(-1))
  await expect.poll(() => openIn(greedy)).toBeLessThanOrEqual(connections - 10)
  expect(openIn(others), 'they had waited longer').toBe(10)
  const network: BareConnection[] = []
  for (let n = 0; n < 100; n++) {
    const [one] = await opened(server, 1, from(`2001:db8:7:7::${n.toString(16)}`))
    await answered([one as BareConnection])
    network.push(one as BareConnection)
  }
  await expect.poll(() => openIn([...greedy, ...network])).toBeLessThanOrEqual(connections - 10)
  expect(openIn(others), 'an address of IPv6 counts with its network').toBe(10)
})

test('behind a proxy that nobody named an address has no share: who waits longest goes, whatever the headers say', async () => {
  const server = await startSmall()
  const from = (address: string) => asText('GET /healthz', [`X-Forwarded-For: ${address}`])
  const others = await opened(server, 10, from('203.0.113.1'))
  await answered(others)
  const many = await opened(server, connections, from('198.51.100.9'))
  await answered(many.slice(-1))
  await expect.poll(() => openIn(others)).toBe(0)
})

test('answers that nobody reads keep nobody out: when all connections have one, the one that waits longest goes', async () => {
  const few = await startSmall({}, 16)
  const unread = asText('GET /openapi.json').repeat(60)
  const greedy: BareConnection[] = []
  for (let n = 0; n < 16; n++) greedy.push(await openConnection(few.url, unread))
  onTestFinished(() => {
    for (const { socket } of greedy) socket.destroy()
  })
  await expect.poll(() => metricOf(few, 'ph_pipelined_requests')).toBe(16)
  // From the moment on at which nothing leaves any more.
  const later = () => {
    few.clock.advance(6000)
    return ask(few.url).catch(String)
  }
  await expect.poll(later, { interval: 1500 }).toContain('200 OK')
  for (let times = 0; times < 5; times++) expect(await ask(few.url)).toContain('200 OK')
})

test('a client that does not read its 408 is forgotten all the same', async () => {
  const pace = { everyMs: 100, bytes: 1000, headersMs: 300 }
  const quick = await startTestServer({}, { ...byHand, pace })
  const gone = new Promise((resolve) => quick.app.server.once('connection', (socket) => socket.once('close', resolve)))
  await openConnection(quick.url, 'GET / HTTP/1.1\r\n')
  await gone
  expect(await metricOf(quick, 'ph_connections')).toBe(0)
})

test('an answer that is not read goes when the clock of the server says so', async () => {
  const server = await startSmall()
  const { url, keys } = await server.addWorkspace()
  const bytes = Buffer.alloc(32 * 1024 * 1024, 'large')
  const mia = callAs(url, keys.mia)
  await pushed(mia, [item({ bytes })])
  const { pathname, search } = new URL((await mia.get(`/blobs/${sha256(bytes)}/url`)).body.url)
  const gone = new Promise<string>((resolve) =>
    server.app.server.once('connection', (socket) => socket.once('close', () => resolve('closed'))),
  )
  await openConnection(server.url, asText(`GET ${pathname}${search}`))
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBe(1)
  const ticking = setInterval(() => server.clock.advance(31_000), 500)
  onTestFinished(() => clearInterval(ticking))
  expect(await Promise.race([gone, pause(20_000, 'open', { ref: false })])).toBe('closed')
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBe(0)
})
