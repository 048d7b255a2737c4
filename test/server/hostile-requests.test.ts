// Requests that mean harm: names and addresses that are not believed, shapes that proxies read otherwise, bodies that never end.
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { readSettings } from '../../server/config.ts'
import { callAs, type Json } from '../support/api.ts'
import { item, manifestOf, pushed } from '../support/push.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer({}, { pace: { everyMs: 100, bytes: 1000, headersMs: 1000 } })
const { url, keys, slug } = await server.addWorkspace()
const mia = callAs(url, keys.mia)
const behind = await startTestServer({ trustedProxies: 1 }, { pace: { everyMs: 500, bytes: 1000, headersMs: 10_000 } })
const key = `Authorization: Bearer ${keys.mia}`
const at = (path: string) => `/w/${slug}/api/v1${path}`
const statusOf = (answer: string) => Number(answer.split(' ')[1])
const bodyOf = (answer: string): Json => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
/** One request, whose connection the server closes behind it. */
const ask = (line: string, headers: string[], { body = '', base = server.url } = {}) =>
  sendRaw(base, `${line} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)

test('the addresses in answers name the host that was asked, and a Host that is none is refused', async () => {
  const [{ content_hash }] = await pushed(mia, [item()])
  const urlAs = async (host: string) => bodyOf(await ask(`GET ${at(`/blobs/${content_hash}/url`)}`, [`Host: ${host}`, key]))
  expect((await urlAs('props.example:8443')).url).toMatch(/^http:\/\/props\.example:8443\/storage\//)
  expect((await urlAs('[::1]:80')).url).toMatch(/^http:\/\/\[::1\]:80\/storage\//)
  for (const host of ['evil.example/path', 'user@evil.example', 'a b', 'evil.example?x=', '"><script>', 'a,b', '']) {
    const answer = await ask(`GET ${at('/auth/me')}`, [`Host: ${host}`, key])
    expect([host, statusOf(answer), typeof bodyOf(answer).error]).toEqual([host, 400, 'string'])
  }
})

test('what a proxy would say is not believed without PH_TRUST_PROXY', async () => {
  const [{ content_hash }] = await pushed(mia, [item()])
  const forwarded = [
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: https',
    'X-Forwarded-For: 203.0.113.9',
    'Forwarded: host=evil.example',
  ]
  server.logLines.length = 0
  const { url: address } = bodyOf(
    await ask(`GET ${at(`/blobs/${content_hash}/url`)}`, ['Host: props.example', key, ...forwarded]),
  )
  expect(address).toMatch(/^http:\/\/props\.example\//)
  await expect.poll(() => server.logLines.length).toBe(1)
  expect(JSON.parse(server.logLines.join('')).req.from).toBe('127.0.0.1')
})

test('with PH_TRUST_PROXY the last word of the one proxy counts, for address and protocol, and never for the host', async () => {
  const workspace = await behind.addWorkspace()
  const [{ content_hash }] = await pushed(callAs(workspace.url, workspace.keys.mia), [item()])
  behind.logLines.length = 0
  const path = `/w/${workspace.slug}/api/v1/blobs/${content_hash}/url`
  const headers = [
    'Host: props.example',
    `Authorization: Bearer ${workspace.keys.mia}`,
    'X-Forwarded-Proto: https',
    'X-Forwarded-Host: evil.example',
  ]
  const answer = await ask(`GET ${path}`, [...headers, 'X-Forwarded-For: 198.51.100.1, 203.0.113.9'], { base: behind.url })
  expect(bodyOf(answer).url).toMatch(/^https:\/\/props\.example\//)
  await expect.poll(() => behind.logLines.length).toBe(1)
  expect(JSON.parse(behind.logLines.join('')).req.from, 'what the client wrote stands before it').toBe('203.0.113.9')
})

test('PH_TRUST_PROXY takes on, off, or how many proxies there are', () => {
  const of = (value: string) => readSettings({}, { PH_TRUST_PROXY: value }, '/').trustedProxies
  expect([of('off'), of('on'), of('1'), of('3')]).toEqual([0, 1, 1, 3])
  for (const value of ['yes', '10', '-1', '127.0.0.1']) expect(() => of(value)).toThrow(/PH_TRUST_PROXY/)
})

test('requests that two readers could understand differently are refused, and the connection is closed', async () => {
  const smuggled = `GET ${at('/auth/me')} HTTP/1.1\r\nHost: x\r\n${key}\r\n\r\n`
  for (const headers of [
    ['Content-Length: 4', 'Transfer-Encoding: chunked'],
    ['Content-Length: 4', 'Content-Length: 5'],
    ['Content-Length: +4'],
    ['Content-Length: 0x4'],
    ['Transfer-Encoding: chunked, identity'],
    ['Transfer-Encoding : chunked'],
    ['Transfer-Encoding: xchunked'],
    ['Content-Length: 4', ' folded: line'],
    ['X: a\rTransfer-Encoding: chunked'],
  ]) {
    const answer = await sendRaw(
      server.url,
      `POST ${at('/push/negotiate')} HTTP/1.1\r\nHost: x\r\n${key}\r\n${headers.join('\r\n')}\r\n\r\n0\r\n\r\n${smuggled}`,
    )
    expect([headers, statusOf(answer)]).toEqual([headers, 400])
    expect(answer.match(/HTTP\/1\.1 /g), headers.join()).toHaveLength(1)
  }
})

test('a chunked body with an oversized or broken chunk length is refused', async () => {
  for (const chunk of ['fffffffffffffffff\r\n', '-1\r\n', 'zz\r\n', '5 5\r\nhello']) {
    const answer = await ask(
      `POST ${at('/push/negotiate')}`,
      ['Host: x', key, 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
      { body: chunk },
    )
    expect([chunk, statusOf(answer)]).toEqual([chunk, 400])
  }
})

test('two Host headers, or none, are refused', async () => {
  for (const headers of [['Host: a', 'Host: b'], []])
    expect(statusOf(await ask(`GET ${at('/auth/me')}`, [...headers, key]))).toBe(400)
})

test('a body that trickles is given up on, whether it is JSON or bytes, and one that keeps its pace is not', async () => {
  for (const [line, type] of [
    [`POST ${at('/push/negotiate')}`, 'application/json'],
    [`PUT ${at(`/blobs/${'a'.repeat(64)}`)}`, 'application/octet-stream'],
  ] as const) {
    const { answer, sentBytes } = await trickle({ base: server.url, line, type, key }, 1)
    expect([line, answer]).toEqual([line, ''])
    expect(sentBytes).toBeLessThan(2000)
  }
  const workspace = await behind.addWorkspace()
  const asked = { base: behind.url, line: `POST /w/${workspace.slug}/api/v1/push/negotiate`, type: 'application/json' }
  const steady = await trickle({ ...asked, key: `Authorization: Bearer ${workspace.keys.mia}` }, 400)
  expect([statusOf(steady.answer), steady.sentBytes]).toEqual([422, 40_000])
})

/** Sends `bytes` every 20 ms until 40,000 are sent or the server closes. */
function trickle(
  { base, line, type, key }: { base: string; line: string; type: string; key: string },
  bytes: number,
): Promise<{ answer: string; sentBytes: number }> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve) => {
    let [answer, sentBytes] = ['', 0]
    const socket = connect(Number(port), hostname)
    socket.write(
      `${line} HTTP/1.1\r\nHost: x\r\n${key}\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: 40000\r\n\r\n`,
    )
    const timer = setInterval(() => {
      if (sentBytes < 40_000) socket.write(' '.repeat(bytes))
      if (sentBytes < 40_000) sentBytes += bytes
    }, 20)
    socket.on('data', (chunk) => (answer += chunk)).on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve({ answer, sentBytes })
    })
  })
}

test('headers that do not come to an end, and connections over which nothing comes, are answered 408', async () => {
  const begun = [`GET ${at('/auth/me')} HTTP/1.1\r\nHost: x\r\n${key}\r\nX-Slow: `, 'GET /api/v1/auth', '']
  const answers = await Promise.all(begun.map((text) => sendRaw(server.url, text)))
  expect(answers.map((answer) => [statusOf(answer), typeof bodyOf(answer).error])).toEqual(begun.map(() => [408, 'string']))
})

test('a client that is refused at the door and sends on without end is cut off', async () => {
  const { hostname, port } = new URL(server.url)
  const sent = await new Promise<number>((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.write(`PUT ${at(`/blobs/${'a'.repeat(64)}`)} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n`)
    const chunk = Buffer.alloc(1024 * 1024)
    const pump = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket
      .on('drain', pump)
      .on('error', () => {})
      .on('close', () => resolve(socket.bytesWritten))
    socket.resume()
    pump()
  })
  expect(sent).toBeLessThan(256 * 1024 * 1024)
})

test('poisoned JSON reaches nobody', async () => {
  const post = (body: string) =>
    fetch(`${url}/api/v1/push/negotiate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.mia}`, 'content-type': 'application/json' },
      body,
    })
  const [sent] = manifestOf([item()]).items
  for (const poison of [
    '"__proto__":{"isAdmin":true}',
    '"\\u005f_proto__":{"isAdmin":true}',
    '"metadata_doc":{"v":1,"ext":{"mine":{"__proto__":{"isAdmin":true}}}}',
  ]) {
    const { status } = await post(JSON.stringify({ items: [sent] }).replace('"items":[{', `"items":[{${poison},`))
    expect([poison, status]).toEqual([poison, 422])
  }
  expect((await post(JSON.stringify({ items: [sent], constructor: { prototype: { isAdmin: true } } }))).status).toBe(200)
  expect((await mia.get('/entries?__proto__[isAdmin]=true&constructor=1')).status).toBe(200)
  expect(({} as Json).isAdmin).toBeUndefined()
})

test('many headers, long ones and long addresses are refused without harm', async () => {
  const fewer = Array.from({ length: 1500 }, (_, index) => `X-${index}: a`)
  expect([400, 431]).toContain(statusOf(await ask(`GET ${at('/auth/me')}`, ['Host: x', key, ...fewer, ...fewer])))
  expect(statusOf(await ask(`GET ${at(`/entries?name=${'x'.repeat(20_000)}`)}`, ['Host: x', key]))).toBe(431)
  expect(statusOf(await ask(`GET ${at('/auth/me')}`, ['Host: x', key]))).toBe(200)
})

test('JSON of another type, and larger than is taken, are VALIDATION', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'nonsense',
  ]) {
    const body = '{"items":[]}'
    const answer = await ask(
      `POST ${at('/push/negotiate')}`,
      ['Host: x', key, `Content-Type: ${type}`, `Content-Length: ${body.length}`],
      { body },
    )
    expect([type, statusOf(answer), bodyOf(answer).error.code]).toEqual([type, 422, 'VALIDATION'])
  }
  const huge = await ask(`POST ${at('/push/negotiate')}`, [
    'Host: x',
    key,
    'Content-Type: application/json',
    'Content-Length: 99999999999',
  ])
  expect([statusOf(huge), bodyOf(huge).error.code]).toEqual([422, 'VALIDATION'])
})
