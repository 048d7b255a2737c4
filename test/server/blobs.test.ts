/** Blobs through the API: stored under their hash only, read once a version has them (spec 4.9, 4.13; contract-gaps 4). */
import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, callAs } from '../support/api.ts'
import { item, manifestOf, pushed, sha256 } from '../support/push.ts'
import { type Keys, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let base: string
let keys: Keys
let mia: Caller
let adam: Caller
let stranger: Caller

beforeAll(async () => {
  server = await startTestServer()
  const own = await server.addWorkspace()
  base = own.url
  keys = own.keys
  mia = callAs(base, keys.mia)
  adam = callAs(base, keys.adam)
  const other = await server.addWorkspace()
  stranger = callAs(other.url, other.keys.mia)
})

const isMissing = async (one: ReturnType<typeof item>, caller = mia) =>
  (await caller.post('/push/negotiate', manifestOf([one]))).body.missing_hashes.includes(one.content_hash)

test('bytes are stored once: 201, then 200', async () => {
  const one = item()
  const stored = { hash: one.content_hash, size: one.bytes.length }
  expect(await mia.put(`/blobs/${one.content_hash}`, one.bytes)).toMatchObject({
    status: 201,
    body: { ...stored, created: true },
  })
  expect(await mia.put(`/blobs/${one.content_hash}`, one.bytes)).toMatchObject({
    status: 200,
    body: { ...stored, created: false },
  })
})

test('bytes with another hash are refused and stored under neither', async () => {
  const [one, other] = [item(), item()]
  const answer = await mia.put(`/blobs/${one.content_hash}`, other.bytes)
  expect(answer).toMatchObject({
    status: 409,
    body: { error: { code: 'HASH_MISMATCH', details: { actual: other.content_hash } } },
  })
  expect(await isMissing(one)).toBe(true)
  expect(await isMissing(other)).toBe(true)
})

test('any content type will do, and what is no hash is refused', async () => {
  for (const headers of [
    undefined,
    { 'content-type': 'text/plain; charset=utf-8' },
    { 'content-type': 'application/x-uasset' },
  ]) {
    const one = item()
    expect((await mia.put(`/blobs/${one.content_hash}`, one.bytes, headers)).status).toBe(201)
  }
  for (const hash of ['abc', 'A'.repeat(64), `${'a'.repeat(63)}g`])
    expect(await mia.put(`/blobs/${hash}`, randomBytes(3))).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION' } },
    })
})

test('a read key stores nothing', async () => {
  const one = item()
  const answer = await callAs(base, keys.miaReads).put(`/blobs/${one.content_hash}`, one.bytes)
  expect([answer.status, typeof answer.body.error]).toEqual([403, 'string'])
  expect(await isMissing(one)).toBe(true)
})

test('a denied hash is refused until it is taken off the list', async () => {
  const one = item()
  const { body } = await adam.post('/admin/denylist', { kind: 'content_hash', value: one.content_hash })
  expect(await mia.put(`/blobs/${one.content_hash}`, one.bytes)).toMatchObject({
    status: 403,
    body: { error: { code: 'DENYLISTED' } },
  })
  expect((await stranger.put(`/blobs/${one.content_hash}`, one.bytes)).status).toBe(201)
  expect((await adam.del(`/admin/denylist/${body.id}`)).status).toBe(204)
  expect((await mia.put(`/blobs/${one.content_hash}`, one.bytes)).status).toBe(201)
})

test('a refused upload is answered at once, and its connection goes on', async () => {
  const one = item()
  await adam.post('/admin/denylist', { kind: 'content_hash', value: one.content_hash })
  const statuses = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${keys.mia}`, 'content-length': '10' }
    const sending = httpRequest(`${base}/api/v1/blobs/${one.content_hash}`, { method: 'PUT', headers }, (answer) => {
      answer.resume()
      const { socket } = sending
      sending.end('789')
      answer.on('end', () => socket?.once('free', () => resolve([answer.statusCode, socket.destroyed])))
    })
    sending.on('error', reject)
    sending.write('0123456')
  })
  expect(statuses).toEqual([403, false])
})

test('a blob is read once a version has it, and from its own workspace only', async () => {
  const one = item({ bytes: randomBytes(500_000) })
  await mia.put(`/blobs/${one.content_hash}`, one.bytes)
  const missing = { status: 404, body: { error: { code: 'BLOB_MISSING' } } }
  expect(await mia.get(`/blobs/${one.content_hash}`)).toMatchObject(missing)
  await pushed(mia, [one])
  const redirect = await callAs(base, keys.miaReads).get(`/blobs/${one.content_hash}`)
  expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'private, no-store'])
  const bytes = Buffer.from(await (await fetch(redirect.headers.get('location') ?? '')).arrayBuffer())
  expect(sha256(bytes)).toBe(one.content_hash)
  const given = await mia.get(`/blobs/${one.content_hash}/url`)
  expect(sha256(Buffer.from(await (await fetch(given.body.url)).arrayBuffer()))).toBe(one.content_hash)
  const lives = Date.parse(given.body.expires_at) - server.clock.now().getTime()
  expect(Math.round(lives / 60_000)).toBe(15)
  expect(await stranger.get(`/blobs/${one.content_hash}`)).toMatchObject(missing)
  expect(await stranger.get(`/blobs/${one.content_hash}/url`)).toMatchObject(missing)
})
