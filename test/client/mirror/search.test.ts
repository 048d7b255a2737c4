// What a mirror finds is what the server finds: the same filters, words, orders and pages, without the server.
import { expect, test } from 'vitest'
import type { EntryQuestion } from '../../../client/entries/pages.ts'
import { loadMirror } from '../../../client/mirror/load/load.ts'
import { facetsOf } from '../../../client/mirror/search/facets.ts'
import { searchMirror } from '../../../client/mirror/search/search.ts'
import { callsOf, mirrorOf } from '../../support/mirror.ts'
import { changeLibrary, pick, seeded, writeLibrary } from '../../support/random-library.ts'
import { randomQuestion, tallied } from '../../support/random-question.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()
const random = seeded(18)
const { url, keys, workspaceId } = await server.addWorkspace()
const library = await writeLibrary(server.database.sql, { workspaceId, random, most: 400 })
await changeLibrary(library, 100)
const api = callsOf(url, keys.mia)
const mirror = mirrorOf(url)
await loadMirror(mirror, api)

const sorts = ['name', 'date_indexed', 'date_updated', 'blob_size', 'tri_count'] as const
const ids = (entries: readonly { id: number }[]) => entries.map(({ id }) => id)
const known = { packIds: library.packIds, groupIds: library.groupIds }

/** Without what is not in a mirror. */
function question(): EntryQuestion {
  const { pushed_from: _, ...asked } = randomQuestion(random, known)
  return asked as EntryQuestion
}

test('lists have the same entries in the same order, page after page, whatever is asked', async () => {
  for (let round = 0; round < 250; round++) {
    const asked = {
      ...question(),
      sort: pick(random, sorts),
      order: pick(random, ['asc', 'desc'] as const),
      limit: 1 + random(40),
    }
    let there: string | undefined
    let here: string | undefined
    do {
      const online = await api.entries.list({ ...asked, ...(there && { cursor: there }) })
      const offline = searchMirror(mirror, { ...asked, ...(here && { cursor: here }) })
      expect(offline.entries, JSON.stringify(asked)).toEqual(online.entries)
      expect(offline.total).toBe(online.total)
      expect(offline.next_cursor === null).toBe(online.next_cursor === null)
      there = online.next_cursor ?? undefined
      here = offline.next_cursor ?? undefined
    } while (there)
  }
})

test('facets count the same', async () => {
  for (let round = 0; round < 100; round++) {
    const asked = question()
    expect(tallied(facetsOf(mirror, asked)), JSON.stringify(asked)).toEqual(tallied(await api.entries.facets(asked)))
  }
})

test('words find the same entries, and those that say them better come first', async () => {
  const words = [
    'barrel',
    'sm_bar',
    'smbarrel',
    '"sm barrel"',
    'old',
    '"old stuff"',
    'pack wood',
    'é',
    '木',
    '木箱',
    '🪑',
    'doorsgates',
    'props pack 1',
    'x',
  ]
  for (const q of words) {
    const online = await api.entries.list({ q, limit: 200, include_deprecated: true })
    const offline = searchMirror(mirror, { q, limit: 200, include_deprecated: true })
    expect([offline.total, q]).toEqual([online.total, q])
    expect(ids(offline.entries).sort(), q).toEqual(ids(online.entries).sort())
    expect(offline.entries.map(({ score }) => score)).toEqual(
      offline.entries.map(({ score }) => score).toSorted((a, b) => (b ?? 0) - (a ?? 0)),
    )
    expect(new Map(offline.entries.map((entry) => [entry.id, entry.matched]))).toEqual(
      new Map(online.entries.map((entry) => [entry.id, entry.matched])),
    )
  }
})

test('a word ranks as the server ranks it, one after the other', async () => {
  for (const q of ['barrel', 'sm', 'a', 'wood', 'props', 'pack', 'old', 'b']) {
    const online = await api.entries.list({ q, limit: 50 })
    expect(searchMirror(mirror, { q, limit: 50 }).entries, q).toEqual(online.entries)
    const best = { q, limit: 50, min_score: 0.5 }
    const { entries, total } = await api.entries.list(best)
    expect(searchMirror(mirror, best), q).toMatchObject({ entries, total })
  }
})

test('what is not in a mirror is refused, not passed over', () => {
  expect(() => searchMirror(mirror, { pushed_from: ['Tavern'] })).toThrow(/pushed from is not known offline/)
  expect(() => searchMirror(mirror, { similar_to: 1 })).toThrow(/not known offline/)
  const { next_cursor } = searchMirror(mirror, { limit: 1 })
  expect(() => searchMirror(mirror, { limit: 1, sort: 'blob_size', cursor: next_cursor ?? '' })).toThrow(/another request/)
})
