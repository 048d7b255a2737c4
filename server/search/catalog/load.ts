/** Fills a catalog from the database, in batches, so that other requests run in between, and brings it up to date by the change feed. */

import { inPieces } from '../../../system/event-loop.ts'
import { amongIds } from '../../database/among.ts'
import type { Sql } from '../../database/sql.ts'
import { type CatalogRow, readCatalogRows, selectCatalogRange, selectCatalogRowsOf } from '../../rows/catalog-row.ts'
import { selectCommentTexts } from '../../rows/comment-text.ts'
import { mostCommentCharacters } from '../words/word-index.ts'
import { Catalog } from './catalog.ts'
import { advanceLooks } from './load-looks.ts'
import { type Head, readHead, type Source, selectBatchEnds } from './source.ts'

const batchRows = 5_000
/** So many are read by one statement, but for the embedded database, where it would keep all others waiting. */
const manyEntries = 50_000
const manyBatchRows = 2_000

export const isBehind = (catalog: Catalog, head: Head): boolean =>
  catalog.head < head.changes || catalog.commentHead < head.comments || (catalog.looks?.head ?? head.looks) < head.looks

/**
 * The catalog as it was at some moment after the call, or later. The feed's head is read first: what changes while rows are read is
 * among the changes after it, and read again.
 */
export async function buildCatalog(source: Source, many = manyEntries): Promise<Catalog> {
  const head = await readHead(source)
  const { longSql } = source.database
  const [counted] = await longSql<{ count: number }[]>`
    select count(*)::int as count from entries where workspace_id = ${source.workspaceId}`
  const entries = counted?.count ?? 0
  const catalog = new Catalog(head.changes, entries)
  catalog.commentHead = head.comments
  const isReadWhole = entries >= many && source.database.kind === 'postgresql'
  for await (const rows of isReadWhole ? readCatalogRows(longSql, source.workspaceId, manyBatchRows) : batches(source)) {
    await readLabels(source, catalog, labelsOf(rows, catalog))
    await takeIn(source, catalog, { rows, isCommented: head.comments > 0 })
  }
  await catalog.prepare('name')
  return catalog
}

/** Batches that are read at the same time, while one is taken in: the database takes longer over them than we do. */
const readAhead = 3

/** All entries, in the order of their ids. */
async function* batches(source: Source): AsyncGenerator<CatalogRow[]> {
  const { database, workspaceId } = source
  const ends = await selectBatchEnds(source, batchRows)
  const coming: Promise<CatalogRow[]>[] = []
  for (const [at, upTo] of [...ends, Number.MAX_SAFE_INTEGER].entries()) {
    const reading = selectCatalogRange(database.longSql, workspaceId, { after: ends[at - 1] ?? 0, upTo })
    // A failure is thrown where it is waited for; until then someone has to have heard of it.
    reading.catch(() => {})
    coming.push(reading)
    const first = coming.length > readAhead ? coming.shift() : undefined
    if (first) yield await first
  }
  for (const rest of coming) yield await rest
}

/** What the database has now, and some of what is new in it. */
interface News extends Head {
  /** The last of the change records that were read. */
  seq: number
  /** What retention has removed up to here. */
  floor: number
  /** Entries that look different, or are gone. */
  changed: number[] | null
  /** The last of those about which something else is said. */
  comment_seq: number
  commented: number[] | null
}

/**
 * Takes in some of what changed before the head, where something did; false when records that it needs are gone, and it has to be built
 * anew.
 */
export async function advance(source: Source, catalog: Catalog, head: Head): Promise<boolean> {
  const { sql } = source.database
  const { workspaceId } = source
  const news = await selectNews(source, catalog)
  if (!news || (catalog.head < head.changes && news.seq === catalog.head) || catalog.head < news.floor) return false
  const commented = news.commented ?? []
  const ids = [...new Set([...(news.changed ?? []), ...commented])]
  if (ids.length > 0) {
    const rows = await selectCatalogRowsOf(sql, workspaceId, ids)
    await readLabels(source, catalog, labelsOf(rows))
    const found = new Set(rows.map((row) => row.id))
    const gone = ids.filter((id) => !found.has(id))
    await inPieces(gone, (id) => catalog.remove(id))
    await takeIn(source, catalog, { rows, isCommented: news.comments > 0 })
  }
  await advanceLooks(source, catalog, { ids, head: news })
  catalog.head = news.seq
  // Entries that are deleted take their numbers along: the last ones may belong to none.
  catalog.commentHead = commented.length < batchRows ? news.comments : news.comment_seq
  return true
}

async function selectNews({ database: { sql }, workspaceId }: Source, catalog: Catalog): Promise<News | undefined> {
  const [news] = await sql<News[]>`
    select h.change_seq as changes, h.comment_seq as comments, h.look_seq as looks, h.changes_floor as floor, c.*, s.*
      from feed_heads h
     cross join (
       select coalesce(max(seq), ${catalog.head}) as seq, array_agg(distinct entity_id) filter (where entity = 'entry') as changed
         from (select seq, entity, entity_id from changes
                where workspace_id = ${workspaceId} and seq > ${catalog.head} order by seq limit ${batchRows}) as read) c
     cross join (
       select max(comment_seq) as comment_seq, array_agg(entry_id) as commented
         from (select comment_seq, entry_id from commented_entries
                where workspace_id = ${workspaceId} and comment_seq > ${catalog.commentHead} order by comment_seq limit ${batchRows}) as read) s
     where h.workspace_id = ${workspaceId}`
  return news
}

/** With what is said about them; the labels that they need are there. */
async function takeIn(
  { database, workspaceId }: Source,
  catalog: Catalog,
  { rows, isCommented }: { rows: readonly CatalogRow[]; isCommented: boolean },
): Promise<void> {
  const ids = rows.map((row) => row.id)
  const said = isCommented
    ? await selectCommentTexts(database.sql, workspaceId, { entryIds: ids, characters: mostCommentCharacters })
    : new Map<number, string[]>()
  await inPieces(rows, (row) => catalog.set(row, said.get(row.id)))
}

interface Labels {
  packIds: Set<number>
  tagIds: Set<number>
}

/** What is to be read before the rows are taken in; where a catalog is given, only what it lacks. */
function labelsOf(rows: readonly CatalogRow[], known?: Catalog): Labels {
  const [packIds, tagIds] = [new Set<number>(), new Set<number>()]
  for (const { pack_id, tag_ids } of rows) {
    if (known?.packName(pack_id) === undefined) packIds.add(pack_id)
    for (const id of tag_ids ?? []) if (known?.tagLabel(id) === undefined) tagIds.add(id)
  }
  return { packIds, tagIds }
}

/** Names of packs and tags, and colors. Who renames one changes every entry that shows it. */
async function readLabels(
  { database: { sql }, workspaceId }: Source,
  catalog: Catalog,
  { packIds, tagIds }: Labels,
): Promise<void> {
  if (packIds.size > 0) for (const { id, name } of await selectPackNames(sql, workspaceId, packIds)) catalog.labelPack(id, name)
  if (tagIds.size > 0)
    for (const { id, name, color } of await selectTagLabels(sql, workspaceId, tagIds)) catalog.labelTag(id, { name, color })
}

const selectPackNames = (sql: Sql, workspaceId: number, ids: Iterable<number>) => sql<{ id: number; name: string }[]>`
  select id, name from packs where workspace_id = ${workspaceId} and id ${amongIds(sql, ids)}`

const selectTagLabels = (sql: Sql, workspaceId: number, ids: Iterable<number>) => sql<
  { id: number; name: string; color: string | null }[]
>`
  select id, name, color from tags where workspace_id = ${workspaceId} and id ${amongIds(sql, ids)}`
