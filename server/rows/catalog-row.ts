/** The only list of what the catalog index holds of an entry: narrow rows, read by the ten thousand. */

import type { EntrySummary } from '../../contract/entries.ts'
import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { isVariant } from './entry.ts'
import { otherNamesOf } from './former/entry-names.ts'

export interface CatalogRow {
  id: number
  name: string
  entry_type: string
  category: string | null
  variant_group_id: number | null
  is_variant: boolean
  status: EntrySummary['status']
  /** Of the current version, like everything that follows but the tags. */
  pack_id: number
  blob_size: number
  preview_status: EntrySummary['preview_status']
  review_status: EntrySummary['review_status']
  tri_count: number | null
  vert_count: number | null
  material_count: number | null
  lod_count: number | null
  has_collision: boolean | null
  nanite_enabled: boolean | null
  /** In centimetres. */
  longest_edge: number | null
  /** Its package path in lower case. */
  path_key: string | null
  pushed_from: string | null
  /** Milliseconds since 1970. */
  indexed_ms: number
  updated_ms: number
  /** Null: none. */
  tag_ids: number[] | null
  /** What else it is called. Null: nothing. */
  other_names?: string[] | null
}

/** The entries after one id, up to another, in the order of their ids. */
export const selectCatalogRange = (sql: Sql, workspaceId: number, { after, upTo }: { after: number; upTo: number }) =>
  selectCatalogRows(sql, workspaceId, sql`and id > ${after} and id <= ${upTo} order by id`)

/** Unknown ids are left out. */
export const selectCatalogRowsOf = (sql: Sql, workspaceId: number, ids: readonly number[]) =>
  selectCatalogRows(sql, workspaceId, sql`and id ${amongIds(sql, ids)} order by id`)

/** In the order of `toRow`. */
const columns = (sql: Sql) => sql`
  e.id, e.name, e.entry_type, e.category, e.variant_group_id, ${isVariant(sql)}, e.status,
  o.pack_id, o.blob_size, o.preview_status, o.review_status,
  (o.metadata->>'tri_count')::float8, (o.metadata->>'vert_count')::float8, (o.metadata->>'material_count')::float8,
  (o.metadata->>'lod_count')::float8, (o.metadata->>'has_collision')::boolean, (o.metadata->>'nanite_enabled')::boolean,
  greatest((o.metadata->>'bounds_x')::float8, (o.metadata->>'bounds_y')::float8, (o.metadata->>'bounds_z')::float8),
  round(date_part('epoch', e.date_indexed) * 1000), round(date_part('epoch', e.date_updated) * 1000), o.path_key, o.pushed_from,
  tagged.tag_ids, ${otherNamesOf(sql)}`

type Values = { [K in keyof CatalogRow]: CatalogRow[K] }[keyof CatalogRow][]

/** The driver is quicker with lists of values than with objects, which it puts together one property after the other. */
function toRow(values: Values): CatalogRow {
  return {
    id: values[0],
    name: values[1],
    entry_type: values[2],
    category: values[3],
    variant_group_id: values[4],
    is_variant: values[5],
    status: values[6],
    pack_id: values[7],
    blob_size: values[8],
    preview_status: values[9],
    review_status: values[10],
    tri_count: values[11],
    vert_count: values[12],
    material_count: values[13],
    lod_count: values[14],
    has_collision: values[15],
    nanite_enabled: values[16],
    longest_edge: values[17],
    indexed_ms: values[18],
    updated_ms: values[19],
    path_key: values[20],
    pushed_from: values[21],
    tag_ids: values[22],
    other_names: values[23],
  } as CatalogRow
}

/** What belongs to an entry is looked up one by one (server/database/among.ts says why). */
async function selectCatalogRows(sql: Sql, workspaceId: number, which: Fragment): Promise<CatalogRow[]> {
  const found = await sql`
    select ${columns(sql)}
      from (select * from entries where workspace_id = ${workspaceId} ${which}) e
     cross join lateral (
       select found.pack_id, found.blob_size, found.preview_status, found.review_status, found.metadata, found.path_key, found.pushed_from
         from lineages l
         join objects found on found.workspace_id = l.workspace_id and found.id = l.face_object_id
        where l.workspace_id = ${workspaceId} and l.id = e.lineage_id offset 0) o
      left join lateral (
       select array_agg(x.tag_id) as tag_ids from entry_tags x
        where x.workspace_id = ${workspaceId} and x.entry_id = e.id offset 0) tagged on true
     order by e.id`.values()
  return found.map((values) => toRow(values as Values))
}

/** All entries of a large library, in no order, so many at a time. Whole tables are read once, which is sooner done than a million look-ups. */
export async function* readCatalogRows(sql: Sql, workspaceId: number, rows: number): AsyncGenerator<CatalogRow[]> {
  const batches = sql`
    select ${columns(sql)}
      from entries e
      join lineages l on l.workspace_id = ${workspaceId} and l.id = e.lineage_id
      join objects o on o.workspace_id = ${workspaceId} and o.id = l.face_object_id
      left join (
       select x.entry_id, array_agg(x.tag_id) as tag_ids from entry_tags x where x.workspace_id = ${workspaceId} group by x.entry_id
      ) tagged on tagged.entry_id = e.id
     where e.workspace_id = ${workspaceId}`
    .values()
    .cursor(rows)
    [Symbol.asyncIterator]()
  let coming = nextOf(batches)
  try {
    for (let batch = await coming; !batch.done; batch = await coming) {
      coming = nextOf(batches)
      yield batch.value.map((values) => toRow(values as Values))
    }
  } finally {
    // The batch that is on its way comes before the end.
    await coming.catch(() => {})
    await batches.return?.()
  }
}

/** A failure is thrown where it is waited for; until then someone has to have heard of it. */
function nextOf<T>(batches: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = Promise.resolve(batches.next())
  next.catch(() => {})
  return next
}
