// Addresses and requests as no well-behaved client spells them: nothing gets past the front door, and every answer is one of ours.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys, slug } = await server.addWorkspace()
const mia = callAs(url, keys.mia)

/** The answer to a request line, with a key unless told otherwise. */
async function answerTo(line: string, headers: string[] = [], body = '') {
  const all = ['Host: x', 'Connection: close', ...headers]
  const answer = await sendRaw(server.url, `${line} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body}`)
  const [head = '', text = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), version: /^x-ph-api: (.*)$/im.exec(head)?.[1], body: text && JSON.parse(text) }
}
const key = `Authorization: Bearer ${keys.mia}`

test('an address means the same however it is spelled, and its front door is never passed by', async () => {
  for (const path of ['/api/v1/members/me', '/%61pi/v1/members/me', '/api/v1/%6Dembers/me', 'http://x/api/v1/members/me']) {
    const target = path.replace(/^(http:\/\/x)?/, `$1/w/${slug}`)
    expect([path, (await answerTo(`GET ${target}`, [key])).body.name]).toEqual([path, 'mia'])
    expect([path, (await answerTo(`GET ${target}`)).status]).toEqual([path, 401])
  }
})

test('an address that cannot be decoded is looked up as it is, behind the front door', async () => {
  for (const path of ['/nothing/%zz', '/nothing/%ff', '/nothing/%']) {
    expect([path, (await answerTo(`GET /w/${slug}/api/v1${path}`)).status]).toEqual([path, 401])
    const answer = await answerTo(`GET /w/${slug}/api/v1${path}`, [key])
    expect([path, answer.status, answer.version, answer.body.error.code]).toEqual([path, 404, '1', 'NOT_FOUND'])
  }
  expect((await answerTo(`GET /w/${slug}/api/v1/entries/%zz`, [key])).body.error.code).toBe('VALIDATION')
})

test('whatever the method, an address without a route is NOT_FOUND, and only methods that change nothing are open to a read key', async () => {
  for (const method of ['PATCH', 'OPTIONS', 'PROPFIND', 'DELETE']) {
    const answer = await answerTo(`${method} /w/${slug}/api/v1/members/me`, [key])
    expect([method, answer.status, answer.version, answer.body.error.code]).toEqual([method, 404, '1', 'NOT_FOUND'])
  }
  const reads = `Authorization: Bearer ${keys.miaReads}`
  for (const [method, status] of [
    ['HEAD', 200],
    ['OPTIONS', 404],
    ['PATCH', 403],
  ] as const)
    expect([method, (await answerTo(`${method} /w/${slug}/api/v1/members/me`, [reads])).status]).toEqual([method, status])
})

test('what is no HTTP is answered in the words of the front door', async () => {
  for (const [line, headers, status] of [
    ['FETCH /api/v1/members/me', [], 400],
    ['GET /api/v1/members/me', [': nameless'], 400],
    ['GET /api/v1/members/me', [`X-Large: ${'x'.repeat(20_000)}`], 431],
  ] as const) {
    const answer = await answerTo(line, [...headers])
    expect([answer.status, answer.version, typeof answer.body.error]).toEqual([status, '1', 'string'])
  }
})

test('an unknown workspace is a front-door 404 at every address', async () => {
  for (const path of ['', '/', '/healthz', '/anything']) {
    const answer = await answerTo(`GET /w/nobody${path}`)
    expect([path, answer.status, answer.version, typeof answer.body.error]).toEqual([path, 404, '1', 'string'])
  }
  expect((await answerTo(`GET /w/${slug}/healthz`)).status).toBe(200)
})

test('every answer carries the version, also outside the API', async () => {
  for (const path of ['/', '/api', '/api/v1', '/healthz', '/openapi.json', '/storage/x'])
    expect([path, (await answerTo(`GET ${path}`)).version]).toEqual([path, '1'])
})

test('an id that no number of ours can be is an unknown id', async () => {
  const huge = '9'.repeat(30)
  for (const [path, code] of [
    [`/entries/${huge}`, 'ENTRY_NOT_FOUND'],
    ['/entries/0/closure', 'ENTRY_NOT_FOUND'],
    ['/entries/-1/thumbnail', 'ENTRY_NOT_FOUND'],
    [`/packs/${huge}`, 'PACK_NOT_FOUND'],
    [`/members/${huge}`, 'USER_NOT_FOUND'],
    [`/previews/artifacts/${huge}`, 'NOT_FOUND'],
    [`/lineages/${'x'.repeat(2000)}`, 'LINEAGE_NOT_FOUND'],
  ] as const) {
    const answer = await mia.get(path)
    expect([path.slice(0, 30), answer.status, answer.body.error.code]).toEqual([path.slice(0, 30), 404, code])
  }
  expect((await mia.get('/entries/1.0')).status).toBe(422)
})

test('bytes may come as any type, also one that is none; and where no body is needed, an empty one does no harm', async () => {
  const put = await answerTo(
    `PUT /w/${slug}/api/v1/blobs/8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92`,
    [key, 'Content-Type: whatever', 'Content-Length: 6'],
    '123456',
  )
  expect([put.status, put.body]).toEqual([201, expect.objectContaining({ size: 6, created: true })])
  const json = ['Content-Type: application/json', 'Content-Length: 0']
  const unavailable = await answerTo(`POST /w/${slug}/api/v1/entries/1/preview/unavailable?object_id=1`, [key, ...json])
  expect(unavailable.body.error.code).toBe('ENTRY_NOT_FOUND')
})
