/** The end of a lock: released, or over by itself. The caller holds the lineages, and has read the locks after that. */

import type { Lock } from '../../contract/locks.ts'
import { amongIds } from '../database/among.ts'
import type { Writing } from '../database/transaction.ts'

/** A lock with what its record in the activity names. */
export interface Ending {
  lock: Lock
  entryId: number | null
}

interface How {
  as: 'lock.release' | 'lock.expire'
  /** Why an admin took it from its holder. */
  reason?: string | undefined
  batchKey?: string | null
}

export async function endLocks({ sql, feed, workspace, now }: Writing, endings: readonly Ending[], how: How): Promise<void> {
  if (endings.length === 0) return
  const at = now.toISOString()
  const isRelease = how.as === 'lock.release'
  const ids = endings.map(({ lock }) => lock.id)
  await sql`
    update locks set ended_at = ${at}, released_at = ${isRelease ? at : null}
     where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`
  for (const { lock, entryId } of endings) {
    const { id, lineage_id: lineageId, holder, base_object_id: objectId, expires_at } = lock
    feed.changed({ entity: 'lock', entityId: id, lineageId, op: 'upsert' })
    feed.happened({
      type: how.as,
      entryId,
      lineageId,
      objectId,
      batchKey: how.batchKey ?? null,
      payload: { lock_id: id, holder_id: holder.id, expires_at, ...(how.reason === undefined ? {} : { reason: how.reason }) },
      // An expiry is nobody's doing: it is told of the one whose check-out it was.
      ...(isRelease ? {} : { actorId: holder.id }),
    })
  }
}
