/** Files in a bucket of a real S3 store: addresses and their bounds, what comes through the server, and a store that fails (specification 4.9). */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { lookAtBucket } from '../../server/administration/doctor/bucket.ts'
import { systemClock } from '../../server/clock.ts'
import { readSettings } from '../../server/config.ts'
import type { Logger } from '../../server/monitoring/log.ts'
import { IncomingFolder } from '../../server/storage/incoming-file.ts'
import { Bucket } from '../../server/storage/s3/bucket.ts'
import { readBucketAddress } from '../../server/storage/s3/bucket-address.ts'
import { openBucket } from '../../server/storage/s3/open-bucket.ts'
import { S3Storage } from '../../server/storage/s3/s3-storage.ts'
import { blobKey } from '../../server/storage/storage.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { glbOf, pngOf } from '../support/media.ts'
import { hasObjectStorage, type ObjectStorage, startObjectStorage } from '../support/object-storage.ts'
import { item, manifestOf, sha256 } from '../support/push.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let store: ObjectStorage
let server: TestServer
let mia: Caller
let adam: Caller
let workspaceId: number
let slug: string

const withStore = test.runIf(hasObjectStorage)
const dayMs = 24 * 3_600_000

beforeAll(async () => {
  if (!hasObjectStorage) return
  store = await startObjectStorage()
  server = await startTestServer(store.settings, { lookMs: 3_600_000 })
  const own = await server.addWorkspace()
  ;({ workspaceId, slug } = own)
  mia = callAs(own.url, own.keys.mia)
  adam = callAs(own.url, own.keys.adam)
}, 120_000)

beforeEach(() => {
  if (store) store.front.fault = () => undefined
})

const negotiate = async (items: Json[]) => (await mia.post('/push/negotiate', manifestOf(items as never))).body
async function put(target: Json, bytes: Uint8Array, headers: Record<string, string> = target.headers) {
  const answer = await fetch(target.upload_url, { method: 'PUT', headers, body: Buffer.from(bytes) })
  return [answer.status, /<Code>(\w+)/.exec(await answer.text())?.[1]]
}
async function get(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const leftOnDisk = () =>
  readdirSync(join(server.dataDir, 'incoming'), { recursive: true }).filter((name) => /\/\d+$/.test(String(name)))
const keyOf = (one: Json) => blobKey(workspaceId, one.content_hash)
/** Sent as clients do, and committed. */
async function pushedDirectly(items: ReturnType<typeof item>[]): Promise<Json[]> {
  const { missing } = await negotiate(items)
  for (const target of missing)
    expect(await put(target, items.find((one) => one.content_hash === target.hash)?.bytes ?? Buffer.alloc(0))).toEqual([
      200,
      undefined,
    ])
  const { status, body } = await mia.post('/push/commit', manifestOf(items))
  expect([status, body.error]).toEqual([200, undefined])
  return body.results
}

withStore('an upload address takes the announced bytes once, with its headers, and nothing else', async () => {
  const one = item()
  const { upload_mode, missing } = await negotiate([one])
  expect([upload_mode, missing.length]).toEqual(['direct', 1])
  const [target] = missing
  expect(target.upload_url).toContain(`/props/${keyOf(one)}?`)
  const { 'if-none-match': _, ...overwriting } = target.headers
  expect(await put(target, one.bytes, { ...target.headers, 'content-type': 'text/html' })).toEqual([403, 'SignatureDoesNotMatch'])
  expect((await put(target, one.bytes, overwriting))[0]).toBe(403)
  const other = randomBytes(one.bytes.length)
  const otherHash = { 'x-amz-content-sha256': sha256(other) }
  expect((await put(target, other, { ...target.headers, ...otherHash }))[0]).toBe(403)
  expect((await put({ ...target, upload_url: target.upload_url.replace(/Expires=\d+/, 'Expires=86400') }, one.bytes))[0]).toBe(
    403,
  )
  expect((await put({ ...target, upload_url: target.upload_url.replace(`/${workspaceId}/`, '/999/') }, one.bytes))[0]).toBe(403)
  expect(await put(target, other)).toEqual([400, 'XAmzContentSHA256Mismatch'])
  expect(await store.bucket.sizeOf(keyOf(one))).toBeUndefined()
  expect((await mia.post('/push/commit', manifestOf([one]))).body.error.code).toBe('BLOB_MISSING')
  expect(await put(target, one.bytes)).toEqual([200, undefined])
  expect(await put(target, one.bytes)).toEqual([412, 'PreconditionFailed'])
  expect((await negotiate([one])).missing).toEqual([])
  expect((await mia.post('/push/commit', manifestOf([one]))).body.results[0].status).toBe('new')
})

withStore('an address that has expired is refused by the store', async () => {
  const one = item()
  const storage = await storageOver()
  const file = { key: keyOf(one), sha256: one.content_hash, contentType: 'a/b', maxBytes: one.bytes.length, origin: '' }
  const [target] = await storage.uploadTargets([file], new Date(Date.now() - 60_000))
  const url = target?.url.replace(/X-Amz-Date=\w+/, 'X-Amz-Date=20200101T000000Z')
  expect(await put({ upload_url: url, headers: target?.headers }, one.bytes)).toEqual([403, expect.any(String)])
  expect(await store.bucket.sizeOf(keyOf(one))).toBeUndefined()
})

withStore('a download answers ranges and the real name of the file, and no address for another key', async () => {
  const one = item({ bytes: randomBytes(100_000), asset_name: 'SM_Barrel' })
  const [{ entry_id }] = (await pushedDirectly([one])) as [Json]
  const { location } = Object.fromEntries((await mia.get(`/entries/${entry_id}/download`)).headers) as Json
  const whole = await get(location)
  expect([whole.status, sha256(whole.bytes)]).toEqual([200, one.content_hash])
  expect(whole.headers.get('content-disposition')).toBe('attachment; filename="SM_Barrel.uasset"')
  const part = await get(location, { range: 'bytes=10-19' })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/100000'])
  expect(part.bytes).toEqual(one.bytes.subarray(10, 20))
  expect((await get(location, { range: 'bytes=200000-' })).status).toBe(416)
  expect((await get(location.replace('Signature=', 'Signature=0'))).status).toBe(403)
})

withStore(
  'of a file its size and its first bytes are had in one question, of an empty one too, and none of what is not there',
  async () => {
    const storage = await storageOver()
    const [file, empty, missing] = [fileOf(randomBytes(70_000)), fileOf(Buffer.alloc(0)), fileOf(randomBytes(9))]
    for (const { key, bytes, expected } of [file, empty]) await storage.receive(key, Readable.from([bytes]), expected)
    const asked: string[] = []
    store.front.fault = (question) => void asked.push(question.split(' ')[0] ?? '')
    expect(await storage.beginning(file.key, 65_536)).toEqual({ size: 70_000, bytes: file.bytes.subarray(0, 65_536) })
    expect(await storage.beginning(file.key, 80_000)).toEqual({ size: 70_000, bytes: file.bytes })
    expect(await storage.beginning(empty.key, 65_536)).toEqual({ size: 0, bytes: Buffer.alloc(0) })
    expect(await storage.beginning(missing.key, 65_536)).toBeUndefined()
    expect(asked).toEqual(['GET', 'GET', 'GET', 'GET'])
    await storage.remove([file.key, empty.key])
  },
)

withStore('what comes through the server is checked, and reaches the bucket only when it is right', async () => {
  const [one, other] = [item({ bytes: randomBytes(400_000) }), item()]
  expect((await mia.put(`/blobs/${one.content_hash}`, other.bytes)).body.error.code).toBe('HASH_MISMATCH')
  expect(await store.bucket.sizeOf(keyOf(one))).toBeUndefined()
  expect((await mia.put(`/blobs/${one.content_hash}`, one.bytes)).body).toMatchObject({ created: true, size: 400_000 })
  expect((await mia.put(`/blobs/${one.content_hash}`, one.bytes)).body).toMatchObject({ created: false, size: 400_000 })
  const both = [item({ bytes: randomBytes(200_000) })]
  const twice = await Promise.all([1, 2, 3].map(() => mia.put(`/blobs/${both[0]?.content_hash}`, both[0]?.bytes as Buffer)))
  expect(twice.map((answer) => answer.status).toSorted()).toEqual([200, 200, 201])
  expect((await mia.put(`/blobs/${sha256(Buffer.alloc(0))}`, Buffer.alloc(0))).body).toMatchObject({ size: 0 })
  expect(leftOnDisk()).toEqual([])
})

withStore(
  'media go straight to the bucket or through the server, where they are looked into, and are shown from there',
  async () => {
    const [first, second] = (await pushedDirectly([item(), item()])) as [Json, Json]
    const wish = ({ entry_id, object_id }: Json, kind: string) => ({ entry_id, object_id, kind })
    const items = [wish(first, 'thumbnail'), wish(first, 'glb')]
    const { upload_mode, targets } = (await mia.post('/entries/media/presign', { items })).body
    const picture = await pngOf(21, 22)
    expect(upload_mode).toBe('direct')
    const named = targets.map(({ upload_url: _url, headers: _headers, ...rest }: Json) => rest)
    expect(await put(targets[0], picture)).toEqual([200, undefined])
    expect((await mia.post('/entries/media/finalize', { items: named })).status).toBe(422)
    expect(await put(targets[1], glbOf())).toEqual([200, undefined])
    expect((await mia.post('/entries/media/finalize', { items: named })).body.results[0].size).toBe(picture.length)
    const shown = await mia.get(`/entries/${first.entry_id}/thumbnail`)
    const answer = await get(shown.headers.get('location') ?? '')
    expect([sha256(answer.bytes), answer.headers.get('content-type')]).toEqual([sha256(picture), 'image/png'])
    const path = `/entries/${second.entry_id}/thumbnail?object_id=${second.object_id}`
    const asPng = { 'content-type': 'image/png' }
    expect((await mia.put(path, Buffer.from('no picture'), asPng)).status).toBe(422)
    expect((await mia.put(path, picture, asPng)).status).toBeLessThan(300)
    expect(leftOnDisk()).toEqual([])
  },
)

withStore(
  'what nobody commits goes a day later, uploaded or not; a workspace with a limit is counted through the server',
  async () => {
    const [came, never] = [item(), item()]
    const { missing } = await negotiate([came, never])
    expect(await put(missing[0], came.bytes)).toEqual([200, undefined])
    server.clock.advance(dayMs + 3_600_000)
    await server.work.look()
    expect(await store.bucket.sizeOf(keyOf(came))).toBeUndefined()
    const left = await server.database
      .sql`select key from loose_files where workspace_id = ${workspaceId} and key in ${server.database.sql([keyOf(came), keyOf(never)])}`
    expect(left).toEqual([])
    server.clock.advance(-dayMs - 3_600_000)
    await server.changeWorkspace(slug, { storage_limit_bytes: 1_000_000_000 })
    expect(await negotiate([came])).toMatchObject({ upload_mode: 'direct', missing: [], missing_hashes: [came.content_hash] })
    expect((await mia.put(`/blobs/${came.content_hash}`, came.bytes)).status).toBe(201)
    await server.changeWorkspace(slug, { storage_limit_bytes: null })
    expect((await adam.get('/auth/me')).status).toBe(200)
  },
)

withStore('an admin sweeps the bucket; a store that fails is named, and nothing that was found is forgotten', async () => {
  const { url, keys, workspaceId: own } = await server.addWorkspace()
  const left = [item(), item()]
  for (const one of left) expect((await callAs(url, keys.mia).put(`/blobs/${one.content_hash}`, one.bytes)).status).toBe(201)
  await server.ledger.written(own)
  server.clock.advance(dayMs + 3_600_000)
  const sweep = (dry_run: boolean) => callAs(url, keys.adam).post('/admin/sweeps', { kind: 'orphan_blobs', dry_run })
  expect((await sweep(true)).body).toMatchObject({ candidates: 2, deleted: 0 })
  store.front.fault = () => ({ status: 503, code: 'SlowDown' })
  expect(await sweep(false)).toMatchObject({ status: 503, body: { error: { details: { reason: 'storage_busy' } } } })
  store.front.fault = () => undefined
  expect((await sweep(false)).body).toMatchObject({ candidates: 2, deleted: 2 })
  for (const one of left) expect(await store.bucket.sizeOf(blobKey(own, one.content_hash))).toBeUndefined()
  server.clock.advance(-dayMs - 3_600_000)
})

/** The same bucket, asked by a server that is less patient, or takes it for a worse store. */
async function storageOver({ silenceMs = 5000, verifies = true, pieces = { mostBytes: 5e9, partBytes: 6e6 } } = {}) {
  const incomingDir = temporaryFolder()
  const { storageUrl = '', storageKey: key } = store.settings
  const bucket = new Bucket({ address: readBucketAddress(storageUrl), key, clock: systemClock, silenceMs, waitMs: 1 })
  const abilities = { verifies, keepsFirst: verifies }
  return new S3Storage({ bucket, abilities, incoming: new IncomingFolder(incomingDir), incomingDir, pieces })
}
const fileOf = (bytes: Buffer) => {
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { key: blobKey(7, hash), bytes, expected: { sha256: hash, maxBytes: 1e9 } }
}

withStore('a file that no store takes in one piece goes in parts, and one that is cut off leaves nothing', async () => {
  const storage = await storageOver({ pieces: { mostBytes: 1e6, partBytes: 6e6 } })
  const large = fileOf(randomBytes(13_000_000))
  store.front.fault = (asked) => (asked.startsWith('PUT') ? { status: 403, code: 'QuotaExceeded' } : undefined)
  await expect(storage.receive(large.key, Readable.from([large.bytes]), large.expected)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: { reason: 'storage_refused' },
    message: expect.stringContaining('quota'),
  })
  expect(await store.bucket.sizeOf(large.key)).toBeUndefined()
  store.front.fault = () => undefined
  expect(await storage.receive(large.key, Readable.from([large.bytes]), large.expected)).toEqual({
    size: 13_000_000,
    created: true,
  })
  const lent = await storage.lend(large.key, 1e9)
  expect(lent).toBeDefined()
  lent?.release()
  expect(await storage.lend(large.key, 1e6)).toBeUndefined()
  const found: string[] = []
  for await (const page of storage.list('7/')) found.push(...page.map(({ key }) => key))
  expect(found).toEqual([large.key])
  await storage.remove([large.key, blobKey(7, 'f'.repeat(64))])
  expect(await storage.sizes([large.key])).toEqual([undefined])
})

withStore('a store that checks nothing is offered to nobody', async () => {
  const storage = await storageOver({ verifies: false })
  const { key, bytes, expected } = fileOf(randomBytes(5000))
  expect(storage.directUploads).toBe('none')
  expect(await storage.uploadTargets([{ key, ...expected, contentType: 'a/b', origin: '' }], new Date())).toEqual([undefined])
  expect(await storage.receive(key, Readable.from([bytes]), expected)).toEqual({ size: 5000, created: true })
})

const saysWhy = (reason: string) => ({ code: 'UNAVAILABLE', details: { reason } })

withStore(
  'a store that is busy, fails, is silent or is cut is named, within a limit, and what passes is passed over',
  async () => {
    const storage = await storageOver({ silenceMs: 150 })
    const { key, bytes, expected } = fileOf(randomBytes(300_000))
    const receive = () => storage.receive(key, Readable.from([bytes]), expected)
    const faults = [
      [{ status: 503, code: 'SlowDown' }, 'storage_busy'],
      [{ status: 500, code: 'InternalError' }, 'storage_failed'],
      [{ status: 403, code: 'AccessDenied' }, 'storage_refused'],
      ['silent', 'storage_away'],
      ['cut', 'storage_away'],
    ] as const
    for (const [fault, reason] of faults) {
      store.front.fault = () => fault
      await expect(receive(), reason).rejects.toMatchObject(saysWhy(reason))
      await expect(storage.read(key, 0, 10), reason).rejects.toMatchObject(saysWhy(reason))
      // Every attempt waits for a second: enough was seen of it.
      if (fault === 'silent') continue
      await expect(storage.sizes([key]), reason).rejects.toMatchObject(saysWhy(reason))
      await expect(storage.remove([key]), reason).rejects.toMatchObject(saysWhy(reason))
      await expect(storage.check(), reason).rejects.toMatchObject(saysWhy(reason))
    }
    const patient = await storageOver()
    for (const fault of [{ status: 503, code: 'SlowDown' }, 'cut', 'cut-answer'] as const) {
      const once = fileOf(randomBytes(300_000))
      const failing = new Set<string>()
      store.front.fault = (asked) => {
        const method = asked.split(' ')[0] ?? ''
        if (failing.has(method)) return undefined
        failing.add(method)
        return fault
      }
      expect(await patient.receive(once.key, Readable.from([once.bytes]), once.expected)).toMatchObject({ size: 300_000 })
      expect(await patient.read(once.key, 0, 300_000)).toEqual(once.bytes)
    }
  },
)

withStore('a server whose store is away says so for pushes and for itself, goes on with the rest, and recovers', async () => {
  const one = item()
  store.front.fault = () => ({ status: 503, code: 'SlowDown' })
  const answer = await mia.put(`/blobs/${one.content_hash}`, one.bytes)
  expect([answer.status, answer.body.error.details.reason, answer.headers.get('retry-after')]).toEqual([503, 'storage_busy', '5'])
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503)
  expect((await mia.get('/entries')).status).toBe(200)
  store.front.fault = () => undefined
  expect((await mia.put(`/blobs/${one.content_hash}`, one.bytes)).status).toBe(201)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
})

withStore('a lost object is named to who commits and to who fetches, and a push brings it back', async () => {
  const [one, never] = [item(), item()]
  await pushedDirectly([one])
  const { missing } = await negotiate([never])
  expect(await put(missing[0], never.bytes)).toEqual([200, undefined])
  await store.bucket.remove([keyOf(one), keyOf(never)])
  expect((await mia.post('/push/commit', manifestOf([never]))).body.error).toMatchObject({ code: 'BLOB_MISSING' })
  const { url } = (await mia.get(`/blobs/${one.content_hash}/url`)).body
  expect((await get(url)).bytes.toString()).toContain('NoSuchKey')
  expect((await mia.put(`/blobs/${one.content_hash}`, one.bytes)).status).toBe(201)
  expect(sha256((await get(url)).bytes)).toBe(one.content_hash)
})

withStore('a key that the store does not know, a bucket that is not there, and files of another library are named', async () => {
  const { storageUrl = '', storageKey } = store.settings
  const log = { warn: () => {} } as unknown as Logger
  const settings = { directUpload: true, dataDir: temporaryFolder(), storageKey }
  const open = (url: string, over = {}, libraryId = 'one') =>
    openBucket(url, { settings: { ...settings, ...over }, clock: systemClock, log, libraryId })
  await expect(open(storageUrl, { storageKey: { id: 'stranger', secret: 'x' } })).rejects.toThrow(
    /PH_STORAGE_URL.*InvalidAccessKeyId/,
  )
  await expect(open(storageUrl.replace('props', 'nothing'))).rejects.toThrow(/PH_STORAGE_URL.*nothing at.*NoSuchBucket/)
  const shared = storageUrl.replace('props', 'props/shared')
  const both = await Promise.all([open(shared), open(shared)])
  await expect(open(shared, {}, 'other')).rejects.toThrow(/PH_STORAGE_URL.*another library/)
  const apart = await open(`${shared.replace('shared', 'other')}`, {}, 'other')
  for (const one of [...both, apart]) one.close()
})

withStore('the doctor says whether the bucket can be written to, who sends files to it, and why it cannot be used', async () => {
  const { storageUrl = '', storageKey } = store.settings
  const look = (over = {}) => lookAtBucket({ storageUrl, storageKey, directUpload: true, ...over }, systemClock)
  expect(await look()).toMatchObject([
    { check: 'object storage', verdict: 'ok', said: expect.stringMatching(/^props at .* can be written to\.$/) },
    { check: 'uploads', verdict: 'ok', said: expect.stringContaining('clients send files to it directly') },
  ])
  expect((await look({ directUpload: false }))[1]).toMatchObject({ verdict: 'note' })
  const refused = await look({ storageKey: { id: 'nobody', secret: 'x' } })
  expect(refused).toMatchObject([{ verdict: 'problem', said: expect.stringContaining('InvalidAccessKeyId') }])
  store.front.fault = () => 'cut'
  expect(await look()).toMatchObject([{ verdict: 'problem', said: expect.stringContaining('does not answer') }])
})

test('a storage address is read whole, and what is wrong with it is said without its secrets', () => {
  const read = (PH_STORAGE_URL: string, more = {}) => readSettings({}, { PH_STORAGE_URL, ...more }, '/nowhere')
  expect(readBucketAddress('s3://props/a/b?region=eu-central-1')).toEqual({
    bucket: 'props',
    prefix: 'a/b/',
    region: 'eu-central-1',
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    publicEndpoint: 'https://s3.eu-central-1.amazonaws.com',
    isPathStyle: false,
  })
  const wrong = [
    's3://key:word@props',
    's3://P',
    's3://props?endpoint=ftp://x',
    's3://props?endpoint=https://a:b@x',
    's3://props?sse=on',
  ]
  for (const text of [...wrong, 's3://props/a%20b', 's3://props?style=odd', 's3://props?region=A B']) {
    expect(() => read(text), text).toThrow(/^PH_STORAGE_URL /)
    expect(() => read(text), text).not.toThrow(/word|a:b/)
  }
  expect(() => read('s3://props', { PH_STORAGE_KEY: 'id' })).toThrow('PH_STORAGE_SECRET')
  const told = JSON.stringify(read('s3://props', { PH_STORAGE_KEY: 'id', PH_STORAGE_SECRET: 'hidden' }).told)
  expect(told).not.toContain('hidden')
  expect(told).not.toContain('"wrong"')
})
