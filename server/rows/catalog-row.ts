/** The only place that lists what the catalog index holds of an entry: narrow rows, read by the ten thousand. */
import type { EntrySummary } from '../../contract/entries.ts'
import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/open.ts'
import { isVariant, reviewStatus } from './entry.ts'

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
  /** Milliseconds since 1970. */
  indexed_ms: number
  updated_ms: number
  /** Null: none. */
  tag_ids: number[] | null
}

/** The entries after one id, up to another, in the order of their ids. */
export const selectCatalogRange = (sql: Sql, workspaceId: number, { after, upTo }: { after: number; upTo: number }) =>
  selectCatalogRows(sql, workspaceId, sql`and id > ${after} and id <= ${upTo} order by id`)

/** Unknown ids are left out. */
export const selectCatalogRowsOf = (sql: Sql, workspaceId: number, ids: readonly number[]) =>
  selectCatalogRows(sql, workspaceId, sql`and id ${amongIds(sql, ids)} order by id`)

/** What belongs to an entry is looked up one by one (server/database/among.ts says why). */
function selectCatalogRows(sql: Sql, workspaceId: number, which: Fragment): PromiseLike<CatalogRow[]> {
  return sql<CatalogRow[]>`
    select e.id, e.name, e.entry_type, e.category, e.variant_group_id, ${isVariant(sql)} as is_variant, e.status,
           o.pack_id, o.blob_size, o.preview_status, ${reviewStatus(sql)} as review_status,
           (o.metadata->>'tri_count')::float8 as tri_count, (o.metadata->>'vert_count')::float8 as vert_count,
           (o.metadata->>'material_count')::float8 as material_count, (o.metadata->>'lod_count')::float8 as lod_count,
           (o.metadata->>'has_collision')::boolean as has_collision, (o.metadata->>'nanite_enabled')::boolean as nanite_enabled,
           greatest((o.metadata->>'bounds_x')::float8, (o.metadata->>'bounds_y')::float8, (o.metadata->>'bounds_z')::float8)
             as longest_edge,
           round(date_part('epoch', e.date_indexed) * 1000) as indexed_ms,
           round(date_part('epoch', e.date_updated) * 1000) as updated_ms, tagged.tag_ids
      from (select * from entries where workspace_id = ${workspaceId} ${which}) e
     cross join lateral (
       select found.pack_id, found.blob_size, found.preview_status, found.metadata
         from lineages l
         join objects found on found.workspace_id = l.workspace_id and found.id = l.face_object_id
        where l.workspace_id = ${workspaceId} and l.id = e.lineage_id offset 0) o
      left join lateral (
       select array_agg(x.tag_id) as tag_ids from entry_tags x
        where x.workspace_id = ${workspaceId} and x.entry_id = e.id offset 0) tagged on true
     order by e.id`
}
