// What lists keep of entries that were shown: it must never be older than the entry (spec 2, 4.6; contract-gaps 5a).
import { beforeAll, expect, test } from 'vitest'
import { SharedTexts, SummaryCache } from '../../server/search/catalog/summary-cache.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { glbOf, pngOf } from '../support/media.ts'
import { item, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

let mia: Caller
let adam: Caller

beforeAll(async () => {
  const { url, keys } = await (await startTestServer()).addWorkspace()
  mia = callAs(url, keys.mia)
  adam = callAs(url, keys.adam)
})

const list = async (): Promise<Json[]> => (await mia.get('/entries?include_deprecated=true&limit=200')).body.entries

/** Every entry of the list as its detail, which is read anew, says. */
async function requireFresh(): Promise<Json[]> {
  const shown = await list()
  for (const entry of shown) {
    const { body } = await mia.get(`/entries/${entry.id}`)
    expect(entry).toEqual(Object.fromEntries(Object.keys(entry).map((key) => [key, body[key]])))
  }
  return shown
}

/** Two pushed props, which a list has shown already; what `change` does to the first is shown by the next list. */
async function shownAnew(change: (first: Json, second: Json) => Promise<unknown>): Promise<[before: Json, after: Json]> {
  const [first, second] = await pushed(mia, [item(), item()])
  const of = (entries: Json[]) => entries.find(({ id }) => id === first.entry_id)
  const before = of(await requireFresh())
  await change(first, second)
  return [before, of(await requireFresh())]
}

const mediaOf = ({ entry_id, object_id }: Json, what: string) => `/entries/${entry_id}/${what}?object_id=${object_id}`

test.for<[string, (first: Json, second: Json) => Promise<unknown>]>([
  ['a name', ({ entry_id }) => mia.patch(`/entries/${entry_id}`, { name: uniqueName('Renamed') })],
  ['a category', ({ entry_id }) => mia.patch(`/entries/${entry_id}`, { category: uniqueName('Category') })],
  ['deprecation', ({ entry_id }) => adam.patch(`/entries/${entry_id}`, { status: 'deprecated' })],
  [
    'a new version',
    ({ lineage_id, content_hash }) => pushed(mia, [item({ stamped_lineage_id: lineage_id, stamped_base_hash: content_hash })]),
  ],
  ['a thumbnail', async (first) => mia.put(mediaOf(first, 'thumbnail'), await pngOf(8, 8), { 'content-type': 'image/png' })],
  ['a preview', async (first) => mia.put(mediaOf(first, 'preview'), glbOf(), { 'content-type': 'model/gltf-binary' })],
  ['metadata', ({ entry_id, object_id }) => mia.put(`/entries/${entry_id}/metadata?object_id=${object_id}`, { tri_count: 77 })],
  [
    'the name of its pack',
    async ({ entry_id }) => {
      const { pack } = (await mia.get(`/entries/${entry_id}`)).body
      await mia.patch(`/packs/${pack.id}`, { name: uniqueName('Pack') })
    },
  ],
  [
    'a group that grows by another',
    async ({ entry_id }, second) => {
      await mia.post('/entries/variant-group/bulk', { entry_ids: [entry_id], action: 'group', label: 'Looks' })
      await requireFresh()
      await mia.post('/entries/variant-group/bulk', { entry_ids: [entry_id, second.entry_id], action: 'group' })
    },
  ],
])('a list shows %s at once, also of an entry that it has shown before', async ([, change]) => {
  const [before, after] = await shownAnew(change)
  expect(after).not.toEqual(before)
})

test('a group that loses a member shows its new count on those that stay', async () => {
  const results = await pushed(mia, [item(), item(), item()])
  const ids = results.map(({ entry_id }) => entry_id)
  await mia.post('/entries/variant-group/bulk', { entry_ids: ids, action: 'group' })
  const countsOf = (entries: Json[]) =>
    entries.flatMap(({ id, variant_group }) => (ids.includes(id) ? [variant_group?.count] : []))
  expect(countsOf(await requireFresh())).toEqual([3, 3, 3])
  await adam.del(`/entries/${ids[0]}`)
  expect(countsOf(await requireFresh())).toEqual([2, 2])
})

interface Read {
  id: number
  name: string
}

test('a text that was read while its entry changed is answered, but not kept', async () => {
  const texts = new SummaryCache(new SharedTexts())
  const reading = texts.of([1], async (ids) => {
    const rows = ids.map((id): Read => ({ id, name: 'old' }))
    texts.drop(1)
    return rows
  })
  expect(String((await reading).get(1))).toContain('old')
  const again = await texts.of([1], async (ids) => ids.map((id): Read => ({ id, name: 'new' })))
  expect(String(again.get(1))).toContain('new')
})

test('texts take so much memory and no more, and those that were asked for last stay', async () => {
  const shared = new SharedTexts(10_000)
  const texts = new SummaryCache(shared)
  const asked: number[] = []
  const read = async (ids: number[]) => {
    asked.push(...ids)
    return ids.map((id): Read => ({ id, name: 'x'.repeat(700) }))
  }
  for (let id = 1; id <= 100; id++) {
    await texts.of([id], read)
    await texts.of([1], read)
  }
  expect(asked).toHaveLength(100)
  await texts.of([99, 2], read)
  expect(asked.slice(100)).toEqual([2])
  expect([...(await texts.of([1, 5, 1], async () => [])).keys()]).toEqual([1])
})
