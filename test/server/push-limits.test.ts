// The limits of what is pushed, met exactly and passed by one (spec 8).
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, manifestOf, pushed, upload } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const mia = callAs(url, keys.mia)

/** A document of so many bytes of compact JSON, with letters of two bytes. */
function documentOf(bytes: number): Json {
  const doc = (text: string) => ({ v: 1, core: { counts: { tris: 5 } }, ext: { studio: { note: 'Größe', text } } })
  return doc('x'.repeat(bytes - Buffer.byteLength(JSON.stringify(doc('')))))
}
const largest = 64 * 1024

test('a metadata document may have 64 KiB, with an upload and with a push, and not a byte more', async () => {
  const [first] = await pushed(mia, [item()])
  const at = `/entries/${first.entry_id}/metadata?object_id=${first.object_id}`
  expect(Buffer.byteLength(JSON.stringify(documentOf(largest)))).toBe(largest)
  expect((await mia.put(at, { metadata_doc: documentOf(largest) })).status).toBe(200)
  expect((await mia.get(`/entries/${first.entry_id}`)).body.metadata_doc).toEqual(documentOf(largest))
  const [second] = await pushed(mia, [item({ metadata_doc: documentOf(largest) })])
  expect((await mia.get(`/entries/${second.entry_id}`)).body.metadata_doc).toEqual(documentOf(largest))
  const over = documentOf(largest + 1)
  const refused = await mia.put(at, { metadata_doc: over })
  expect([refused.status, refused.body.error.details.errors[0].path]).toEqual([422, 'metadata_doc'])
  for (const path of ['/push/negotiate', '/push/commit']) {
    const answer = await mia.post(path, manifestOf([item({ metadata_doc: over })]))
    expect([path, answer.status, answer.body.error.details.errors[0].path]).toEqual([path, 422, 'items.0.metadata_doc'])
  }
})

test('an ext namespace may be nested 8 levels deep, its own object included', async () => {
  const nested = (levels: number) => ({ v: 1, ext: { studio: JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) } })
  expect((await pushed(mia, [item({ metadata_doc: nested(8) })]))[0].status).toBe('new')
  expect((await mia.post('/push/commit', manifestOf([item({ metadata_doc: nested(9) })]))).status).toBe(422)
})

test('an item may need 10,000 files of the library, and not one more; of all that a manifest needs, what is missing is named', async () => {
  const count = 10_000
  const { sql } = server.database
  const [workspace] = await sql<{ id: number }[]>`select max(id) as id from workspaces`
  const id = Number(workspace?.id)
  const at = new Date().toISOString()
  const rows = sql`generate_series(1000000, ${1_000_000 + count}::int) as n`
  await sql`insert into lineages (workspace_id, id, anchor, face_object_id, created_at) select ${id}, 'lin_' || n, 'minted', n, ${at} from ${rows}`
  const known = await sql<{ content_hash: string }[]>`
    insert into objects (workspace_id, id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, date_ingested)
    select ${id}, n, md5(n::text) || md5(n::text), 1, 'lin_' || n, 'minted', 1, 'Texture2D', ${at} from ${rows} returning content_hash`
  const needing = (count: number) => item({ dependencies: known.slice(0, count).map(({ content_hash }) => ({ content_hash })) })
  const most = needing(count)
  await upload(mia, [most])
  const answer = await mia.post('/push/commit', manifestOf([most]))
  expect(answer.body.results).toMatchObject([{ status: 'new' }])
  expect((await mia.get(`/entries/${answer.body.results[0].entry_id}/closure`)).body.total_objects).toBe(count + 1)
  const halves = [known.slice(0, 6000), [...known.slice(6000, count), { content_hash: 'f'.repeat(64) }]]
  const lost = await mia.post(
    '/push/negotiate',
    manifestOf(halves.map((dependencies) => item({ dependencies: [...dependencies] }))),
  )
  expect(lost.body.error.details.errors.map(({ path }: Json) => path)).toEqual(['items.1.dependencies.4000'])
  const over = await mia.post('/push/commit', manifestOf([needing(count + 1)]))
  expect([over.status, over.body.error.code, over.body.error.details.errors[0].path]).toEqual([
    422,
    'VALIDATION',
    'items.0.dependencies',
  ])
})
