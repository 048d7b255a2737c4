// One catalog in memory, without a database: orders that are fixed, rows that are used again, the best thousand (spec 4.2, 8).
import { expect, test } from 'vitest'
import { limits } from '../../../contract/limits.ts'
import type { CatalogRow } from '../../../server/rows/catalog-row.ts'
import { Catalog, type SortName } from '../../../server/search/catalog/catalog.ts'
import { type Page, pageOf } from '../../../server/search/page.ts'
import { matching } from '../../../server/search/query.ts'
import { type RankedPosition, rankedPage } from '../../../server/search/ranked-page.ts'
import { toQuestion } from '../../../words/query-words.ts'
import { pick, type Random, seeded } from '../../support/random-library.ts'

const rowOf = (random: Random, id: number): CatalogRow => ({
  id,
  name: `${pick(random, ['SM', 'T', 'sm'])}_${pick(random, ['Barrel', 'Crate', 'Lamp'])}_${random(500)}`,
  entry_type: pick(random, ['mesh', 'texture']),
  category: pick(random, ['Props', 'Lamps', null]),
  variant_group_id: null,
  is_variant: false,
  status: random(20) === 0 ? 'deprecated' : 'active',
  pack_id: 1 + random(3),
  blob_size: random(1000),
  preview_status: 'none',
  review_status: 'draft',
  tri_count: random(3) === 0 ? null : random(50),
  vert_count: null,
  material_count: null,
  lod_count: null,
  has_collision: null,
  nanite_enabled: null,
  longest_edge: null,
  indexed_ms: random(1000),
  updated_ms: random(1000),
  path_key: null,
  pushed_from: null,
  tag_ids: random(2) === 0 ? null : [1 + random(3), 4],
})

/** A catalog beside the plain list of what is in it. */
class Beside {
  readonly catalog = new Catalog(0, 0)
  readonly rows = new Map<number, CatalogRow>()
  readonly #random: Random

  constructor(random: Random, entries: number) {
    this.#random = random
    for (let id = 1; id <= 3; id++) this.catalog.labelPack(id, `Pack ${id}`)
    for (let id = 1; id <= 4; id++) this.catalog.labelTag(id, { name: pick(random, ['wood', 'old']), color: null })
    for (let id = 1; id <= entries; id++) this.set(id)
  }

  set(id: number): void {
    const row = rowOf(this.#random, id)
    this.rows.set(id, row)
    this.catalog.set(row)
  }

  remove(id: number): void {
    this.rows.delete(id)
    this.catalog.remove(id)
  }

  /** Changes, adds and deletes some. */
  change(): void {
    const random = this.#random
    const ids = [...this.rows.keys()]
    for (let turn = random(5); turn >= 0; turn--) {
      if (random(3) === 0) this.remove(pick(random, ids))
      else this.set(random(2) === 0 ? pick(random, ids) : Math.max(...ids) + 1 + turn)
    }
  }

  /** The active ones. */
  sorted(sort: SortName, isDescending: boolean): number[] {
    const way = isDescending ? -1 : 1
    const value = (row: CatalogRow) =>
      ({
        name: row.name.toLowerCase(),
        tri_count: row.tri_count,
        blob_size: row.blob_size,
        date_indexed: row.indexed_ms,
        date_updated: row.updated_ms,
      })[sort]
    return [...this.rows.values()]
      .filter((row) => row.status === 'active')
      .sort((a, b) => {
        const [one, other] = [value(a), value(b)]
        if (one === null || other === null) return Number(one === null) - Number(other === null) || way * (a.id - b.id)
        return way * (one < other ? -1 : one > other ? 1 : a.id - b.id)
      })
      .map((row) => row.id)
  }

  walk(sort: SortName, isDescending: boolean, limit: number): number[] {
    const ids: number[] = []
    let after: Page['end']
    do {
      const { selection } = matching(this.catalog, { filters: {}, question: undefined, pathIds: undefined })
      const page = pageOf(this.catalog, selection, { sort, isDescending, after, limit })
      ids.push(...page.rows.map((row) => Number(this.catalog.entries.ids[row])))
      after = page.end
    } while (after)
    return ids
  }

  async walkRanked(q: string, limit: number): Promise<number[]> {
    await this.catalog.prepare('name')
    await this.catalog.prepareWords()
    const ids: number[] = []
    let after: RankedPosition | undefined
    do {
      const { selection, hits } = matching(this.catalog, { filters: {}, question: toQuestion(q), pathIds: undefined })
      if (!hits) throw new Error(`there is no word in ${q}`)
      const page = rankedPage(this.catalog, { hits, selection }, { after, limit })
      ids.push(...page.hits.map(({ row }) => Number(this.catalog.entries.ids[row])))
      after = page.end
    } while (after)
    return ids
  }
}

const sorts: SortName[] = ['name', 'tri_count', 'blob_size', 'date_indexed', 'date_updated']

test.each([1, 2, 3, 4, 5, 6])(
  'catalog %i stays in every order while entries come, change, go and leave their rows to others',
  async (seed) => {
    const random = seeded(seed)
    const beside = new Beside(random, pick(random, [1, 20, 300]))
    for (const sort of sorts) await beside.catalog.prepare(sort)
    for (let round = 0; round < 60; round++) {
      const [sort, isDescending] = [pick(random, sorts), random(2) === 0]
      expect(beside.walk(sort, isDescending, pick(random, [1, 7, 200]))).toEqual(beside.sorted(sort, isDescending))
      beside.change()
      if (beside.rows.size === 0) beside.set(1)
    }
  },
)

test('entries that change while a long order is made wait, and stand in their places afterwards', async () => {
  const beside = new Beside(seeded(7), 40_000)
  const making = beside.catalog.prepare('name')
  const changing = beside.catalog.inQueue(async () => {
    for (let id = 1; id <= 40_000; id += 99) beside.set(id)
  })
  await Promise.all([making, changing])
  expect(beside.walk('name', false, 5000)).toEqual(beside.sorted('name', false))
})

test('a search gives its best thousand and nothing behind them, whatever the pages: by weight, then by name, then by id', async () => {
  const beside = new Beside(seeded(8), 5000)
  const whole = (row: CatalogRow) => Number(/^[^_]*_Barrel/.test(row.name))
  for (const [q, isMatch] of [
    ['barrel', (row: CatalogRow) => /Barrel/.test(row.name)],
    ['sm', (row: CatalogRow) => /^sm/i.test(row.name)],
    ['barrel 7', (row: CatalogRow) => /Barrel_7/.test(row.name)],
  ] as const) {
    const found = await beside.walkRanked(q, 37)
    const all = beside.sorted('name', false).filter((id) => isMatch(beside.rows.get(id) as CatalogRow))
    expect(found).toHaveLength(Math.min(all.length, limits.ranked))
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(await beside.walkRanked(q, 200))
    expect(found.every((id) => all.includes(id))).toBe(true)
    if (q !== 'barrel 7') expect(found).toEqual(all.slice(0, limits.ranked))
    else expect(whole(beside.rows.get(found[0] ?? 0) as CatalogRow)).toBe(1)
  }
})

test('rows of entries that are gone are given to others, and ids far above 32 bits are told apart', () => {
  const beside = new Beside(seeded(9), 0)
  const far = [1, 2 ** 32 + 1, 2 ** 33 + 1, 2 ** 52 + 1, 5, 2 ** 32 + 5]
  for (const id of far) beside.set(id)
  for (const id of far.slice(0, 3)) beside.remove(id)
  for (const id of [7, 2 ** 32 + 7, 9]) beside.set(id)
  expect(beside.catalog.entries.end).toBe(far.length)
  for (const id of far.slice(0, 3)) expect(beside.catalog.entries.find(id)).toBeUndefined()
  for (const id of beside.rows.keys()) expect(beside.catalog.entries.ids[beside.catalog.entries.find(id) ?? -1]).toBe(id)
})
