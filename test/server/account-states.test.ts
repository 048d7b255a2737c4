// What each state of a workspace lets through, route by route, and in which words the rest is refused (spec 1, 4.9, 7; contract-gaps 1, 2, 5).
import { beforeAll, expect, test } from 'vitest'
import { allRoutes } from '../../contract/index.ts'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { type Item, item, manifestOf, pushed, upload } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys, slug } = await server.addWorkspace()
const [adam, mia, reader] = [callAs(url, keys.adam), callAs(url, keys.mia), callAs(url, keys.miaReads)]
const picture = await pngOf(4, 4)

/** What a test needs of the time when everything was allowed. */
let old: { kept: Item; uploaded: Item; entry: Json; target: Json; mediaTarget: Json }
beforeAll(async () => {
  const [kept, uploaded, coming] = [item(), item(), item()]
  const [entry] = await pushed(mia, [kept])
  await upload(mia, [uploaded])
  const target = (await mia.post('/push/negotiate', manifestOf([coming]))).body.missing[0]
  const version = { entry_id: entry.entry_id, object_id: entry.object_id, kind: 'thumbnail' }
  const mediaTarget = (await mia.post('/entries/media/presign', { items: [version] })).body.targets[0]
  old = { kept, uploaded, entry, target: { ...target, bytes: coming.bytes }, mediaTarget: { ...mediaTarget, bytes: picture } }
})

const become = (state: 'active' | 'read_only' | 'ingest_blocked' | 'suspended' | 'preparing' | 'starting') =>
  server.changeWorkspace(slug, { state })
const said = ({ status, body, headers }: Answer) => ({
  status,
  code: body.error?.code ?? typeof body.error,
  reason: body.error?.details?.reason,
  retry: headers.get('retry-after'),
})
const readOnly = { status: 403, code: 'FORBIDDEN', reason: 'read_only', retry: null }
const starting = { status: 503, code: 'UNAVAILABLE', reason: 'policy_unavailable', retry: '5' }
const blocked = { status: 403, code: 'FORBIDDEN', reason: 'ingest_blocked', retry: null }

/** A request to a route of the table, with ids that lead nowhere. */
function callRoute(caller: Caller, [method, path]: [string, string]): Promise<Answer> {
  const filled = path.replaceAll(/\{\w+\}/g, '1')
  if (method === 'GET') return caller.get(filled)
  if (method === 'DELETE') return caller.del(filled)
  if (method === 'PUT') return caller.put(filled, {})
  return method === 'PATCH' ? caller.patch(filled, {}) : caller.post(filled, {})
}
const keyed = allRoutes.filter(
  ([, , { scope, states, answers }]) =>
    ['read', 'write', 'admin'].includes(scope) && states !== 'all' && answers !== 'ndjson' && answers !== 'events',
)
const writes = keyed.filter(([, , { scope, method }]) => scope === 'write' || (scope === 'admin' && method !== 'GET'))
const isNegotiate = (path: string) => path === '/push/negotiate'

/** Presigned PUT, with exactly the headers that came with the address. */
async function sendTo({ upload_url, headers, bytes }: Json): Promise<Answer> {
  const response = await fetch(upload_url, { method: 'PUT', headers, body: bytes })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
}
const bringing = (one: Item): [string, () => Promise<Answer>][] => [
  ['negotiate', () => mia.post('/push/negotiate', manifestOf([one]))],
  ['blob', () => mia.put(`/blobs/${one.content_hash}`, one.bytes)],
  ['thumbnail', () => mia.put(`/entries/${old.entry.entry_id}/thumbnail?object_id=${old.entry.object_id}`, picture)],
  [
    'media addresses',
    () =>
      mia.post('/entries/media/presign', {
        items: [{ entry_id: old.entry.entry_id, object_id: old.entry.object_id, kind: 'glb' }],
      }),
  ],
  ['a presigned address of before', () => sendTo(old.target)],
  ['a presigned address for media', () => sendTo(old.mediaTarget)],
]

/** Of a stream of events, which is left again at once. */
async function streamStatus(): Promise<number> {
  const live = await fetch(`${url}/api/v1/catalog/changes/live`, { headers: { authorization: `Bearer ${keys.max}` } })
  await live.body?.cancel()
  return live.status
}

for (const [state, refusal] of [
  ['read_only', readOnly],
  ['starting', starting],
] as const)
  test(`${state}: every read works, every write is refused before anything else is looked at, and nothing comes in`, async () => {
    await become(state)
    for (const [noun, verb, route] of keyed) {
      if (isNegotiate(route.path)) continue
      const isWrite = writes.some(([, , one]) => one === route)
      const answer = said(await callRoute(adam, [route.method, route.path]))
      if (isWrite) expect([`${noun}.${verb}`, answer]).toEqual([`${noun}.${verb}`, refusal])
      else expect([`${noun}.${verb}`, answer.reason]).toEqual([`${noun}.${verb}`, undefined])
    }
    for (const [what, call] of bringing(item())) expect([what, said(await call())]).toEqual([what, refusal])
    expect(said(await mia.post('/push/commit', manifestOf([old.uploaded])))).toEqual(refusal)
    expect(said(await mia.post('/nothing-here'))).toEqual(refusal)
    expect((await mia.get(`/entries/${old.entry.entry_id}/download`)).status).toBe(302)
    expect(said(await reader.post('/pull-jobs', {})), 'a read key is refused as such').toMatchObject({
      status: 403,
      code: 'string',
    })
    expect((await callAs(url, keys.max).get('/entries')).body.entries).toHaveLength(1)
    expect(await streamStatus(), 'a stream of events').toBe(200)
  })

test('read_only and starting: a push whose bytes are all there still negotiates', async () => {
  for (const state of ['read_only', 'starting'] as const) {
    await become(state)
    const { status, body } = await mia.post('/push/negotiate', manifestOf([old.kept, old.uploaded]))
    expect([state, status, body.items.map((one: Json) => one.action)]).toEqual([state, 200, ['dedup', 'register']])
  }
})

test('ingest_blocked: new bytes are refused wherever they could come in, and everything else goes on', async () => {
  await become('ingest_blocked')
  const fresh = item()
  for (const [what, call] of bringing(fresh)) expect([what, said(await call())]).toEqual([what, blocked])
  expect((await mia.get(`/blobs/${fresh.content_hash}`)).status).toBe(404)
  expect((await mia.put(`/blobs/${old.kept.content_hash}`, old.kept.bytes)).body.created).toBe(false)
  expect(
    (await mia.put(`/entries/${old.entry.entry_id}/metadata?object_id=${old.entry.object_id}`, { tri_count: 3 })).status,
  ).toBe(200)
  expect((await mia.post('/push/negotiate', manifestOf([old.kept]))).status).toBe(200)
  const { body } = await mia.post('/push/commit', manifestOf([old.kept, old.uploaded]))
  expect(body.results.map((result: Json) => result.status)).toEqual(['dedup', 'new'])
})

test('active again: the addresses of before take bytes', async () => {
  await become('active')
  expect((await sendTo(old.target)).status).toBe(200)
})

for (const [state, status] of [
  ['suspended', 402],
  ['preparing', 404],
] as const)
  test(`${state}: the front door refuses reads and writes, but lets a key be given up`, async () => {
    const closed = await server.addWorkspace()
    const target = (await callAs(closed.url, closed.keys.mia).post('/push/negotiate', manifestOf([item()]))).body.missing[0]
    await server.changeWorkspace(closed.slug, { state })
    for (const [noun, verb, route] of keyed) {
      const answer = await callRoute(callAs(closed.url, closed.keys.adam), [route.method, route.path])
      expect([`${noun}.${verb}`, answer.status, typeof answer.body.error]).toEqual([`${noun}.${verb}`, status, 'string'])
    }
    expect((await callAs(closed.url, keys.mia).get('/auth/me')).status, 'of others nothing is told').toBe(403)
    expect((await sendTo({ ...target, bytes: Buffer.from('x') })).status).toBe(status)
    expect((await callAs(closed.url, closed.keys.miaReads).post('/auth/logout')).status).toBe(204)
    expect((await callAs(closed.url, closed.keys.miaReads).get('/auth/me')).status).toBe(401)
  })

test('monitoring is the same whatever the states of workspaces', async () => {
  for (const path of ['/healthz', '/readyz']) expect((await fetch(`${server.url}${path}`)).status).toBe(200)
})
