/** Pictures that nobody looked at: what direct media may be, and that nothing beyond it is decoded, old or new. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { artifactKey } from '../../server/storage/storage.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { call, connected } from '../support/assistants.ts'
import { blackPng, hugeJpeg, hugePng, hugeWebp } from '../support/large-pictures.ts'
import { lookingServer, putThumbnail } from '../support/looking-server.ts'
import { glbOf, noisyPng, pngOf } from '../support/media.ts'
import { item, pushed } from '../support/push.ts'
import type { TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await lookingServer()
})

async function library() {
  const workspace = await server.addWorkspace()
  const mia = callAs(workspace.url, workspace.keys.mia)
  const [entry = {}] = (await pushed(mia, [item()])) as Json[]
  return { ...workspace, mia, entry }
}

/** An address, and what names it afterwards. */
async function addressFor(mia: Caller, { entry_id, object_id }: Json, over: Json = {}) {
  const wish = { entry_id, object_id, kind: 'thumbnail', ...over }
  const { status, body } = await mia.post('/entries/media/presign', { items: [wish] })
  const target = body.targets?.[0]
  return { status, body, target, named: { entry_id, object_id, kind: wish.kind, artifact_id: target?.artifact_id } }
}

const put = async ({ upload_url, headers }: Json, bytes: Uint8Array) =>
  (await fetch(upload_url, { method: 'PUT', headers, body: Buffer.from(bytes) })).status

const finalize = (mia: Caller, items: Json[]) => mia.post('/entries/media/finalize', { items })
const keptOf = async (workspaceId: number, { artifact_id }: Json) =>
  (await server.storage.sizes([artifactKey(workspaceId, artifact_id)]))[0]

test.each([
  ['a square of 16,384 pixels', async () => hugePng(), 'thumbnail'],
  ['a line of 65,535 pixels', async () => blackPng({ width: 65_535, height: 1 }), 'thumbnail'],
  ['one pixel more than there may be', () => pngOf(513, 512), 'thumbnail'],
  [
    'a header that says more than there is',
    async () => blackPng({ width: 8, height: 8, says: { width: 600, height: 8 } }),
    'thumbnail',
  ],
  ['a JPEG', hugeJpeg, 'thumbnail'],
  ['a WebP', hugeWebp, 'thumbnail'],
  ['an SVG', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'thumbnail'],
  ['nothing at all', async () => Buffer.alloc(0), 'thumbnail'],
  ['a preview of 16,384 pixels', async () => hugePng(), 'image'],
])('%s is refused when it is put to use, leaves the store, and its address takes another', async (_, make, kind) => {
  const { mia, entry, workspaceId } = await library()
  const { target, named } = await addressFor(mia, entry, { kind })
  expect(await put(target, await make())).toBe(200)
  const refused = await finalize(mia, [named])
  expect([refused.status, refused.body.error.code]).toEqual([422, 'VALIDATION'])
  expect(refused.body.error.details.errors).toMatchObject([{ path: 'items.0' }])
  expect(await keptOf(workspaceId, named)).toBeUndefined()
  expect(await put(target, await pngOf(8, 8))).toBe(200)
  expect((await finalize(mia, [named])).status).toBe(200)
})

test('one refused picture of a batch is named, and the others stay and are used without it', async () => {
  const { mia, entry, workspaceId } = await library()
  const [good, bad] = [await addressFor(mia, entry), await addressFor(mia, entry)]
  await put(good.target, await pngOf(512, 512))
  await put(bad.target, hugePng())
  const refused = await finalize(mia, [good.named, bad.named])
  expect(refused.body.error.details.errors).toMatchObject([{ path: 'items.1' }])
  expect(await keptOf(workspaceId, good.named)).toBeGreaterThan(0)
  expect((await finalize(mia, [good.named])).status).toBe(200)
  const [row] = await server.database.sql`
    select width, height from artifacts where workspace_id = ${workspaceId} and id = ${good.named.artifact_id}`
  expect(row).toEqual({ width: 512, height: 512 })
})

test('what is no picture is taken as it comes', async () => {
  const { mia, entry } = await library()
  const { target, named } = await addressFor(mia, entry, { kind: 'glb' })
  await put(target, glbOf())
  expect((await finalize(mia, [named])).status).toBe(200)
})

test('an address for an announced size takes no more, and none is given for more than there may be', async () => {
  const { mia, entry } = await library()
  const picture = await noisyPng(64, 64)
  const { target, named } = await addressFor(mia, entry, { size: picture.length })
  expect(await put(target, Buffer.concat([picture, Buffer.alloc(1)]))).toBe(422)
  expect(await put(target, picture)).toBe(200)
  expect((await finalize(mia, [named])).body.results[0].size).toBe(picture.length)
  for (const size of [8 * 1024 * 1024 + 1, -1, 1.5]) expect((await addressFor(mia, entry, { size })).status).toBe(422)
})

/** As a server left it that did not look: the bytes lie where those of a used thumbnail lie. */
async function withOldThumbnail(bytes: Uint8Array) {
  const room = await library()
  await putThumbnail(room.mia, room.entry, await pngOf(8, 8))
  const { thumbnail_artifact_id: id } = (await room.mia.get(`/entries/${room.entry.entry_id}`)).body
  const path = join(server.dataDir, 'storage', artifactKey(room.workspaceId, id))
  writeFileSync(path, bytes)
  await server.database.sql`
    update artifacts set size = ${bytes.length} where workspace_id = ${room.workspaceId} and id = ${id}`
  return room
}

test('a thumbnail that is too large and was put to use before is no picture to an assistant, which is told why', async () => {
  const room = await withOldThumbnail(hugePng())
  const client = await connected({ workspace: room })
  const id = room.entry.entry_id
  const { content } = await call(client, 'look', { entry_id: id, picture: true })
  expect(content.slice(1)).toEqual([
    {
      type: 'text',
      text: expect.stringContaining(`Entry ${id} is shown without its picture: The picture has 16384 x 16384 pixels`),
    },
  ])
  await expect(client.readResource({ uri: `ph://entry/${id}/thumbnail` })).rejects.toThrow(/16384 x 16384/)
  const ten = Array.from({ length: 10 }, () => call(client, 'look', { entry_id: id, picture: true }))
  for (const { content: each } of await Promise.all(ten)) expect(each.some(({ type }: Json) => type === 'image')).toBe(false)
})

test.each([
  ['too many pixels', async () => hugePng(), /16384 x 16384/],
  ['the wrong format', hugeJpeg, /JPEG/],
])('an old thumbnail of %s is noted by the embedder, and never decoded', async (_, make, why) => {
  const { workspaceId } = await withOldThumbnail(await make())
  await server.work.look()
  const rows = await server.database.sql<{ failure: string | null }[]>`
    select failure from looks where workspace_id = ${workspaceId}`
  expect(rows).toEqual([{ failure: expect.stringMatching(why) }])
})
