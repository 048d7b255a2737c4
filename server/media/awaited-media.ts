/** What entries wait for, a thumbnail or a preview. Who changes a current version or its media has it weighed anew. */

import { previewTypes } from '../../contract/media.ts'
import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** Whether an entry of this type wants a preview as long as there is none. */
export const isPreviewed = (sql: Sql, entryType: Fragment): Fragment => sql`${entryType} = any(${[...previewTypes]}::text[])`

/** The caller holds the entries' lineages. */
export async function updateWants(sql: Sql, workspaceId: number, entryIds: readonly number[]): Promise<void> {
  if (entryIds.length === 0) return
  await sql`
    update entries e set wants_thumbnail = w.thumbnail, wants_preview = w.preview
      from (select e.id, o.thumbnail_artifact_id is null or o.refresh_requested_at is not null as thumbnail,
                   o.preview_status = 'none' and ${isPreviewed(sql, sql`e.entry_type`)} as preview
              from entries e
              join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
              join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
             where e.workspace_id = ${workspaceId} and e.id ${amongIds(sql, new Set(entryIds))}) w
     where e.workspace_id = ${workspaceId} and e.id = w.id
       and (e.wants_thumbnail, e.wants_preview) is distinct from (w.thumbnail, w.preview)`
}
