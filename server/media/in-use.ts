/** Puts finished media to use: the version shows them from now on, and those before stay reachable by their id (spec 4.9). */
import type { MediaKind } from '../../contract/media.ts'
import type { Context } from '../handler.ts'
import type { MediaInUse } from '../rows/artifact.ts'
import { updateWants } from './awaited-media.ts'

export interface NewMedia {
  inUse: MediaInUse
  artifactId: number
  kind: MediaKind
}

type Using = Pick<Context, 'sql' | 'feed'> & { workspace: Pick<Context['workspace'], 'id'> }

/** Of several files of one kind for one version, the last one is used. A new thumbnail answers every wish for one. */
export async function putToUse({ sql, workspace, feed }: Using, media: readonly NewMedia[]): Promise<void> {
  const thumbnails = media.filter((one) => one.kind === 'thumbnail').map(toRow)
  const previews = media.filter((one) => one.kind !== 'thumbnail').map(toRow)
  if (thumbnails.length > 0)
    await sql`
    update objects o set thumbnail_artifact_id = r.artifact_id, refresh_requested_at = null
      from jsonb_to_recordset(${sql.json(lastPerVersion(thumbnails))}) as r(object_id bigint, artifact_id bigint)
     where o.workspace_id = ${workspace.id} and o.id = r.object_id`
  if (previews.length > 0)
    await sql`
    update objects o set preview_artifact_id = r.artifact_id, preview_status = 'ready', preview_kind = r.kind
      from jsonb_to_recordset(${sql.json(lastPerVersion(previews))}) as r(object_id bigint, artifact_id bigint, kind text)
     where o.workspace_id = ${workspace.id} and o.id = r.object_id`
  await updateWants(
    sql,
    workspace.id,
    media.map(({ inUse }) => inUse.entry_id),
  )
  for (const { inUse } of media)
    feed.changed({ entity: 'entry', entityId: inUse.entry_id, lineageId: inUse.lineage_id, op: 'upsert' })
}

/** There can be no preview of these current versions. */
export async function markUnavailable({ sql, workspace, feed }: Using, versions: readonly MediaInUse[]): Promise<void> {
  const changed = versions.filter(({ preview_status }) => preview_status !== 'unavailable')
  if (changed.length === 0) return
  await sql`
    update objects set preview_status = 'unavailable', preview_kind = null, preview_artifact_id = null
     where workspace_id = ${workspace.id} and id = any(${changed.map(({ object_id }) => object_id)})`
  await updateWants(
    sql,
    workspace.id,
    changed.map(({ entry_id }) => entry_id),
  )
  for (const { entry_id, lineage_id } of changed)
    feed.changed({ entity: 'entry', entityId: entry_id, lineageId: lineage_id, op: 'upsert' })
}

const toRow = ({ inUse, artifactId, kind }: NewMedia) => ({ object_id: inUse.object_id, artifact_id: artifactId, kind })
type Row = ReturnType<typeof toRow>

const lastPerVersion = (rows: Row[]): Row[] => [...new Map(rows.map((row) => [row.object_id, row])).values()]
