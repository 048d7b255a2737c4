/** What is wanted: previews still to be made, and thumbnails that are missing or asked for anew (spec 4.9; contract-gaps 5, 7). */

import { previewTypes } from '../../contract/media.ts'
import type { Fragment, Sql } from '../database/sql.ts'

interface QueueItem {
  entry_id: number
  object_id: number
  name: string
  entry_type: string
  origin_path: string | null
  asset_name: string | null
}

/** Active entries with their current versions. */
const current = (sql: Sql, workspaceId: number) => sql`
  entries e
  join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
  join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
 where e.workspace_id = ${workspaceId} and e.status = 'active'`

const columns = (sql: Sql) => sql`e.id as entry_id, o.id as object_id, e.name, e.entry_type, o.origin_path, o.asset_name`

interface PreviewPage {
  entryTypes: string[]
  limit: number
}
interface ThumbnailPage {
  after: number
  limit: number
}

/** In entry id order. */
export const previewPage = (sql: Sql, workspaceId: number, { entryTypes, limit }: PreviewPage): Fragment => sql`
  select ${columns(sql)}, o.content_hash from ${current(sql, workspaceId)} and e.wants_preview and e.entry_type = any(${entryTypes})
   order by e.id limit ${limit}`

/** In entry id order. */
export const thumbnailPage = (sql: Sql, workspaceId: number, { after, limit }: ThumbnailPage): Fragment => sql`
  select ${columns(sql)}, o.thumbnail_artifact_id is not null as has_thumbnail
    from ${current(sql, workspaceId)} and e.wants_thumbnail and e.id > ${after}
   order by e.id limit ${limit}`

export async function selectPreviewQueue(sql: Sql, workspaceId: number, page: PreviewPage) {
  return sql<(QueueItem & { content_hash: string })[]>`${previewPage(sql, workspaceId, page)}`
}

/** `pending` counts what the preview queue holds; the others count every entry type. */
export async function selectPreviewStats(sql: Sql, workspaceId: number) {
  const rows = await sql<{ preview_status: string; entry_type: string; count: number }[]>`
    select o.preview_status, e.entry_type, count(*)::int as count from ${current(sql, workspaceId)}
     group by o.preview_status, e.entry_type order by e.entry_type`
  const perType = (status: string) =>
    Object.fromEntries(rows.filter((row) => row.preview_status === status).map((row) => [row.entry_type, row.count]))
  const waiting = Object.entries(perType('none')).filter(([type]) => previewTypes.some((known) => known === type))
  return {
    pending: Object.fromEntries(waiting),
    ready: perType('ready'),
    unavailable: perType('unavailable'),
    total_pending: waiting.reduce((sum, [, count]) => sum + count, 0),
  }
}

type ThumbnailItem = QueueItem & { has_thumbnail: boolean }

/** `total` counts the whole queue, whatever `after` says; at the moment of the page. */
export async function selectThumbnailQueue(sql: Sql, workspaceId: number, page: ThumbnailPage) {
  const rows = await sql<({ total: number } & (ThumbnailItem | { entry_id: null }))[]>`
    select queue.total, page.* from (${thumbnailTotal(sql, workspaceId)}) queue
      left join (${thumbnailPage(sql, workspaceId, page)}) page on true order by page.entry_id`
  const items = rows.flatMap(({ total: _total, ...item }) => (item.entry_id === null ? [] : [item]))
  return { items, total: rows[0]?.total ?? 0 }
}

export const thumbnailTotal = (sql: Sql, workspaceId: number): Fragment => sql`
  select count(*)::int as total from entries where workspace_id = ${workspaceId} and status = 'active' and wants_thumbnail`
