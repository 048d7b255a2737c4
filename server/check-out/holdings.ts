/** What members have in their hands: check-outs, which stop everyone else until they end, rounds and jobs. And giving it back for one who left. */
import { randomId } from '../clock.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { transact, type Writing } from '../database/transaction.ts'
import { holdLineagesOf } from '../rows/hold.ts'
import { isActive, type LockScope, selectLocks } from '../rows/lock.ts'
import { endLocks } from './end.ts'
import { entriesOf } from './entries-of.ts'

export interface Holdings {
  checkOuts: number
  /** Of them those that end last, 20 at most: name of the entry or the file, and when it ends. */
  shown: { name: string; entryId: number | null; expiresAt: string }[]
  /** Open review rounds that wait for an answer of theirs. */
  toAnswer: number
  /** Open review rounds that they asked for. */
  requested: number
  /** Pull jobs that they carry out; their claims lapse by themselves. */
  jobs: number
}

const mostShown = 20

/** By member. Who has nothing in their hands is left out. */
export async function holdingsOf(
  { sql, workspace: { id }, now }: LockScope,
  memberIds: readonly number[],
): Promise<Map<number, Holdings>> {
  const rows = await sql<{ id: number; check_outs: number; to_answer: number; requested: number; jobs: number }[]>`
    select * from (
      select m.id,
             (select count(*) from locks k
               where k.workspace_id = m.workspace_id and k.holder_id = m.id and ${isActive(sql, now)})::int as check_outs,
             (select count(*) from review_reviewers r
               where r.workspace_id = m.workspace_id and r.member_id = m.id and r.is_waiting)::int as to_answer,
             (select count(*) from review_requests q
               where q.workspace_id = m.workspace_id and q.requested_by = m.id and q.status = 'open')::int as requested,
             (select count(*) from pull_jobs j
               where j.workspace_id = m.workspace_id and j.claimed_by = m.id and j.status in ('claimed', 'running')
                 and j.lease_expires_at > ${now.toISOString()})::int as jobs
        from members m where m.workspace_id = ${id} and m.id ${amongIds(sql, memberIds)}) held
     where check_outs + to_answer + requested + jobs > 0`
  const found = new Map<number, Holdings>()
  for (const { id: memberId, check_outs: checkOuts, to_answer: toAnswer, ...counts } of rows) {
    const shown = checkOuts > 0 ? await selectShown({ sql, workspace: { id }, now }, memberId) : []
    const { requested, jobs } = counts
    found.set(memberId, { checkOuts, shown, toAnswer, requested, jobs })
  }
  return found
}

const selectShown = ({ sql, workspace, now }: LockScope, memberId: number): Promise<Holdings['shown']> =>
  sql<{ name: string; entry_id: number | null; expires_at: Date }[]>`
    select coalesce(e.name, o.asset_name, k.lineage_id) as name, e.id as entry_id, k.expires_at
      from locks k join lineages l on l.workspace_id = k.workspace_id and l.id = k.lineage_id
      left join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
      left join entries e on e.workspace_id = k.workspace_id and e.lineage_id = k.lineage_id
     where k.workspace_id = ${workspace.id} and k.holder_id = ${memberId} and ${isActive(sql, now)}
     order by k.expires_at desc, k.id limit ${mostShown}`.then((rows) =>
    rows.map(({ name, entry_id: entryId, expires_at: at }) => ({ name, entryId, expiresAt: at.toISOString() })),
  )

/** Of one transaction: it holds their lineages against everyone else. */
const stepLocks = 200

export interface Leaver {
  id: number
  displayName: string
}

/**
 * Releases every check-out of someone who was disabled, and says how many. `writing`: the pool, and who does it; undefined is the
 * operator, who is no member: then the events name the holder.
 */
export async function releaseAllOf(
  writing: Omit<Writing, 'actor'> & { actor: { id: number } | undefined },
  { id: memberId, displayName }: Leaver,
): Promise<number> {
  const batchKey = randomId('locks')
  const reason = `${displayName} was disabled.`
  const context = { ...writing, actor: writing.actor ?? { id: memberId } }
  let released = 0
  for (;;) {
    const step = await transact(context, async (inside) => {
      const locks = await holdAllOf(inside, memberId)
      const entryOf = await entriesOf(inside, locks)
      const endings = locks.map((lock) => ({ lock, entryId: entryOf.get(lock.lineage_id) ?? null }))
      await endLocks(inside, endings, { as: 'lock.release', reason, batchKey })
      return locks.length
    })
    released += step
    if (step < stepLocks) return released
  }
}

/** Up to a step of them, read once their lineages are held. */
async function holdAllOf({ sql, workspace, now }: LockScope, memberId: number) {
  const theirs = openOf({ sql, workspace, now }, memberId)
  await holdLineagesOf(sql, workspace.id, sql`select lineage_id from locks k where k.workspace_id = ${workspace.id} ${theirs}`)
  return selectLocks({ sql, workspace, now }, theirs)
}

const openOf = ({ sql, now }: LockScope, memberId: number) => sql`
  and k.holder_id = ${memberId} and ${isActive(sql, now)} order by k.id limit ${stepLocks}`

/** Names of up to three owners and admins, who may release what others have checked out. */
export async function whoReleases(sql: Sql, workspaceId: number): Promise<string[]> {
  const rows = await sql<{ display_name: string }[]>`
    select display_name from members where workspace_id = ${workspaceId} and role in ('owner', 'admin') and status = 'active'
     order by kind = 'api', role = 'admin', id limit 3`
  return rows.map((row) => row.display_name)
}
