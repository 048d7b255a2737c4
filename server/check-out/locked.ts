/** What a check-out stops (spec 4.4). */

import { ApiError } from '../../contract/errors.ts'
import type { Lock } from '../../contract/locks.ts'
import type { Context } from '../handler.ts'
import { selectActiveLocks } from '../rows/lock.ts'

export const lockedError = (lock: Lock): ApiError =>
  new ApiError('LOCKED', `${lock.holder.display_name} has this checked out until ${lock.expires_at}.`, {
    holder: lock.holder,
    lock,
  })

/** Moving a current version is for the holder, for admins, and for everyone where nobody holds it. The caller holds the lineage. */
export async function requireUnlocked(context: Context, lineageId: string): Promise<void> {
  const lock = (await selectActiveLocks(context, [lineageId])).get(lineageId)
  if (lock && lock.holder.id !== context.actor.id && context.actor.role !== 'admin') throw lockedError(lock)
}
