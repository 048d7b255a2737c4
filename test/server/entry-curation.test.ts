/** Entries changed by hand: names, categories and their locks, the current version, deprecation, variant groups (spec 3, 4.12; contract-gaps 5). */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { item, manifestOf, pushed, uniqueName, upload } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, max, adam, reads] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam), callAs(url, keys.miaReads)]

async function made(over: Json = {}): Promise<Json> {
  const first = item(over)
  const [result] = await pushed(mia, [first])
  return { ...result, item: first }
}

/** Its next version, at another place when one is given. */
async function pushedOn(entry: Json, over: Json = {}): Promise<Json> {
  const stamp = { stamped_lineage_id: entry.lineage_id, stamped_base_hash: entry.item.content_hash }
  const [result] = await pushed(mia, [item({ asset_name: entry.item.asset_name, ...stamp, ...over })])
  return result
}

const at = ({ entry_id }: Json) => `/entries/${entry_id}`
const shown = async (entry: Json): Promise<Json> => (await reads.get(at(entry))).body
const head = async (): Promise<number> => (await reads.get('/catalog/changes?cursor=0&limit=1000')).body.next_cursor
async function since(cursor: number): Promise<string[]> {
  const { changes } = (await reads.get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body
  return changes.map(({ entity, entity_id, op }: Json) => `${entity} ${entity_id} ${op}`)
}
const upserts = (...entries: Json[]) => entries.map(({ entry_id }) => `entry ${entry_id} upsert`)

test('a PATCH changes what it names, answers the entry, and is heard of once; what is so already is not heard of', async () => {
  const entry = await made()
  const before = await shown(entry)
  server.clock.advance(5000)
  const cursor = await head()
  const answer = await max.patch(at(entry), { name: 'Barrel', category: 'Props', category_locked: true })
  expect(answer.body).toEqual({
    ...before,
    name: 'Barrel',
    other_names: [before.name],
    category_locked: true,
    date_updated: answer.body.date_updated,
  })
  expect(answer.body.date_updated > before.date_updated).toBe(true)
  expect(await since(cursor)).toEqual(upserts(entry))
  const after = await head()
  server.clock.advance(5000)
  expect((await max.patch(at(entry), { name: 'Barrel', category_locked: true, object_id: entry.object_id })).body).toEqual(
    answer.body,
  )
  expect(await since(after)).toEqual([])
})

test('a category set by hand is locked against pushes, unless the same request says otherwise; null opens it to the next push', async () => {
  const entry = await made()
  const pushTo = (folder: string) => pushedOn(entry, { origin_path: `/Game/Pack/${folder}/${entry.item.asset_name}` })
  const category = async () => {
    const { category: name, category_locked: isLocked } = await shown(entry)
    return [name, isLocked]
  }
  await mia.patch(at(entry), { category: 'Mine' })
  await pushTo('Doors')
  expect(await category()).toEqual(['Mine', true])
  await mia.patch(at(entry), { category: 'Yours', category_locked: false })
  expect(await category()).toEqual(['Yours', false])
  await pushTo('Walls')
  expect(await category()).toEqual(['Walls', false])
  await mia.patch(at(entry), { category: null, category_locked: true })
  await pushTo('Roofs')
  expect(await category()).toEqual([null, true])
  await mia.patch(at(entry), { category: null })
  expect(await category()).toEqual([null, false])
  await pushTo('Floors')
  expect(await category()).toEqual(['Floors', false])
})

test('only admins deprecate; a member who tries changes nothing, not even the name sent along', async () => {
  const entry = await made()
  const cursor = await head()
  const refused = await mia.patch(at(entry), { name: 'Other', status: 'deprecated' })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN'])
  expect(await since(cursor)).toEqual([])
  expect((await adam.patch(at(entry), { status: 'deprecated' })).body).toMatchObject({
    status: 'deprecated',
    name: entry.item.asset_name,
  })
  expect(await since(cursor)).toEqual(upserts(entry))
  expect((await reads.get(`/entries?name=${entry.item.asset_name}`)).body.entries).toEqual([])
  expect((await adam.patch(at(entry), { status: 'active' })).body.status).toBe('active')
  expect((await reads.get(`/entries?name=${entry.item.asset_name}`)).body.entries).toHaveLength(1)
})

test('another version becomes current by its id, in one transaction with what else is sent, and what it lacks is wanted again', async () => {
  const entry = await made()
  await mia.put(`${at(entry)}/thumbnail?object_id=${entry.object_id}`, await pngOf(4, 4))
  const newer = await pushedOn(entry)
  const queued = async () =>
    (await reads.get(`/push/thumbnail-refresh-queue?limit=200`)).body.items.some((one: Json) => one.entry_id === entry.entry_id)
  expect(await queued()).toBe(true)
  const cursor = await head()
  const answer = await max.patch(at(entry), { object_id: entry.object_id, name: 'Again' })
  expect(answer.body).toMatchObject({ object_id: entry.object_id, name: 'Again', has_thumbnail: true })
  expect(await queued()).toBe(false)
  expect((await since(cursor)).sort()).toEqual([`object ${entry.object_id} upsert`, ...upserts(entry)].sort())
  const [event] = (await reads.get(`/activity?entry_id=${entry.entry_id}`)).body.events
  const payload = { from_object_id: newer.object_id, to_object_id: entry.object_id }
  expect(event).toMatchObject({ event_type: 'entry.restore', object_id: entry.object_id, payload, actor: { name: 'max' } })
})

test('versions that are unknown or of another prop are refused by code, and nothing of the PATCH applies', async () => {
  const [entry, other] = [await made(), await made()]
  const cursor = await head()
  const cases = [
    [{ object_id: other.object_id }, 409, 'LINEAGE_CONFLICT'],
    [{ object_id: 999_999_999 }, 404, 'OBJECT_NOT_FOUND'],
    [{ object_id: null }, 422, 'VALIDATION'],
  ] as const
  for (const [body, status, code] of cases) {
    const answer = await mia.patch(at(entry), { name: 'Other', category: 'Other', ...body })
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  }
  expect(await since(cursor)).toEqual([])
  expect(await shown(entry)).toMatchObject({ name: entry.item.asset_name, category: 'Props' })
})

test('fields have their limits to the character, and a PATCH without a known field is refused', async () => {
  const entry = await made()
  for (const body of [{ name: '🪑'.repeat(200) }, { name: 'x' }, { category: '木'.repeat(120) }, { category: 'c' }])
    expect((await mia.patch(at(entry), body)).body).toMatchObject(body)
  const wrong: Json[] = [{}, { colour: 'red' }, { name: 'n'.repeat(201) }, { name: '' }, { name: ' ' }, { name: null }]
  wrong.push({ category: '' }, { category: 'c'.repeat(121) }, { category_locked: null }, { category_locked: 'yes' })
  for (const body of wrong) expect((await mia.patch(at(entry), body)).body.error.code, JSON.stringify(body)).toBe('VALIDATION')
  for (const status of ['', 'deleted', null]) expect((await adam.patch(at(entry), { status })).body.error.code).toBe('VALIDATION')
  expect((await mia.patch('/entries/999999999', { name: 'x' })).body.error.code).toBe('ENTRY_NOT_FOUND')
})

test('two who change different fields of one entry at once both succeed, whatever is pushed meanwhile', async () => {
  for (let round = 0; round < 5; round++) {
    const entry = await made()
    const next = item({
      asset_name: entry.item.asset_name,
      origin_path: `/Game/Pack/Doors/${entry.item.asset_name}`,
      stamped_lineage_id: entry.lineage_id,
      stamped_base_hash: entry.item.content_hash,
    })
    await upload(mia, [next])
    const answers = await Promise.all([
      mia.patch(at(entry), { name: `Name ${round}` }),
      max.patch(at(entry), { category: `Category ${round}` }),
      adam.patch(at(entry), { status: 'deprecated' }),
      mia.post('/push/commit', manifestOf([next])),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await shown(entry)).toMatchObject({
      name: `Name ${round}`,
      category: `Category ${round}`,
      category_locked: true,
      status: 'deprecated',
      content_hash: next.content_hash,
    })
  }
})

test('many entries get a category at once, locked, or lose it; those that have it already are not heard of', async () => {
  const entries = [await made(), await made(), await made()]
  const bulk = (list: Json[], category: Json) =>
    mia.post('/entries/category/bulk', { entry_ids: list.map(({ entry_id }) => entry_id), category })
  const name = uniqueName('Cat')
  const [one = {}] = entries
  await bulk([one], name)
  let cursor = await head()
  expect((await bulk([...entries, one], name)).body).toEqual({ category: name, affected: 3 })
  expect(await since(cursor)).toEqual(upserts(...entries.slice(1)))
  expect(await shown(one)).toMatchObject({ category: name, category_locked: true })
  const { categories } = (await reads.get('/categories/rollup')).body
  expect(categories.find(({ category }: Json) => category === name)).toEqual({ category: name, count: 3, pack_count: 1 })
  cursor = await head()
  const refused = await mia.post('/entries/category/bulk', { entry_ids: [one.entry_id, 900_000_001], category: null })
  expect([refused.status, refused.body.error.details]).toEqual([404, { missing: [900_000_001] }])
  expect(await since(cursor)).toEqual([])
  expect((await bulk(entries, null)).body).toEqual({ category: null, affected: 3 })
  expect(await shown(one)).toMatchObject({ category: null, category_locked: false })
  for (const body of [{}, { category: '' }, { category: 'c'.repeat(121) }])
    expect((await mia.post('/entries/category/bulk', { entry_ids: [one.entry_id], ...body })).body.error.code).toBe('VALIDATION')
})

test('every member of a variant group is heard of when the group grows, shrinks, gets a name or ends', async () => {
  const entries = [await made(), await made(), await made()]
  const [one = {}, two = {}, three = {}] = entries
  const bulk = (list: Json[], over: Json) =>
    mia.post('/entries/variant-group/bulk', { entry_ids: list.map(({ entry_id }) => entry_id), ...over })
  let cursor = await head()
  const heard = async () => {
    const list = await since(cursor)
    cursor = await head()
    return list.sort()
  }
  const { variant_group_id: id } = (await bulk([one, two], { action: 'group' })).body
  expect(await heard()).toEqual(upserts(one, two))
  expect((await bulk([one, two], { action: 'group' })).body).toEqual({ variant_group_id: id, affected: 2 })
  expect(await heard()).toEqual([])
  await bulk([three, two], { action: 'group', label: 'Chairs' })
  expect(await heard()).toEqual(upserts(...entries))
  for (const entry of entries) expect((await shown(entry)).variant_group).toEqual({ id, label: 'Chairs', count: 3 })
  expect((await bulk([one], { action: 'ungroup' })).body).toEqual({ variant_group_id: null, affected: 1 })
  expect(await heard()).toEqual(upserts(...entries))
  expect(await shown(one)).toMatchObject({ variant_group: null, is_variant: false })
  await bulk([two, three, one], { action: 'ungroup' })
  expect(await heard()).toEqual(upserts(two, three))
  const again = await bulk([one, two], { action: 'group' })
  expect((await shown(one)).variant_group).toEqual({ id: again.body.variant_group_id, label: null, count: 2 })
})

test('entries of several groups are not joined, and the groups are named; unknown entries leave no group behind', async () => {
  const entries = [await made(), await made(), await made(), await made()]
  const ids = entries.map(({ entry_id }) => entry_id)
  const bulk = (entry_ids: number[], action = 'group') => mia.post('/entries/variant-group/bulk', { entry_ids, action })
  const groups = [(await bulk(ids.slice(0, 2))).body.variant_group_id, (await bulk(ids.slice(2))).body.variant_group_id]
  const cursor = await head()
  const refused = await bulk(ids)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
  expect(refused.body.error.details.existing_group_ids).toEqual(groups)
  expect((await bulk([ids[0] ?? 0, 900_000_001], 'ungroup')).body.error.details).toEqual({ missing: [900_000_001] })
  expect(await since(cursor)).toEqual([])
})

test('a bulk call with one unknown entry changes none of the others, whatever it was to do', async () => {
  const entries = [await made(), await made()]
  const entry_ids = [...entries.map(({ entry_id }) => entry_id), 900_000_001]
  const before = await Promise.all(entries.map(shown))
  const cursor = await head()
  for (const [path, body] of [
    ['category', { category: 'Never' }],
    ['category', { category: null }],
    ['variant-group', { action: 'group', label: 'Never' }],
    ['variant-group', { action: 'ungroup' }],
  ] as const) {
    const refused = await mia.post(`/entries/${path}/bulk`, { entry_ids, ...body })
    expect([path, body, refused.status, refused.body.error.code]).toEqual([path, body, 404, 'ENTRY_NOT_FOUND'])
    expect(refused.body.error.details).toEqual({ missing: [900_000_001] })
  }
  expect(await since(cursor)).toEqual([])
  expect(await Promise.all(entries.map(shown))).toEqual(before)
  expect((await reads.get('/entries?category=Never&include_deprecated=true')).body.entries).toEqual([])
})

test('categories and variant groups take 1,000 entries in one call, repeated ones once, and neither none nor one more', async () => {
  const { entry_id: id } = await made()
  for (const [path, body] of [
    ['category', { category: 'Many' }],
    ['variant-group', { action: 'group' }],
  ] as const) {
    const bulk = (entry_ids: number[]) => mia.post(`/entries/${path}/bulk`, { entry_ids, ...body })
    for (const ids of [[], Array(1001).fill(id)]) expect([path, (await bulk(ids)).body.error?.code]).toEqual([path, 'VALIDATION'])
    expect([path, (await bulk(Array(1000).fill(id))).body.affected]).toEqual([path, 1])
  }
})

test('several who group one entry at once leave it in one group, with every member counted', async () => {
  const entries = await Promise.all(Array.from({ length: 5 }, () => made()))
  const [hub = {}, ...others] = entries
  const answers = await Promise.all(
    others.map(({ entry_id }) =>
      mia.post('/entries/variant-group/bulk', { entry_ids: [hub.entry_id, entry_id], action: 'group' }),
    ),
  )
  expect(new Set(answers.map(({ body }) => body.variant_group_id)).size).toBe(1)
  expect((await shown(hub)).variant_group.count).toBe(5)
})
