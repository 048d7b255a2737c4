/** The only place that lists the columns of a lock. */

import type { Lock } from '../../contract/locks.ts'
import { amongTexts } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** Where locks are looked for, and at what moment: a lock is over at its end, whether or not someone has written that down (spec 3). */
export interface LockScope {
  sql: Sql
  workspace: { id: number }
  now: Date
}

/** k = locks. */
export const isActive = (sql: Sql, now: Date): Fragment => sql`(k.ended_at is null and k.expires_at > ${now.toISOString()})`

const timestamp = (sql: Sql, time: Fragment): Fragment =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The record as it is answered; k = locks, h = the member who holds it. */
export const lockRecord = (sql: Sql, now: Date): Fragment => sql`
  jsonb_build_object(
    'id', k.id, 'lineage_id', k.lineage_id,
    'holder', jsonb_build_object('id', h.id, 'name', h.name, 'display_name', h.display_name),
    'note', k.note, 'base_object_id', k.base_object_id,
    'created_at', ${timestamp(sql, sql`k.created_at`)}, 'expires_at', ${timestamp(sql, sql`k.expires_at`)},
    'released_at', ${timestamp(sql, sql`k.released_at`)}, 'active', ${isActive(sql, now)})
  || case when h.status = 'disabled' then '{"holder_left": true}'::jsonb else '{}'::jsonb end`

/** The active lock of lineage l, as column `lock` of alias `held`, or null. */
export const joinActiveLock = (sql: Sql, now: Date): Fragment => sql`
  left join lateral (
    select ${lockRecord(sql, now)} as lock
      from locks k join members h on h.workspace_id = k.workspace_id and h.id = k.holder_id
     where k.workspace_id = l.workspace_id and k.lineage_id = l.id and ${isActive(sql, now)}) held on true`

/** `tail` may use the alias k and begins with `and` or `order by`. */
export async function selectLocks({ sql, workspace, now }: LockScope, tail: Fragment): Promise<Lock[]> {
  const rows = await sql<{ lock: Lock }[]>`
    select ${lockRecord(sql, now)} as lock
      from locks k join members h on h.workspace_id = k.workspace_id and h.id = k.holder_id
     where k.workspace_id = ${workspace.id} ${tail}`
  return rows.map(({ lock }) => lock)
}

/** By lineage. */
export async function selectActiveLocks(scope: LockScope, lineageIds: Iterable<string>): Promise<Map<string, Lock>> {
  const { sql, now } = scope
  const found = await selectLocks(scope, sql`and k.lineage_id ${amongTexts(sql, new Set(lineageIds))} and ${isActive(sql, now)}`)
  return new Map(found.map((lock) => [lock.lineage_id, lock]))
}

/** The same records, each with the active lock of its lineage. */
export async function withLocks<R extends { lineage_id: string }>(
  scope: LockScope,
  records: readonly R[],
): Promise<(R & { lock: Lock | null })[]> {
  const locks = await selectActiveLocks(
    scope,
    records.map(({ lineage_id }) => lineage_id),
  )
  return records.map((record) => ({ ...record, lock: locks.get(record.lineage_id) ?? null }))
}
