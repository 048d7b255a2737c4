// Places for what takes long: downloads, exports and bodies, so many at once, with shares, and the slowest goes where all are taken.
import { expect, test } from 'vitest'
import { connectionsFor } from '../../server/front-door/capacity.ts'
import { clientOf } from '../../server/front-door/client-address.ts'
import { callAs } from '../support/api.ts'
import { asText, metricOf, openConnection } from '../support/bare-connections.ts'
import { item, pushed, sha256 } from '../support/push.ts'
import { sendRaw } from '../support/raw-http.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'

const bytes = Buffer.alloc(32 * 1024 * 1024, 'large')
/** Of 64 connections 8 may send, 32 may take bodies. */
const startSmall = (trustedProxies = 0) => startTestServer({ trustedProxies }, { ...byHand, connections: 64 })
const statusOf = (answer: string) => Number(answer.split(' ')[1])
const from = (address: string) => `X-Forwarded-For: ${address}`

/** A workspace with a large file, and the line that asks for it. */
async function library(server: TestServer) {
  const { url, keys, slug } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  await pushed(mia, [item({ bytes })])
  const { pathname, search } = new URL((await mia.get(`/blobs/${sha256(bytes)}/url`)).body.url)
  return { keys, slug, line: `GET ${pathname}${search}` }
}

/** Asks and reads nothing, so that the answer stays under way. */
async function begin({
  server,
  count,
  line,
  headers = [],
}: {
  server: TestServer
  count: number
  line: string
  headers?: string[]
}) {
  const before = await metricOf(server, 'ph_downloads_under_way')
  for (let n = 0; n < count; n++) await openConnection(server.url, asText(line, headers))
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBe(before + count)
}
const ask = (server: TestServer, line: string, headers: string[] = []) =>
  sendRaw(server.url, asText(line, ['Connection: close', ...headers]))

test('files of a workspace take half of the places for downloads: one more is refused for the moment, and others have theirs', async () => {
  const server = await startSmall()
  const [one, other] = [await library(server), await library(server)]
  await begin({ server, count: 4, line: one.line })
  const refused = await ask(server, one.line)
  expect([statusOf(refused), /Retry-After: 2\r\n/i.test(refused), /Cache-Control/i.test(refused)]).toEqual([503, true, false])
  expect(statusOf(await ask(server, other.line))).toBe(200)
  expect(statusOf(await ask(server, 'GET /install/prop-house.tgz'))).toBe(200)
})

test('a download that hardly moves gives its place to the next after ten seconds, one that was just begun does not', async () => {
  const server = await startSmall()
  const { line } = await library(server)
  await begin({ server, count: 4, line })
  server.clock.advance(9000)
  expect(statusOf(await ask(server, line))).toBe(503)
  server.clock.advance(2000)
  for (let times = 0; times < 3; times++) expect(statusOf(await ask(server, line))).toBe(200)
})

test('an address has half of the places as the proxy names it, and clients without a name on this machine half together', async () => {
  const [behind, direct] = [await startSmall(1), await startSmall()]
  const tarball = 'GET /install/prop-house.tgz'
  await begin({ server: behind, count: 4, line: tarball, headers: [from('198.51.100.9')] })
  expect(statusOf(await ask(behind, tarball, [from('198.51.100.9')]))).toBe(503)
  expect(statusOf(await ask(behind, tarball, [from('203.0.113.7')]))).toBe(200)
  await begin({ server: direct, count: 4, line: tarball, headers: [from('198.51.100.9')] })
  expect(statusOf(await ask(direct, tarball, [from('203.0.113.7')])), 'nobody is believed').toBe(503)
  const { line } = await library(direct)
  expect(statusOf(await ask(direct, line))).toBe(200)
})

test('bodies that come in have places too: a key more than its eighth only while three quarters are free, and who sends none needs none', async () => {
  const server = await startSmall()
  const { keys, slug } = await library(server)
  const put = (key: string) =>
    asText(`PUT /w/${slug}/api/v1/blobs/${'a'.repeat(64)}`, [`Authorization: Bearer ${key}`, 'Content-Length: 1000'])
  const hold = async (key: string, count: number, all: number) => {
    for (let n = 0; n < count; n++) await openConnection(server.url, put(key))
    await expect.poll(() => metricOf(server, 'ph_bodies_under_way')).toBe(all)
  }
  await hold(keys.mia, 8, 8)
  const refused = await openConnection(server.url, put(keys.mia), { isRead: true })
  await expect
    .poll(() => refused.said())
    .toMatch(/^HTTP\/1.1 503 .*This key has its share of requests whose bodies come in under way, which is 4/s)
  const auth = `Authorization: Bearer ${keys.mia}`
  expect(statusOf(await ask(server, `GET /w/${slug}/api/v1/auth/me`, [auth]))).toBe(200)
  await hold(keys.max, 4, 12)
  await hold(keys.adam, 4, 16)
})

test('a place is free again when the client goes, in the middle or at the end', async () => {
  const server = await startSmall()
  const { line } = await library(server)
  const open = await Promise.all(Array.from({ length: 4 }, () => openConnection(server.url, asText(line))))
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBe(4)
  for (const { socket } of open) socket.destroy()
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBe(0)
  for (let times = 0; times < 10; times++) expect(statusOf(await ask(server, line))).toBe(200)
  expect(await metricOf(server, 'ph_downloads_under_way')).toBe(0)
})

test('addresses count as they are, those of IPv6 with their network, and what could be anyone as nobody', () => {
  const cases = [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['2001:0db8::1', '2001:db8:0:0::'],
    ['fe80::1%eth0', 'fe80:0:0:0::'],
    ['127.0.0.1', undefined],
    ['127.8.8.8', undefined],
    ['::1', undefined],
    ['::ffff:127.0.0.1', undefined],
    [undefined, undefined],
  ] as const
  for (const [address, client] of cases) expect([address, clientOf(address)]).toEqual([address, client])
})

test('where few files may be open, fewer connections are kept, each with room for a file', () => {
  expect([undefined, 1_048_576, 8704, 4096, 1024, 256].map(connectionsFor)).toEqual([4096, 4096, 4096, 1792, 256, 64])
})
