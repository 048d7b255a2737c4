/** Administration: the denylist and asking for thumbnails anew (contract-gaps 7). */
import { beforeAll, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { item, plainFile, pushed, sha256 } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

let mia: Caller
let adam: Caller
let stranger: Caller

beforeAll(async () => {
  const server = await startTestServer()
  const [own, other] = [await server.addWorkspace(), await server.addWorkspace()]
  mia = callAs(own.url, own.keys.mia)
  adam = callAs(own.url, own.keys.adam)
  stranger = callAs(other.url, other.keys.adam)
})

const errorOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code]
const someHash = () => item().content_hash

test('a record of the denylist says what, why, who and when, and is listed until it is removed', async () => {
  const value = someHash()
  const made = await adam.post('/admin/denylist', { kind: 'content_hash', value, note: 'stolen' })
  expect(made).toMatchObject({
    status: 201,
    body: { kind: 'content_hash', value, note: 'stolen', created_by: expect.any(Number) },
  })
  expect(made.body.created_at).toMatch(/Z$/)
  const listed = async () => (await adam.get('/admin/denylist')).body.denylist
  expect(await listed()).toContainEqual(made.body)
  expect((await stranger.get('/admin/denylist')).body.denylist).toEqual([])
  expect(errorOf(await stranger.del(`/admin/denylist/${made.body.id}`))).toEqual([404, 'NOT_FOUND'])
  expect((await adam.del(`/admin/denylist/${made.body.id}`)).status).toBe(204)
  expect(errorOf(await adam.del(`/admin/denylist/${made.body.id}`))).toEqual([404, 'NOT_FOUND'])
  expect(await listed()).not.toContainEqual(made.body)
})

test('the same thing is denied once, and only what has the form of its kind', async () => {
  const value = someHash()
  const first = await adam.post('/admin/denylist', { kind: 'content_hash', value })
  const again = await adam.post('/admin/denylist', { kind: 'content_hash', value })
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', details: { existing_id: first.body.id } } } })
  for (const body of [{ kind: 'content_hash', value: 'abc' }, { kind: 'file_name', value: 'x' }, { kind: 'package_guid' }, {}])
    expect(errorOf(await adam.post('/admin/denylist', body))).toEqual([422, 'VALIDATION'])
})

test('a denied package GUID is denied in whatever form it is written', async () => {
  const guid = sha256(Buffer.from('a package')).slice(0, 32).toUpperCase()
  await adam.post('/admin/denylist', { kind: 'package_guid', value: guid.toLowerCase() })
  const { body } = await mia.post('/push/negotiate', {
    items: [{ content_hash: someHash(), asset_class: 'StaticMesh', blob_size: 5, package_guid: guid }],
  })
  expect(body.items[0]).toMatchObject({ action: 'denied', reason: 'denylisted', denylist_kind: 'package_guid' })
})

test('members may do none of it', async () => {
  const calls = [
    mia.get('/admin/denylist'),
    mia.post('/admin/denylist', { kind: 'content_hash', value: someHash() }),
    mia.del('/admin/denylist/1'),
    mia.post('/admin/previews/refresh', { all: true }),
    mia.get('/admin/storage'),
  ]
  for (const call of calls) expect(errorOf(await call)).toEqual([403, 'FORBIDDEN'])
})

const wanted = async () =>
  (await mia.get('/push/thumbnail-refresh-queue')).body.items.map((one: { entry_id: number }) => one.entry_id)
async function shownEntry() {
  const [made] = await pushed(mia, [item()])
  await mia.put(`/entries/${made.entry_id}/thumbnail?object_id=${made.object_id}`, await pngOf(8, 8))
  expect(await wanted()).not.toContain(made.entry_id)
  return made
}

test('thumbnails asked for anew are wanted until new ones come, and the wish is told once', async () => {
  const [first, second] = [await shownEntry(), await shownEntry()]
  const answer = await adam.post('/admin/previews/refresh', { entry_ids: [first.entry_id, first.entry_id] })
  expect(answer).toMatchObject({ status: 200, body: { affected: 1 } })
  expect(await wanted()).toContain(first.entry_id)
  expect(await wanted()).not.toContain(second.entry_id)
  const { events } = (await mia.get('/activity')).body
  expect(events[0]).toMatchObject({ event_type: 'previews.refresh_requested', payload: { affected: 1 }, actor: { name: 'adam' } })
  await mia.put(`/entries/${first.entry_id}/thumbnail?object_id=${first.object_id}`, await pngOf(9, 9))
  expect(await wanted()).not.toContain(first.entry_id)
})

test('a preview that could not be made is looked at again when it is asked for, and mirrors are told', async () => {
  const [mesh, other] = [await shownEntry(), await shownEntry()]
  for (const one of [mesh, other])
    await mia.post(`/entries/${one.entry_id}/preview/unavailable?object_id=${one.object_id}`, undefined)
  const queued = async () => (await mia.get('/push/preview-queue')).body.items.map((one: Json) => one.entry_id)
  const statusOf = async (one: Json) => (await mia.get(`/entries/${one.entry_id}`)).body.preview_status
  expect(await queued()).not.toContain(mesh.entry_id)
  const { next_cursor } = (await mia.get('/catalog/changes?cursor=0&limit=1000')).body
  await adam.post('/admin/previews/refresh', { entry_ids: [mesh.entry_id] })
  expect([await statusOf(mesh), await statusOf(other)]).toEqual(['none', 'unavailable'])
  const listed = (await mia.get('/entries?preview=none&limit=200')).body.entries.map((one: Json) => one.id)
  expect(listed).toContain(mesh.entry_id)
  expect(await queued()).toContain(mesh.entry_id)
  const { changes } = (await mia.get(`/catalog/changes?cursor=${next_cursor}`)).body
  expect(changes).toMatchObject([{ entity: 'entry', entity_id: mesh.entry_id, op: 'upsert' }])
})

test('all thumbnails can be asked for, and other workspaces are left alone', async () => {
  const [one, other] = [await shownEntry(), plainFile()]
  await pushed(stranger, [other])
  const before = (await adam.get('/entries?limit=200')).body.entries.length
  expect((await adam.post('/admin/previews/refresh', { all: true })).body).toEqual({ affected: before })
  expect(await wanted()).toContain(one.entry_id)
})

test('an unknown entry refuses the whole wish, and it names entries or all, not both', async () => {
  const shown = await shownEntry()
  const [foreign] = await pushed(stranger, [item()])
  const unknown = [foreign.entry_id, 999_999]
  const answer = await adam.post('/admin/previews/refresh', { entry_ids: [shown.entry_id, ...unknown] })
  expect(answer).toMatchObject({ status: 404, body: { error: { code: 'ENTRY_NOT_FOUND', details: { missing: unknown } } } })
  expect(await wanted()).not.toContain(shown.entry_id)
  for (const body of [{}, { all: true, entry_ids: [shown.entry_id] }, { entry_ids: [] }, { all: false }])
    expect(errorOf(await adam.post('/admin/previews/refresh', body))).toEqual([422, 'VALIDATION'])
})
