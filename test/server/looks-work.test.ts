// The making of looks: what it follows, what it survives, and what it says where it cannot go on (spec 4.9).
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { EmbedderThread } from '../../server/looks/embedder-thread.ts'
import { makeLooks } from '../../server/looks/making.ts'
import { startServer } from '../../server/main.ts'
import type { Storage } from '../../server/storage/storage.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { copyLooked, gridModule, idsOf, lookedAt, lookingServer, pictureOf, putThumbnail } from '../support/looking-server.ts'
import { noisyPng } from '../support/media.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await lookingServer()

const like = async (caller: Caller, id: number | undefined) => {
  const { status, body } = await caller.get(`/entries?similar_to=${id}`)
  return status === 200 ? idsOf({ body }) : status
}
const rowsOf = async (workspaceId: number) =>
  server.database.sql<{ object_id: number; artifact_id: number; failure: string | null; embedder: string }[]>`
    select object_id, artifact_id, failure, embedder from looks where workspace_id = ${workspaceId} order by object_id`

test('a thumbnail in the place of another is what the entry looks like, as soon as it was looked at', async () => {
  const { mia, entries, ids } = await lookedAt(server, [0, 1, 20, 21])
  const [zero, one, twenty, more] = ids
  expect(await like(mia, zero)).toEqual([one, twenty, more])
  await putThumbnail(mia, entries[3], await pictureOf(0))
  expect(await like(mia, zero), 'the picture before is not searched for any more').toEqual([one, twenty])
  expect(await like(mia, more)).toBe(409)
  await server.work.look()
  expect(await like(mia, zero)).toEqual([more, one, twenty])
})

test('the look of an entry is that of its current version, also after an earlier one was restored', async () => {
  const { mia, entries, ids } = await lookedAt(server, [0, 1, 20])
  const [zero, one, twenty] = ids
  const { lineage_id, content_hash } = (await mia.get(`/entries/${one}`)).body
  const [next] = await pushed(mia, [item({ stamped_lineage_id: lineage_id, stamped_base_hash: content_hash })])
  expect(await like(mia, zero), 'the new version has no thumbnail').toEqual([twenty])
  await putThumbnail(mia, { entry_id: one, object_id: next?.object_id }, await pictureOf(22))
  await server.work.look()
  expect(await like(mia, twenty)).toEqual([one, zero])
  await mia.post(`/entries/${one}/restore`, { object_id: entries[1]?.object_id })
  expect(await like(mia, zero), 'its vector was kept').toEqual([one, twenty])
})

test('an entry that is deleted is found no more, and nothing of its look is left', async () => {
  const { mia, olivia, ids, workspaceId, entries } = await lookedAt(server, [0, 1, 2])
  expect((await olivia.del(`/entries/${ids[1]}`)).status).toBe(204)
  expect(await like(mia, ids[0])).toEqual([ids[2]])
  expect((await rowsOf(workspaceId)).map((row) => row.object_id)).toEqual([entries[0]?.object_id, entries[2]?.object_id])
})

test('a pack that is deleted takes the looks of its entries along, and a running server finds them no more', async () => {
  const { mia, olivia, ids, workspaceId, entries } = await lookedAt(server, [0, 1, 2, 3], (number) => ({
    origin_path: `/Game/${number % 2 === 0 ? 'Inn' : 'Yard'}/SM_Crate_${number}`,
  }))
  expect(await like(mia, ids[0])).toEqual(ids.slice(1))
  const { packs } = (await mia.get('/packs')).body
  const yard = packs.find(({ name }: Json) => name === 'Yard').id
  expect((await olivia.del(`/packs/${yard}`)).status).toBe(200)
  expect(await like(mia, ids[0])).toEqual([ids[2]])
  expect((await rowsOf(workspaceId)).map((row) => row.object_id)).toEqual([entries[0]?.object_id, entries[2]?.object_id])
})

test('what is deleted, or gets another thumbnail, while it is looked at keeps no look of the picture that it had', async () => {
  const { mia, olivia, entries, ids, workspaceId } = await lookedAt(server, [0])
  const [gone, changed] = await pushed(mia, [item(), item()])
  for (const result of [gone, changed]) await putThumbnail(mia, result ?? {}, await pictureOf(1))
  const embedder = new EmbedderThread({ setting: 'grid:a', clock: server.clock, log: { warn: () => {} }, module: gridModule })
  onTestFinished(() => embedder.close())
  await embedder.open()
  let isFirst = true
  const read: Storage['read'] = async (...place) => {
    const bytes = await server.storage.read(...place)
    if (isFirst) {
      isFirst = false
      expect((await olivia.del(`/entries/${gone?.entry_id}`)).status).toBe(204)
      await putThumbnail(mia, changed ?? {}, await pictureOf(30))
    }
    return bytes
  }
  const step = { workspaceId, now: server.clock.now() }
  await makeLooks({ database: server.database, embedder, files: { read } }, step)
  expect(isFirst).toBe(false)
  const looked = async () => (await rowsOf(workspaceId)).map((row) => row.object_id)
  expect(await looked()).not.toContain(gone?.object_id)
  expect(await like(mia, ids[0]), 'it has a picture that nobody looked at yet').toEqual([])
  await server.work.look()
  expect(await looked()).toEqual([entries[0]?.object_id, changed?.object_id])
  expect(await like(mia, changed?.entry_id)).toEqual([ids[0]])
})

test('a picture that cannot be read is noted, said, and not tried again; a new one counts', async () => {
  const { mia, entries, ids, workspaceId } = await lookedAt(server, [0, 1])
  const [entry] = await pushed(mia, [item()])
  await putThumbnail(mia, entry, await noisyPng(40, 40))
  const [stored] = await server.database.sql<{ id: number }[]>`
    select thumbnail_artifact_id as id from objects where workspace_id = ${workspaceId} and id = ${entry?.object_id}`
  await server.storage.remove([`${workspaceId}/media/${Math.floor((stored?.id ?? 0) / 1000)}/${stored?.id}`])
  await server.work.look()
  const { body } = await mia.get(`/entries?similar_to=${entry?.entry_id}`)
  expect(body.error).toMatchObject({ code: 'EMBEDDINGS_UNAVAILABLE', details: { entry_id: entry?.entry_id } })
  expect(body.error.message).toContain('Its file is missing')
  const [before] = await server.database.sql`select look_seq from feed_heads where workspace_id = ${workspaceId}`
  await mia.patch(`/entries/${entry?.entry_id}`, { name: 'Renamed' })
  await server.work.look()
  expect(await server.database.sql`select look_seq from feed_heads where workspace_id = ${workspaceId}`).toEqual([before])
  await putThumbnail(mia, entry, await pictureOf(1))
  await server.work.look()
  expect(await like(mia, ids[0])).toEqual([entries[1]?.entry_id, entry?.entry_id])
})

test('vectors outlive the server, and what came before it ended is looked at by the next', async () => {
  const { mia: before, url, keys, ids, workspaceId } = await lookedAt(server, [0, 1])
  const [entry] = await pushed(before, [item()])
  await putThumbnail(before, entry, await pictureOf(2))
  const seen = await rowsOf(workspaceId)
  await server.restart()
  const mia = callAs(url.replace(/^http:..[^/]+/, server.url), keys.mia)
  expect(await like(mia, ids[0])).toEqual([ids[1]])
  expect(await rowsOf(workspaceId)).toEqual(seen)
  await server.work.look()
  expect(await like(mia, ids[0])).toEqual([ids[1], entry?.entry_id])
})

test('more thumbnails than one step takes, and a feed whose records are gone, leave none out', async () => {
  const { mia, workspaceId, entries, ids } = await lookedAt(server, [0])
  const { sql } = server.database
  await copyLooked(sql, { workspaceId, object_id: entries[0]?.object_id, copies: 150 })
  await sql`delete from looks where workspace_id = ${workspaceId}`
  await sql`delete from changes where workspace_id = ${workspaceId}`
  await sql`update feed_heads set change_seq = change_seq + 1, changes_floor = change_seq + 1 where workspace_id = ${workspaceId}`
  await server.work.look()
  expect(await rowsOf(workspaceId)).toHaveLength(151)
  expect((await mia.get(`/entries?similar_to=${ids[0]}`)).body.total).toBe(150)
})

test('entries that changed before the scan of the library came to them are looked at once', async () => {
  const { mia, workspaceId, ids } = await lookedAt(server, [0, 1, 2])
  await server.database.sql`delete from looks where workspace_id = ${workspaceId}`
  await server.database.sql`update look_progress set scanned_to = 0, change_seq = 0 where workspace_id = ${workspaceId}`
  await server.work.look()
  expect(await rowsOf(workspaceId)).toHaveLength(3)
  expect(await like(mia, ids[0])).toEqual([ids[1], ids[2]])
})

test('another embedder makes all vectors anew, and those of the one before go after a day', async () => {
  const first = await lookingServer('grid:one')
  const { url, keys, ids, workspaceId } = await lookedAt(first, [0, 1, 2])
  const settings = first.settings as { embedder: string }
  settings.embedder = 'grid:two'
  await first.restart()
  const mia = callAs(url.replace(/^http:..[^/]+/, first.url), keys.mia)
  await first.work.look()
  expect(await like(mia, ids[0])).toEqual([ids[1], ids[2]])
  const names = async () =>
    (
      await first.database.sql<
        { embedder: string }[]
      >`select distinct embedder from looks where workspace_id = ${workspaceId} order by embedder`
    ).map((row) => row.embedder)
  expect(await names()).toEqual(['grid-one', 'grid-two'])
  first.clock.advance(25 * 3_600_000)
  await first.work.look()
  expect(await names()).toEqual(['grid-two'])
})

test('a picture that ends the thread of the embedder is noted, and the others are looked at by the next', async () => {
  const dying = await lookingServer('grid:c:dying')
  const { mia, ids } = await lookedAt(dying, [0, 1])
  const pixel = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#f00' } })
    .png()
    .toBuffer()
  const results = await pushed(mia, [item(), item()])
  await putThumbnail(mia, results[0], pixel)
  await putThumbnail(mia, results[1], await pictureOf(2))
  await dying.work.look()
  const { body } = await mia.get(`/entries?similar_to=${results[0]?.entry_id}`)
  expect(body.error.message).toContain('did not survive it')
  expect(await like(mia, ids[0])).toEqual([ids[1], results[1]?.entry_id])
  const asked = await mia.post('/entries/search/image', pixel, { 'content-type': 'image/png' })
  expect([asked.status, asked.body.error.code]).toEqual([503, 'EMBEDDINGS_UNAVAILABLE'])
  const again = await mia.post('/entries/search/image', await pictureOf(0), { 'content-type': 'image/png' })
  expect([again.status, idsOf(again)[0]]).toEqual([200, ids[0]])
})

test.each(['off', 'grid:d:broken'])(
  'with %s as embedder searches by look are answered 503, and everything else works',
  async (embedder) => {
    const without = await startTestServer({ embedder }, { ...byHand, embedderModule: gridModule })
    const { mia, ids } = await lookedAt(without, [0, 1])
    const picture = await pictureOf(0)
    const answers = [
      await mia.get(`/entries?similar_to=${ids[0]}`),
      await mia.get(`/entries?similar_to=${ids[0]}&q=barrel`),
      await mia.post('/entries/search/image', picture, { 'content-type': 'image/png' }),
    ]
    for (const { status, body } of answers) expect([status, body.error.code]).toEqual([503, 'EMBEDDINGS_UNAVAILABLE'])
    expect((await mia.get('/entries?similar_to=999999999')).status).toBe(404)
    expect((await mia.get('/entries?q=SM')).body.entries).toHaveLength(2)
    const said = without.logLines.filter((line) => line.includes('search by look does not work'))
    expect(said.map((line) => JSON.parse(line).msg)).toEqual(
      embedder === 'off' ? [] : ['search by look does not work: The folder of the model is empty.'],
    )
    expect(said.length === 0 || (await fetch(`${without.url}/readyz`)).status === 200).toBe(true)
  },
)

test.runIf(isPostgres)(
  'two servers on one database share the work, and each finds what the other looked at',
  postgresOnly,
  async () => {
    const { settings, clock } = server
    const second = await startServer({
      settings: { ...settings, port: 0 },
      clock,
      log: { write: () => {} },
      ...byHand,
      embedderModule: gridModule,
    })
    try {
      const { mia, url, keys, ids } = await lookedAt(server, [0, 1])
      const there = callAs(url.replace(/^http:..[^/]+/, second.url), keys.mia)
      expect(await like(there, ids[0])).toEqual([ids[1]])
      const results = await pushed(
        mia,
        Array.from({ length: 6 }, () => item()),
      )
      for (const [index, result] of results.entries()) await putThumbnail(mia, result, await pictureOf(2 + index))
      await Promise.all([server.work.look(), second.work.look()])
      const all = [ids[1], ...results.map((result: Json) => result.entry_id)]
      expect(await like(mia, ids[0])).toEqual(all)
      expect(await like(there, ids[0])).toEqual(all)
    } finally {
      await second.stop()
    }
  },
)
