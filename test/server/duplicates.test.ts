// Entries that hold the same mesh, picture or sound: payload ids of a push, kept with the version, and the groups that they make.
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { commitOf, type Item, item, pushed } from '../support/push.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

const newId = () => randomBytes(20).toString('hex')
const sized = (bytes: number) => randomBytes(bytes)

/** A workspace of its own, because a list is of the whole library. */
async function library() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const [mia, adam, miaReads] = [callAs(url, keys.mia), callAs(url, keys.adam), callAs(url, keys.miaReads)]
  const groups = async (query = ''): Promise<Json[]> => {
    const { status, body } = await miaReads.get(`/catalog/duplicates${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body.groups
  }
  const rows = async () =>
    (
      await server.database.sql<{ count: number }[]>`
      select count(*) as count from payload_ids where workspace_id = ${workspaceId}`
    )[0]?.count
  return { mia, adam, groups, rows }
}

const holding = (ids: string[], over: Json = {}) => item({ payload_ids: ids, ...over })
const texture = { asset_class: 'Texture2D', entry: { entry_type: 'texture' } }
const sound = { asset_class: 'SoundWave', entry: { entry_type: 'audio' } }
const next = (of: Item, { lineage_id }: Json, over: Json = {}) =>
  item({ asset_name: of.asset_name, origin_path: of.origin_path, stamped_lineage_id: lineage_id, ...over })
const idsOf = (groups: Json[]): number[][] => groups.map(({ entries }) => entries.map(({ id }: Json) => id))

test('entries that hold the same payload are a group, with what the copies take, the largest saving first', async () => {
  const { mia, groups } = await library()
  const [mesh, picture, tune] = [newId(), newId(), newId()]
  const items = [
    holding([mesh, newId()], { bytes: sized(500) }),
    holding([mesh], { bytes: sized(300), asset_class: 'SkeletalMesh', entry: { entry_type: 'skeletal_mesh' } }),
    holding([picture], { bytes: sized(2000), ...texture }),
    holding([picture], { bytes: sized(2000), ...texture }),
    holding([picture], { bytes: sized(1000), ...texture }),
    holding([tune], { bytes: sized(70), ...sound }),
    holding([tune], { bytes: sized(80), asset_class: 'SourceAudio', entry: { entry_type: 'source_audio' } }),
    item(),
  ]
  const results = await pushed(mia, items)
  const entries = (...indexes: number[]) =>
    indexes.map((index) => ({ id: results[index]?.entry_id, name: items[index]?.asset_name }))
  const all = [
    { payload_id: picture, kind: 'picture', bytes: 3000, entries: entries(2, 3, 4), total_entries: 3 },
    { payload_id: mesh, kind: 'mesh', bytes: 300, entries: entries(0, 1), total_entries: 2 },
    { payload_id: tune, kind: 'sound', bytes: 70, entries: entries(5, 6), total_entries: 2 },
  ]
  expect(await groups()).toEqual(all)
  expect(await groups('?kind=mesh')).toEqual([all[1]])
  expect(await groups(`?entry_id=${results[6]?.entry_id}`)).toEqual([all[2]])
  expect(await groups(`?entry_id=${results[7]?.entry_id}`)).toEqual([])
})

test('what is no mesh, picture or sound is in no group, and neither is a file that is no entry', async () => {
  const { mia, groups, rows } = await library()
  const id = newId()
  await pushed(mia, [
    holding([id]),
    holding([id], { asset_class: 'Blueprint', entry: { entry_type: 'blueprint' } }),
    holding([id], { entry: null }),
  ])
  expect(await rows()).toBe(3)
  expect(await groups()).toEqual([])
})

test('entries that have several payloads in common are one group', async () => {
  const { mia, groups } = await library()
  const ids = [newId(), newId(), newId()].sort()
  const results = await pushed(mia, [holding(ids), holding(ids.toReversed()), holding([ids[2] ?? ''])])
  const [a, b, c] = results.map(({ entry_id }) => entry_id)
  const found = await groups()
  expect(new Set(idsOf(found).map(String))).toEqual(new Set([`${a},${b}`, `${a},${b},${c}`]))
  expect(found.map(({ payload_id }) => payload_id)).toContain(ids[0])
})

test('only current versions count: a group follows what is current', async () => {
  const { mia, groups } = await library()
  const id = newId()
  const first = holding([id])
  const [one, other] = await pushed(mia, [first, holding([id])])
  const [second] = await pushed(mia, [next(first, one, { payload_ids: [newId()] })])
  expect(await groups()).toEqual([])
  await pushed(mia, [next(first, second, { payload_ids: [id], entry: { make_face: false } })])
  expect(await groups()).toEqual([])
  await mia.post(`/entries/${one?.entry_id}/restore`, { object_id: one?.object_id })
  expect(idsOf(await groups())).toEqual([[one?.entry_id, other?.entry_id]])
})

test('several versions of one prop with the same source are no duplicates', async () => {
  const { mia, groups } = await library()
  const id = newId()
  const first = holding([id])
  const [one] = await pushed(mia, [first])
  await pushed(mia, [next(first, one, { payload_ids: [id] })])
  expect(await groups()).toEqual([])
})

test('deprecated and deleted entries leave their group, and deletion takes the payload ids along', async () => {
  const { mia, adam, groups, rows } = await library()
  const id = newId()
  const results = await pushed(mia, [holding([id, newId()]), holding([id]), holding([id])])
  const [a, b, c] = results.map(({ entry_id }) => entry_id)
  expect((await adam.patch(`/entries/${c}`, { status: 'deprecated' })).status).toBe(200)
  expect(idsOf(await groups())).toEqual([[a, b]])
  expect((await adam.del(`/entries/${a}`)).status).toBe(204)
  expect(await groups()).toEqual([])
  expect(await rows()).toBe(2)
  await adam.patch(`/entries/${c}`, { status: 'active' })
  expect(idsOf(await groups())).toEqual([[b, c]])
})

test('what another workspace holds is in no group here', async () => {
  const [here, there] = [await library(), await library()]
  const id = newId()
  const [mine] = await pushed(here.mia, [holding([id])])
  const theirs = await pushed(there.mia, [holding([id]), holding([id])])
  expect(await here.groups()).toEqual([])
  expect(idsOf(await there.groups())).toEqual([theirs.map(({ entry_id }) => entry_id)])
  const foreign = await there.mia.get(`/catalog/duplicates?entry_id=${mine?.entry_id}`)
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'ENTRY_NOT_FOUND'])
})

test('groups are narrowed to those with an entry from a pack', async () => {
  const { mia, groups } = await library()
  const [id, other] = [newId(), newId()]
  const inPack = (folder: string, payload: string) =>
    holding([payload], { origin_path: `/Game/${folder}/${payload.slice(0, 8)}_${folder}`, bytes: sized(64) })
  await pushed(mia, [inPack('Inn', id), inPack('Yard', id), inPack('Yard', other), inPack('Castle', other)])
  const { packs } = (await mia.get('/packs')).body
  const packId = (name: string) => packs.find((pack: Json) => pack.name === name).id
  const found = async (...names: string[]) =>
    (await groups(`?${names.map((name) => `pack=${packId(name)}`).join('&')}`)).map(({ payload_id }) => payload_id).sort()
  expect(await found('Inn')).toEqual([id])
  expect(await found('Castle')).toEqual([other])
  expect(await found('Inn', 'Castle')).toEqual([id, other].sort())
  expect(await groups('?pack=999999')).toEqual([])
})

test('pages follow each other without a gap or a double while entries come, change and go', async () => {
  const { mia, adam } = await library()
  const pairs = Array.from({ length: 9 }, (_, n) => ({ id: newId(), size: 100 + 10 * (n >> 1) }))
  const results = await pushed(
    mia,
    pairs.flatMap(({ id, size }) => [holding([id], { bytes: sized(size) }), holding([id], { bytes: sized(size) })]),
  )
  const seen: string[] = []
  let cursor: string | null = null
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const { body } = (await mia.get(
      `/catalog/duplicates?limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )) as Json
    seen.push(...body.groups.map((group: Json) => group.payload_id))
    cursor = body.next_cursor
    if (page > 0) continue
    // One that was listed goes, one that was not gets a new name, and a larger one comes: behind the cursor it is too late for it.
    const gone = pairs.findIndex(({ id }) => id === seen[0])
    await adam.del(`/entries/${results[2 * gone]?.entry_id}`)
    await mia.patch(`/entries/${results[0]?.entry_id}`, { name: 'Renamed' })
    const late = newId()
    await pushed(mia, [holding([late], { bytes: sized(5000) }), holding([late], { bytes: sized(5000) })])
  }
  expect(seen).toHaveLength(9)
  expect(new Set(seen)).toEqual(new Set(pairs.map(({ id }) => id)))
})

test('a cursor is taken back by the question it was made for, and by no other', async () => {
  const { mia } = await library()
  const ids = [newId(), newId()]
  await pushed(
    mia,
    ids.flatMap((id) => [holding([id]), holding([id])]),
  )
  const { body } = await mia.get('/catalog/duplicates?limit=1')
  const cursor = encodeURIComponent(body.next_cursor)
  expect((await mia.get(`/catalog/duplicates?limit=200&cursor=${cursor}`)).body.groups).toHaveLength(1)
  for (const query of [
    `kind=mesh&cursor=${cursor}`,
    `pack=1&cursor=${cursor}`,
    'cursor=abc',
    'limit=0',
    'limit=201',
    'kind=level',
  ])
    expect([query, (await mia.get(`/catalog/duplicates?${query}`)).status]).toEqual([query, 422])
})

test('a group names 100 entries, and says how many there are', async () => {
  const { mia, groups } = await library()
  const id = newId()
  const results = await pushed(
    mia,
    Array.from({ length: 103 }, () => holding([id], { bytes: sized(40) })),
  )
  const [group] = await groups()
  expect(group).toMatchObject({ total_entries: 103, bytes: 102 * 40 })
  expect(group?.entries.map((entry: Json) => entry.id)).toEqual(results.slice(0, 100).map(({ entry_id }) => entry_id))
})

test('a version keeps up to 64 payload ids, each once; more, or what is no id, is refused with the item named', async () => {
  const { mia, rows } = await library()
  const ids = Array.from({ length: 64 }, newId)
  await pushed(mia, [holding(ids)])
  expect(await rows()).toBe(64)
  await pushed(mia, [holding([...ids.slice(0, 63), ids[0] ?? ''])])
  expect(await rows()).toBe(127)
  const good = newId()
  const wrong = [[...ids, newId()], [good.toUpperCase()], [good.slice(1)], [`${good}0`], [''], ['g'.repeat(40)], [1], good]
  for (const payload_ids of wrong) {
    const answer = await mia.post('/push/negotiate', { items: [{ ...holding([]), bytes: undefined, payload_ids }] })
    expect([payload_ids, answer.status]).toEqual([payload_ids, 422])
    expect(answer.body.error.details.errors[0].path).toContain('payload_ids')
  }
  await pushed(mia, [holding([]), item({ payload_ids: null })])
  expect(await rows()).toBe(127)
})

test('known bytes that are pushed again gain payload ids where they had none, and never others', async () => {
  const { mia, adam, groups, rows } = await library()
  const id = newId()
  const plain = item()
  const [first] = await pushed(mia, [plain])
  const [other] = await pushed(mia, [holding([id])])
  const [again] = await pushed(adam, [{ ...plain, payload_ids: [id] }])
  expect(again).toMatchObject({ status: 'dedup', object_id: first?.object_id, enriched: ['payload_ids'] })
  expect(idsOf(await groups())).toEqual([[first?.entry_id, other?.entry_id]])
  const { events } = (await mia.get(`/activity?entry_id=${first?.entry_id}`)).body
  expect(events[0]).toMatchObject({ event_type: 'push.enrich', payload: { fields: ['payload_ids'] } })
  const [third] = await pushed(adam, [{ ...plain, payload_ids: [newId()] }])
  expect(third?.enriched).toBeUndefined()
  expect(await rows()).toBe(2)
})

test('a push that is refused leaves no payload ids', async () => {
  const { mia, rows } = await library()
  const refused = await commitOf(mia, [holding([newId()]), holding([newId()], { pack_ref: 'nowhere' })])
  expect(refused.status).toBe(422)
  expect(await rows()).toBe(0)
})
