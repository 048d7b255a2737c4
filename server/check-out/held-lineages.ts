/** Lineages that someone is about to check out or to give back: held against everyone else, and read after that. */

import type { Lock, RadarLineage } from '../../contract/locks.ts'
import { lookupTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { lineagesNotFound } from '../rows/lineage.ts'
import { type LockScope, lockRecord } from '../rows/lock.ts'
import type { Version } from '../rows/version.ts'

/** A lineage with its current version, its entry, and the lock on it that nobody has ended yet; its time may be over. */
export interface HeldLineage extends Version {
  entry_id: number | null
  entry_name: string | null
  review_status: RadarLineage['review_status']
  lock: Lock | null
}

/** In the order in which they were asked for. LINEAGE_NOT_FOUND with every unknown one. */
export async function requireLineages(scope: LockScope, ids: readonly string[]): Promise<HeldLineage[]> {
  const found = await selectLineages(scope, ids)
  const byId = new Map(found.map((lineage) => [lineage.lineage_id, lineage]))
  const missing = ids.filter((id) => !byId.has(id))
  if (missing.length > 0) throw lineagesNotFound(missing)
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const selectLineages = ({ sql, workspace, now }: LockScope, ids: readonly string[]): PromiseLike<HeldLineage[]> =>
  sql<HeldLineage[]>`
    select found.*, open.lock from ${lookupTexts(sql, ids)}
     cross join lateral (
       select l.id as lineage_id, e.id as entry_id, e.name as entry_name, o.id as object_id, o.content_hash, o.blob_size, o.asset_class,
              o.asset_name, o.origin_path, o.source_ext, o.review_status
         from lineages l
         join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
         left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
        where l.workspace_id = ${workspace.id} and l.id = lookup.key offset 0) found
      left join lateral (${openLock(sql, { workspaceId: workspace.id, now })}) open on true`

/** Of `lookup.key`. */
const openLock = (sql: Sql, { workspaceId, now }: { workspaceId: number; now: Date }) => sql`
  select ${lockRecord(sql, now)} as lock
    from locks k join members h on h.workspace_id = k.workspace_id and h.id = k.holder_id
   where k.workspace_id = ${workspaceId} and k.lineage_id = lookup.key and k.ended_at is null offset 0`
