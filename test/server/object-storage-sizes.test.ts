/** Sizes of what goes to a bucket of a real S3 store: an address takes what was announced, and what nobody announced is counted as it comes. */
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { artifactKey } from '../../server/storage/storage.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { glbOf, noisyPng, pngOf } from '../support/media.ts'
import { hasObjectStorage, type ObjectStorage, startObjectStorage } from '../support/object-storage.ts'
import { item, manifestOf, pushed } from '../support/push.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let store: ObjectStorage
let server: TestServer
let mia: Caller
let workspaceId: number
let entry: Json

const withStore = test.runIf(hasObjectStorage)
const MiB = 1024 * 1024

beforeAll(async () => {
  if (!hasObjectStorage) return
  store = await startObjectStorage()
  server = await startTestServer(store.settings, { lookMs: 3_600_000 })
  const own = await server.addWorkspace()
  workspaceId = own.workspaceId
  mia = callAs(own.url, own.keys.mia)
  ;[entry = {}] = (await pushed(mia, [item()])) as Json[]
}, 120_000)

async function addressFor(kind: string, size?: number) {
  const wish = { entry_id: entry.entry_id, object_id: entry.object_id, kind }
  const { body } = await mia.post('/entries/media/presign', { items: [{ ...wish, ...(size === undefined ? {} : { size }) }] })
  expect(body.upload_mode).toBe('direct')
  const [target] = body.targets
  return { target, named: { ...wish, artifact_id: target.artifact_id }, key: artifactKey(workspaceId, target.artifact_id) }
}

/** A server may end a connection whose body it refuses before it is whole. */
const put = async ({ upload_url, headers }: Json, bytes: Uint8Array): Promise<number> => {
  try {
    const answer = await fetch(upload_url, { method: 'PUT', headers, body: Buffer.from(bytes) })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}
const finalize = (named: Json) => mia.post('/entries/media/finalize', { items: [named] })
const isInStore = ({ upload_url }: Json): boolean => upload_url.includes('X-Amz-Signature')

withStore.each([
  ['thumbnail', () => noisyPng(40, 40)],
  ['image', () => noisyPng(80, 80)],
  ['glb', async () => glbOf()],
] as const)('an address of the store for a %s of a size takes that size and no other', async (kind, make) => {
  const bytes = await make()
  const { target, named, key } = await addressFor(kind, bytes.length)
  expect(isInStore(target)).toBe(true)
  for (const other of [Buffer.concat([bytes, Buffer.alloc(1)]), bytes.subarray(1), Buffer.alloc(100 * MiB)])
    expect([0, 403]).toContain(await put(target, other))
  expect(await store.bucket.sizeOf(key)).toBeUndefined()
  expect(await put(target, bytes)).toBe(200)
  expect((await finalize(named)).body.results[0].size).toBe(bytes.length)
})

withStore('an address for a file whose size nobody announced takes no more than the kind may have', async () => {
  const { target, named, key } = await addressFor('thumbnail')
  expect(isInStore(target)).toBe(false)
  expect([0, 422]).toContain(await put(target, Buffer.alloc(100 * MiB)))
  expect([0, 422]).toContain(await put(target, Buffer.alloc(8 * MiB + 1)))
  expect(await store.bucket.sizeOf(key)).toBeUndefined()
  const picture = await pngOf(30, 30)
  expect(await put(target, picture)).toBe(200)
  expect(await store.bucket.sizeOf(key)).toBe(picture.length)
  expect((await finalize(named)).status).toBe(200)
})

withStore('a blob longer than its manifest says is refused before the store has read it', async () => {
  const one = item()
  const { body } = await mia.post('/push/negotiate', manifestOf([one]))
  const [target] = body.missing
  expect([0, 403]).toContain(await put(target, randomBytes(one.bytes.length + 1)))
  expect(await put(target, one.bytes)).toBe(200)
})
