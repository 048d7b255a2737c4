/** Media straight to the store: addresses, uploads without a key, and the word that they are there (spec 4.9). */
import { beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { glbOf, pngOf } from '../support/media.ts'
import { item, pushed, sha256 } from '../support/push.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let mia: Caller
let stranger: Caller

beforeAll(async () => {
  server = await startTestServer()
  const [own, other] = [await server.addWorkspace(), await server.addWorkspace()]
  mia = callAs(own.url, own.keys.mia)
  stranger = callAs(other.url, other.keys.mia)
})

const newEntry = async (over: Json = {}): Promise<Json> => (await pushed(mia, [item(over)]))[0]
const detailOf = async ({ entry_id }: Json) => (await mia.get(`/entries/${entry_id}`)).body
const wish = ({ entry_id, object_id }: Json, kind: string) => ({ entry_id, object_id, kind })
const presign = (items: Json[], caller = mia) => caller.post('/entries/media/presign', { items })
const finalize = (targets: Json[], caller = mia) =>
  caller.post('/entries/media/finalize', {
    items: targets.map(({ artifact_id, entry_id, object_id, kind }) => ({ artifact_id, entry_id, object_id, kind })),
  })
const errorOf = ({ status, body }: Answer) => [status, body.error?.code]
async function send(target: Json, bytes: Buffer, headers: Record<string, string> = target.headers) {
  const answer = await fetch(target.upload_url, { method: 'PUT', headers, body: Buffer.from(bytes) })
  await answer.arrayBuffer()
  return answer.status
}
async function targetsFor(items: Json[]): Promise<Json[]> {
  const { status, body } = await presign(items)
  expect([status, body.upload_mode]).toEqual([200, 'direct'])
  return body.targets
}

test('files that were sent to their addresses are used once they are finalized, and not before', async () => {
  const entry = await newEntry()
  const [picture, model] = [await pngOf(21, 22), glbOf()]
  const [thumbnail, preview] = await targetsFor([wish(entry, 'thumbnail'), wish(entry, 'glb')])
  expect([thumbnail.kind, preview.kind]).toEqual(['thumbnail', 'glb'])
  expect(thumbnail.headers).toMatchObject({ 'content-type': 'image/png' })
  expect([await send(thumbnail, picture), await send(preview, model)]).toEqual([200, 200])
  expect(await detailOf(entry)).toMatchObject({ has_thumbnail: false, preview_status: 'none' })
  expect(errorOf(await mia.get(`/previews/artifacts/${thumbnail.artifact_id}`))).toEqual([404, 'NOT_FOUND'])
  const { status, body } = await finalize([thumbnail, preview])
  const result = ({ entry_id, object_id, kind, artifact_id }: Json, size: number) => ({
    entry_id,
    object_id,
    kind,
    artifact_id,
    size,
  })
  expect([status, body.results]).toEqual([200, [result(thumbnail, picture.length), result(preview, model.length)]])
  const used = { thumbnail_artifact_id: thumbnail.artifact_id, preview_artifact_id: preview.artifact_id, preview_kind: 'glb' }
  expect(await detailOf(entry)).toMatchObject(used)
  const shown = await fetch((await mia.get(`/entries/${entry.entry_id}/thumbnail`)).headers.get('location') ?? '')
  expect(sha256(Buffer.from(await shown.arrayBuffer()))).toBe(sha256(picture))
})

test('an address takes one file, of its size, with its headers', async () => {
  const entry = await newEntry()
  const [target] = await targetsFor([wish(entry, 'thumbnail')])
  const { 'content-type': _left, ...fewer } = target.headers
  expect(await send(target, await pngOf(4, 4), { ...target.headers, 'content-type': 'text/html' })).toBe(403)
  expect(await send(target, await pngOf(4, 4), fewer)).toBe(403)
  expect(await send(target, Buffer.alloc(8 * 1024 * 1024 + 1))).toBe(422)
  expect(await send(target, await pngOf(4, 4))).toBe(200)
  expect(await send(target, await pngOf(5, 5))).toBe(412)
})

test('a file that is not there is 422, and then none of the batch is used', async () => {
  const [sent, unsent] = [await newEntry(), await newEntry()]
  const targets = await targetsFor([wish(sent, 'thumbnail'), wish(unsent, 'thumbnail')])
  await send(targets[0], await pngOf(4, 4))
  const answer = await finalize(targets)
  expect(errorOf(answer)).toEqual([422, 'VALIDATION'])
  expect(answer.body.error.details.errors).toMatchObject([{ path: 'items.1' }])
  expect(await detailOf(sent)).toMatchObject({ has_thumbnail: false })
  expect((await finalize(targets.slice(0, 1))).status).toBe(200)
})

test('finalizing again answers the same and does not bring a replaced file back', async () => {
  const entry = await newEntry()
  const [older, newer] = await targetsFor([wish(entry, 'thumbnail'), wish(entry, 'thumbnail')])
  await send(older, await pngOf(4, 4))
  await send(newer, await pngOf(5, 5))
  const first = await finalize([older])
  await finalize([newer])
  expect((await finalize([older])).body).toEqual(first.body)
  expect(await detailOf(entry)).toMatchObject({ thumbnail_artifact_id: newer.artifact_id })
})

test('of two files for one place, the one listed last is used', async () => {
  const entry = await newEntry()
  const targets = await targetsFor([wish(entry, 'image'), wish(entry, 'glb')])
  await send(targets[0], await pngOf(4, 4))
  await send(targets[1], glbOf())
  await finalize(targets.toReversed())
  expect(await detailOf(entry)).toMatchObject({ preview_artifact_id: targets[0].artifact_id, preview_kind: 'image' })
})

test('addresses and files are for current versions only', async () => {
  const entry = await newEntry()
  const [target] = await targetsFor([wish(entry, 'thumbnail')])
  await send(target, await pngOf(4, 4))
  const { lineage_id, content_hash } = entry
  const newer = await newEntry({ stamped_lineage_id: lineage_id, stamped_base_hash: content_hash })
  for (const answer of [await finalize([target]), await presign([wish(newer, 'glb'), wish(entry, 'thumbnail')])])
    expect([...errorOf(answer), answer.body.error.details.current_object_id]).toEqual([409, 'CONFLICT', newer.object_id])
})

test('what was not given for this kind, version and workspace is not found', async () => {
  const [entry, other] = [await newEntry(), await newEntry()]
  const [target] = await targetsFor([wish(entry, 'thumbnail')])
  await send(target, await pngOf(4, 4))
  const wrong = [
    { ...target, kind: 'glb' },
    { ...target, artifact_id: 999_999 },
    { ...target, entry_id: other.entry_id, object_id: other.object_id },
  ]
  for (const one of wrong) expect(errorOf(await finalize([one]))).toEqual([404, 'NOT_FOUND'])
  expect(errorOf(await finalize([target], stranger))).toEqual([404, 'NOT_FOUND'])
  expect(errorOf(await presign([wish(entry, 'thumbnail')], stranger))).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect(errorOf(await presign([wish({ ...entry, entry_id: 999_999 }, 'glb')]))).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect(errorOf(await presign([wish(entry, 'video')]))).toEqual([422, 'VALIDATION'])
})

test('a thousand addresses are given at once, and no more', async () => {
  const entry = await newEntry()
  const items = Array.from({ length: 1000 }, () => wish(entry, 'image'))
  const targets = await targetsFor(items)
  expect(new Set(targets.map((target) => target.artifact_id)).size).toBe(1000)
  expect(errorOf(await presign([...items, wish(entry, 'glb')]))).toEqual([422, 'VALIDATION'])
  expect(errorOf(await presign([]))).toEqual([422, 'VALIDATION'])
})

test('where direct uploads are switched off, nothing is offered', async () => {
  const strict = await startTestServer({ directUpload: false })
  const { url, keys } = await strict.addWorkspace()
  const caller = callAs(url, keys.mia)
  const [entry] = await pushed(caller, [item()])
  expect(await presign([wish(entry, 'thumbnail')], caller)).toMatchObject({ status: 200, body: {} })
  expect((await presign([wish(entry, 'thumbnail')], caller)).body).toEqual({})
})
