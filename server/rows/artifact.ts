/** The only list of the columns of media files, and of the media that versions use. */

import { ApiError } from '../../contract/errors.ts'
import type { MediaKind } from '../../contract/media.ts'
import type { Sql } from '../database/sql.ts'
import { holdEntries } from './hold.ts'
import { notCurrentOrUnknown } from './version.ts'

export interface Artifact {
  id: number
  object_id: number
  kind: MediaKind
  size: number | null
  finished_at: Date | null
}

/** Unknown ids are left out. */
export async function selectArtifacts(sql: Sql, workspaceId: number, ids: number[]): Promise<Artifact[]> {
  return sql<Artifact[]>`
    select id, object_id, kind, size, finished_at from artifacts where workspace_id = ${workspaceId} and id = any(${ids})`
}

/** An entry's current version and the media it uses. */
export interface MediaInUse {
  entry_id: number
  lineage_id: string
  object_id: number
  thumbnail_artifact_id: number | null
  preview_artifact_id: number | null
  preview_status: string
  preview_kind: MediaKind | null
}

/** Unknown entries are left out. `hold` keeps their current versions current until the transaction ends. */
export async function selectMediaInUse(
  sql: Sql,
  workspaceId: number,
  { entryIds, hold }: { entryIds: number[]; hold: boolean },
): Promise<MediaInUse[]> {
  if (hold) await holdEntries(sql, workspaceId, entryIds)
  return sql<MediaInUse[]>`
    select e.id as entry_id, e.lineage_id, o.id as object_id, o.thumbnail_artifact_id, o.preview_artifact_id, o.preview_status, o.preview_kind
      from entries e
      join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
      join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
     where e.workspace_id = ${workspaceId} and e.id = any(${entryIds})`
}

export interface VersionOf {
  entry_id: number
  object_id: number
}

/**
 * What the entries use, in the order of `versions`, each of which must name the entry's current version (spec 4.9):
 * else ENTRY_NOT_FOUND, OBJECT_NOT_FOUND, or CONFLICT with the version that is current now.
 */
export async function requireCurrent(
  sql: Sql,
  workspaceId: number,
  { versions, hold }: { versions: readonly VersionOf[]; hold: boolean },
): Promise<MediaInUse[]> {
  const entryIds = [...new Set(versions.map((version) => version.entry_id))]
  const rows = await selectMediaInUse(sql, workspaceId, { entryIds, hold })
  const byEntry = new Map(rows.map((row) => [row.entry_id, row]))
  const missing = entryIds.filter((id) => !byEntry.has(id))
  const found: MediaInUse[] = []
  for (const { entry_id, object_id } of versions) {
    const inUse = byEntry.get(entry_id)
    if (!inUse) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${entry_id} in this workspace.`, { missing })
    if (inUse.object_id !== object_id) {
      const { object_id: currentId } = inUse
      throw await notCurrentOrUnknown(sql, workspaceId, { entryId: entry_id, currentId, objectId: object_id })
    }
    found.push(inUse)
  }
  return found
}
