// The catalog over a real database, without HTTP, beside plain SQL: thousands of small libraries that change (spec 4.2; contract-gaps 6).
import { expect, test } from 'vitest'
import type { Catalog } from '../../../server/search/catalog/catalog.ts'
import { Catalogs } from '../../../server/search/catalog/catalogs.ts'
import { facetsOf } from '../../../server/search/facets.ts'
import { type Page, pageOf } from '../../../server/search/page.ts'
import { matching } from '../../../server/search/query.ts'
import { type RankedPosition, rankedPage } from '../../../server/search/ranked-page.ts'
import { entriesByPack, rollupOf } from '../../../server/search/rollups.ts'
import { toQuestion } from '../../../words/query-words.ts'
import { ofMany } from '../../support/long-runs.ts'
import {
  plainFacets,
  plainList,
  plainPackCounts,
  plainRollup,
  putDown,
  type Question,
  type Shown,
  type Sorting,
} from '../../support/plain-search.ts'
import {
  changeLibraries,
  type Library,
  pick,
  type Random,
  searches,
  seeded,
  writeLibraries,
} from '../../support/random-library.ts'
import { randomQuestion, sortings, tallied } from '../../support/random-question.ts'
import { startTestServer, TestClock } from '../../support/server.ts'

const server = await startTestServer()
const { database } = server
const [groups, librariesEach, rounds, questionsEach] = [ofMany(4, 12), 200, 2, 1]

async function makeWorkspaces(group: number): Promise<number[]> {
  const rows = await database.sql<{ id: number }[]>`
    with made as (
      insert into workspaces (slug, name, created_at)
      select 'many-' || ${group}::int || '-' || n, 'Many', '2026-01-01' from generate_series(1, ${librariesEach}) n returning id)
    insert into feed_heads (workspace_id, epoch_id, epoch_began_at) select id, 'first', now() from made returning workspace_id as id`
  return rows.map(({ id }) => id)
}

/** What the catalog is asked; everything but package paths, which stay in the database. */
const toAsked = ({ q, origin_path: _, ...filters }: Question) => ({
  filters,
  question: q === undefined ? undefined : toQuestion(q),
  pathIds: undefined,
})

/** More than any library has: pages that go on for ever end. */
const most = 1000

function walk(catalog: Catalog, { question, sort, order }: { question: Question } & Sorting, limit: number): number[] {
  const ids: number[] = []
  let after: Page['end']
  do {
    const { selection } = matching(catalog, toAsked(question))
    const page = pageOf(catalog, selection, { sort, isDescending: order === 'desc', after, limit })
    ids.push(...page.rows.map((row) => Number(catalog.entries.ids[row])))
    after = page.end
  } while (after && ids.length < most)
  return ids
}

function walkRanked(catalog: Catalog, question: Question, limit: number): { id: number; weight: number }[] {
  const found: { id: number; weight: number }[] = []
  let after: RankedPosition | undefined
  do {
    const { selection, hits } = matching(catalog, toAsked(question))
    if (!hits) throw new Error(`there is no word in ${question.q}`)
    const page = rankedPage(catalog, { hits, selection }, { after, limit })
    found.push(...page.hits.map(({ row, weight }) => ({ id: Number(catalog.entries.ids[row]), weight })))
    after = page.end
  } while (after && found.length < most)
  return found
}

interface Beside {
  catalog: Catalog
  shown: Shown
}

/** One list, its facets, and what of it is found by words: whatever matches, the best first, those of like weight by name. */
async function expectAnswers(
  { catalog, shown }: Beside,
  question: Question,
  { sort, order, random }: Sorting & { random: Random },
) {
  const words = { ...question, q: pick(random, searches) }
  const [listed, counted, byName] = await Promise.all([
    plainList(shown, { question, sort, order }),
    plainFacets(shown, question),
    plainList(shown, { question: words, sort: 'name', order: 'asc' }),
  ])
  const asked = { question, sort, order }
  expect([asked, walk(catalog, asked, pick(random, [1, 2, 5, 200]))]).toEqual([asked, listed])
  expect([asked, tallied(facetsOf(catalog, matching(catalog, toAsked(question)).selection))]).toEqual([asked, counted])
  const ranked = walkRanked(catalog, words, pick(random, [1, 3, 200]))
  expect([words, ranked.map(({ id }) => id).sort((a, b) => a - b)]).toEqual([words, byName.toSorted((a, b) => a - b)])
  const places = ranked.map(({ id, weight }) => ({ weight, place: byName.indexOf(id) }))
  expect([words, places]).toEqual([words, places.toSorted((a, b) => b.weight - a.weight || a.place - b.place)])
}

async function expectLibrary(beside: Beside, library: Library): Promise<void> {
  const { random } = library
  const { catalog, shown } = beside
  for (const sort of ['name', 'date_indexed', 'date_updated', 'blob_size', 'tri_count'] as const) await catalog.prepare(sort)
  await catalog.prepareWords()
  for (let turn = 0; turn < questionsEach; turn++) {
    const { origin_path: _, ...question } = randomQuestion(random, library)
    await expectAnswers(beside, question, { ...pick(random, sortings), random })
  }
  expect(rollupOf(catalog)).toEqual([...(await plainRollup(shown))])
  expect(entriesByPack(catalog)).toEqual(await plainPackCounts(shown))
}

test.each(Array.from({ length: groups }, (_, index) => index + 1))(
  `group %i of ${librariesEach} libraries: every list, facet, search and rollup is what plain SQL says, before and after changes`,
  async (group) => {
    const random = seeded(1000 + group)
    const workspaceIds = await makeWorkspaces(group)
    const libraries = await writeLibraries(database.sql, workspaceIds, { random, most: 12 })
    const catalogs = new Catalogs({ database, clock: new TestClock() })
    for (let round = 0; round < rounds; round++) {
      const shownIn = await putDown(database.sql, workspaceIds)
      await Promise.all(
        libraries.map(async (library) => {
          const catalog = await catalogs.at(library.workspaceId)
          await expectLibrary({ catalog, shown: shownIn(library.workspaceId) }, library)
        }),
      )
      await changeLibraries(libraries, () => random(4))
    }
  },
)
