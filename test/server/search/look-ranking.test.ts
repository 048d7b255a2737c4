/** Ranking by look in one catalog: words and filters are looked up once, and again only where the catalog changed during a scan. */
import { expect, test } from 'vitest'
import { randomNumbers } from '../../../sample/random.ts'
import { rounded } from '../../../server/looks/rounding.ts'
import { Catalog } from '../../../server/search/catalog/catalog.ts'
import { leastLikeness, scoreOf } from '../../../server/search/likeness.ts'
import { fullLikeness } from '../../../server/search/looks/question.ts'
import { rankByLook } from '../../../server/search/looks/rank.ts'
import { Vectors } from '../../../server/search/looks/vectors.ts'
import { matching } from '../../../server/search/query.ts'
import { toQuestion } from '../../../words/query-words.ts'

const random = randomNumbers('look ranking')
const [shape, colour] = [64, 0]
const anyLook = () =>
  rounded({ shape: Float32Array.from({ length: shape }, () => random() - 0.5), colour: new Float32Array(colour) })

const rowOf = (id: number) => ({
  ...{
    id,
    name: `SM_${id % 10 === 0 ? 'Barrel' : 'Crate'}_${id}`,
    entry_type: 'mesh',
    category: null,
    status: 'active' as const,
  },
  ...{ variant_group_id: null, is_variant: false, pack_id: 1, blob_size: 1, preview_status: 'none' as const },
  ...{ review_status: 'draft' as const, tri_count: id, vert_count: null, material_count: null, lod_count: null },
  ...{ has_collision: null, nanite_enabled: null, longest_edge: null, path_key: null, pushed_from: null },
  ...{ indexed_ms: 0, updated_ms: 0, tag_ids: null },
})

async function library(entries: number) {
  const catalog = new Catalog(0, entries)
  catalog.labelPack(1, 'Pack')
  const vectors = new Vectors({ name: 'any', dimensions: { shape, colour }, colourWeight: 0, hasWords: false })
  catalog.looks = vectors
  for (let id = 1; id <= entries; id++) {
    catalog.set(rowOf(id))
    vectors.set(catalog.entries.find(id) ?? 0, new Uint8Array(anyLook().shape.buffer))
  }
  await catalog.prepareWords()
  const rank = async (words: string, meanwhile?: () => void) => {
    let lookedUp = 0
    const select = () => {
      lookedUp++
      return matching(catalog, { filters: {}, question: toQuestion(words), pathIds: undefined })
    }
    const ranking = { vectors, questions: [anyLook()], select, least: Number.NEGATIVE_INFINITY, most: entries }
    const coming = rankByLook(catalog, ranking)
    meanwhile?.()
    const { best, total, among } = await coming
    const ids = best.map(({ row }) => catalog.entries.ids[row])
    return { lookedUp, ids, total, fields: best.map(({ row }) => among.hits?.fieldsOf(row)) }
  }
  return { catalog, rank }
}

test.each([
  ['few', 'barrel', 20],
  ['most', 'crate', 180],
])('words that %s have are looked up once', async (_, words, found) => {
  const { rank } = await library(200)
  const { lookedUp, total, fields } = await rank(words)
  expect([lookedUp, total]).toEqual([1, found])
  expect(fields.every((names) => names?.includes('name'))).toBe(true)
})

test('what changes while a library is scanned is looked up again: a row that another entry has now is not found', async () => {
  const { catalog, rank } = await library(200)
  const { lookedUp, ids, total } = await rank('crate', () => {
    catalog.set({ ...rowOf(7), name: 'SM_Kettle_7' })
    catalog.remove(8)
  })
  expect([lookedUp, total]).toEqual([2, 178])
  expect(ids.filter((id) => id === 7 || id === 8)).toEqual([])
})

test('a least score takes in what has just that score, to the last likeness that is told as it', () => {
  for (const score of [1, 0.9999, 0.9524, 0.5, 0.29, 0.0001]) {
    const least = leastLikeness(score)
    expect(scoreOf(least), String(score)).toBe(score)
    expect(scoreOf(least - 1), String(score)).toBeLessThan(score)
  }
  for (let likeness = 0; likeness <= fullLikeness; likeness += 9_973)
    expect(likeness, String(likeness)).toBeGreaterThanOrEqual(leastLikeness(scoreOf(likeness)))
  expect(leastLikeness(0)).toBeLessThan(-fullLikeness)
})
