/** GET /entries and its facets: which entries, in which order, which page of them; then what a list shows of each (spec 4.2; contract-gaps 6). */

import type { entries as contract, EntrySummary } from '../../contract/entries.ts'
import { entryFilters } from '../../contract/entry-filters.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import type { Facets } from '../../contract/facets.ts'
import { limits } from '../../contract/limits.ts'
import type { InputOf } from '../../contract/route.ts'
import { WrittenJson } from '../../serving/written-json.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import type { Sql } from '../database/sql.ts'
import type { Context, RawRequest } from '../handler.ts'
import { requireEntryFace, selectEntries } from '../rows/entry.ts'
import { requireFits } from '../storage/upload-size.ts'
import type { Catalog, SortName } from './catalog/catalog.ts'
import { facetsOf } from './facets.ts'
import { pageOf } from './page.ts'
import { matching, resolveQuery, type SearchQuery } from './query.ts'
import { rankedPage } from './ranked-page.ts'
import { countOf, type Selection } from './selection.ts'

type ListInput = InputOf<(typeof contract)['list']>
type ListRequest = Context & { input: ListInput }

const filterNames = Object.keys(entryFilters) as (keyof typeof entryFilters)[]

export async function listEntries(request: ListRequest): Promise<WrittenJson> {
  const { sql, workspace, catalogs, input } = request
  const query = await resolveQuery(request)
  const sort = sortOf(input, query)
  await refuseLikeness(request)
  const catalog = await catalogs.at(workspace.id)
  const bound = ['entries', workspace.id, sort, input.order ?? 'asc']
  const page =
    sort === 'relevance'
      ? await ranked(catalog, query, { ...input, bound })
      : await sorted(catalog, query, { ...input, bound, sort })
  const texts = await catalog.texts.of(
    page.rows.map(({ id }) => id),
    (missing) => summariesOf(sql, workspace.id, missing),
  )
  const entries = page.rows.flatMap(({ id, ...more }) => withMore(texts.get(id), more))
  return pageOfTexts(entries, page)
}

export async function countFacets(request: Context & { input: InputOf<(typeof contract)['facets']> }): Promise<Facets> {
  const query = await resolveQuery(request)
  const catalog = await request.catalogs.at(request.workspace.id)
  if (query.question) await catalog.prepareWords()
  return facetsOf(catalog, matching(catalog, query).selection)
}

/** What a page of a list is made of, before the database is asked what its entries look like. */
interface Page {
  rows: ({ id: number } & Pick<EntrySummary, 'score' | 'matched'>)[]
  next_cursor: string | null
  total: number
}

/** `bound` is what the cursors of a list are made for. */
type PageInput = Pick<ListInput, 'order' | 'limit' | 'cursor'> & { bound: readonly unknown[] }

async function sorted(catalog: Catalog, query: SearchQuery, input: PageInput & { sort: SortName }): Promise<Page> {
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
async function ranked(catalog: Catalog, query: SearchQuery, input: PageInput): Promise<Page> {
  const { limit = limits.page.default, cursor } = input
  const bound = [...input.bound, query.question]
  const at = cursor === undefined ? undefined : fromCursor(bound, cursor, ['id', 'id', 'text', 'id'])
  await catalog.prepareWords()
  const { selection, hits } = matching(catalog, query)
  if (!hits) throw new Error('a ranked answer needs a question')
  const after = at && { seen: at[0], weight: at[1], value: at[2], id: at[3] }
  const page = rankedPage(catalog, { hits, selection }, { after, limit })
  return {
    rows: page.hits.map(({ row, weight }) => ({
      id: catalog.entries.ids[row] as number,
      score: hits.scoreOf(weight),
      matched: hits.fieldsOf(row),
    })),
    next_cursor: page.end ? toCursor(bound, [page.end.seen, page.end.weight, page.end.value, page.end.id]) : null,
    total: page.total,
  }
}

/** A question without a word in it says nothing: it is as none. */
function sortOf({ sort, similar_to }: ListInput, { question }: SearchQuery): SortName | 'relevance' {
  const isRanked = question !== undefined || similar_to !== undefined
  if (sort === 'relevance' && !isRanked)
    throw validationError([
      { path: 'sort', message: 'relevance needs words in q, or similar_to; choose another sort without them' },
    ])
  if (similar_to !== undefined && sort !== undefined && sort !== 'relevance')
    throw validationError([{ path: 'sort', message: 'must be relevance, or left out, with similar_to' }])
  return sort ?? (isRanked ? 'relevance' : 'name')
}

/** Nothing is known yet of how entries look. */
async function refuseLikeness({ sql, workspace, input: { similar_to: entryId } }: ListRequest): Promise<void> {
  if (entryId === undefined) return
  await requireEntryFace(sql, workspace.id, { entryId, hold: false })
  throw new ApiError('EMBEDDINGS_UNAVAILABLE', `It is not known what entry ${entryId} looks like.`, {
    entry_id: entryId,
    httpStatus: 409,
  })
}

const summariesOf = (sql: Sql, workspaceId: number, ids: readonly number[]): Promise<EntrySummary[]> =>
  selectEntries(sql, { workspaceId, ids })

/** What is written of an entry, with what only this answer says of it; nothing of one that was deleted meanwhile. */
function withMore(text: Buffer | undefined, more: Pick<EntrySummary, 'score' | 'matched'>): Buffer[] {
  if (!text) return []
  return [
    more.score === undefined ? text : Buffer.concat([text.subarray(0, -1), comma, Buffer.from(JSON.stringify(more).slice(1))]),
  ]
}

/** The answer, put together from what is written of each entry. */
function pageOfTexts(texts: readonly Buffer[], { next_cursor, total }: Page): WrittenJson {
  const parts = texts.flatMap((text, at) => (at === 0 ? [text] : [comma, text]))
  const end = `],"next_cursor":${JSON.stringify(next_cursor)},"total":${total}}`
  return new WrittenJson(Buffer.concat([opening, ...parts, Buffer.from(end)]))
}

const opening = Buffer.from('{"entries":[')
const comma = Buffer.from(',')

/** A picture that is too large is said to be so all the same; none is read. */
export async function searchByImage({ contentLength }: Pick<RawRequest, 'contentLength'>): Promise<never> {
  requireFits(contentLength, limits.searchImage.bytes)
  throw new ApiError('EMBEDDINGS_UNAVAILABLE')
}
