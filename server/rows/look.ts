/** How the current versions of entries look, for the catalog index: vectors of the thumbnails that are in use, many at a time. */
import { lookupIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** Whose vectors, and how many bytes each of them has; others are passed over. */
export interface LooksOf {
  embedder: string
  vectorBytes: number
}

/** Vectors one behind the other, in the order of the entries. One value each, as a list of thousands is slow to read. */
export interface PackedLooks {
  entryIds: number[]
  vectors: Uint8Array
}

/** Of the entries after one id, up to another. */
export const selectLookRange = (
  sql: Sql,
  workspaceId: number,
  { of, after, upTo }: { of: LooksOf; after: number; upTo: number },
): Promise<PackedLooks> =>
  selectPacked(sql, workspaceId, {
    of,
    entries: sql`select id, lineage_id from entries where workspace_id = ${workspaceId} and id > ${after} and id <= ${upTo} order by id`,
  })

/** Unknown ids, and entries without a vector, are left out. */
export const selectLooksOf = (
  sql: Sql,
  workspaceId: number,
  { of, ids }: { of: LooksOf; ids: readonly number[] },
): Promise<PackedLooks> =>
  selectPacked(sql, workspaceId, {
    of,
    entries: sql`
      select found.id, found.lineage_id from ${lookupIds(sql, ids)}
       cross join lateral (select id, lineage_id from entries where workspace_id = ${workspaceId} and id = lookup.key offset 0) found`,
  })

async function selectPacked(
  sql: Sql,
  workspaceId: number,
  { of, entries }: { of: LooksOf; entries: Fragment },
): Promise<PackedLooks> {
  const [row] = await sql<{ ids: number[] | null; vectors: Uint8Array | null }[]>`
    select array_agg(e.id order by e.id) as ids, string_agg(k.vector, ''::bytea order by e.id) as vectors
      from (${entries}) e
     cross join lateral (
       select o.id, o.thumbnail_artifact_id
         from lineages l
         join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
        where l.workspace_id = ${workspaceId} and l.id = e.lineage_id offset 0) o
     cross join lateral (
       select vector from looks
        where workspace_id = ${workspaceId} and embedder = ${of.embedder} and object_id = o.id
          and artifact_id = o.thumbnail_artifact_id and length(vector) = ${of.vectorBytes} offset 0) k`
  return { entryIds: row?.ids ?? [], vectors: row?.vectors ?? new Uint8Array() }
}

/** The entries whose looks were made after a number, oldest first, and the last number that was looked at. */
export async function selectLookNews(
  sql: Sql,
  workspaceId: number,
  { embedder, after, most }: { embedder: string; after: number; most: number },
): Promise<{ entryIds: number[]; read: number; last: number }> {
  const [row] = await sql<{ ids: number[] | null; read: number; last: number | null }[]>`
    with news as (
      select look_seq, object_id from looks
       where workspace_id = ${workspaceId} and embedder = ${embedder} and look_seq > ${after} order by look_seq limit ${most})
    select (select count(*)::int from news) as read, (select max(look_seq) from news) as last, array_agg(e.id) as ids
      from news
     cross join lateral (
       select id from lineages where workspace_id = ${workspaceId} and face_object_id = news.object_id offset 0) l
     cross join lateral (
       select id from entries where workspace_id = ${workspaceId} and lineage_id = l.id offset 0) e`
  return { entryIds: row?.ids ?? [], read: row?.read ?? 0, last: row?.last ?? after }
}

/** What is known of how one entry looks: its vector, or why there is none. */
export interface EntryLook {
  vector: Uint8Array | null
  failure: string | null
  has_thumbnail: boolean
}

/** Undefined where there is no such entry. */
export async function selectEntryLook(
  sql: Sql,
  workspaceId: number,
  { entryId, embedder }: { entryId: number; embedder: string },
): Promise<EntryLook | undefined> {
  const [row] = await sql<EntryLook[]>`
    select k.vector, k.failure, o.thumbnail_artifact_id is not null as has_thumbnail
      from entries e
      join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
      join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
      left join looks k on k.workspace_id = o.workspace_id and k.embedder = ${embedder} and k.object_id = o.id
                       and k.artifact_id = o.thumbnail_artifact_id
     where e.workspace_id = ${workspaceId} and e.id = ${entryId}`
  return row
}
