/** What a workspace stores (contract-gaps 9): by kind of file, by pack and by month, and what could go. */
import { expect, test } from 'vitest'
import { limits } from '../../contract/limits.ts'
import { callAs } from '../support/api.ts'
import { glbOf, pngOf } from '../support/media.ts'
import { item, pushed, upload } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const dayMs = 24 * 3_600_000
const asPng = { 'content-type': 'image/png' }

async function freshLibrary() {
  const { url, slug, keys, workspaceId } = await server.addWorkspace()
  const [mia, adam] = [callAs(url, keys.mia), callAs(url, keys.adam)]
  const figures = async () => {
    await server.ledger.written(workspaceId)
    return (await adam.get('/admin/storage')).body
  }
  return { mia, adam, figures, workspaceId, slug }
}
const ofBytes = (bytes: number, pack: string) =>
  item({ bytes: Buffer.alloc(bytes, `${pack} ${Math.random()} `), origin_path: `/Game/${pack}/SM_${bytes}` })

test('an empty library stores nothing, and says so in every row', async () => {
  const { figures } = await freshLibrary()
  expect(await figures()).toEqual({
    stored_bytes: 0,
    limit_bytes: null,
    by_kind: ['versions', 'previews', 'thumbnails', 'attachments', 'unused'].map((kind) => ({ kind, files: 0, bytes: 0 })),
    by_pack: [],
    other_packs: { packs: 0, files: 0, bytes: 0 },
    by_month: [],
    orphaned: { files: 0, bytes: 0 },
    denylisted: { files: 0, bytes: 0 },
  })
})

test('files are counted once, by what they are, by pack and by the month in which they came', async () => {
  const { mia, adam, figures, slug } = await freshLibrary()
  await server.changeWorkspace(slug, { storage_limit_bytes: 1_000_000 })
  const month = () => server.clock.now().toISOString().slice(0, 7)
  const before = month()
  const [small, large] = [ofBytes(300, 'Tavern'), ofBytes(5_000, 'Castle')]
  const [made = {}] = await pushed(mia, [small, large])
  server.clock.advance(40 * dayMs)
  const late = ofBytes(700, 'Tavern')
  await pushed(mia, [late])
  const [picture, glb] = [await pngOf(4, 4), glbOf()]
  const of = `?object_id=${made.object_id}`
  await mia.put(`/entries/${made.entry_id}/thumbnail${of}`, await pngOf(5, 5), asPng)
  const second = await mia.put(`/entries/${made.entry_id}/thumbnail${of}`, picture, asPng)
  expect(second.status).toBeLessThan(300)
  expect((await mia.put(`/entries/${made.entry_id}/preview${of}`, glb)).status).toBeLessThan(300)
  const { id } = (await mia.post('/attachments', picture, asPng)).body
  await mia.put(`/attachments/${id}/strokes`, Buffer.from('{}'), { 'content-type': 'application/json' })
  const loose = item()
  await upload(mia, [loose])
  await adam.post('/admin/denylist', { kind: 'content_hash', value: large.content_hash })
  const found = await figures()
  const thumbnails = (await pngOf(5, 5)).length + picture.length
  const kinds = [
    ['versions', 3, 6_000],
    ['previews', 1, glb.length],
    ['thumbnails', 2, thumbnails],
    ['attachments', 2, picture.length + 2],
    ['unused', 1, loose.bytes.length],
  ].map(([kind, files, bytes]) => ({ kind, files, bytes }))
  expect(found.by_kind).toEqual(kinds)
  expect(found).toMatchObject({
    limit_bytes: 1_000_000,
    stored_bytes: 6_000 + glb.length + thumbnails + picture.length + 2 + loose.bytes.length,
    by_pack: [
      { pack: { name: 'Castle' }, files: 1, bytes: 5_000 },
      { pack: { name: 'Tavern' }, files: 2, bytes: 1_000 },
    ],
    by_month: [
      { month: month(), files: 1, bytes: 700 },
      { month: before, files: 2, bytes: 5_300 },
    ],
    orphaned: { files: 0, bytes: 0 },
    denylisted: { files: 1, bytes: 5_000 },
  })
  server.clock.advance(2 * dayMs)
  expect((await figures()).orphaned).toEqual({ files: 1, bytes: loose.bytes.length })
})

test('of many packs the largest are told apart, and the others are summed up', async () => {
  const { figures, workspaceId } = await freshLibrary()
  const { sql } = server.database
  const now = server.clock.now().toISOString()
  const packs = limits.storagePacks + 20
  await sql`
    insert into packs (workspace_id, name, date_added, date_updated)
    select ${workspaceId}, 'P' || n, ${now}, ${now} from generate_series(1, ${packs}::int) n`
  await sql`
    insert into objects (workspace_id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, date_ingested)
    select ${workspaceId}, lpad(to_hex(substr(name, 2)::int), 64, '0'), substr(name, 2)::int, 'l' || name, 'minted', id, 'StaticMesh', ${now}
      from packs where workspace_id = ${workspaceId}`
  const found = await figures()
  expect(found.by_pack).toHaveLength(limits.storagePacks)
  expect(found.by_pack[0]).toMatchObject({ pack: { name: `P${packs}` }, files: 1, bytes: packs })
  expect(found.other_packs).toEqual({ packs: 20, files: 20, bytes: 210 })
})
