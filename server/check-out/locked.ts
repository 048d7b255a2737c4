/** What a check-out stops (spec 4.4). */

import { ApiError } from '../../contract/errors.ts'
import type { Lock } from '../../contract/locks.ts'
import type { Context } from '../handler.ts'
import { type LockScope, selectActiveLocks } from '../rows/lock.ts'
import { whoReleases } from './holdings.ts'

export async function lockedError(scope: LockScope, lock: Lock): Promise<ApiError> {
  const message = lock.holder_left
    ? `${lock.holder.display_name} has left the workspace with this checked out until ${lock.expires_at}. ${await askWhom(scope)}`
    : `${lock.holder.display_name} has this checked out until ${lock.expires_at}.`
  return new ApiError('LOCKED', message, { holder: lock.holder, lock })
}

/** The same of several, none of which was checked out. */
export async function lockedErrorOfMany(scope: LockScope, locks: readonly Lock[]): Promise<ApiError> {
  const people = [
    ...new Set(locks.map(({ holder, holder_left }) => `${holder.display_name}${holder_left ? ', who has left' : ''}`)),
  ]
  const names = people.length > 3 ? `${people.slice(0, 3).join('; ')} and others` : people.join('; ')
  const ask = locks.some((lock) => lock.holder_left) ? ` ${await askWhom(scope)}` : ''
  const message = `${locks.length} of these are checked out already, by ${names}. None was checked out.${ask}`
  return new ApiError('LOCKED', message, {
    locked: locks.map((lock) => ({ lineage_id: lock.lineage_id, holder: lock.holder, lock })),
  })
}

/** For what is held by someone who cannot give it back any more. */
export async function askWhom({ sql, workspace }: LockScope): Promise<string> {
  const names = await whoReleases(sql, workspace.id)
  return `Ask an owner or admin to release it${names.length > 0 ? `: ${names.join(', ')}` : ''}.`
}

/** Moving a current version is for the holder, for admins, and for everyone where nobody holds it. The caller holds the lineage. */
export async function requireUnlocked(context: Context, lineageId: string): Promise<void> {
  const lock = (await selectActiveLocks(context, [lineageId])).get(lineageId)
  if (lock && lock.holder.id !== context.actor.id && context.actor.role !== 'admin') throw await lockedError(context, lock)
}
