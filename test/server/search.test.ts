// What a search may be asked: words with filters and sorts, no words at all, cursors, likeness that is not known yet (spec 4.2; contract-gaps 6).
import { expect, test } from 'vitest'
import { limits } from '../../contract/limits.ts'
import { toCursor } from '../../server/cursor.ts'
import { toQuestion } from '../../words/query-words.ts'
import { callAs, type Json } from '../support/api.ts'
import { walkEntries } from '../support/entry-walk.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys, workspaceId } = await server.addWorkspace()
const [mia, reads] = [callAs(url, keys.mia), callAs(url, keys.miaReads)]

const tag = (await mia.post('/tags', { name: 'Barrel wood' })).body
const made = await pushed(mia, [
  item({ entry: { name: 'Barrel' }, origin_path: '/Game/Tavern/Props/SM_A' }),
  item({ entry: { name: 'SM_OldBarrel_01' }, origin_path: '/Game/Tavern/Props/SM_B' }),
  item({ entry: { name: 'Barrels' }, origin_path: '/Game/Tavern/Props/SM_C' }),
  item({ entry: { name: 'Crate' }, origin_path: '/Game/Tavern/Barrel/SM_D' }),
  item({ entry: { name: 'Lamp' }, origin_path: '/Game/Barrel/Lights/SM_E' }),
  item({ entry: { name: 'Table' }, origin_path: '/Game/Tavern/Props/SM_F' }),
])
const [barrel, old, barrels, crate, lamp, table] = made.map((result) => result.entry_id)
await mia.put(`/entries/${table}/tags/${tag.id}`, undefined)

const search = async (query: string): Promise<Json> => (await reads.get(`/entries?${query}`)).body
const ids = ({ entries }: Json): number[] => entries.map((entry: Json) => entry.id)

test('entries that are not ranked carry neither score nor matched, also when words chose them', async () => {
  for (const query of ['sort=name', 'q=barrel&sort=name', 'q=']) {
    const { entries } = await search(query)
    expect(entries.length).toBeGreaterThan(0)
    for (const entry of entries) expect([query, 'score' in entry, 'matched' in entry]).toEqual([query, false, false])
  }
})

test('words and filters choose together, and any sort may order what they chose', async () => {
  expect(ids(await search('q=barrel&category=Props'))).toEqual([barrel, old, barrels, table])
  expect(ids(await search('q=barrel&sort=name&order=desc'))).toEqual([table, old, lamp, crate, barrels, barrel])
  expect(ids(await search('q=barrel&name=lamp&name=crate'))).toEqual([crate, lamp])
  expect(ids(await search('q=lamp&origin_path=/game/barrel/lights/sm_e'))).toEqual([lamp])
  expect(ids(await search('q=crate&origin_path=/game/barrel/lights/sm_e'))).toEqual([])
  const { categories, types } = (await reads.get('/entries/facets?q=barrel&category=Props')).body
  expect(categories).toEqual([
    { value: 'Props', count: 4 },
    { value: 'Barrel', count: 1 },
    { value: 'Lights', count: 1 },
  ])
  expect(types).toEqual([{ value: 'mesh', count: 4 }])
})

test('a question without a word is none: everything is listed by name, and there is no relevance to sort by', async () => {
  const all = ids(await search('sort=name'))
  for (const q of ['', '   ', '"', '""', '_-_', '-!', '%25%25', '%E2%80%8D', '%E2%80%8F', '%EF%BB%BF'])
    expect([q, ids(await search(`q=${q}`))]).toEqual([q, all])
  for (const query of ['sort=relevance', 'sort=relevance&q=', 'sort=relevance&q=---']) {
    const { status, body } = await reads.get(`/entries?${query}`)
    expect([query, status, body.error.code, body.error.details.errors[0].path]).toEqual([query, 422, 'VALIDATION', 'sort'])
  }
})

test('a cursor goes on with the search it was made for; another sort, another order and a changed cursor are VALIDATION', async () => {
  const walked = ids({ entries: await walkEntries(reads, 'q=barrel&limit=1') })
  expect(walked).toEqual([barrel, old, barrels, crate, table, lamp])
  const { next_cursor: ranked } = await search('q=barrel&limit=1')
  expect(ids(await search(`q=barrel&limit=1&order=asc&cursor=${ranked}`))).toEqual([old])
  const { next_cursor: byName } = await search('sort=name&limit=1')
  const { next_cursor: bySize } = await search('sort=blob_size&limit=1')
  for (const query of [
    `sort=name&cursor=${ranked}`,
    `q=barrel&cursor=${byName}`,
    `q=crate&cursor=${ranked}`,
    `q=barrel&order=desc&cursor=${ranked}`,
    `q=barrel&sort=date_updated&cursor=${ranked}`,
    `sort=name&order=desc&cursor=${byName}`,
    `sort=tri_count&cursor=${bySize}`,
    `q=barrel&cursor=${ranked}x`,
    `q=barrel&cursor=${ranked.slice(0, -4)}`,
  ]) {
    const { status, body } = await reads.get(`/entries?${query}`)
    expect([query, status, body.error?.code]).toEqual([query, 422, 'VALIDATION'])
  }
})

test('a ranked cursor made by hand is VALIDATION, and an end where who made it knew how', async () => {
  const { next_cursor } = await search('q=barrel&limit=2')
  const [mark] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString())
  const read = async (cursor: string) => (await reads.get(`/entries?q=barrel&cursor=${cursor}`)).status
  const guessed = (position: unknown[]) => Buffer.from(JSON.stringify([mark, ...position])).toString('base64url')
  const asked = ['entries', workspaceId, 'relevance', 'asc', toQuestion('barrel')]
  const forged = (position: unknown[]) => toCursor(asked, position as (string | number)[])
  for (const position of [[], [1, 2, 'a'], ['a', 1, 'a', 1], [1, 1, 1, 1], [0, 0.5, 'a', 1], [0, 1, 'a\0', 1]])
    expect([position, await read(guessed(position)), await read(forged(position))]).toEqual([position, 422, 422])
  for (const position of [
    [1e9, 64, '', 0],
    [-1e9, 64, '', 0],
    [0, -5, 'zzz', 0],
    [0, 1e12, '', 0],
    [0, 8, '\uffff', -1],
  ])
    expect([position, await read(guessed(position)), await read(forged(position))]).toEqual([position, 422, 200])
})

test('likeness is refused by name: no such entry, nothing known of how it looks, a sort that it does not go with', async () => {
  const cases = [
    ['similar_to=999999999', 404, 'ENTRY_NOT_FOUND'],
    [`similar_to=${barrel}`, 409, 'EMBEDDINGS_UNAVAILABLE'],
    [`similar_to=${barrel}&sort=relevance&q=barrel`, 409, 'EMBEDDINGS_UNAVAILABLE'],
    [`similar_to=${barrel}&sort=name`, 422, 'VALIDATION'],
    ['similar_to=999999999&sort=name', 422, 'VALIDATION'],
    ['similar_to=x', 422, 'VALIDATION'],
  ] as const
  for (const [query, status, code] of cases) {
    const answer = await reads.get(`/entries?${query}`)
    expect([query, answer.status, answer.body.error.code]).toEqual([query, status, code])
    if (status === 409) expect(answer.body.error.details).toEqual({ entry_id: barrel })
  }
})

test('a picture to search by is refused by what is wrong with it; a read key may ask', async () => {
  const picture = Buffer.alloc(limits.searchImage.bytes)
  const cases = [
    ['', picture, 'image/png', 422, 'VALIDATION'],
    ['?q=barrel&type=mesh&limit=200', picture.subarray(0, 10), 'image/jpeg; charset=x', 422, 'VALIDATION'],
    ['', picture, 'image/gif', 422, 'VALIDATION'],
    ['', picture, 'application/json', 422, 'VALIDATION'],
    ['', Buffer.concat([picture, Buffer.alloc(1)]), 'image/png', 422, 'VALIDATION'],
    ['?limit=201', picture, 'image/png', 422, 'VALIDATION'],
    ['?tri_min=x', picture, 'image/png', 422, 'VALIDATION'],
  ] as const
  for (const [query, body, type, status, code] of cases) {
    const answer = await reads.post(`/entries/search/image${query}`, body, { 'content-type': type })
    expect([query, type, answer.status, answer.body.error.code]).toEqual([query, type, status, code])
  }
})
