/** The built-in store: what is taken in and kept, and what its presigned addresses answer. */
import { createHash, createSecretKey, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { FileStorage } from '../../server/storage/fs.ts'
import { blobKey, type UploadTarget } from '../../server/storage/storage.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const MiB = 1024 * 1024
const minute = 60_000
/** A busy machine may take its time. */
const patience = { timeout: 60_000 }
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const inMinutes = (minutes: number) => new Date(server.clock.now().getTime() + minutes * minute)
const incoming = () => readdirSync(join(server.dataDir, 'storage', 'incoming'), { recursive: true }).map(String)
/** Files that were begun and not finished. */
const unfinished = () => incoming().filter((name) => /\/\d+$/.test(name))

/** Fresh bytes and their upload address. */
async function offer(size: number, overrides: { maxBytes?: number; sha256?: string | undefined } = {}) {
  const bytes = randomBytes(size)
  const hash = sha256(bytes)
  const key = blobKey(1, hash)
  const file = { key, sha256: hash, contentType: 'application/octet-stream', maxBytes: size, origin: server.url, ...overrides }
  const [target] = await server.storage.uploadTargets([file], inMinutes(15))
  if (!target) throw new Error('no target')
  return { bytes, hash, key, target }
}
async function put(target: UploadTarget, bytes: Uint8Array, headers: Record<string, string> = target.headers) {
  const answer = await fetch(target.url, { method: 'PUT', headers, body: bytes })
  return { status: answer.status, text: await answer.text() }
}
async function stored(size: number) {
  const one = await offer(size)
  expect((await put(one.target, one.bytes)).status).toBe(200)
  return one
}
const addressOf = (key: string, fileName?: string) =>
  server.storage.downloadUrl(key, {
    contentType: 'application/octet-stream',
    fileName,
    expiresAt: inMinutes(15),
    origin: server.url,
  })
async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await fetch(url, { method, headers })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const altered = (url: string, change: (to: URL) => void) => {
  const to = new URL(url)
  change(to)
  return to.href
}

test.each([
  ['empty', 0],
  ['small', 10],
  ['larger than a buffered answer', 300 * 1024],
  ['of several batches', 5 * MiB + 7],
])('a file that is %s comes back as it was sent', async (_name, size) => {
  const { bytes, key, hash } = await stored(size)
  const answer = await get(await addressOf(key))
  expect([answer.status, sha256(answer.bytes), answer.bytes.length]).toEqual([200, hash, bytes.length])
  expect(await server.storage.sizes([key])).toEqual([size])
  expect(unfinished()).toEqual([])
})

test('the same upload a second time answers 412, also when other bytes come, and the first ones stay', async () => {
  const { bytes, key, hash, target } = await stored(3 * MiB)
  expect((await put(target, bytes)).status).toBe(412)
  expect((await put(target, randomBytes(3 * MiB))).status).toBe(412)
  expect(sha256((await get(await addressOf(key))).bytes)).toBe(hash)
})

test('412 comes before the body does', async () => {
  const { target } = await stored(10)
  const { status, sent } = await putSlowly(target)
  expect([status, sent]).toEqual([412, 1])
})

/** Sends one byte and waits for the answer before it would send the rest. */
function putSlowly(target: UploadTarget): Promise<{ status: number | undefined; sent: number }> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(target.url, { method: 'PUT', headers: { ...target.headers, 'content-length': '10' } })
    sending.on('error', reject)
    sending.on('response', (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode, sent: 1 })
      sending.destroy()
    })
    sending.write('x')
  })
}

test('bytes with another hash are refused, and nothing is kept', async () => {
  for (const size of [100, 3 * MiB]) {
    const { bytes, key, target } = await offer(size)
    const wrong = Buffer.from(bytes)
    wrong[size - 1] = (wrong[size - 1] ?? 0) ^ 1
    expect((await put(target, wrong)).status).toBe(409)
    expect(await server.storage.sizes([key])).toEqual([undefined])
    expect((await put(target, bytes)).status).toBe(200)
  }
  expect(unfinished()).toEqual([])
})

test('a body over its size is refused, announced or not, and nothing is kept', async () => {
  const { bytes, key, target } = await offer(MiB, { maxBytes: MiB - 1 })
  expect((await put(target, bytes)).status).toBe(422)
  const unannounced = await fetch(target.url, {
    method: 'PUT',
    headers: target.headers,
    body: Readable.toWeb(Readable.from([bytes])),
    duplex: 'half',
  })
  expect(unannounced.status).toBe(422)
  expect(await server.storage.sizes([key])).toEqual([undefined])
  expect(unfinished()).toEqual([])
})

test('an upload that breaks off leaves nothing', async () => {
  const { bytes, key, target } = await offer(3 * MiB)
  const sending = httpRequest(target.url, {
    method: 'PUT',
    headers: { ...target.headers, 'content-length': String(bytes.length) },
  })
  sending.on('error', () => {})
  sending.write(bytes.subarray(0, 2 * MiB))
  await expect.poll(() => unfinished().length, patience).toBe(1)
  sending.destroy()
  await expect.poll(() => unfinished().length, patience).toBe(0)
  expect(await server.storage.sizes([key])).toEqual([undefined])
})

test('an upload needs exactly the headers it was given', async () => {
  const { bytes, key, target } = await offer(50)
  const { 'if-none-match': _left, ...fewer } = target.headers
  const other = Buffer.from(sha256(randomBytes(3)), 'hex').toString('base64')
  for (const headers of [
    fewer,
    { ...target.headers, 'content-type': 'text/html' },
    { ...target.headers, 'if-none-match': '"x"' },
    { ...target.headers, 'x-amz-checksum-sha256': other },
    {},
  ])
    expect((await put(target, bytes, headers as Record<string, string>)).status).toBe(403)
  expect(await server.storage.sizes([key])).toEqual([undefined])
})

test('an address is good for its method, file, size and time only', async () => {
  const { bytes, key, target } = await offer(50)
  const other = await stored(60)
  const reading = await addressOf(other.key)
  const tampered = [
    altered(target.url, (to) => to.searchParams.set('max', '999999')),
    altered(target.url, (to) => to.searchParams.set('expires', '9999999999')),
    altered(target.url, (to) => to.searchParams.delete('signature')),
    altered(target.url, (to) => {
      to.pathname = to.pathname.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    }),
    reading,
  ]
  for (const url of tampered) expect((await put({ ...target, url }, bytes)).status).toBe(403)
  expect((await get(reading)).status).toBe(200)
  for (const url of [
    altered(reading, (to) => to.searchParams.set('expires', '9999999999')),
    altered(reading, (to) => to.searchParams.delete('expires')),
    altered(reading, (to) => to.searchParams.delete('type')),
    altered(reading, (to) => to.searchParams.set('type', 'text/html')),
    altered(reading, (to) => to.searchParams.set('name', 'x.html')),
    altered(reading, (to) => to.searchParams.append('signature', 'x')),
    reading.replace(other.hash, sha256(bytes)),
    `${server.url}/storage/${other.key}`,
    `${server.url}/storage/..%2f..%2fdatabase?signature=x`,
    target.url,
  ])
    expect([url, (await get(url)).status]).toEqual([url, 403])
  for (const method of ['POST', 'PATCH', 'DELETE']) expect((await get(reading, {}, method)).status).toBe(404)
  expect(await server.storage.sizes([key])).toEqual([undefined])
})

test('addresses expire by the clock of the server', async () => {
  const { bytes, target } = await offer(20)
  const reading = await addressOf((await stored(20)).key)
  server.clock.advance(14 * minute)
  expect((await get(reading)).status).toBe(200)
  server.clock.advance(2 * minute)
  expect((await get(reading)).status).toBe(403)
  expect((await put(target, bytes)).status).toBe(403)
})

test('six uploads of one file at once succeed, and its bytes are right', async () => {
  const { bytes, key, hash, target } = await offer(2 * MiB)
  const answers = await Promise.all(Array.from({ length: 6 }, () => put(target, bytes)))
  expect(answers.every(({ status }) => status === 200 || status === 412)).toBe(true)
  expect(sha256((await get(await addressOf(key))).bytes)).toBe(hash)
  expect(unfinished()).toEqual([])
})

test('of two uploads to a place without a hash, the bytes that were whole first stay', async () => {
  const [slow, fast] = [new Readable({ read() {} }), new Readable({ read() {} })]
  const [second, first] = [slow, fast].map((bytes) => server.storage.receive('1/media/0/77', bytes, { maxBytes: 10 }))
  for (const [stream, text] of [
    [fast, 'fast'],
    [slow, 'slow'],
  ] as const)
    stream.push(text)
  fast.push(null)
  expect(await first).toEqual({ size: 4, created: true })
  slow.push(null)
  expect(await second).toEqual({ size: 4, created: false })
  expect(String(await server.storage.read('1/media/0/77', 0, 10))).toBe('fast')
  expect(unfinished()).toEqual([])
})

test('single ranges are served, impossible ones refused, others passed over', async () => {
  for (const size of [1000, 700 * 1024]) {
    const { bytes, key } = await stored(size)
    const url = await addressOf(key)
    const ranged = async (range: string) => {
      const { status, headers, bytes: got } = await get(url, { range })
      return [status, headers.get('content-range'), sha256(got)]
    }
    const part = (from: number, to: number) => [206, `bytes ${from}-${to - 1}/${size}`, sha256(bytes.subarray(from, to))]
    const whole = [200, null, sha256(bytes)]
    const none = [416, `bytes */${size}`, sha256(Buffer.alloc(0))]
    expect(await ranged('bytes=0-0')).toEqual(part(0, 1))
    expect(await ranged('bytes=0-')).toEqual(part(0, size))
    expect(await ranged(`bytes=${size - 1}-${size - 1}`)).toEqual(part(size - 1, size))
    expect(await ranged('bytes=10-19')).toEqual(part(10, 20))
    expect(await ranged('bytes=990-')).toEqual(part(990, size))
    expect(await ranged(`bytes=5-${size * 2}`)).toEqual(part(5, size))
    expect(await ranged('bytes=-7')).toEqual(part(size - 7, size))
    expect(await ranged(`bytes=-${size * 2}`)).toEqual(part(0, size))
    expect(await ranged(`bytes=${size}-`)).toEqual(none)
    expect(await ranged(`bytes=${size}-${size + 9}`)).toEqual(none)
    expect(await ranged(`bytes=${'9'.repeat(400)}-`)).toEqual(none)
    expect(await ranged('bytes=-0')).toEqual(none)
    for (const odd of [
      'bytes=0-1,5-6',
      'bytes=9-3',
      'lines=1-2',
      'bytes=-',
      'bytes=a-b',
      'bytes=0--1',
      'bytes=1.5-2',
      'bytes 0-1',
      '=',
      ',',
    ])
      expect(await ranged(odd)).toEqual(whole)
  }
})

test('a cached answer is confirmed by its ETag, and a range goes on only with the same one', async () => {
  const { key, hash } = await stored(1000)
  const url = await addressOf(key)
  const etag = `"${hash}"`
  expect((await get(url)).headers.get('etag')).toBe(etag)
  for (const asked of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const answer = await get(url, { 'if-none-match': asked })
    expect([answer.status, answer.bytes.length]).toEqual([304, 0])
  }
  expect((await get(url, { 'if-none-match': '"x"' })).status).toBe(200)
  expect((await get(url, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
  expect((await get(url, { range: 'bytes=0-1', 'if-range': '"x"' })).status).toBe(200)
  for (const weaker of [`W/${etag}`, hash, new Date().toUTCString()])
    expect((await get(url, { range: 'bytes=0-1', 'if-range': weaker })).status).toBe(200)
})

test('HEAD answers the headers of GET', async () => {
  const { key } = await stored(1234)
  const url = await addressOf(key, 'a.uasset')
  const [head, whole] = [await get(url, {}, 'HEAD'), await get(url)]
  for (const name of ['content-length', 'content-type', 'etag', 'accept-ranges', 'content-disposition', 'cache-control'])
    expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)])
  expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, '1234', 0])
})

test('answers are attachments that no browser guesses about, named as they were asked for', async () => {
  const { key } = await stored(10)
  const headersFor = async (name?: string) => (await get(await addressOf(key, name))).headers
  const plain = await headersFor('SM_Barrel.uasset')
  expect(plain.get('x-content-type-options')).toBe('nosniff')
  expect(plain.get('cache-control')).toMatch(/^private.*immutable$/)
  expect(plain.get('content-disposition')).toBe('attachment; filename="SM_Barrel.uasset"')
  expect((await headersFor('Größe "1" (50%).fbx')).get('content-disposition')).toBe(
    `attachment; filename="Gr__e '1' (50%).fbx"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%20%2850%25%29.fbx`,
  )
  expect((await headersFor('../a\r\nb')).get('content-disposition')).toBe('attachment; filename=".._a__b"')
  expect((await headersFor()).get('content-disposition')).toBeNull()
})

test('parts of a file can be read, fewer bytes at its end, and none of what is not kept', async () => {
  const { bytes, key } = await stored(1000)
  expect(await server.storage.read(key, 10, 20)).toEqual(bytes.subarray(10, 20))
  expect(await server.storage.read(key, 990, 10_000_000)).toEqual(bytes.subarray(990))
  expect(await server.storage.read(key, 2000, 3000)).toHaveLength(0)
  expect(await server.storage.beginning(key, 10)).toEqual({ size: 1000, bytes: bytes.subarray(0, 10) })
  expect(await server.storage.beginning(key, 2000)).toEqual({ size: 1000, bytes })
  await server.storage.remove([key, key])
  await expect(server.storage.read(key, 0, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await server.storage.beginning(key, 10)).toBeUndefined()
  expect((await get(await addressOf(key))).status).toBe(404)
})

test('a key cannot lead out of the folder', async () => {
  for (const key of [
    '../x',
    '1/../../x',
    '/etc/passwd',
    '1/blobs/..',
    '1',
    'incoming/1/x',
    '1//x',
    `1/${'x'.repeat(300)}`,
    '1/a\\b',
  ])
    await expect(server.storage.receive(key, Readable.from([Buffer.from('x')]), { maxBytes: 10 })).rejects.toThrow('no key')
})

test('what a killed server had begun is removed at the next start; what another one is receiving stays', async () => {
  const root = join(server.dataDir, 'shared')
  const living = new FileStorage(root, createSecretKey(randomBytes(32)))
  const bytes = new Readable({ read() {} })
  const receiving = living.receive('1/blobs/ab/x', bytes, { maxBytes: 10 * MiB })
  bytes.push(Buffer.alloc(2 * MiB, 'a'))
  await expect
    .poll(() => readdirSync(join(root, 'incoming'), { recursive: true }).some((name) => /\/1$/.test(String(name))), patience)
    .toBe(true)
  const left = join(root, 'incoming', 'p-killed')
  mkdirSync(left)
  writeFileSync(join(left, '7'), 'half')
  const next = new FileStorage(root, createSecretKey(randomBytes(32)))
  expect(existsSync(left)).toBe(false)
  bytes.push(null)
  expect(await receiving).toEqual({ size: 2 * MiB, created: true })
  expect(readFileSync(join(root, '1/blobs/ab/x'))).toHaveLength(2 * MiB)
  living.close()
  next.close()
  expect(readdirSync(join(root, 'incoming'))).toEqual([])
})
