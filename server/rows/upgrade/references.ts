/** How far a library of before migration 38 is brought to the references and level sets of now: background work, in small steps that go on after a kill. */

import type { ReferenceUpgrade } from '../../../contract/operator-files.ts'
import type { Clock } from '../../clock.ts'
import type { Sql } from '../../database/sql.ts'
import { transact, type Writing } from '../../database/transaction.ts'
import { Feed } from '../../feed.ts'
import { lockWorkspace } from '../hold.ts'
import { type Upgraded, upgradeLineages } from './lineages.ts'

/** Of one step, which is one transaction. */
const stepVersions = 200
/** Of one look, which comes every four seconds. */
const lookMs = 3_000

/** Where something waits; mostly nowhere. */
export async function selectWhereUpgrading(sql: Sql): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`select workspace_id as id from reference_upgrades where ended_at is null order by 1`
  return rows.map(({ id }) => id)
}

/** Some of it; the rest comes with the next looks. Requests, and other work of the server, have their turn between two steps. */
export async function upgradeReferences(
  { sql }: { sql: Sql },
  { clock, workspaceId }: { clock: Clock; workspaceId: number },
): Promise<void> {
  const endMs = performance.now() + lookMs
  let isMore = true
  while (isMore && performance.now() < endMs) isMore = await upgradeSome(sql, { workspaceId, now: clock.now() })
}

/** Whether more may wait. */
function upgradeSome(sql: Sql, { workspaceId, now }: { workspaceId: number; now: Date }): Promise<boolean> {
  const writing = { sql, feed: new Feed(), workspace: { id: workspaceId }, actor: { id: 0 }, now }
  return transact(writing, async (inside) => {
    await lockWorkspace(inside.sql, workspaceId)
    const [state] = await selectWaiting(inside.sql, workspaceId)
    if (!state) return false
    const next = await selectNext(inside.sql, workspaceId, state.done_until)
    const ids = next.length > 0 ? next : await selectNext(inside.sql, workspaceId, '')
    await note(inside, await upgradeLineages(inside, ids), { until: ids.at(-1) ?? '', isLast: ids.length === 0 })
    return ids.length > 0
  })
}

const selectWaiting = (sql: Sql, workspaceId: number) => sql<{ done_until: string }[]>`
  select done_until from reference_upgrades where workspace_id = ${workspaceId} and ended_at is null`

/** References may still be without their paths. */
export const isUpgrading = async (sql: Sql, workspaceId: number): Promise<boolean> =>
  (await selectWaiting(sql, workspaceId)).length > 0

/** Lineages, in their order. */
async function selectNext(sql: Sql, workspaceId: number, after: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select lineage_id as id from objects
     where workspace_id = ${workspaceId} and project_id is null and lineage_id > ${after} order by lineage_id limit ${stepVersions}`
  return [...new Set(rows.map(({ id }) => id))]
}

/** What is about to be written to comes first; true when something waited. The caller has the lock of the workspace. */
export async function upgradeBefore(writing: Writing, lineageIds: Iterable<string>): Promise<boolean> {
  const [state] = await selectWaiting(writing.sql, writing.workspace.id)
  if (!state) return false
  const upgraded = await upgradeLineages(writing, lineageIds)
  if (upgraded.versions > 0) await note(writing, upgraded, { until: state.done_until, isLast: false })
  return upgraded.versions > 0
}

const note = ({ sql, workspace, now }: Writing, done: Upgraded, { until, isLast }: { until: string; isLast: boolean }) => sql`
  update reference_upgrades
     set done_until = ${until}, versions = versions + ${done.versions}, doubled = doubled + ${done.doubled},
         level_sets = level_sets + ${done.level_sets}, level_parts = level_parts + ${done.level_parts},
         completed = completed + ${done.completed}, ended_at = ${isLast ? now.toISOString() : null}::timestamptz
   where workspace_id = ${workspace.id}`

/** Of all workspaces; null where no library of before was brought here. */
export async function selectUpgrade(sql: Sql): Promise<ReferenceUpgrade | null> {
  const [row] = await sql<(ReferenceUpgrade & { is_known: boolean })[]>`
    select count(*) > 0 as is_known, coalesce(bool_and(ended_at is not null), true) as is_done, coalesce(sum(found), 0)::int as found,
           coalesce(sum(versions), 0)::int as versions, coalesce(sum(doubled), 0)::int as doubled,
           coalesce(sum(level_sets), 0)::int as level_sets, coalesce(sum(level_parts), 0)::int as level_parts,
           coalesce(sum(completed), 0)::int as completed
      from reference_upgrades`
  if (!row?.is_known) return null
  const { is_known: _, ...upgrade } = row
  return upgrade
}
