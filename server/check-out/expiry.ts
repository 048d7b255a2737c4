/** Locks whose time is over: found by the clock, recorded once, whichever server comes first (spec 3). */

import type { Clock } from '../clock.ts'
import { amongIds } from '../database/among.ts'
import type { Database } from '../database/open.ts'
import { transact, type Writing } from '../database/transaction.ts'
import { Feed } from '../feed.ts'
import { holdLineages } from '../rows/hold.ts'
import { selectLocks } from '../rows/lock.ts'
import { endLocks } from './end.ts'
import { entriesOf } from './entries-of.ts'

/** Of one transaction: it holds their lineages against everyone else. */
const stepLocks = 200

/** The workspaces in which one is due: one look at an index. */
export async function selectWhereExpired({ sql }: Database, clock: Clock): Promise<number[]> {
  const workspaces = await sql<{ id: number }[]>`
    select distinct workspace_id as id from locks where ended_at is null and expires_at <= ${clock.now().toISOString()}`
  return workspaces.map(({ id }) => id)
}

interface Due {
  clock: Clock
  workspaceId: number
}

export async function recordExpiries({ sql }: Database, { clock, workspaceId }: Due): Promise<void> {
  for (;;) {
    const now = clock.now()
    const due = await sql<{ id: number; lineage_id: string }[]>`
      select id, lineage_id from locks
       where workspace_id = ${workspaceId} and ended_at is null and expires_at <= ${now.toISOString()} order by expires_at limit ${stepLocks}`
    // Each event names the holder as its actor.
    const writing = { sql, feed: new Feed(), workspace: { id: workspaceId }, actor: { id: 0 }, now }
    const recorded = due.length > 0 ? await transact(writing, (inside) => recordDue(inside, due)) : 0
    if (due.length < stepLocks || recorded === 0) return
  }
}

/** Says how many. Of those that are still open once their lineages are held: someone may have extended, released or recorded one meanwhile. */
async function recordDue(writing: Writing, due: readonly { id: number; lineage_id: string }[]): Promise<number> {
  const { sql, workspace, now } = writing
  await holdLineages(
    sql,
    workspace.id,
    due.map(({ lineage_id }) => lineage_id),
  )
  const ids = due.map(({ id }) => id)
  const locks = await selectLocks(
    writing,
    sql`and k.id ${amongIds(sql, ids)} and k.ended_at is null and k.expires_at <= ${now.toISOString()} order by k.expires_at, k.id`,
  )
  const entryOf = await entriesOf(writing, locks)
  await endLocks(
    writing,
    locks.map((lock) => ({ lock, entryId: entryOf.get(lock.lineage_id) ?? null })),
    { as: 'lock.expire' },
  )
  return locks.length
}
