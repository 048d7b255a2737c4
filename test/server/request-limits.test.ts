// How much of a request is taken: the limit of each route as the contract states it, and what a connection may have under way.
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { openApi } from '../../contract/docs.ts'
import { allRoutes } from '../../contract/index.ts'
import { limits } from '../../contract/limits.ts'
import { inputLocations, isOpen, maxBodyBytes } from '../../contract/route.ts'
import { callAs, type Json } from '../support/api.ts'
import { send, statusOf } from '../support/large-bodies.ts'
import { item, manifestOf, pushed, sha256 } from '../support/push.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer({}, { pace: { everyMs: 100, bytes: 1000, headersMs: 5000 } })
const { url, keys, slug } = await server.addWorkspace()
const adam = callAs(url, keys.adam)
const at = (path: string) => `/w/${slug}/api/v1${path}`
const parsed = (answer: string) => ({
  status: Number(answer.split(' ')[1]),
  body: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4) || '{}') as Json,
})

/** What is answered to a request of which the head has come, and nothing else. */
const toHead = async (line: string, headers: readonly string[], key = keys.adam) =>
  parsed(
    await sendRaw(
      server.url,
      `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n${headers.join('\r\n')}\r\n\r\n`,
    ),
  )
const json = 'Content-Type: application/json'

const taking = allRoutes.flatMap(([noun, verb, route]) =>
  !route.raw && inputLocations(route).body.length > 0 ? [{ name: `${noun}.${verb}`, route }] : [],
)
const small = { items: [{ ...manifestOf([item()]).items[0] }] }

test('manifests may have 64 MiB, reports 3 MiB, long questions 6 MiB, everything else 1 MiB, and 64 KiB where no key is needed', () => {
  const [MiB, others] = [1024 * 1024, new Map(taking.map(({ name, route }) => [name, maxBodyBytes(route)]))]
  const stated = { 'push.negotiate': 64 * MiB, 'push.commit': 64 * MiB, 'pullJobs.update': 3 * MiB, 'lineages.find': 6 * MiB }
  for (const [name, bytes] of Object.entries(stated)) {
    expect([name, others.get(name)]).toEqual([name, bytes])
    others.delete(name)
  }
  for (const { name, route } of taking)
    if (others.has(name)) expect([name, maxBodyBytes(route)]).toEqual([name, isOpen(route) ? 64 * 1024 : MiB])
  const { requestBody } = (openApi().paths as Json)['/api/v1/push/commit'].post
  expect([requestBody['x-max-bytes'], requestBody.description]).toEqual([64 * MiB, 'At most 67,108,864 bytes.'])
})

test.each(taking.filter(({ route }) => !route.beforeSetup && route.scope !== 'session'))(
  'a body that $name announces longer than its limit is VALIDATION with the limit and what to do, before a byte of it comes',
  async ({ route }) => {
    const path = at(route.path.replaceAll(/\{\w+\}/g, '1'))
    const { status, body } = await toHead(`${route.method} ${path}`, [json, `Content-Length: ${maxBodyBytes(route) + 1}`])
    expect([status, body.error.code]).toEqual([422, 'VALIDATION'])
    expect(body.error.details.errors[0]).toMatchObject({ path: 'body', maximum: maxBodyBytes(route) })
    expect(body.error.message).toMatch(new RegExp(`larger than ${maxBodyBytes(route)} bytes.*send less at once`))
  },
)

test.each(['/push/negotiate', '/lineages/find', '/tags'])(
  'a body of %s without an announced length is taken up to the very limit, and refused one byte further',
  async (path) => {
    const route = allRoutes.map(([, , one]) => one).find((one) => one.method === 'POST' && one.path === path)
    const most = route ? maxBodyBytes(route) : 0
    const text = JSON.stringify(path === '/tags' ? { name: 'large' } : path === '/lineages/find' ? { lineage_ids: ['a'] } : small)
    for (const isChunked of [true, false]) {
      const full = await send(`${url}/api/v1${path}`, { key: keys.adam, body: text.padEnd(most), isChunked }).answer
      expect([path, isChunked, full.status < 300 || full.status === 409], full.text.slice(0, 300)).toEqual([
        path,
        isChunked,
        true,
      ])
    }
    const over = await send(`${url}/api/v1${path}`, { key: keys.adam, body: text.padEnd(most + 1), isChunked: true }).answer
    expect([over.status, JSON.parse(over.text).error.details.errors[0].maximum]).toEqual([422, most])
  },
)

test('who may not write is told so before the body comes: a read key, a member who is no admin, a workspace that is read-only', async () => {
  const announced = [json, 'Content-Length: 60000000']
  const read = await toHead(`POST ${at('/push/commit')}`, announced, keys.miaReads)
  expect([read.status, typeof read.body.error]).toEqual([403, 'string'])
  const denylist = [json, 'Content-Length: 1000000']
  expect((await toHead(`POST ${at('/admin/denylist')}`, denylist, keys.mia)).body.error.code).toBe('FORBIDDEN')
  const closed = await server.addWorkspace({ state: 'read_only' })
  const refused = await toHead(`POST /w/${closed.slug}/api/v1/push/commit`, announced, closed.keys.adam)
  expect(refused.body.error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'read_only' } })
})

test('the largest requests that clients may make fit', async () => {
  const many = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${n}`.padStart(8, '0') + text)
  const question = {
    lineage_ids: many(limits.lineagesFound, 'x'.repeat(56)),
    content_hashes: many(limits.lineagesFound, 'a'.repeat(56)),
    origin_paths: many(limits.lineagesFound, 'p'.repeat(992)),
  }
  expect((await adam.post('/lineages/find', question)).status).toBe(200)
  const ids = (count: number) => Array.from({ length: count }, (_, n) => Number.MAX_SAFE_INTEGER - n)
  expect((await adam.post('/entries/find', { entry_ids: ids(limits.page.max) })).status).toBe(200)
  const tag = (await adam.post('/tags', { name: 'fits' })).body.id
  const entry_ids = ids(limits.bulk)
  const unknown = [
    await adam.post('/entries/tags/bulk', { tag_id: tag, entry_ids, action: 'add' }),
    await adam.post('/entries/variant-group/bulk', { entry_ids, action: 'group', label: 'l'.repeat(200) }),
    await adam.post('/pull-jobs/plan', {
      target_project: 'p'.repeat(200),
      entries: entry_ids.map((entry_id) => ({ entry_id, object_id: entry_id })),
    }),
    await adam.post('/entries/media/presign', {
      items: entry_ids.map((entry_id) => ({ entry_id, object_id: entry_id, kind: 'thumbnail' })),
    }),
  ]
  for (const { status, body } of unknown)
    expect([status, body.error?.code], JSON.stringify(body).slice(0, 300)).toEqual([404, 'ENTRY_NOT_FOUND'])
})

test('bodies that are nested too deeply or hold too many values are VALIDATION, however short they are', async () => {
  const refusalOf = async (body: string) => {
    const { status, text } = await send(`${url}/api/v1/push/negotiate`, { key: keys.mia, body }).answer
    return [status, JSON.parse(text).error.message]
  }
  expect(await refusalOf('['.repeat(100_000))).toEqual([422, 'body: is nested deeper than 64 levels'])
  expect(await refusalOf(`[${'{},'.repeat(4_000_000)}{}]`)).toEqual([
    422,
    expect.stringMatching(/weighs more than.*send less at once/),
  ])
})

test('a large manifest and a small one are refused in the same words, with the same details', async () => {
  const junk = { junk: Array(60_000).fill({}) }
  const wrong = [
    { items: [{ ...small.items[0], content_hash: 'no' }] },
    { items: [{ ...small.items[0], metadata_doc: { v: 1, ext: { studio: { text: 'x'.repeat(66_000) } } } }] },
    { items: Array(5001).fill(small.items[0]) },
    { items: [{ ...small.items[0], asset_name: 'a\0b' }] },
    { items: 5 },
  ]
  for (const body of wrong) {
    const [plain, large] = [await adam.post('/push/commit', body), await adam.post('/push/commit', { ...body, ...junk })]
    expect(large.body).toEqual(plain.body)
    expect([large.status, plain.status]).toEqual([422, 422])
  }
  const poisoned = (more: string) => `${JSON.stringify(small).slice(0, -1)},"__proto__":{"a":1}${more}}`
  for (const more of ['', `,"junk":${JSON.stringify(junk.junk)}`]) {
    const { status, text } = await send(`${url}/api/v1/push/commit`, { key: keys.mia, body: poisoned(more) }).answer
    expect([status, JSON.parse(text).error.code]).toEqual([422, 'VALIDATION'])
  }
  const refused = await send(`${url}/api/v1/push/commit`, { key: keys.mia, body: `${JSON.stringify({ ...small, ...junk })}]` })
    .answer
  expect(JSON.parse(refused.text).error.message).toContain('is not valid JSON')
})

test('a large manifest that is in order does what a small one does, in the order of its items', async () => {
  const items = Array.from({ length: 1500 }, () => item())
  const packed = manifestOf(items, { junk: Array(60_000).fill({}), packs: [{ ref: 'p', name: 'Packed' }] })
  const answer = await adam.post('/push/negotiate', packed)
  expect(answer.body.items.map((one: Json) => [one.content_hash, one.action])).toEqual(
    items.map(({ content_hash }) => [content_hash, 'register']),
  )
})

test('a body that comes compressed is refused, wherever it is sent', async () => {
  const bytes = Buffer.from('some bytes')
  const packed = gzipSync(JSON.stringify(small))
  const encoded = { 'content-encoding': 'gzip' }
  const answers = [
    await adam.post('/push/negotiate', small, encoded),
    await adam.put(`/blobs/${sha256(bytes)}`, packed, encoded),
    await adam.put('/entries/1/thumbnail?object_id=1', packed, { ...encoded, 'content-type': 'image/png' }),
  ]
  for (const { status, body } of answers) expect([status, body.error.details.errors[0].path]).toEqual([422, 'Content-Encoding'])
  expect((await adam.put(`/blobs/${sha256(bytes)}`, bytes, { 'content-encoding': 'identity' })).status).toBeLessThan(300)
})

test('200 clients that announce as much as they may and send hardly anything keep nobody from sending a large body', async () => {
  const { hostname, port } = new URL(server.url)
  const head = `POST ${at('/push/negotiate')} HTTP/1.1\r\nHost: x\r\n${json}\r\nContent-Length: ${limits.jsonBodyBytes}\r\n`
  const sockets = Array.from({ length: 200 }, (_, n) => {
    const key = [keys.olivia, keys.mia, keys.max][n % 3]
    const socket = connect(Number(port), hostname, () => socket.write(`${head}Authorization: Bearer ${key}\r\n\r\n{`))
    return socket.on('error', () => {})
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  const body = JSON.stringify({ ...small, junk: Array(500_000).fill({}) })
  expect((await send(`${url}/api/v1/push/negotiate`, { key: keys.adam, body }).answer).status).toBe(200)
  // They are given up for their pace, and the server forgets them.
  await Promise.all(sockets.map((socket) => socket.destroyed || new Promise((resolve) => socket.once('close', resolve))))
})

test('a request with more than 200 headers is refused', async () => {
  const odd = Array.from({ length: 198 }, (_, n) => `X-${n}: a`)
  const { status, body } = await toHead(`GET ${at('/auth/me')}`, odd)
  expect([status, body.error]).toEqual([431, expect.stringContaining('200 headers')])
  expect((await toHead(`GET ${at('/auth/me')}`, odd.slice(3))).status).toBe(200)
})

test('a client that asks and does not read is cut off: a large file, and a row of answers', async () => {
  const bytes = Buffer.alloc(32 * 1024 * 1024, 'large')
  await pushed(adam, [item({ bytes })])
  const { url: address } = (await adam.get(`/blobs/${sha256(bytes)}/url`)).body
  const { hostname, port, pathname, search } = new URL(address)
  for (const text of [
    `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`,
    'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(60),
  ]) {
    const closed = new Promise((resolve) => server.app.server.once('connection', (socket) => socket.once('close', resolve)))
    const socket = connect(Number(port), hostname, () => socket.write(text)).pause()
    onTestFinished(() => void socket.destroy())
    await closed
  }
  expect(await statusOf(`${server.url}/healthz`)).toBe(200)
})
