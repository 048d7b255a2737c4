/** Thumbnails, previews and metadata of versions: what is taken, what is refused, what is shown (spec 4.2, 4.9). */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { glbOf, noisyPng, pngOf, wavOf } from '../support/media.ts'
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
const newVersion = async ({ lineage_id, content_hash }: Json): Promise<Json> =>
  (await pushed(mia, [item({ stamped_lineage_id: lineage_id, stamped_base_hash: content_hash })]))[0]
const detailOf = async ({ entry_id }: Json) => (await mia.get(`/entries/${entry_id}`)).body
const pathOf = (entry: Json, what: string) =>
  `/entries/${entry.entry_id}/${what}${what.includes('?') ? '&' : '?'}object_id=${entry.object_id}`
const put = (entry: Json, what: string, bytes: unknown) => mia.put(pathOf(entry, what), bytes)
const errorOf = ({ status, body }: Answer) => [status, body.error?.code]
async function follow(path: string) {
  const redirect = await mia.get(path)
  expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'private, no-store'])
  const answer = await fetch(redirect.headers.get('location') ?? '')
  return { type: answer.headers.get('content-type'), hash: sha256(Buffer.from(await answer.arrayBuffer())) }
}
const head = async () => (await mia.get('/catalog/changes?limit=1000')).body.next_cursor
const changesSince = async (cursor: number) => (await mia.get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body.changes

test('a thumbnail is described, shown, and kept under its own id after another took its place', async () => {
  const entry = await newEntry()
  expect(errorOf(await mia.get(`/entries/${entry.entry_id}/thumbnail`))).toEqual([404, 'NOT_FOUND'])
  const [first, second] = [await pngOf(40, 30), await pngOf(512, 512)]
  const { status, body } = await put(entry, 'thumbnail?producer_tool=ph&producer_tool_version=0.1.0', first)
  const described = { entry_id: entry.entry_id, object_id: entry.object_id, width: 40, height: 30, size: first.length }
  expect([status, body]).toEqual([200, { ...described, artifact_id: expect.any(Number) }])
  expect(await detailOf(entry)).toMatchObject({ has_thumbnail: true, thumbnail_artifact_id: body.artifact_id })
  const { body: newer } = await put(entry, 'thumbnail', second)
  expect(newer.artifact_id).not.toBe(body.artifact_id)
  expect(await follow(`/entries/${entry.entry_id}/thumbnail`)).toEqual({ type: 'image/png', hash: sha256(second) })
  expect(await follow(`/previews/artifacts/${body.artifact_id}`)).toEqual({ type: 'image/png', hash: sha256(first) })
  const [row] = await server.database.sql`select producer, width from artifacts where id = ${body.artifact_id}`
  expect(row).toEqual({ producer: { tool: 'ph', tool_version: '0.1.0' }, width: 40 })
})

test.each([
  ['glb', glbOf({ bufferBytes: 64 }), 'model/gltf-binary'],
  ['image', await pngOf(700, 20), 'image/png'],
  ['image', await pngOf(30, 30, { interlaced: true }), 'image/png'],
  ['audio', wavOf({ channels: 8, encoding: 3, bits: 32 }), 'audio/wav'],
])('a preview of kind %s is shown as what it is', async (kind, bytes, type) => {
  const entry = await newEntry()
  expect(errorOf(await mia.get(`/entries/${entry.entry_id}/preview`))).toEqual([404, 'NOT_FOUND'])
  const { status, body } = await put(entry, `preview?kind=${kind}`, bytes)
  const described = { entry_id: entry.entry_id, object_id: entry.object_id, size: bytes.length, kind }
  expect([status, body]).toEqual([200, { ...described, artifact_id: expect.any(Number) }])
  const shown = { preview_status: 'ready', preview_kind: kind, preview_artifact_id: body.artifact_id, has_thumbnail: false }
  expect(await detailOf(entry)).toMatchObject(shown)
  expect(await follow(`/entries/${entry.entry_id}/preview`)).toEqual({ type, hash: sha256(bytes) })
})

test('a preview is a GLB unless its kind is said', async () => {
  const entry = await newEntry()
  expect((await put(entry, 'preview', glbOf())).body.kind).toBe('glb')
  expect(errorOf(await put(entry, 'preview', await pngOf(4, 4)))).toEqual([422, 'VALIDATION'])
  expect(errorOf(await put(entry, 'preview?kind=video', glbOf()))).toEqual([422, 'VALIDATION'])
})

const edited = (bytes: Buffer, edit: (copy: Buffer) => void) => {
  const copy = Buffer.from(bytes)
  edit(copy)
  return copy
}
const png = await noisyPng(64, 64)
const glb = glbOf({ bufferBytes: 16 })
const wav = wavOf()
const malformed: [string, string, Buffer][] = [
  ['empty', 'thumbnail', Buffer.alloc(0)],
  ['text', 'thumbnail', Buffer.from('not a picture')],
  ['a signature only', 'thumbnail', png.subarray(0, 8)],
  ['a header only', 'thumbnail', png.subarray(0, 33)],
  ['cut in its pixels', 'thumbnail', png.subarray(0, png.length - 20)],
  ['cut in its last row', 'thumbnail', png.subarray(0, png.length - 80)],
  ['without its end', 'thumbnail', png.subarray(0, png.length - 12)],
  ['cut in its end', 'thumbnail', png.subarray(0, png.length - 4)],
  ['damaged in its pixels', 'thumbnail', edited(png, (copy) => copy.fill(0xff, 3000, 3400))],
  ['no pixels wide', 'thumbnail', edited(png, (copy) => copy.writeUInt32BE(0, 16))],
  ['a JPEG', 'thumbnail', await sharp(png).jpeg().toBuffer()],
  ['a GLB', 'thumbnail', glb],
  ['too wide', 'thumbnail', await pngOf(513, 10)],
  ['too high', 'thumbnail', await pngOf(10, 513)],
  ['too wide', 'preview?kind=image', await pngOf(8193, 1)],
  ['cut', 'preview?kind=image', png.subarray(0, png.length - 20)],
  ['empty', 'preview', Buffer.alloc(0)],
  ['another format', 'preview', edited(glb, (copy) => copy.write('glTX'))],
  ['of version 1', 'preview', edited(glb, (copy) => copy.writeUInt32LE(1, 4))],
  ['cut', 'preview', glb.subarray(0, glb.length - 4)],
  ['a header only', 'preview', glb.subarray(0, 12)],
  ['longer than it says', 'preview', Buffer.concat([glb, Buffer.alloc(4)])],
  ['not as long as it says', 'preview', edited(glb, (copy) => copy.writeUInt32LE(copy.length + 100, 8))],
  ['without JSON', 'preview', edited(glb, (copy) => copy.write('XXXX', 16))],
  ['with broken JSON', 'preview', edited(glb, (copy) => copy.fill('{', 20, 30))],
  ['with JSON that is no glTF', 'preview', glbOf({ json: '[1, 2]' })],
  ['with chunks past its end', 'preview', edited(glb, (copy) => copy.writeUInt32LE(99, copy.length - 24))],
  ['of many chunks', 'preview', manyChunks()],
  ['text', 'preview?kind=audio', Buffer.from('la la la')],
  ['a header only', 'preview?kind=audio', wav.subarray(0, 12)],
  ['not RIFF', 'preview?kind=audio', edited(wav, (copy) => copy.write('JUNK'))],
  ['without a format', 'preview?kind=audio', edited(wav, (copy) => copy.write('junk', 12))],
  ['without channels', 'preview?kind=audio', edited(wav, (copy) => copy.writeUInt16LE(0, 22))],
  ['of nine channels', 'preview?kind=audio', wavOf({ channels: 9 })],
  ['compressed', 'preview?kind=audio', wavOf({ encoding: 85 })],
  ['of odd blocks', 'preview?kind=audio', edited(wav, (copy) => copy.writeUInt16LE(3, 32))],
  ['cut', 'preview?kind=audio', wav.subarray(0, wav.length - 10)],
]

function manyChunks(): Buffer {
  const bytes = Buffer.concat([glbOf(), ...Array.from({ length: 20 }, () => Buffer.from('\0\0\0\0XTRA', 'latin1'))])
  bytes.writeUInt32LE(bytes.length, 8)
  return bytes
}

const mediaFiles = () =>
  readdirSync(join(server.dataDir, 'storage'), { recursive: true })
    .map(String)
    .filter((name) => /[/\\]media[/\\]\d+[/\\]/.test(name))
    .sort()

test('malformed media are refused with the reason, and nothing is changed or kept', async () => {
  const entry = await newEntry()
  const [before, kept] = [await head(), mediaFiles()]
  for (const [label, what, bytes] of malformed) {
    const answer = await put(entry, what, bytes)
    expect([what, label, answer.status, answer.body.error?.code]).toEqual([what, label, 422, 'VALIDATION'])
    expect(answer.body.error.details.errors[0].message).toMatch(/\w+ \w+/)
  }
  expect(await detailOf(entry)).toMatchObject({ has_thumbnail: false, preview_status: 'none', preview_kind: null })
  expect(await changesSince(before)).toEqual([])
  const [rows] = await server.database.sql`select count(*)::int as count from artifacts where object_id = ${entry.object_id}`
  expect(rows).toEqual({ count: 0 })
  expect(mediaFiles()).toEqual(kept)
})

test('a file over its size is refused before it is read', async () => {
  const entry = await newEntry()
  const MiB = 1024 * 1024
  for (const [what, limit] of [
    ['thumbnail', 8 * MiB],
    ['preview?kind=audio', 32 * MiB],
  ] as const)
    expect(errorOf(await put(entry, what, Buffer.alloc(limit + 1)))).toEqual([422, 'VALIDATION'])
})

test('media go to the current version only; another one is told which that is', async () => {
  const entry = await newEntry()
  const newer = await newVersion(entry)
  const uploads: [string, unknown][] = [
    ['thumbnail', await pngOf(4, 4)],
    ['preview', glbOf()],
    ['metadata', { tri_count: 5 }],
  ]
  const answers = [
    ...(await Promise.all(uploads.map(([what, body]) => put(entry, what, body)))),
    await mia.post(`/entries/${entry.entry_id}/preview/unavailable?object_id=${entry.object_id}`),
  ]
  for (const answer of answers)
    expect([...errorOf(answer), answer.body.error.details.current_object_id]).toEqual([409, 'CONFLICT', newer.object_id])
  for (const [what, body] of uploads) {
    expect((await put(newer, what, body)).status).toBe(200)
    expect(errorOf(await put({ ...entry, entry_id: 999_999 }, what, body))).toEqual([404, 'ENTRY_NOT_FOUND'])
    expect(errorOf(await put({ ...entry, object_id: 999_999 }, what, body))).toEqual([404, 'OBJECT_NOT_FOUND'])
    expect(errorOf(await stranger.put(pathOf(newer, what), body))).toEqual([404, 'ENTRY_NOT_FOUND'])
    expect(errorOf(await mia.put(`/entries/${entry.entry_id}/${what}`, body))).toEqual([422, 'VALIDATION'])
  }
})

test('a thumbnail belongs to a version: a newer one has none, and the restored one has its own again', async () => {
  const entry = await newEntry()
  const { body } = await put(entry, 'thumbnail', await pngOf(4, 4))
  await newVersion(entry)
  expect(await detailOf(entry)).toMatchObject({ has_thumbnail: false })
  await mia.post(`/entries/${entry.entry_id}/restore`, { object_id: entry.object_id })
  expect(await detailOf(entry)).toMatchObject({ has_thumbnail: true, thumbnail_artifact_id: body.artifact_id })
})

test('several thumbnails at once are all kept, and one is used', async () => {
  const entry = await newEntry()
  const answers = await Promise.all([5, 6, 7, 8].map(async (edge) => put(entry, 'thumbnail', await pngOf(edge, edge))))
  const ids = answers.map((answer) => answer.body.artifact_id)
  expect(new Set(ids).size).toBe(4)
  expect(ids).toContain((await detailOf(entry)).thumbnail_artifact_id)
  for (const id of ids) expect((await follow(`/previews/artifacts/${id}`)).type).toBe('image/png')
})

test('media of another workspace cannot be read', async () => {
  const entry = await newEntry()
  const { body } = await put(entry, 'thumbnail', await pngOf(4, 4))
  expect(errorOf(await stranger.get(`/entries/${entry.entry_id}/thumbnail`))).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect(errorOf(await stranger.get(`/previews/artifacts/${body.artifact_id}`))).toEqual([404, 'NOT_FOUND'])
  expect(errorOf(await mia.get('/previews/artifacts/999999'))).toEqual([404, 'NOT_FOUND'])
})

test('a preview that cannot be made is unavailable, until one comes after all', async () => {
  const entry = await newEntry()
  const { body: old } = await put(entry, 'preview', glbOf())
  const say = () => mia.post(`/entries/${entry.entry_id}/preview/unavailable?object_id=${entry.object_id}`)
  expect(await say()).toMatchObject({ status: 200, body: { entry_id: entry.entry_id, preview_status: 'unavailable' } })
  const gone = { preview_status: 'unavailable', preview_kind: null, preview_artifact_id: null }
  expect(await detailOf(entry)).toMatchObject(gone)
  expect(errorOf(await mia.get(`/entries/${entry.entry_id}/preview`))).toEqual([404, 'NOT_FOUND'])
  expect((await follow(`/previews/artifacts/${old.artifact_id}`)).type).toBe('model/gltf-binary')
  const before = await head()
  expect((await say()).status).toBe(200)
  expect(await changesSince(before)).toEqual([])
  await put(entry, 'preview', glbOf())
  expect(await detailOf(entry)).toMatchObject({ preview_status: 'ready', preview_kind: 'glb' })
})

test('of many versions at once those that are current have no preview; others are named and stay, whoever sends them again changes nothing', async () => {
  const [one, two, old] = [await newEntry(), await newEntry(), await newEntry()]
  const newer = await newVersion(old)
  const version = ({ entry_id, object_id }: Json) => ({ entry_id, object_id })
  const foreign = { ...version(one), entry_id: 999_999 }
  const crossed = { entry_id: one.entry_id, object_id: two.object_id }
  const items = [version(one), version(old), version(two), foreign, crossed, version(one)]
  const before = await head()
  const { status, body } = await mia.post('/entries/media/unavailable', { items })
  expect([status, body]).toEqual([
    200,
    { unavailable: [version(one), version(two), version(one)], not_current: [version(old), foreign, crossed] },
  ])
  const changed = await changesSince(before)
  expect(changed.map(({ entity_id }: Json) => entity_id).sort()).toEqual([one.entry_id, two.entry_id].sort())
  const status_of = async (entry: Json) => (await detailOf(entry)).preview_status
  expect([await status_of(one), await status_of(two), await status_of(newer)]).toEqual(['unavailable', 'unavailable', 'none'])
  const after = await head()
  expect((await mia.post('/entries/media/unavailable', { items })).body).toEqual(body)
  expect(await changesSince(after)).toEqual([])
  expect((await stranger.post('/entries/media/unavailable', { items: [version(two)] })).body).toEqual({
    unavailable: [],
    not_current: [version(two)],
  })
  expect(errorOf(await mia.post('/entries/media/unavailable', { items: [] }))).toEqual([422, 'VALIDATION'])
})

test('every change of media is in the change feed as its entry', async () => {
  const entry = await newEntry()
  const steps = [
    async () => put(entry, 'thumbnail', await pngOf(4, 4)),
    () => put(entry, 'preview', glbOf()),
    () => put(entry, 'metadata', { lod_count: 2 }),
    () => mia.post(`/entries/${entry.entry_id}/preview/unavailable?object_id=${entry.object_id}`),
  ]
  for (const step of steps) {
    const before = await head()
    expect((await step()).status).toBe(200)
    const record = { entity: 'entry', entity_id: entry.entry_id, lineage_id: entry.lineage_id, op: 'upsert' }
    expect(await changesSince(before)).toMatchObject([record])
  }
})

test('metadata that are sent overwrite, null keeps, unknown fields are ignored', async () => {
  const entry = await newEntry({ entry: { metadata: { tri_count: 100, vert_count: 50 } } })
  const body = { tri_count: null, vert_count: 60, has_collision: false, bounds_x: 1.5, sparkle: true }
  const answer = await put(entry, 'metadata', body)
  const updated = ['vert_count', 'has_collision', 'bounds_x']
  expect(answer).toMatchObject({ status: 200, body: { entry_id: entry.entry_id, object_id: entry.object_id } })
  expect(answer.body.updated.toSorted()).toEqual(updated.toSorted())
  const { metadata } = await detailOf(entry)
  const bounds = { x: 1.5, y: null, z: null }
  expect(metadata).toMatchObject({ tri_count: 100, vert_count: 60, has_collision: false, bounds })
  expect(metadata).not.toHaveProperty('sparkle')
  expect((await put(entry, 'metadata', { tri_count: null })).body.updated).toEqual([])
})

test('a document is kept as sent, fills the flat fields, and gives way to those sent beside it', async () => {
  const entry = await newEntry()
  const doc = {
    v: 1,
    core: { counts: { tris: 77, lods: 2 }, image: { width: 16, height: 8 } },
    ext: { studio: { note: 'Größe', deep: [1.5] } },
  }
  const { body } = await put(entry, 'metadata', { metadata_doc: doc, tri_count: 80 })
  expect(body.updated.toSorted()).toEqual(['lod_count', 'metadata_doc', 'texture_height', 'texture_width', 'tri_count'])
  const shown = await detailOf(entry)
  expect(shown.metadata).toMatchObject({ tri_count: 80, lod_count: 2, texture_width: 16, texture_height: 8 })
  expect(shown.metadata_doc).toEqual(doc)
  await put(entry, 'metadata', { metadata_doc: null, lod_count: 3 })
  expect((await detailOf(entry)).metadata_doc).toEqual(doc)
})

test('wrong metadata are refused as a whole', async () => {
  const entry = await newEntry({ entry: { metadata: { tri_count: 1 } } })
  const deep = JSON.parse(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`)
  const wrong = [
    { metadata_doc: { v: 2 } },
    { metadata_doc: { v: 1, core: { nope: 1 } } },
    { metadata_doc: { v: 1, ext: { A: {} } } },
    { metadata_doc: { v: 1, ext: { studio: deep } } },
    { tri_count: 'many' },
    { tri_count: 1.5 },
    { has_collision: 7 },
  ]
  for (const body of wrong) expect(errorOf(await put(entry, 'metadata', { lod_count: 9, ...body }))).toEqual([422, 'VALIDATION'])
  expect((await detailOf(entry)).metadata).toMatchObject({ tri_count: 1, lod_count: null })
})
