/**
 * What a check found is written down, so that it is repaired: pushes are asked for the bytes of damaged versions, and clients that have
 * pushed them before hear of it by the change feed; damaged pictures and previews go out of use, so that new ones are made.
 */

import type { Operator } from '../../../contract/operator.ts'
import type { DamagedFile } from '../../../contract/operator-files.ts'
import type { InputOf } from '../../../contract/route.ts'
import { amongIds } from '../../database/among.ts'
import type { Sql } from '../../database/sql.ts'
import { transact } from '../../database/transaction.ts'
import { Feed } from '../../feed.ts'
import type { OperatorContext } from '../../handler.ts'
import { updateWants } from '../../media/awaited-media.ts'
import { holdLineages } from '../../rows/hold.ts'
import { damagedAmong, noteDamaged, noteSums, noteWhole } from '../../storage/damaged-files.ts'
import { readKey } from '../../storage/storage.ts'

type Judged = InputOf<Operator['file']['judge']>

/** A damaged file that a row names. */
interface Named extends DamagedFile {
  workspace_id: number
  object_id: number | null
  artifact_id: number | null
  lineage_id: string | null
}

export async function judge(
  { sql, now }: Pick<OperatorContext, 'sql' | 'now'>,
  judged: Judged,
): Promise<{ damaged: DamagedFile[] }> {
  if (judged.whole.length > 0) await noteWhole(sql, judged.whole)
  if (judged.sums.length > 0) await noteSums(sql, judged.sums)
  const named = judged.damaged.length === 0 ? [] : await selectNamed(sql, judged.damaged)
  for (const [workspaceId, own] of Map.groupBy(named, (one) => one.workspace_id)) {
    const parts = { sql, now, feed: new Feed(), workspace: { id: workspaceId }, actor: { id: 0 } }
    await transact(parts, (inside) => writeDown(inside, own))
  }
  return { damaged: named.map(toAnswer) }
}

/** What they belong to; nothing is written down. */
export async function nameDamaged(sql: Sql, damaged: Judged['damaged']): Promise<{ damaged: DamagedFile[] }> {
  return { damaged: damaged.length === 0 ? [] : (await selectNamed(sql, damaged)).map(toAnswer) }
}

interface Writing {
  sql: Sql
  now: Date
  feed: Feed
  workspace: { id: number }
}

async function writeDown({ sql, now, feed, workspace }: Writing, found: readonly Named[]): Promise<void> {
  const known = await damagedAmong(
    sql,
    workspace.id,
    found.map(({ key }) => key),
  )
  await noteDamaged(sql, found, now)
  const news = found.filter(({ key }) => !known.has(key))
  const versions = news.flatMap(({ kind, object_id, lineage_id }) =>
    kind === 'version' && object_id !== null ? [{ object_id, lineage_id }] : [],
  )
  for (const { object_id, lineage_id } of versions)
    feed.changed({ entity: 'object', entityId: object_id, lineageId: lineage_id, op: 'upsert' })
  const pictures = news.flatMap(({ artifact_id }) => artifact_id ?? [])
  if (pictures.length === 0) return
  await holdLineages(sql, workspace.id, [...new Set(news.flatMap((one) => one.lineage_id ?? []))])
  await takeOutOfUse({ sql, feed, workspace }, pictures)
}

/** The version then has no picture, or no preview, and lists of what is wanted name it. */
async function takeOutOfUse({ sql, feed, workspace }: Omit<Writing, 'now'>, artifactIds: readonly number[]): Promise<void> {
  const thumbnails = await sql<{ id: number; lineage_id: string }[]>`
    update objects set thumbnail_artifact_id = null
     where workspace_id = ${workspace.id} and thumbnail_artifact_id ${amongIds(sql, artifactIds)} returning id, lineage_id`
  const previews = await sql<{ id: number; lineage_id: string }[]>`
    update objects set preview_artifact_id = null, preview_kind = null, preview_status = 'none'
     where workspace_id = ${workspace.id} and preview_artifact_id ${amongIds(sql, artifactIds)} returning id, lineage_id`
  const versions = [...thumbnails, ...previews]
  for (const { id, lineage_id } of versions) feed.changed({ entity: 'object', entityId: id, lineageId: lineage_id, op: 'upsert' })
  const entries = await sql<{ id: number; lineage_id: string }[]>`
    select e.id, e.lineage_id from entries e
      join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
     where e.workspace_id = ${workspace.id} and l.face_object_id ${amongIds(
       sql,
       versions.map(({ id }) => id),
     )}`
  await updateWants(
    sql,
    workspace.id,
    entries.map(({ id }) => id),
  )
  feed.entriesChanged(entries)
}

/** Those whose rows are gone meanwhile are no damage. */
async function selectNamed(sql: Sql, damaged: Judged['damaged']): Promise<Named[]> {
  const rows = damaged.map(({ key, damage }) => {
    const { workspaceId: workspace_id, contentHash = null, artifactId = null, attachmentFileId = null } = readKey(key)
    return { key, damage, workspace_id, content_hash: contentHash, artifact_id: artifactId, file_id: attachmentFileId }
  })
  return sql<Named[]>`
    select r.key, r.damage, w.slug as workspace, r.workspace_id,
           case when o.id is not null then 'version' when a.kind = 'thumbnail' then 'thumbnail'
                when a.id is not null then 'preview' else 'attachment' end as kind,
           coalesce(o.asset_name, p.asset_name, case when t.id is not null then 'attachment ' || t.id end, 'without a name') as name,
           coalesce(o.origin_path, p.origin_path) as origin_path, o.content_hash as sha256,
           coalesce(o.id, p.id) as object_id, coalesce(o.lineage_id, p.lineage_id) as lineage_id, a.id as artifact_id
      from jsonb_to_recordset(${sql.json(rows)})
           as r(key text, damage text, workspace_id bigint, content_hash text, artifact_id bigint, file_id bigint)
      join workspaces w on w.id = r.workspace_id
      left join objects o on o.workspace_id = r.workspace_id and o.content_hash = r.content_hash
      left join artifacts a on a.workspace_id = r.workspace_id and a.id = r.artifact_id
      left join objects p on p.workspace_id = a.workspace_id and p.id = a.object_id
      left join attachments t on t.workspace_id = r.workspace_id and r.file_id in (t.id, t.strokes_id)
     where o.id is not null or a.id is not null or t.id is not null`
}

const toAnswer = ({ key, damage, workspace, kind, name, origin_path, sha256 }: Named): DamagedFile => ({
  key,
  damage,
  workspace,
  kind,
  name,
  origin_path,
  sha256,
})
