/** GET /entries and its facets: which entries, in which order, which page of them; then what a list shows of each (spec 4.2; contract-gaps 6). */
import type { entries as contract, EntrySummary } from '../../contract/entries.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import type { Facets } from '../../contract/facets.ts'
import { limits } from '../../contract/limits.ts'
import type { InputOf } from '../../contract/route.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import { amongIds, amongTexts } from '../database/among.ts'
import type { Sql } from '../database/open.ts'
import { type Context, WrittenJson } from '../handler.ts'
import { pathKey } from '../push/manifest.ts'
import { requireEntryFace, selectEntries } from '../rows/entry.ts'
import type { Catalog, SortName } from './catalog.ts'
import { facetsOf } from './facets.ts'
import { type FilterInput, toFilters } from './filters.ts'
import type { Place } from './orders.ts'
import { pageOf } from './page.ts'
import type { Selection } from './selection.ts'

type Asked = Context & { input: InputOf<(typeof contract)['list']> }
type FacetsAsked = Context & { input: InputOf<(typeof contract)['facets']> }

export async function listEntries(request: Asked): Promise<WrittenJson> {
  const { sql, workspace, catalogs, input } = request
  const { order = 'asc', limit = limits.page.default, cursor } = input
  refuseWords(input.q)
  const sort = sortOf(input)
  await refuseLikeness(request)
  const asked = ['entries', sort, order]
  const after = cursor === undefined ? undefined : placeOf(asked, cursor, sort)
  const pathIds = await findAtPaths(sql, workspace.id, input.origin_path)
  const catalog = await catalogs.at(workspace.id)
  await catalog.prepare(sort)
  const selection = select(catalog, input, pathIds)
  const { rows, end } = pageOf(catalog, selection, { sort, isDescending: order === 'desc', after, limit })
  const ids = rows.map((row) => catalog.entries.ids[row] as number)
  const texts = await catalog.texts.of(ids, (missing) => summariesOf(sql, workspace.id, missing))
  return pageOfTexts(texts, end ? toCursor(asked, [end.value, end.id]) : null)
}

export async function countFacets({ sql, workspace, catalogs, input }: FacetsAsked): Promise<Facets> {
  refuseWords(input.q)
  const pathIds = await findAtPaths(sql, workspace.id, input.origin_path)
  const catalog = await catalogs.at(workspace.id)
  return facetsOf(catalog, select(catalog, input, pathIds))
}

/** What the filters leave of a catalog. `pathIds`: the entries at the paths that were asked for. */
function select(catalog: Catalog, input: FilterInput, pathIds: readonly number[] | undefined): Selection {
  const lists: Set<number>[] = []
  if (pathIds) lists.push(new Set(pathIds.flatMap((id) => catalog.entries.find(id) ?? [])))
  if (input.name) lists.push(new Set(input.name.flatMap((name) => [...catalog.order('name').equalTo(name)])))
  const among = lists.length > 0 ? lists.reduce((all, list) => all.intersection(list)) : undefined
  return { filters: toFilters(catalog, input), among: among && Uint32Array.from(among) }
}

/** Package paths stay in the database: few ask for them, and they are long. Undefined: nobody asked. */
async function findAtPaths(sql: Sql, workspaceId: number, paths: readonly string[] | undefined): Promise<number[] | undefined> {
  if (!paths) return undefined
  const rows = await sql<{ id: number }[]>`
    select e.id
      from objects o
      join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
      join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
     where o.workspace_id = ${workspaceId} and o.path_key ${amongTexts(sql, paths.map(pathKey))}`
  return rows.map((row) => row.id)
}

function sortOf({ sort, similar_to }: Asked['input']): SortName {
  const isRanked = similar_to !== undefined
  if (sort === 'relevance' && !isRanked)
    throw validationError([{ path: 'sort', message: 'relevance needs q or similar_to; choose another sort without them' }])
  if (similar_to !== undefined && sort !== undefined && sort !== 'relevance')
    throw validationError([{ path: 'sort', message: 'must be relevance, or left out, with similar_to' }])
  return sort === undefined || sort === 'relevance' ? 'name' : sort
}

function refuseWords(q: string | undefined): void {
  if (q !== undefined) throw validationError([{ path: 'q', message: 'is not available on this server yet; leave it out' }])
}

/** Nothing is known yet of how entries look. */
async function refuseLikeness({ sql, workspace, input: { similar_to: entryId } }: Asked): Promise<void> {
  if (entryId === undefined) return
  await requireEntryFace(sql, workspace.id, { entryId, hold: false })
  throw new ApiError('EMBEDDINGS_UNAVAILABLE', `It is not known what entry ${entryId} looks like.`, {
    entry_id: entryId,
    httpStatus: 409,
  })
}

function placeOf(asked: unknown, cursor: string, sort: SortName): Place {
  const [value, id] = sort === 'name' ? fromCursor(asked, cursor, ['text', 'id']) : fromCursor(asked, cursor, ['id', 'id'])
  return { value, id }
}

const summariesOf = (sql: Sql, workspaceId: number, ids: readonly number[]): Promise<EntrySummary[]> =>
  selectEntries(sql, sql`e.workspace_id = ${workspaceId} and e.id ${amongIds(sql, ids)}`)

/** The answer, put together from what is written of each entry. */
function pageOfTexts(texts: readonly Buffer[], nextCursor: string | null): WrittenJson {
  const parts = texts.flatMap((text, at) => (at === 0 ? [text] : [comma, text]))
  return new WrittenJson(Buffer.concat([opening, ...parts, Buffer.from(`],"next_cursor":${JSON.stringify(nextCursor)}}`)]))
}

const opening = Buffer.from('{"entries":[')
const comma = Buffer.from(',')
