/** Pictures that nobody looked at: direct media are taken as they come, and nothing beyond the contract's sizes is decoded. */
import { beforeAll, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { call, connected } from '../support/assistants.ts'
import { blackPng, hugeJpeg, hugePng, hugeWebp } from '../support/large-pictures.ts'
import { lookingServer } from '../support/looking-server.ts'
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

/** An entry whose thumbnail came straight to the store: nobody looked into it (spec 4.9). */
async function withThumbnail(bytes: Uint8Array) {
  const room = await library()
  const { target, named } = await addressFor(room.mia, room.entry)
  expect(await put(target, bytes)).toBe(200)
  expect((await finalize(room.mia, [named])).status).toBe(200)
  return room
}

const unfit: [string, () => Uint8Array | Promise<Uint8Array>, RegExp][] = [
  ['a square of 16,384 pixels', () => hugePng(), /16384 x 16384/],
  ['a line of 65,535 pixels', () => blackPng({ width: 65_535, height: 1 }), /65535 x 1/],
  ['one pixel more than there may be', () => pngOf(513, 512), /513 x 512/],
  ['a header that says more than there is', () => blackPng({ width: 8, height: 8, says: { width: 600, height: 8 } }), /600 x 8/],
  ['a JPEG', hugeJpeg, /JPEG/],
  ['a WebP', hugeWebp, /WebP/],
  ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), /./],
  ['nothing at all', () => Buffer.alloc(0), /./],
]

test.each(unfit)('%s as a thumbnail is no picture to an assistant, which is told why', async (_, make, why) => {
  const room = await withThumbnail(await make())
  const client = await connected({ workspace: room })
  const id = room.entry.entry_id
  const look = () => call(client, 'look', { entry_id: id, picture: true })
  for (const { content } of await Promise.all(Array.from({ length: 10 }, look))) {
    expect(content.some(({ type }: Json) => type === 'image')).toBe(false)
    const { text } = content.at(-1)
    expect(text).toContain(`Entry ${id} is shown without its picture. The data says why.`)
    expect(text).toMatch(why)
  }
  await expect(client.readResource({ uri: `ph://entry/${id}/thumbnail` })).rejects.toThrow(why)
})

test.each(unfit)('%s as a thumbnail is noted by the embedder, and never decoded', async (_, make, why) => {
  const { workspaceId } = await withThumbnail(await make())
  await server.work.look()
  const rows = await server.database.sql<{ failure: string | null }[]>`
    select failure from looks where workspace_id = ${workspaceId}`
  expect(rows).toEqual([{ failure: expect.stringMatching(why) }])
})
