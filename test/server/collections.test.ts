/** Collections: gathered, changed, and pulled whole (spec 4.3, 4.12; contract-gaps 5a). */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, max, adam, reads] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam), callAs(url, keys.miaReads)]

async function made(over: Json = {}): Promise<Json> {
  const answer = await mia.post('/collections', { name: uniqueName('Col'), ...over })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const entriesOf = async (count: number): Promise<number[]> =>
  (
    await pushed(
      mia,
      Array.from({ length: count }, () => item()),
    )
  ).map(({ entry_id }) => entry_id)
const shown = async (id: number): Promise<Json> => (await reads.get(`/collections/${id}`)).body
const membersOf = async (id: number): Promise<number[]> => (await shown(id)).entries.map((entry: Json) => entry.id)
const bulk = (id: number, entry_ids: number[], action = 'add') =>
  mia.post(`/collections/${id}/entries/bulk`, { entry_ids, action })
const userId = async (who: typeof mia): Promise<number> => (await who.get('/members/me')).body.id

test('a collection shows its entries in the order in which they came, and each entry its collections by name', async () => {
  const [one = 0, two = 0, three = 0] = await entriesOf(3)
  const [b, a] = [await made({ name: uniqueName('b') }), await made({ name: uniqueName('a'), description: 'Für später' })]
  for (const id of [three, one]) {
    expect((await max.put(`/collections/${a.id}/entries/${id}`, undefined)).status).toBe(204)
    server.clock.advance(1000)
  }
  await bulk(b.id, [one, two, one])
  const detail = await shown(a.id)
  expect(detail).toMatchObject({
    id: a.id,
    name: a.name,
    description: 'Für später',
    entry_count: 2,
    updated_by: await userId(max),
  })
  const { name } = (await reads.get(`/entries/${three}`)).body
  expect(detail.entries[0]).toEqual({
    id: three,
    name,
    entry_type: 'mesh',
    category: 'Props',
    status: 'active',
    has_thumbnail: false,
    added_at: expect.stringMatching(/Z$/),
  })
  expect(detail.entries.map(({ id }: Json) => id)).toEqual([three, one])
  expect((await reads.get(`/entries/${one}`)).body.collections).toEqual([a, b].map(({ id, name }) => ({ id, name })))
})

test('membership calls repeat without harm, and no activity is told of them', async () => {
  const [one = 0, two = 0] = await entriesOf(2)
  const collection = await made()
  const cursor = (await reads.get('/catalog/changes?cursor=0&limit=1000')).body.next_cursor
  expect((await bulk(collection.id, [one, two])).body).toEqual({ collection_id: collection.id, action: 'add', affected: 2 })
  const { date_updated } = await shown(collection.id)
  server.clock.advance(5000)
  await mia.put(`/collections/${collection.id}/entries/${one}`, undefined)
  expect(await shown(collection.id)).toMatchObject({ date_updated, entry_count: 2 })
  for (let twice = 0; twice < 2; twice++) expect((await mia.del(`/collections/${collection.id}/entries/${one}`)).status).toBe(204)
  expect(await membersOf(collection.id)).toEqual([two])
  expect((await bulk(collection.id, [one, two], 'remove')).body.affected).toBe(2)
  await mia.patch(`/collections/${collection.id}`, { name: uniqueName('Col') })
  expect((await mia.del(`/collections/${collection.id}`)).status).toBe(204)
  expect((await reads.get(`/catalog/changes?cursor=${cursor}`)).body.changes).toEqual([
    { seq: expect.any(Number), entity: 'collection', entity_id: collection.id, lineage_id: null, op: 'delete' },
  ])
  expect((await reads.get(`/entries/${two}`)).body.collections).toEqual([])
})

test('the change feed tells of each change of a collection, and of deletions of entries in it; of what changed nothing, nothing', async () => {
  const [one = 0, two = 0] = await entriesOf(2)
  const head = async () => (await reads.get('/catalog/changes?cursor=0&limit=1000')).body.next_cursor
  const news = async (work: () => Promise<unknown>, also = '') => {
    const cursor = await head()
    await work()
    const { changes } = (await reads.get(`/catalog/changes?cursor=${cursor}&expand=true${also}`)).body
    return changes.filter(({ entity }: Json) => entity === 'collection')
  }
  let collection: Json = {}
  const upsert = { entity: 'collection', lineage_id: null, op: 'upsert' }
  const created = await news(async () => (collection = await made()))
  expect(created).toMatchObject([{ ...upsert, entity_id: collection.id, record: { name: collection.name, entries: [] } }])
  const filled = await news(() => bulk(collection.id, [one, two]))
  expect(filled.map(({ record }: Json) => record)).toEqual([await shown(collection.id)])
  expect(await news(() => bulk(collection.id, [one, two]))).toEqual([])
  const [renamed] = await news(
    () => mia.patch(`/collections/${collection.id}`, { name: uniqueName('Col') }),
    '&collection_entries=false',
  )
  const { entries: _, ...listed } = await shown(collection.id)
  expect(renamed.record).toEqual(listed)
  const smaller = await news(async () => expect((await adam.del(`/entries/${two}`)).status).toBe(204))
  expect(smaller).toMatchObject([{ ...upsert, entity_id: collection.id, record: { entries: [{ id: one }] } }])
})

test('one unknown entry in a bulk call and nothing changes; every unknown one is named, and so is an unknown collection', async () => {
  const ids = await entriesOf(2)
  const collection = await made()
  const refused = await bulk(collection.id, [...ids, 900_000_001, 900_000_002])
  expect([refused.status, refused.body.error.code]).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect(refused.body.error.details).toEqual({ missing: [900_000_001, 900_000_002] })
  expect(await membersOf(collection.id)).toEqual([])
  for (const entry_ids of [[], Array(1001).fill(ids[0])])
    expect((await bulk(collection.id, entry_ids)).body.error.code).toBe('VALIDATION')
  expect((await bulk(collection.id, Array(1000).fill(ids[0]))).body.affected).toBe(1)
  const [id = 0] = ids
  const unknown = [
    reads.get('/collections/999999'),
    mia.patch('/collections/999999', { name: 'x' }),
    mia.del('/collections/999999'),
    mia.put(`/collections/999999/entries/${id}`, undefined),
    mia.del(`/collections/999999/entries/${id}`),
    bulk(999_999, [id]),
  ]
  for (const answer of await Promise.all(unknown))
    expect([answer.status, answer.body.error.code]).toEqual([404, 'COLLECTION_NOT_FOUND'])
})

test('a PATCH changes what it names; null takes the description away; limits hold to the character', async () => {
  const collection = await made({ description: 'd' })
  const unique = uniqueName('')
  const name = `${'🪑'.repeat(200 - unique.length)}${unique}`
  expect((await max.patch(`/collections/${collection.id}`, { name })).body).toMatchObject({
    name,
    description: 'd',
    entry_count: 0,
  })
  const described = await max.patch(`/collections/${collection.id}`, { description: '🪑'.repeat(4000) })
  expect([described.status, described.body.name]).toEqual([200, name])
  expect((await max.patch(`/collections/${collection.id}`, { description: null })).body.description).toBeNull()
  for (const body of [{}, { x: 1 }, { name: null }, { name: ' ' }, { name: 'n'.repeat(201) }, { description: 'd'.repeat(4001) }])
    expect((await mia.patch(`/collections/${collection.id}`, body)).body.error.code, JSON.stringify(body)).toBe('VALIDATION')
})

test('a collection is pulled as it is now, deprecated entries with a warning, and its plan says the same', async () => {
  const ids = await entriesOf(3)
  const collection = await made()
  await bulk(collection.id, ids)
  await adam.patch(`/entries/${ids[1]}`, { status: 'deprecated' })
  const order = { target_project: uniqueName('Proj'), target_root: '/Game', collection_id: collection.id }
  const plan = (await mia.post('/pull-jobs/plan', order)).body
  const job = await mia.post('/pull-jobs', order)
  expect(job.status).toBe(201)
  expect(job.body.entries).toEqual(plan.entries)
  expect(job.body.entries.map(({ entry_id }: Json) => entry_id)).toEqual(ids)
  expect(job.body.warnings).toMatchObject([{ type: 'deprecated_entry', entry_id: ids[1] }])
  expect(job.body.warnings).toEqual(plan.warnings)
  expect((await reads.get(`/entries/${ids[2]}`)).body.ever_pulled).toBe(true)
})

test('a collection that is unknown, empty or named beside entries is refused before anything is recorded', async () => {
  const [entry_id = 0] = await entriesOf(1)
  const collection = await made()
  const ask = async (path: string, over: Json) =>
    (await mia.post(path, { target_project: uniqueName('Proj'), ...over })).body.error
  for (const path of ['/pull-jobs', '/pull-jobs/plan']) {
    expect((await ask(path, { collection_id: 999_999 })).code).toBe('COLLECTION_NOT_FOUND')
    expect((await ask(path, { collection_id: collection.id })).details.errors).toMatchObject([{ path: 'collection_id' }])
    expect((await ask(path, { collection_id: collection.id, entries: [{ entry_id }] })).code).toBe('VALIDATION')
    expect((await ask(path, {})).code).toBe('VALIDATION')
  }
  expect((await reads.get('/pull-jobs?limit=1')).body.jobs[0]?.entries).toBeUndefined()
})

test('a collection of more than 1,000 entries is not pulled in one job', async () => {
  const collection = await made()
  const { sql } = server.database
  const many = await pushed(
    mia,
    Array.from({ length: 1001 }, () => item({ bytes: Buffer.from(uniqueName('tiny')) })),
  )
  const ids = many.map(({ entry_id }) => entry_id)
  await bulk(collection.id, ids.slice(0, 1000))
  const order = { target_project: uniqueName('Proj'), collection_id: collection.id }
  expect((await mia.post('/pull-jobs/plan', order)).body.entry_count).toBe(1000)
  await bulk(collection.id, ids.slice(1000))
  expect((await mia.post('/pull-jobs/plan', order)).body.error.details.errors).toMatchObject([{ path: 'collection_id' }])
  expect((await sql`select 1 from projects where name = ${order.target_project}`).length).toBe(0)
})
