/** Queues: which previews are still to be made and which thumbnails are wanted (spec 4.9; contract-gaps 5 and 7). */

import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Fragment } from '../../server/database/sql.ts'
import { previewPage, thumbnailPage, thumbnailTotal } from '../../server/media/queues.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { glbOf, pngOf } from '../support/media.ts'
import { item, plainFile, pushed } from '../support/push.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let mia: Caller
let adam: Caller
let reader: Caller

beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
  adam = callAs(url, keys.adam)
  reader = callAs(url, keys.miaReads)
})

const newEntry = async (entry_type: string, over: Json = {}): Promise<Json> =>
  (await pushed(mia, [item({ ...over, entry: { entry_type } })]))[0]
const previews = async (query = '') => (await reader.get(`/push/preview-queue${query}`)).body.items
const thumbnails = async (query = '') => (await reader.get(`/push/thumbnail-refresh-queue${query}`)).body
const idsOf = (items: Json[]) => items.map((one) => one.entry_id)
const put = ({ entry_id, object_id }: Json, what: string, bytes: Buffer) =>
  mia.put(`/entries/${entry_id}/${what}?object_id=${object_id}`, bytes)
const setStatus = (entry: Json, status: string) =>
  server.database.sql`update entries set status = ${status} where id = ${entry.entry_id}`

test('a mesh, a skeletal mesh, a texture and a sound wait for previews; what has none to be made does not', async () => {
  const meshes = [await newEntry('mesh'), await newEntry('skeletal_mesh')]
  const others = [await newEntry('texture'), await newEntry('audio')]
  await newEntry('material')
  await pushed(mia, [plainFile()])
  expect(idsOf(await previews())).toEqual(idsOf([...meshes, ...others]))
  expect(idsOf(await previews('?entry_type=texture,audio'))).toEqual(idsOf(others))
  expect(idsOf(await previews('?limit=1'))).toEqual(idsOf(meshes.slice(0, 1)))
  for (const wrong of ['?entry_type=material', '?entry_type=mesh,', '?limit=0', '?limit=2001', '?limit=x'])
    expect((await reader.get(`/push/preview-queue${wrong}`)).status).toBe(422)
})

test('an entry waits with its current version, until it has a preview or can have none', async () => {
  const one = item()
  const [first] = await pushed(mia, [one])
  const newer = await newEntry('mesh', { stamped_lineage_id: first.lineage_id, stamped_base_hash: first.content_hash })
  const waiting = { entry_id: first.entry_id, object_id: newer.object_id, name: one.asset_name, entry_type: 'mesh' }
  expect(await previews()).toMatchObject([{ ...waiting, content_hash: newer.content_hash, asset_name: expect.any(String) }])
  await put(newer, 'thumbnail', await pngOf(4, 4))
  expect(await previews()).toHaveLength(1)
  await put(newer, 'preview', glbOf())
  expect(await previews()).toEqual([])
  const other = await newEntry('mesh')
  await mia.post(`/entries/${other.entry_id}/preview/unavailable?object_id=${other.object_id}`)
  expect(await previews()).toEqual([])
})

test('the counts are of what waits, is ready and is unavailable, by type', async () => {
  const [mesh, , texture] = [
    await newEntry('mesh'),
    await newEntry('mesh'),
    await newEntry('texture'),
    await newEntry('material'),
  ]
  await put(mesh, 'preview', glbOf())
  await mia.post(`/entries/${texture.entry_id}/preview/unavailable?object_id=${texture.object_id}`)
  const counts = { pending: { mesh: 1 }, ready: { mesh: 1 }, unavailable: { texture: 1 }, total_pending: 1 }
  expect((await reader.get('/push/preview-stats')).body).toEqual(counts)
})

test('entries without thumbnail are listed in order of their ids, page by page, and counted', async () => {
  const made: Json[] = []
  for (const type of ['mesh', 'material', 'level', 'audio', 'mesh']) made.push(await newEntry(type))
  const first = await thumbnails('?limit=2')
  const rest = await thumbnails(`?limit=200&after=${first.items[1].entry_id}`)
  expect(idsOf([...first.items, ...rest.items])).toEqual(idsOf(made))
  expect([first.total, rest.total]).toEqual([5, 5])
  expect(first.items[0]).toMatchObject({ object_id: made[0].object_id, entry_type: 'mesh', has_thumbnail: false })
  await put(made[1], 'thumbnail', await pngOf(4, 4))
  expect(await thumbnails()).toMatchObject({ total: 4 })
  expect(idsOf((await thumbnails()).items)).not.toContain(made[1].entry_id)
})

test('a page of the thumbnail queue holds 50 entries when nothing is said, and at most 200', async () => {
  await pushed(
    mia,
    Array.from({ length: 51 }, () => item()),
  )
  expect((await thumbnails()).items).toHaveLength(50)
  expect((await thumbnails('?limit=200')).items).toHaveLength(51)
  for (const wrong of ['?limit=0', '?limit=201'])
    expect((await reader.get(`/push/thumbnail-refresh-queue${wrong}`)).status).toBe(422)
})

test('a new version without thumbnail is wanted again; a thumbnail asked for anew is wanted until it comes', async () => {
  const first = await newEntry('mesh')
  await put(first, 'thumbnail', await pngOf(4, 4))
  expect(await thumbnails()).toEqual({ items: [], total: 0 })
  const newer = await newEntry('mesh', { stamped_lineage_id: first.lineage_id, stamped_base_hash: first.content_hash })
  expect((await thumbnails()).items).toMatchObject([
    { entry_id: first.entry_id, object_id: newer.object_id, has_thumbnail: false },
  ])
  await put(newer, 'thumbnail', await pngOf(4, 4))
  await adam.post('/admin/previews/refresh', { entry_ids: [first.entry_id] })
  expect((await thumbnails()).items).toMatchObject([{ entry_id: first.entry_id, has_thumbnail: true }])
  await put(newer, 'thumbnail', await pngOf(5, 5))
  expect(await thumbnails()).toEqual({ items: [], total: 0 })
})

test('what waits follows the current version when an earlier one is restored', async () => {
  const first = await newEntry('mesh')
  await put(first, 'thumbnail', await pngOf(4, 4))
  await put(first, 'preview', glbOf())
  await newEntry('mesh', { stamped_lineage_id: first.lineage_id, stamped_base_hash: first.content_hash })
  expect([idsOf(await previews()), (await thumbnails()).total]).toEqual([[first.entry_id], 1])
  await mia.post(`/entries/${first.entry_id}/restore`, { object_id: first.object_id })
  expect([await previews(), (await thumbnails()).total]).toEqual([[], 0])
})

test('a queue is read through its own index, however many entries there are', async () => {
  const { sql } = server.database
  const count = 20_000
  const [workspace] = await sql<{ id: number }[]>`select max(id) as id from workspaces`
  const id = Number(workspace?.id)
  const at = new Date().toISOString()
  const [first] = await sql<{ id: number }[]>`select coalesce(max(id), 0) + 1000 as id from objects`
  const from = Number(first?.id)
  const rows = sql`generate_series(${from}::bigint, ${from + count - 1}::bigint) as n`
  await sql`insert into lineages (workspace_id, id, anchor, face_object_id, created_at) select ${id}, 'many_' || n, 'minted', n, ${at} from ${rows}`
  await sql`
    insert into objects (workspace_id, id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, date_ingested,
                         thumbnail_artifact_id, preview_status)
    select ${id}, n, 'many_' || n, 1, 'many_' || n, 'minted', 1, 'StaticMesh', ${at}, 1, 'ready' from ${rows}`
  await sql`
    insert into entries (workspace_id, id, lineage_id, name, entry_type, date_indexed, date_updated, wants_thumbnail)
    select ${id}, n, 'many_' || n, 'many', 'mesh', ${at}, ${at}, false from ${rows}`
  const waiting = await newEntry('mesh')
  await sql`analyze entries, lineages, objects`
  const planOf = async (query: Fragment) =>
    (await sql<{ 'QUERY PLAN': string }[]>`explain ${query}`).map((line) => line['QUERY PLAN']).join('\n')
  for (const [query, index] of [
    [thumbnailPage(sql, id, { after: 0, limit: 50 }), 'entries_wanting_thumbnail'],
    [thumbnailTotal(sql, id), 'entries_wanting_thumbnail'],
    [previewPage(sql, id, { entryTypes: ['mesh', 'texture'], limit: 500 }), 'entries_wanting_preview'],
  ] as const) {
    const plan = await planOf(query)
    expect(plan).toContain(`using ${index}`)
    expect(plan).not.toContain('Seq Scan')
  }
  expect([idsOf(await previews()), idsOf((await thumbnails()).items)]).toEqual([[waiting.entry_id], [waiting.entry_id]])
})

test('deprecated entries wait for nothing', async () => {
  const entry = await newEntry('mesh')
  await setStatus(entry, 'deprecated')
  expect(await previews()).toEqual([])
  expect(await thumbnails()).toEqual({ items: [], total: 0 })
  expect((await reader.get('/push/preview-stats')).body.total_pending).toBe(0)
  await setStatus(entry, 'active')
  expect(idsOf((await thumbnails()).items)).toEqual([entry.entry_id])
})
