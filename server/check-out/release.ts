/** Gives check-outs back, all of them or none (spec 4.4; contract-gaps 9). */

import { ApiError } from '../../contract/errors.ts'
import type { Lock } from '../../contract/locks.ts'
import { randomId } from '../clock.ts'
import { amongIds } from '../database/among.ts'
import type { Context } from '../handler.ts'
import { holdLineagesOf } from '../rows/hold.ts'
import { selectLocks } from '../rows/lock.ts'
import { endLocks } from './end.ts'
import { entriesOf } from './entries-of.ts'
import { askWhom } from './locked.ts'

/** Says how many were active. NOT_FOUND with every unknown one; FORBIDDEN where one is another person's, unless an admin asks. */
export async function releaseLocks(context: Context, lockIds: readonly number[]): Promise<number> {
  const { sql, workspace, actor } = context
  const ids = [...new Set(lockIds)]
  await holdLineagesOf(
    sql,
    workspace.id,
    sql`select lineage_id from locks where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`,
  )
  const locks = await selectLocks(context, sql`and k.id ${amongIds(sql, ids)} order by k.id`)
  const found = new Set(locks.map(({ id }) => id))
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length > 0)
    throw new ApiError('NOT_FOUND', `There is no lock ${missing.slice(0, 10).join(', ')} in this workspace.`, { missing })
  const others = locks.filter(({ holder }) => holder.id !== actor.id)
  const [other] = others
  if (other && actor.role !== 'admin')
    throw new ApiError('FORBIDDEN', await notYours(context, other), { lock_ids: others.map(({ id }) => id) })
  const active = locks.filter((lock) => lock.active)
  const entryOf = await entriesOf(context, active)
  const batchKey = active.length > 1 ? randomId('locks') : null
  await endLocks(
    context,
    active.map((lock) => ({ lock, entryId: entryOf.get(lock.lineage_id) ?? null })),
    { as: 'lock.release', batchKey },
  )
  return active.length
}

const notYours = async (context: Context, { holder, holder_left }: Lock): Promise<string> =>
  holder_left
    ? `${holder.display_name}, who has it checked out, has left the workspace. ${await askWhom(context)}`
    : `Only ${holder.display_name}, who has it checked out, or an admin may release that.`
