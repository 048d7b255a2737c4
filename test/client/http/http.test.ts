/** How requests travel: what they carry, what is repeated, and what a refusal becomes. */
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { Http, type HttpOptions, type WaitEvent } from '../../../client/http/http.ts'
import type { ApiRequest } from '../../../client/http/request.ts'
import { answer, cut, startPeer } from '../../support/peer.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

function open(options: HttpOptions): Http {
  const http = new Http(options)
  onTestFinished(() => http.close('destroy'))
  return http
}

const key = 'ph_live_0123456789'
const get = { method: 'GET', path: '/entries' } as const

test('a call carries the key, the API version and the name of the client', async () => {
  const peer = await startPeer(answer(200, { entries: [] }))
  const http = open({ url: `${peer.url}/w/acme`, key, clientName: 'ph/1.2.3' })
  expect(await http.json({ ...get, query: new URLSearchParams({ name: 'a&b' }) })).toEqual({ entries: [] })
  const [heard] = peer.heard
  expect(heard?.url).toBe('/w/acme/api/v1/entries?name=a%26b')
  expect(heard?.headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-ph-api': '1', 'x-ph-client': 'ph/1.2.3' })
})

test('opened anew, connections that went silent hold up nothing: what may be repeated is answered over new ones', async () => {
  const peer = await startPeer(...[1, 2, 3, 4, 5].map((n) => answer(200, { n })))
  const proxy = await startProxy(peer.url)
  const waits: string[] = []
  const onWait = ({ reason }: WaitEvent) => waits.push(reason)
  const http = open({ url: proxy.url(peer.url), connections: 1, onWait, pause: async () => undefined })
  const silenced = async (request: ApiRequest) => {
    await http.json(get)
    proxy.silence(/entries/)
    const heard = peer.heard.length
    const asked = http.json(request).catch((error: unknown) => error)
    await expect.poll(() => peer.heard.length).toBe(heard + 1)
    await http.reconnect()
    return asked
  }
  expect(await silenced(get)).toEqual({ n: 3 })
  expect(waits).toEqual(['the connection was cut'])
  expect(await silenced({ method: 'POST', path: '/push/commit', json: {} })).toMatchObject({ code: 'UNREACHABLE' })
})

test('a path that leads out of the API is refused before the key has left', async () => {
  const peer = await startPeer(answer(200))
  const http = open({ url: `${peer.url}/w/acme`, key })
  await expect(http.json({ method: 'GET', path: '/../../../storage/x' })).rejects.toMatchObject({ code: 'WRONG_ADDRESS' })
  expect(peer.heard).toEqual([])
})

test('the target of a redirect is fetched without the key, no matter who serves it', async () => {
  const peer = await startPeer(
    (response) => response.writeHead(302, { location: '/storage/abc?sig=1' }).end(),
    answer(200, 'the bytes', { 'content-type': 'application/octet-stream' }),
  )
  const http = open({ url: peer.url, key })
  const { location } = await http.redirect({ method: 'GET', path: '/blobs/abc' })
  const { body } = await http.open({ url: location })
  expect(await body.toArray().then((chunks) => Buffer.concat(chunks).toString())).toBe('the bytes')
  expect(peer.heard.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, undefined])
})

test('a presigned upload carries exactly the headers it was given, and no key', async () => {
  const peer = await startPeer(answer(201))
  const http = open({ url: peer.url, key })
  const bytes = { size: 5, open: () => Readable.from([Buffer.from('he'), Buffer.from('llo')]) }
  expect(await http.store({ url: '/storage/x', method: 'PUT', headers: { 'x-amz-checksum-sha256': 'abc=' }, bytes })).toBe(201)
  const [heard] = peer.heard
  expect(heard?.body).toBe('hello')
  expect(Object.keys(heard?.headers ?? {}).sort()).toEqual(['connection', 'content-length', 'host', 'x-amz-checksum-sha256'])
})

test('the envelope of the library becomes an error with its code and details', async () => {
  const envelope = { error: { code: 'STALE_FACE', message: 'Newer.', details: { lineage_id: 'L1' } } }
  const peer = await startPeer(answer(409, envelope, { 'x-request-id': 'r-1' }))
  const call = open({ url: peer.url }).json({ method: 'POST', path: '/push/commit', json: {} })
  await expect(call).rejects.toMatchObject({
    code: 'STALE_FACE',
    message: 'Newer.',
    status: 409,
    details: { lineage_id: 'L1', request_id: 'r-1' },
  })
})

test.each([
  [401, 'UNAUTHORIZED'],
  [402, 'FORBIDDEN'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [413, 'VALIDATION'],
])('the front door refusing with %i becomes %s with its sentence', async (status, code) => {
  const peer = await startPeer(answer(status, { error: 'The door says no.' }))
  await expect(open({ url: peer.url }).json(get)).rejects.toMatchObject({ code, message: 'The door says no.', status })
})

test('a page where JSON was expected is named as the wrong address', async () => {
  const peer = await startPeer(answer(200, '<html>hello</html>', { 'content-type': 'text/html' }))
  await expect(open({ url: peer.url }).json(get)).rejects.toMatchObject({ code: 'NOT_A_LIBRARY' })
})

test('429 is waited out as long as Retry-After says, and the wait is told', async () => {
  const waits: WaitEvent[] = []
  const peer = await startPeer(answer(429, { error: 'Slow down.' }, { 'retry-after': '0' }), answer(200, { ok: true }))
  const http = open({ url: peer.url, onWait: (event) => waits.push(event) })
  expect(await http.json({ method: 'POST', path: '/push/negotiate', json: { items: [] } })).toEqual({ ok: true })
  expect(peer.heard.map(({ body }) => body)).toEqual(['{"items":[]}', '{"items":[]}'])
  expect(waits).toMatchObject([{ reason: 'Slow down.', failures: 1, method: 'POST' }])
})

test('a wait beyond the limit is not begun: the refusal comes at once and says how long it would be', async () => {
  const peer = await startPeer(answer(429, { error: 'Slow down.' }, { 'retry-after': '600' }))
  const call = open({ url: peer.url, retryForMs: 60_000 }).json(get)
  await expect(call).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retry_after_seconds: 600 } })
})

test('a cut connection is repeated when that does no harm', async () => {
  const peer = await startPeer(cut, answer(200, { ok: true }))
  expect(await open({ url: peer.url }).json(get)).toEqual({ ok: true })
})

test('an answer that stops in the middle is asked for again', async () => {
  const half = (response: Parameters<typeof cut>[0]) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"half":', () => response.socket?.destroy())
  }
  const peer = await startPeer(half, answer(200, { whole: true }))
  expect(await open({ url: peer.url }).json(get)).toEqual({ whole: true })
})

test('a cut connection is not repeated when the request may have been acted on', async () => {
  const peer = await startPeer(cut, answer(200, { ok: true }))
  const call = open({ url: peer.url }).json({ method: 'POST', path: '/locks', json: {} })
  await expect(call).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(peer.heard).toHaveLength(1)
})

test('nobody listening is told with the address and the reason', async () => {
  const http = open({ url: 'http://127.0.0.1:1', retryForMs: 0 })
  await expect(http.json(get)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringMatching(/127\.0\.0\.1:1: nothing listens/),
  })
})

test('an aborted signal ends a wait and gives its own reason', async () => {
  const stop = new AbortController()
  const peer = await startPeer(answer(429, { error: 'Slow down.' }, { 'retry-after': '60' }))
  const http = open({ url: peer.url, signal: stop.signal, onWait: () => stop.abort(new Error('Ctrl-C')) })
  await expect(http.json(get)).rejects.toThrow('Ctrl-C')
})

test('lines come one by one, also when they are cut anywhere between the packets', async () => {
  const text = '{"cursor":1}\n{"name":"Fässchen"}\n\n{"name":"last"}'
  const bytes = Buffer.from(text)
  const peer = await startPeer((response) => {
    response.writeHead(200)
    for (const byte of bytes) response.write(Buffer.from([byte]))
    response.end()
  })
  const lines: unknown[] = []
  for await (const line of open({ url: peer.url }).lines(get)) lines.push(line)
  expect(lines).toEqual([{ cursor: 1 }, { name: 'Fässchen' }, { name: 'last' }])
})

test('a server that speaks plain http is not said to have a bad certificate', async () => {
  const { url } = await startPeer(answer(200, {}))
  const http = open({ url: url.replace('http:', 'https:'), retryForMs: 0 })
  await expect(http.json(get)).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringMatching(/does not answer https; the address may begin with http:/),
  })
})

test.each([0, 1])('once it is closed, a call is refused and asks nobody, after %i before', async (before) => {
  const peer = await startPeer(answer(200, {}))
  const http = new Http({ url: peer.url, key, retryForMs: 0 })
  for (let done = 0; done < before; done++) await http.json(get)
  await http.close()
  await expect(http.json(get)).rejects.toThrow()
  expect(peer.heard).toHaveLength(before)
})
