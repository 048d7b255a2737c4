// GET /entries, its facets and the rollup, against plain SQL over random libraries that go on changing (spec 4.2; contract-gaps 6).
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { walkEntries } from '../support/entry-walk.ts'
import { plainFacets, plainList, plainRollup, type Question, type Shown, shownIn } from '../support/plain-search.ts'
import { changeLibrary, pick, searches, seeded, writeLibrary } from '../support/random-library.ts'
import { randomQuestion, sortings, tallied } from '../support/random-question.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

const toQuery = (asked: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(asked).flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, String(one)])),
  ).toString()

const totalOf = async (reads: Caller, query: string): Promise<number> => (await reads.get(`/entries?${query}&limit=1`)).body.total

const idsOf = (entries: Json[]): number[] => entries.map((entry) => entry.id)

const counted = async (reads: Caller, question: Question) =>
  tallied((await reads.get(`/entries/facets?${toQuery({ ...question })}`)).body)

/** Whatever matches, the best first; those that match as well as each other by name. */
async function expectRanked(reads: Caller, { shown, question }: { shown: Shown; question: Question }) {
  const byName = await plainList(shown, { question, sort: 'name', order: 'asc' })
  const ranked = await walkEntries(reads, toQuery({ ...question, order: 'desc', limit: 7 }))
  expect([question, await totalOf(reads, toQuery({ ...question, order: 'desc' }))]).toEqual([question, byName.length])
  expect([question, idsOf(ranked).sort((a, b) => a - b)]).toEqual([question, byName.toSorted((a, b) => a - b)])
  const places = ranked.map(({ id, score }) => ({ score, place: byName.indexOf(id) }))
  expect([question, places]).toEqual([question, places.toSorted((a, b) => b.score - a.score || a.place - b.place)])
}

test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  'library %i: every list, facet and rollup is what plain SQL says, before and after changes that another process made',
  async (seed) => {
    const random = seeded(seed)
    const { url, keys, workspaceId } = await server.addWorkspace()
    const reads = callAs(url, keys.miaReads)
    const { sql } = server.database
    const shown = shownIn(sql, workspaceId)
    const library = await writeLibrary(sql, { workspaceId, random, most: pick(random, [0, 1, 10, 60]) })
    for (let round = 0; round < 4; round++) {
      for (let turn = 0; turn < 12; turn++) {
        const question = randomQuestion(random, library)
        const sorting = pick(random, sortings)
        const expected = await plainList(shown, { question, ...sorting })
        const query = toQuery({ ...question, ...sorting, limit: pick(random, [1, 2, 7, 200]) })
        const total = await totalOf(reads, toQuery({ ...question, ...sorting }))
        expect([query, total]).toEqual([query, expected.length])
        expect([query, idsOf(await walkEntries(reads, query))]).toEqual([query, expected])
        expect([query, await counted(reads, question)]).toEqual([query, await plainFacets(shown, question)])
      }
      await expectRanked(reads, { shown, question: { ...randomQuestion(random, library), q: pick(random, searches) } })
      expect((await reads.get('/categories/rollup')).body.categories).toEqual([...(await plainRollup(shown))])
      await changeLibrary(library, random(4))
    }
  },
)
