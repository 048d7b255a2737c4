/** GET /entries and its facets: which entries, in which order, which page of them; then what a list shows of each (spec 4.2; contract-gaps 6). */

import type { entries as contract } from '../../contract/entries.ts'
import { entryFilters } from '../../contract/entry-filters.ts'
import { validationError } from '../../contract/errors.ts'
import type { Facets } from '../../contract/facets.ts'
import { limits } from '../../contract/limits.ts'
import type { InputOf } from '../../contract/route.ts'
import type { WrittenJson } from '../../serving/written-json.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import type { Context } from '../handler.ts'
import { blended } from './blend.ts'
import type { Catalog, SortName } from './catalog/catalog.ts'
import { facetsOf } from './facets.ts'
import { likeEntry, meantByWords, scoreOf } from './likeness.ts'
import { type BestRow, type ListPage, listOfTexts, pageOfBest, textsOf } from './list-page.ts'
import type { LikeHit } from './looks/best.ts'
import { pageOf } from './page.ts'
import { type Matching, matching, resolveQuery, type SearchQuery } from './query.ts'
import { rankedPage } from './ranked-page.ts'
import { countOf, type Selection } from './selection.ts'

type ListInput = InputOf<(typeof contract)['list']>
type ListRequest = Context & { input: ListInput }

const filterNames = Object.keys(entryFilters) as (keyof typeof entryFilters)[]

export async function listEntries(request: ListRequest): Promise<WrittenJson> {
  const { workspace, catalogs, input } = request
  const query = await resolveQuery(request)
  const sort = sortOf(input, query)
  const bound = ['entries', workspace.id, sort, input.order ?? 'asc']
  const { catalog, page } =
    sort === 'relevance'
      ? await relevant(request, query, bound)
      : await catalogs.at(workspace.id).then(async (catalog) => {
          return { catalog, page: await sorted(catalog, query, { ...input, bound, sort }) }
        })
  const { next_cursor, total } = page
  return listOfTexts(await textsOf(request, catalog, page), { next_cursor, total })
}

/** By look, by words, or by both. */
async function relevant(
  request: ListRequest,
  query: SearchQuery,
  bound: readonly unknown[],
): Promise<{ catalog: Catalog; page: ListPage }> {
  const { workspace, catalogs, input } = request
  const { q = '', similar_to: entryId, min_score: minScore, limit, cursor } = input
  if (entryId !== undefined) return likeEntry(request, entryId, { query, minScore, limit, cursor, bound })
  const meant = request.embedder.facts?.hasWords ? await meantByWords(request, q, query) : undefined
  if (meant) return { catalog: meant.catalog, page: blendedPage(meant.catalog, meant.best, { query, input, bound }) }
  const catalog = await catalogs.at(workspace.id)
  return { catalog, page: await ranked(catalog, query, { ...input, bound }) }
}

export async function countFacets(request: Context & { input: InputOf<(typeof contract)['facets']> }): Promise<Facets> {
  const query = await resolveQuery(request)
  const catalog = await request.catalogs.at(request.workspace.id)
  if (query.question) await catalog.prepareWords()
  return facetsOf(catalog, matching(catalog, query).selection)
}

/** `bound` is what the cursors of a list are made for. */
type PageInput = Pick<ListInput, 'order' | 'limit' | 'cursor' | 'min_score'> & { bound: readonly unknown[] }

async function sorted(catalog: Catalog, query: SearchQuery, input: PageInput & { sort: SortName }): Promise<ListPage> {
  const { sort, order = 'asc', limit = limits.page.default, cursor, bound } = input
  const at = cursor === undefined ? undefined : fromCursor(bound, cursor, sort === 'name' ? ['text', 'id'] : ['id', 'id'])
  await catalog.prepare(sort)
  if (query.question) await catalog.prepareWords()
  const { selection } = matching(catalog, query)
  const after = at && { value: at[0], id: at[1] }
  const { rows, end } = pageOf(catalog, selection, { sort, isDescending: order === 'desc', after, limit })
  return {
    rows: rows.map((row) => ({ id: catalog.entries.ids[row] as number })),
    next_cursor: end ? toCursor(bound, [end.value, end.id]) : null,
    total: totalOf(catalog, query, selection),
  }
}

/** So many are remembered: those of the questions that people page through, not of all that were ever asked. */
const mostTotals = 100

/** Counting looks at every row: of filters alone it is remembered, as each page of a list asks for it again. */
function totalOf(catalog: Catalog, { filters }: SearchQuery, selection: Selection): number {
  if (selection.among) return countOf(catalog, selection)
  const key = JSON.stringify(filterNames.map((name) => filters[name] ?? null))
  const known = catalog.totals.get(key)
  if (known !== undefined) return known
  const total = countOf(catalog, selection)
  if (catalog.totals.size >= mostTotals) catalog.totals.clear()
  catalog.totals.set(key, total)
  return total
}

/** Best first, whatever the order; the cursor is bound to it all the same (spec 1), and to the words, whose weights it holds. */
async function ranked(catalog: Catalog, query: SearchQuery, input: PageInput): Promise<ListPage> {
  const { limit = limits.page.default, cursor } = input
  const bound = [...input.bound, query.question]
  const at = cursor === undefined ? undefined : fromCursor(bound, cursor, ['id', 'id', 'text', 'id'])
  await catalog.prepareWords()
  const { selection, hits } = reaching(matching(catalog, query), input.min_score)
  if (!hits) throw new Error('a ranked answer needs a question')
  const after = at && { seen: at[0], weight: at[1], value: at[2], id: at[3] }
  const page = rankedPage(catalog, { hits, selection }, { after, limit })
  return {
    rows: page.hits.map(({ row, weight }) => {
      const matched = hits.fieldsOf(row)
      const reason = { words: matched, looks: null }
      return { id: catalog.entries.ids[row] as number, score: hits.scoreOf(weight), matched, reason }
    }),
    next_cursor: page.end ? toCursor(bound, [page.end.seen, page.end.weight, page.end.value, page.end.id]) : null,
    total: page.total,
  }
}

/** Only what is worth so much is listed. */
function reaching(found: Matching, minScore: number | undefined): Matching {
  const { hits, selection } = found
  if (minScore === undefined || !hits) return found
  const isIn = Array.from(hits.weights, (weight) => hits.scoreOf(weight) >= minScore)
  const rows = hits.rows.filter((_, index) => isIn[index])
  const weights = hits.weights.filter((_, index) => isIn[index])
  const among = selection.among === hits.rows ? rows : selection.among
  return { hits: { ...hits, rows, weights }, selection: { ...selection, among } }
}

interface Blending {
  query: SearchQuery
  input: ListInput
  bound: readonly unknown[]
}

/** Of the best by words, and of what words mean. */
function blendedPage(catalog: Catalog, meant: readonly LikeHit[], { query, input, bound }: Blending): ListPage {
  const { selection, hits } = matching(catalog, query)
  if (!hits) throw new Error('a ranked answer needs a question')
  const said = rankedPage(catalog, { hits, selection }, { after: undefined, limit: limits.ranked })
  const [byWords, byLook] = [said.hits.map(({ row }) => row), meant.map(({ row }) => row)]
  const likeness = new Map(meant.map((hit) => [hit.row, hit.likeness]))
  // Words may be found in most of a library: only the few of which it matters are kept.
  const found = new Set([...byWords, ...hits.rows.filter((row) => likeness.has(row))])
  const { min_score: least = 0, cursor, limit } = input
  const all = blended(byWords, byLook, catalog.entries.ids).filter(({ score }) => score >= least)
  const rows = all.slice(0, limits.ranked).map(({ row, rank, score }): BestRow => {
    const words = found.has(row) ? hits.fieldsOf(row) : []
    const looks = likeness.get(row)
    const reason = { words, looks: looks === undefined ? null : scoreOf(looks) }
    return { id: catalog.entries.ids[row] as number, rank, score, matched: words, reason }
  })
  const total = least > 0 ? all.length : said.total + byLook.filter((row) => !found.has(row)).length
  return pageOfBest(rows, { total, bound: [...bound, query.question, 'meant'], cursor, limit })
}

/** A question without a word in it filters nothing, like no question at all. */
function sortOf({ sort, similar_to, min_score }: ListInput, { question }: SearchQuery): SortName | 'relevance' {
  const isRanked = question !== undefined || similar_to !== undefined
  if (sort === 'relevance' && !isRanked)
    throw validationError([
      { path: 'sort', message: 'relevance needs words in q, or similar_to; choose another sort without them' },
    ])
  if (similar_to !== undefined && sort !== undefined && sort !== 'relevance')
    throw validationError([{ path: 'sort', message: 'must be relevance, or left out, with similar_to' }])
  const by = sort ?? (isRanked ? 'relevance' : 'name')
  if (min_score !== undefined && by !== 'relevance')
    throw validationError([{ path: 'min_score', message: 'goes with relevance only: with words in q, or similar_to' }])
  return by
}
