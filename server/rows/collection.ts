/** The only list of the columns of a collection and of the entries in it. */

import type { Collection, CollectionEntry } from '../../contract/collections.ts'
import { ApiError } from '../../contract/errors.ts'
import { amongIds, lookupIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** `tail` may use the alias c and begins with `and` or `order by`. */
export const selectCollections = (sql: Sql, workspaceId: number, tail: Fragment): PromiseLike<Collection[]> =>
  sql<Collection[]>`
    select c.id, c.name, c.description, c.created_by, c.created_at, c.updated_by, c.date_updated,
           (select count(*)::int from collection_entries x where x.workspace_id = c.workspace_id and x.collection_id = c.id) as entry_count
      from collections c where c.workspace_id = ${workspaceId} ${tail}`

/** COLLECTION_NOT_FOUND otherwise. */
export async function requireCollection(sql: Sql, workspaceId: number, id: number): Promise<Collection> {
  const [collection] = await selectCollections(sql, workspaceId, sql`and c.id = ${id}`)
  if (!collection) throw collectionNotFound(id)
  return collection
}

/**
 * Until the transaction ends, to `use` what is in it, or for a `change` of that or of the collection itself, which waits for every use.
 * Only deletions take entries out of it meanwhile. COLLECTION_NOT_FOUND otherwise.
 */
export async function holdCollection(
  sql: Sql,
  workspaceId: number,
  { id, to }: { id: number; to: 'use' | 'change' },
): Promise<void> {
  const [row] = await sql`
    select id from collections where workspace_id = ${workspaceId} and id = ${id} ${to === 'use' ? sql`for key share` : sql`for update`}`
  if (!row) throw collectionNotFound(id)
}

const collectionNotFound = (id: number) => new ApiError('COLLECTION_NOT_FOUND', `There is no collection ${id} in this workspace.`)

/** In the order in which they were added. */
export const selectCollectionEntries = async (sql: Sql, workspaceId: number, id: number): Promise<CollectionEntry[]> =>
  (await selectEntriesOf(sql, workspaceId, [id])).map(({ collection_id: _, ...entry }) => entry)

/** Of many, each with its entries, as GET /collections/{id} answers; unknown ids are left out. Both statements are to be of one moment. */
export async function selectWholeCollections(sql: Sql, workspaceId: number, ids: readonly number[]): Promise<WholeCollection[]> {
  const found = await selectCollections(sql, workspaceId, sql`and c.id ${amongIds(sql, ids)}`)
  const entries = Map.groupBy(await selectEntriesOf(sql, workspaceId, ids), ({ collection_id }) => collection_id)
  return found.map((collection) => ({
    ...collection,
    entries: (entries.get(collection.id) ?? []).map(({ collection_id: _, ...entry }) => entry),
  }))
}

type WholeCollection = Collection & { entries: CollectionEntry[] }

/** Looked up one by one (server/database/among.ts says why). */
const selectEntriesOf = (sql: Sql, workspaceId: number, ids: readonly number[]) =>
  sql<(CollectionEntry & { collection_id: number })[]>`
    select found.*, x.added_at, x.collection_id from collection_entries x cross join lateral (
      select e.id, e.name, e.entry_type, e.category, e.status, o.thumbnail_artifact_id is not null as has_thumbnail
        from entries e
        join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
        join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
       where e.workspace_id = ${workspaceId} and e.id = x.entry_id offset 0) found
     where x.workspace_id = ${workspaceId} and x.collection_id ${amongIds(sql, ids)} order by x.added_at, x.entry_id`

/** The ids alone, in the same order, at most so many. */
export async function selectCollectionEntryIds(
  sql: Sql,
  workspaceId: number,
  { collectionId, limit }: { collectionId: number; limit: number },
): Promise<number[]> {
  const rows = await sql<{ entry_id: number }[]>`
    select entry_id from collection_entries
     where workspace_id = ${workspaceId} and collection_id = ${collectionId} order by added_at, entry_id limit ${limit}`
  return rows.map((row) => row.entry_id)
}

/**
 * To be joined by `entry_id`: the collections that each entry is in as a list, by name; entries that are in none are left out. A part of
 * the statement that reads the entries, so that both are of one moment.
 */
export const collectionsOf = (sql: Sql, workspaceId: number, entryIds: readonly number[]): Fragment => sql`
  select lookup.key as entry_id, json_agg(json_build_object('id', found.id, 'name', found.name) order by found.name) as list
    from ${lookupIds(sql, new Set(entryIds))} cross join lateral (
      select c.id, c.name
        from collection_entries x join collections c on c.workspace_id = x.workspace_id and c.id = x.collection_id
       where x.workspace_id = ${workspaceId} and x.entry_id = lookup.key offset 0) found
   group by lookup.key`
