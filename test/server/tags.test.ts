/** Tags: made, renamed, put on entries and taken off, and what mirrors hear of it (spec 4.12; contract-gaps 5a). */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, max, reads] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.miaReads)]

async function madeTag(over: Json = {}): Promise<Json> {
  const answer = await mia.post('/tags', { name: uniqueName('tag'), ...over })
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
const tagsOf = async (id: number): Promise<Json> => (await reads.get(`/entries/${id}`)).body.tags
const listed = async (id: number): Promise<Json> =>
  (await reads.get('/tags?limit=200')).body.tags.find((tag: Json) => tag.id === id)
const head = async (): Promise<number> => (await reads.get('/catalog/changes?cursor=0&limit=1000')).body.next_cursor
/** The entries of which mirrors heard since then, by id. */
async function heard(cursor: number): Promise<number[]> {
  const { changes } = (await reads.get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body
  expect(new Set(changes.map(({ entity, op }: Json) => `${entity} ${op}`)).size).toBeLessThanOrEqual(1)
  return changes.map(({ entity_id }: Json) => entity_id).sort((a: number, b: number) => a - b)
}

test('a name that differs in case only is taken, whatever the script, and the error says by which tag', async () => {
  const name = uniqueName('Möbel')
  const { id } = await madeTag({ name })
  for (const same of [name.toLowerCase(), name.toUpperCase(), name.normalize('NFD')]) {
    const answer = await max.post('/tags', { name: same })
    expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([409, 'CONFLICT', { existing_id: id }])
  }
})

test('of several who make one tag at once, or rename theirs to one name, one succeeds and the others hear of that tag', async () => {
  for (let round = 0; round < 4; round++) {
    const name = uniqueName('tag')
    const made = await Promise.all(
      [mia, max, mia, max].map((who, n) => who.post('/tags', { name: n % 2 ? name : name.toUpperCase() })),
    )
    const first = made.find(({ status }) => status === 201)
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    for (const { status, body } of made) if (status === 409) expect(body.error.details.existing_id).toBe(first?.body.id)

    const own = await Promise.all([madeTag(), madeTag(), madeTag()])
    const wanted = uniqueName('tag')
    const renamed = await Promise.all(own.map(({ id }) => max.patch(`/tags/${id}`, { name: wanted })))
    expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const winner = renamed.find(({ status }) => status === 200)?.body.id
    for (const { status, body } of renamed) if (status === 409) expect(body.error.details.existing_id).toBe(winner)
  }
})

test('a tag counts its entries, each of which shows it by name, in lists that mirrors keep too', async () => {
  const [one = 0, two = 0] = await entriesOf(2)
  const [b, a] = [await madeTag({ name: uniqueName('B'), color: '#112233' }), await madeTag({ name: uniqueName('a') })]
  for (const tag of [b, a]) expect((await mia.put(`/entries/${one}/tags/${tag.id}`, undefined)).status).toBe(204)
  expect(await tagsOf(one)).toEqual([a, b])
  expect(await tagsOf(two)).toEqual([])
  expect(await listed(b.id)).toEqual({ ...b, entry_count: 1 })
  const exported = await fetch(`${url}/api/v1/catalog/export`, { headers: { authorization: `Bearer ${keys.miaReads}` } })
  const lines: Json[] = (await exported.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.find(({ id }) => id === one)?.tags).toEqual([a, b])
  const { changes } = (await reads.get('/catalog/changes?cursor=0&limit=1000&expand=true')).body
  expect(changes.find(({ entity, entity_id }: Json) => entity === 'entry' && entity_id === one).record.tags).toEqual([a, b])
})

test('mirrors hear of an entry when its tags look different, and of nothing when they do not', async () => {
  const ids = await entriesOf(3)
  const [one = 0, two = 0] = ids
  const tag = await madeTag()
  const bulk = (entry_ids: number[], action: string) => mia.post('/entries/tags/bulk', { tag_id: tag.id, entry_ids, action })
  let cursor = await head()
  const since = async () => {
    const list = await heard(cursor)
    cursor = await head()
    return list
  }
  expect((await bulk([one, two, one], 'add')).body).toEqual({ tag_id: tag.id, action: 'add', affected: 2 })
  expect(await since()).toEqual([one, two])
  expect((await bulk(ids, 'add')).body.affected).toBe(3)
  expect(await since()).toEqual([ids[2]])
  await mia.put(`/entries/${one}/tags/${tag.id}`, undefined)
  expect(await since()).toEqual([])
  await mia.patch(`/tags/${tag.id}`, { name: tag.name, color: null })
  expect(await since()).toEqual([])
  expect((await mia.patch(`/tags/${tag.id}`, { color: '#abcdef' })).body).toMatchObject({ color: '#abcdef', entry_count: 3 })
  expect(await since()).toEqual(ids)
  await mia.del(`/entries/${one}/tags/${tag.id}`)
  await mia.del(`/entries/${one}/tags/${tag.id}`)
  expect(await since()).toEqual([one])
  expect((await mia.del(`/tags/${tag.id}`)).status).toBe(204)
  expect(await since()).toEqual(ids.slice(1))
  expect(await tagsOf(two)).toEqual([])
  expect((await reads.get(`/activity?entry_id=${one}`)).body.events.map(({ event_type }: Json) => event_type)).toEqual([
    'push.commit',
  ])
})

test('a bulk call with one unknown entry changes none and names every unknown one', async () => {
  const ids = await entriesOf(2)
  const tag = await madeTag()
  const cursor = await head()
  const answer = await mia.post('/entries/tags/bulk', {
    tag_id: tag.id,
    entry_ids: [...ids, 900_000_001, 900_000_002],
    action: 'add',
  })
  expect([answer.status, answer.body.error.code]).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect(answer.body.error.details).toEqual({ missing: [900_000_001, 900_000_002] })
  expect((await listed(tag.id)).entry_count).toBe(0)
  expect(await heard(cursor)).toEqual([])
})

test('a bulk call takes up to 1,000 entries, repeated ones once, and neither none nor one more', async () => {
  const [id = 0] = await entriesOf(1)
  const tag = await madeTag()
  const bulk = (entry_ids: number[]) => mia.post('/entries/tags/bulk', { tag_id: tag.id, entry_ids, action: 'add' })
  expect((await bulk(Array(1000).fill(id))).body).toEqual({ tag_id: tag.id, action: 'add', affected: 1 })
  for (const ids of [[], Array(1001).fill(id)]) expect((await bulk(ids)).body.error.code).toBe('VALIDATION')
})

test('tags that are not there are named, and a PATCH without a field, a blank name or a wrong color is refused', async () => {
  const [id = 0] = await entriesOf(1)
  const tag = await madeTag()
  const unknown = [
    mia.patch('/tags/999999', { name: 'x' }),
    mia.del('/tags/999999'),
    mia.put(`/entries/${id}/tags/999999`, undefined),
    mia.del(`/entries/${id}/tags/999999`),
    mia.post('/entries/tags/bulk', { tag_id: 999_999, entry_ids: [id], action: 'add' }),
  ]
  for (const answer of await Promise.all(unknown)) expect([answer.status, answer.body.error.code]).toEqual([404, 'TAG_NOT_FOUND'])
  const missing = await mia.put(`/entries/999999/tags/${tag.id}`, undefined)
  expect([missing.status, missing.body.error.code]).toEqual([404, 'ENTRY_NOT_FOUND'])
  for (const body of [{}, { colour: 1 }, { name: ' \t' }, { name: null }, { color: 'red' }, { name: 'x'.repeat(81) }])
    expect((await mia.patch(`/tags/${tag.id}`, body)).body.error.code, JSON.stringify(body)).toBe('VALIDATION')
  expect(await listed(tag.id)).toEqual({ ...tag, entry_count: 0 })
})

test('while a tag is renamed and put on entries at once, mirrors end up with the name that it has', async () => {
  const ids = await entriesOf(12)
  const tag = await madeTag()
  const cursor = await head()
  const renames = Array.from({ length: 6 }, () => () => max.patch(`/tags/${tag.id}`, { name: uniqueName('tag') }))
  const uses = ids.map((id) => () => mia.put(`/entries/${id}/tags/${tag.id}`, undefined))
  const writes = uses.flatMap((use, n) => [use, renames[n] ?? []].flat())
  for (const { status } of await Promise.all(writes.map((write) => write()))) expect(status).toBeLessThan(300)
  const { changes } = (await reads.get(`/catalog/changes?cursor=${cursor}&limit=1000&expand=true`)).body
  const { name } = await listed(tag.id)
  expect(changes.map(({ record }: Json) => record.tags[0].name)).toEqual(ids.map(() => name))
})

test('the pages of the list hold every tag once, by name without regard to case', async () => {
  const fresh = await server.addWorkspace()
  const own = callAs(fresh.url, fresh.keys.mia)
  const names = ['b', 'A', 'c', 'Ä', '木', 'a1']
  for (const name of names) await own.post('/tags', { name })
  const seen: string[] = []
  let next = ''
  do {
    const { tags, next_cursor } = (await own.get(`/tags?limit=2${next}`)).body
    seen.push(...tags.map(({ name }: Json) => name))
    next = next_cursor === null ? '' : `&cursor=${next_cursor}`
  } while (next)
  expect(seen).toEqual(['A', 'a1', 'b', 'c', 'Ä', '木'])
  const foreign = (await own.get('/packs?limit=1')).body.next_cursor ?? 'e30'
  expect((await own.get(`/tags?cursor=${foreign}`)).body.error.code).toBe('VALIDATION')
})

test('a tag of more entries than one statement takes is renamed, and mirrors hear of every one, numbered without a gap', async () => {
  const fresh = await server.addWorkspace()
  const own = callAs(fresh.url, fresh.keys.mia)
  const [first = {}] = await pushed(own, [item()])
  const tag = (await own.post('/tags', { name: 'oak' })).body
  const { sql } = server.database
  const many = 10_500
  await sql`
    insert into lineages select workspace_id, id || '-' || n, anchor, face_object_id, created_at
      from lineages, generate_series(1, ${many}) n where id = ${first.lineage_id}`
  await sql`
    insert into entries (workspace_id, lineage_id, name, entry_type, date_indexed, date_updated)
    select workspace_id, lineage_id || '-' || n, name || n, entry_type, date_indexed, date_updated
      from entries, generate_series(1, ${many}) n where id = ${first.entry_id}`
  await sql`
    insert into entry_tags select e.workspace_id, ${tag.id}, e.id from entries e
      join entries f on f.workspace_id = e.workspace_id and f.id = ${first.entry_id}`
  // As the pushes that would have brought them do.
  await sql`analyze lineages, entries`
  const before = (await own.get('/catalog/changes?limit=1000')).body.next_cursor
  expect((await own.patch(`/tags/${tag.id}`, { name: 'pine' })).body.entry_count).toBe(many + 1)
  const heard: Json[] = []
  for (let cursor = before; ; ) {
    const { changes, next_cursor } = (await own.get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body
    if (changes.length === 0) break
    heard.push(...changes)
    cursor = next_cursor
  }
  expect(heard.map(({ seq }) => seq)).toEqual(Array.from({ length: many + 1 }, (_, n) => before + 1 + n))
  expect(new Set(heard.map(({ entity_id }) => entity_id)).size).toBe(many + 1)
})
