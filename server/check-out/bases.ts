/** The versions that holders of check-outs work from: they move, and may be deleted for good (spec 3 and 4.12). */

import { amongIds, amongTexts } from '../database/among.ts'
import type { Writing } from '../database/transaction.ts'

/** The actor made another version of lineages current, or pushed one: where it is their own check-out, they work from that one now. */
export async function moveBases(context: Writing, objectOf: ReadonlyMap<string, number>): Promise<void> {
  const { sql, workspace, actor, now, feed } = context
  if (objectOf.size === 0) return
  const moved = await sql<{ id: number; lineage_id: string }[]>`
    update locks k set base_object_id = r.object_id
      from unnest(${[...objectOf.keys()]}::text[], ${[...objectOf.values()]}::bigint[]) as r (lineage_id, object_id)
     where k.workspace_id = ${workspace.id} and k.lineage_id = r.lineage_id and k.holder_id = ${actor.id}
       and k.ended_at is null and k.expires_at > ${now.toISOString()}
    returning k.id, k.lineage_id`
  for (const { id, lineage_id } of moved) feed.changed({ entity: 'lock', entityId: id, lineageId: lineage_id, op: 'upsert' })
}

interface Gone {
  /** Lineages of which nothing is left. */
  lineageIds: readonly string[]
  versions: readonly { id: number; lineage_id: string }[]
}

/** With a lineage go its locks; a lock whose lineage stays has no base any more where that version is gone. The caller holds the lineages. */
export async function forgetLocks({ sql, workspace, feed }: Writing, { lineageIds, versions }: Gone): Promise<void> {
  const deleted = await sql<{ id: number; lineage_id: string }[]>`
    delete from locks where workspace_id = ${workspace.id} and lineage_id ${amongTexts(sql, lineageIds)} returning id, lineage_id`
  for (const { id, lineage_id } of deleted) feed.changed({ entity: 'lock', entityId: id, lineageId: lineage_id, op: 'delete' })
  const touched = new Set(versions.map(({ lineage_id }) => lineage_id))
  const ids = versions.map(({ id }) => id)
  const baseless = await sql<{ id: number; lineage_id: string }[]>`
    update locks set base_object_id = null
     where workspace_id = ${workspace.id} and lineage_id ${amongTexts(sql, touched)} and base_object_id ${amongIds(sql, ids)}
    returning id, lineage_id`
  for (const { id, lineage_id } of baseless) feed.changed({ entity: 'lock', entityId: id, lineageId: lineage_id, op: 'upsert' })
}
