/**
 * Who may move current versions, or change what belongs to one: who holds the lineage. It is held before anything else is
 * written, several in one order, so that writers wait for each other and never in a circle. The feed's head comes last.
 */

import { amongIds, lookupTexts } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { lockOf } from '../database/workspace-lock.ts'

/** Until the transaction ends. What was read before may be out of date by now: read it after this. */
export async function holdLineages(sql: Sql, workspaceId: number, ids: Iterable<string>): Promise<void> {
  await sql`
    select held.id from ${lookupTexts(sql, [...new Set(ids)].sort())}
     cross join lateral (select id from lineages where workspace_id = ${workspaceId} and id = lookup.key offset 0 for update) held`
}

/** The same of those that a query gives as `lineage_id`, in one statement. */
export async function holdLineagesOf(sql: Sql, workspaceId: number, query: Fragment): Promise<void> {
  await lineagesHeldBy(sql, workspaceId, query)
}

/** Only the order has a collation: a key that had one would find no index. */
export const lineagesHeldBy = (sql: Sql, workspaceId: number, query: Fragment) => sql`
  select held.id
    from (select key from (select distinct lineage_id as key from (${query}) asked) each_once order by key collate "C" offset 0) lookup
   cross join lateral (select id from lineages where workspace_id = ${workspaceId} and id = lookup.key offset 0 for update) held`

/** The lineages of entries; unknown ids are passed over. */
export const holdEntries = (sql: Sql, workspaceId: number, entryIds: Iterable<number>): Promise<void> =>
  holdLineagesOf(
    sql,
    workspaceId,
    sql`select lineage_id from entries where workspace_id = ${workspaceId} and id ${amongIds(sql, entryIds)}`,
  )

/**
 * The entry stays, and with it everything that belongs to it, its versions too: who deletes it waits. Who moves its current version does
 * not. Undefined where there is none.
 */
export async function holdEntryRow(
  sql: Sql,
  workspaceId: number,
  entryId: number,
): Promise<{ id: number; lineage_id: string } | undefined> {
  const [entry] = await sql<{ id: number; lineage_id: string }[]>`
    select id, lineage_id from entries where workspace_id = ${workspaceId} and id = ${entryId} for key share`
  return entry
}

/**
 * One after the other, in a whole workspace: commits, and curation that reaches more than the entries it names, such as deletions and new
 * names of what many entries show. Taken before anything is held or changed; each plans with what the one before it left.
 */
export const lockWorkspace = (sql: Sql, workspaceId: number): Promise<void> => lockOf(sql).hold(sql, workspaceId)
