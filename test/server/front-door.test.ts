// The front door: who gets in, in which order requests are refused, and what every answer carries (spec 1, 5, 7, 9).
import { expect, test } from 'vitest'
import { allRoutes } from '../../contract/index.ts'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { sendRaw } from '../support/raw-http.ts'
import { newKey, startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys, slug } = await server.addWorkspace()
const other = await server.addWorkspace()

/** Routes that need someone: a key, or a session in its place. */
const guarded = allRoutes.filter(([, , route]) => route.scope !== 'none')

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url}${path}`, { method, headers, redirect: 'manual' })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

test('every route refuses a request without a key, with an unknown one, and with one of another workspace', async () => {
  for (const [noun, verb, route] of guarded) {
    const path = `/w/${slug}/api/v1${route.path.replaceAll(/\{\w+\}/g, '1')}`
    for (const [headers, status] of [
      [{}, 401],
      [bearer(newKey()), 401],
      [bearer('ph_live_x'), 401],
      [bearer(other.keys.olivia), 403],
    ] as const) {
      const response = await ask(path, headers, route.method)
      expect([`${noun}.${verb}`, response.status, response.headers.get('x-ph-api')]).toEqual([`${noun}.${verb}`, status, '1'])
      expect(typeof ((await response.json()) as Json).error).toBe('string')
    }
  }
})

test('a read key is refused every write by the front door, before the library looks at it', async () => {
  for (const [, , route] of allRoutes.filter(
    ([, , one]) => one.scope === 'write' || (['admin', 'session'].includes(one.scope) && one.method !== 'GET'),
  )) {
    const response = await ask(`/w/${slug}/api/v1${route.path.replaceAll(/\{\w+\}/g, '1')}`, bearer(keys.miaReads), route.method)
    expect([route.path, response.status]).toEqual([route.path, 403])
    expect(((await response.json()) as Json).error).toMatch(/read-only/)
  }
  expect((await ask(`/w/${slug}/api/v1/nothing-here`, bearer(keys.miaReads), 'POST')).status).toBe(403)
})

test('a member is FORBIDDEN by the library on every admin route, whatever is sent there', async () => {
  const guardedByRole = allRoutes.filter(([, , { scope }]) => scope === 'admin')
  expect(guardedByRole.length).toBeGreaterThan(4)
  for (const [noun, verb, route] of guardedByRole) {
    const path = `/w/${slug}/api/v1${route.path.replaceAll(/\{\w+\}/g, '1')}`
    const answer = await ask(path, bearer(keys.mia), route.method)
    const { error } = (await answer.json()) as Json
    expect([noun, verb, answer.status, error.code]).toEqual([noun, verb, 403, 'FORBIDDEN'])
  }
})

test('another API version, in path or header, is refused before the key is asked for', async () => {
  for (const [path, headers, source] of [
    ['/api/v2/entries', {}, 'path'],
    ['/api/v1/entries', { 'x-ph-api': '2' }, 'header'],
    ['/api/v1/entries', { 'x-ph-api': 'one' }, 'header'],
    ['/api/v99/nothing', {}, 'path'],
  ] as const) {
    const response = await ask(path, headers)
    const { error } = (await response.json()) as Json
    expect([response.status, error.code, error.details.source, error.details.server_major]).toEqual([
      426,
      'UPGRADE_REQUIRED',
      source,
      1,
    ])
  }
  expect((await ask(`/w/${slug}/api/v1/auth/me`, { ...bearer(keys.mia), 'x-ph-api': '1' })).status).toBe(200)
})

test('the bare address is the first workspace; an unknown workspace is a front-door 404', async () => {
  expect((await ask('/api/v1/auth/me', bearer(keys.mia))).status).toBe(403)
  const unknown = await ask('/w/nobody/api/v1/auth/me', bearer(keys.mia))
  expect(unknown.status).toBe(404)
  expect(typeof ((await unknown.json()) as Json).error).toBe('string')
})

test('an unknown address is NOT_FOUND in the envelope', async () => {
  for (const path of ['/nothing-here', '/entries/', '/entries//closure', '/lineages/']) {
    const answer = await callAs(url, keys.mia).get(path)
    expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, 'NOT_FOUND'])
  }
})

test('a revoked key, and every key of someone who left, are nobody from the next request on', async () => {
  const guest = await server.addWorkspace()
  const mia = callAs(guest.url, guest.keys.mia)
  expect((await callAs(guest.url, guest.keys.miaReads).post('/auth/logout')).status).toBe(204)
  expect((await callAs(guest.url, guest.keys.miaReads).get('/auth/me')).status).toBe(401)
  expect((await mia.get('/auth/me')).status).toBe(200)
  const left = { email: `mia@${guest.slug}.test`, name: 'mia', role: 'member', status: 'disabled' } as const
  await server.changeWorkspace(guest.slug, { members: [left] })
  expect((await mia.get('/auth/me')).status).toBe(401)
})

test('parameters are checked as they are, not turned into what they are not', async () => {
  const mia = callAs(url, keys.mia)
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=ten',
    'limit=5&limit=6',
    'include_deprecated=yes',
    'pack=x',
    'cursor=rubbish',
    'sort=size',
    'name=%20',
  ]) {
    const answer = await mia.get(`/entries?${query}`)
    expect([query, answer.status, answer.body.error?.code]).toEqual([query, 422, 'VALIDATION'])
  }
  expect((await mia.get('/entries?unknown=1')).status).toBe(200)
  expect((await mia.get('/entries/abc')).status).toBe(422)
})

test('broken, wrong and poisoned bodies are VALIDATION and nothing breaks', async () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
    fetch(`${url}/api/v1/push/negotiate`, { method: 'POST', headers: { ...bearer(keys.mia), 'content-type': type }, body })
  const item = { content_hash: 'a'.repeat(64), asset_class: 'X', blob_size: 1 }
  const bodies = ['{', '[]', 'null', '"x"', '', '{"__proto__":{"x":1}}', JSON.stringify({ items: [] })]
  const strings = ['\u0000', '\ud800'].map((bad) =>
    JSON.stringify({ items: [{ ...item, entry: { entry_type: 'mesh', name: `a${bad}` } }] }),
  )
  for (const body of [...bodies, ...strings]) {
    const response = await post(body)
    expect([body.slice(0, 40), response.status, ((await response.json()) as Json).error.code]).toEqual([
      body.slice(0, 40),
      422,
      'VALIDATION',
    ])
  }
  expect((await post('items=1', 'application/x-www-form-urlencoded')).status).toBe(422)
  const latin = Buffer.from(JSON.stringify({ items: [{ ...item, asset_name: 'Tür' }] }), 'latin1')
  const { error } = (await (await post(new Uint8Array(latin))).json()) as Json
  expect([error.code, error.details.errors]).toEqual(['VALIDATION', [{ path: 'body', message: 'is not valid UTF-8' }]])
})

test('a type that is named for no body at all changes nothing', async () => {
  const mia = callAs(url, keys.mia)
  for (const type of ['text/plain;charset=UTF-8', 'application/octet-stream', 'application/json']) {
    const answer = await mia.post('/notifications/seen', new Uint8Array(), { 'content-type': type })
    expect([type, answer.status]).toEqual([type, 200])
    const bare = await sendRaw(
      url,
      `DELETE ${new URL(url).pathname}/api/v1/locks/999 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${keys.mia}\r\nContent-Type: ${type}\r\n\r\n`,
    )
    expect([type, bare.split(' ')[1]]).toEqual([type, '404'])
  }
})

test('the log has a line per request with an id, and never a key', async () => {
  await callAs(url, keys.mia).get('/auth/me')
  const lines = server.logLines.map((line) => JSON.parse(line))
  expect(lines.some((line) => line.req?.path === `/api/v1/auth/me` && line.reqId)).toBe(true)
  const everything = server.logLines.join('')
  for (const key of Object.values(keys)) expect(everything).not.toContain(key)
})

test('monitoring is answered without a key, and the OpenAPI document names every route', async () => {
  expect((await ask('/healthz')).status).toBe(200)
  expect(await (await ask('/readyz')).json()).toEqual({
    database: 'ok',
    storage: 'ok',
    looks: expect.stringMatching(/^(idle|ok)$/),
  })
  const document = (await (await ask('/openapi.json')).json()) as Json
  const operations = Object.values(document.paths as Record<string, Json>).flatMap((path) =>
    Object.values(path).map((operation) => (operation as Json).operationId),
  )
  expect(operations.sort()).toEqual(allRoutes.map(([noun, verb]) => `${noun}.${verb}`).sort())
  const needsBody = (method: string, path: string) => document.paths[`/api/v1${path}`][method].requestBody.required
  expect([needsBody('put', '/entries/{entry_id}/watch'), needsBody('post', '/push/negotiate')]).toEqual([false, true])
})

test('HEAD answers what GET would, without the body, at every address that can be read', async () => {
  const [{ entry_id, lineage_id, content_hash }] = await pushed(callAs(url, keys.mia), [item()])
  const ids: Json = { entry_id, lineage_id, content_hash, user_id: 1, pack_id: 1, artifact_id: 1 }
  for (const [noun, verb, route] of allRoutes.filter(([, , one]) => one.method === 'GET')) {
    const path = `/w/${slug}/api/v1${route.path.replaceAll(/\{(\w+)\}/g, (_, name) => String(ids[name] ?? 1))}`
    const [get, head] = await Promise.all([ask(path, bearer(keys.adam)), ask(path, bearer(keys.adam), 'HEAD')])
    const of = (response: Response) => [
      `${noun}.${verb}`,
      response.status,
      ...['x-ph-api', 'content-type', 'content-length', 'cache-control'].map((name) => response.headers.get(name)),
    ]
    expect(of(head)).toEqual(of(get))
    expect(head.headers.has('location')).toBe(get.headers.has('location'))
    // A stream of events goes on until someone leaves.
    await (route.answers === 'events' ? get.body?.cancel() : get.text())
    expect(await head.text()).toBe('')
  }
})

test('HEAD of a download pulls nothing', async () => {
  const mia = callAs(url, keys.mia)
  const [{ entry_id }] = await pushed(mia, [item()])
  const happened = async () =>
    (await mia.get(`/activity?entry_id=${entry_id}`)).body.events.map((event: Json) => event.event_type)
  expect((await ask(`/w/${slug}/api/v1/entries/${entry_id}/download`, bearer(keys.mia), 'HEAD')).status).toBe(302)
  expect((await mia.get(`/entries/${entry_id}`)).body.ever_pulled).toBe(false)
  expect(await happened()).toEqual(['push.commit'])
})
