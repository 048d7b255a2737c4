// GET /entries, its facets and the rollup, against plain SQL over random libraries that go on changing (spec 4.2; contract-gaps 6).
import { expect, test } from 'vitest'
import type { Sql } from '../../server/database/open.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { walkEntries } from '../support/entry-walk.ts'
import { plainFacets, plainList, plainRollup, type Question, type Sorting } from '../support/plain-search.ts'
import {
  categories,
  changeLibrary,
  names,
  pick,
  type Random,
  searches,
  seeded,
  tagNames,
  types,
  writeLibrary,
} from '../support/random-library.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

/** The ids of a workspace's packs and groups besides what every library has. */
interface Known {
  packIds: number[]
  groupIds: number[]
}

const some = <T>(random: Random, from: readonly T[]): T[] => Array.from({ length: 1 + random(3) }, () => pick(random, from))
const wordOf = (text: string | null): string => text ?? 'None such'

/** Each filter has a chance to be asked for; most questions ask for one to three. */
function randomQuestion(random: Random, { packIds, groupIds }: Known): Question {
  const limit = () => pick(random, [0, 1, 5, 9, 10, 999, 1000, 1001])
  const all: Question = {
    pack: some(random, [...packIds, 999_999]),
    category: some(random, categories).map(wordOf),
    uncategorized: true,
    exclude_category: some(random, categories).map(wordOf),
    exclude_uncategorized: true,
    tag: some(random, [...tagNames, 'WOOD', 'none']),
    type: some(random, [...types, 'none']),
    variant: random(2) === 0,
    variant_group: pick(random, [...groupIds, 999_999]),
    preview: pick(random, ['none', 'ready', 'unavailable']),
    review: pick(random, ['draft', 'draft', 'approved']),
    has_collision: random(2) === 0,
    nanite: random(2) === 0,
    tri_min: limit(),
    tri_max: limit(),
    vert_min: limit(),
    vert_max: limit(),
    material_max: limit(),
    lod_min: limit(),
    bounds_min: pick(random, [-1, 0, 0.5, 2.5]),
    bounds_max: pick(random, [-1, 0, 2.4, 2.5, 100]),
    include_deprecated: true,
    name: some(random, names),
    origin_path: some(random, ['/Game/P1', '/game/p2', '/GAME/P3']),
    q: pick(random, searches),
  }
  const chance = pick(random, [0, 1, 2, 3])
  return Object.fromEntries(Object.entries(all).filter(([key]) => random(20) < (key === 'include_deprecated' ? 10 : chance)))
}

const toQuery = (asked: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(asked).flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, String(one)])),
  ).toString()

const idsOf = (entries: Json[]): number[] => entries.map((entry) => entry.id)

const tally = (buckets: Json[], nameOf: string) =>
  Object.fromEntries(buckets.map((bucket) => [String(bucket[nameOf]), bucket.count]))

async function counted(reads: Caller, question: Question) {
  const { body } = await reads.get(`/entries/facets?${toQuery({ ...question })}`)
  const { packs, categories: byCategory, tags, types: byType, variant, preview, review, metadata } = body
  return {
    packs: tally(packs, 'id'),
    categories: tally(byCategory, 'value'),
    tags: tally(tags, 'name'),
    types: tally(byType, 'value'),
    variant: tally(variant, 'value'),
    preview: tally(preview, 'value'),
    review: tally(review, 'value'),
    metadata,
  }
}

/** Whatever matches, the best first; those that match as well as each other by name. */
async function expectRanked(
  reads: Caller,
  { sql, workspaceId, question }: { sql: Sql; workspaceId: number; question: Question },
) {
  const byName = await plainList(sql, workspaceId, { question, sort: 'name', order: 'asc' })
  const ranked = await walkEntries(reads, toQuery({ ...question, order: 'desc', limit: 7 }))
  expect([question, idsOf(ranked).sort((a, b) => a - b)]).toEqual([question, byName.toSorted((a, b) => a - b)])
  const places = ranked.map(({ id, score }) => ({ score, place: byName.indexOf(id) }))
  expect([question, places]).toEqual([question, places.toSorted((a, b) => b.score - a.score || a.place - b.place)])
}

const sortings: Sorting[] = (['name', 'date_indexed', 'date_updated', 'blob_size', 'tri_count'] as const).flatMap((sort) => [
  { sort, order: 'asc' },
  { sort, order: 'desc' },
])

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  'library %i: every list, facet and rollup is what plain SQL says, before and after changes that another process made',
  async (seed) => {
    const random = seeded(seed)
    const { url, keys, workspaceId } = await server.addWorkspace()
    const reads = callAs(url, keys.miaReads)
    const { sql } = server.database
    const library = await writeLibrary(sql, { workspaceId, random, most: pick(random, [0, 1, 10, 60]) })
    for (let round = 0; round < 4; round++) {
      for (let turn = 0; turn < 12; turn++) {
        const question = randomQuestion(random, library)
        const sorting = pick(random, sortings)
        const expected = await plainList(sql, workspaceId, { question, ...sorting })
        const query = toQuery({ ...question, ...sorting, limit: pick(random, [1, 2, 7, 200]) })
        expect([query, idsOf(await walkEntries(reads, query))]).toEqual([query, expected])
        expect([query, await counted(reads, question)]).toEqual([query, await plainFacets(sql, workspaceId, question)])
      }
      await expectRanked(reads, { sql, workspaceId, question: { ...randomQuestion(random, library), q: pick(random, searches) } })
      expect((await reads.get('/categories/rollup')).body.categories).toEqual([...(await plainRollup(sql, workspaceId))])
      await changeLibrary(library, random(4))
    }
  },
)
