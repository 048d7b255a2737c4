/** What becomes of variant groups when their members change. */

import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'

/** A group that nobody is in is none. */
export async function removeEmptyGroups(sql: Sql, workspaceId: number, groupIds: readonly number[]): Promise<void> {
  if (groupIds.length === 0) return
  await sql`
    delete from variant_groups g where g.workspace_id = ${workspaceId} and g.id ${amongIds(sql, groupIds)}
       and not exists (select 1 from entries e where e.workspace_id = g.workspace_id and e.variant_group_id = g.id)`
}

/** Every member of a group shows its label and how many there are. */
export async function recordGroups(
  { sql, workspace, feed }: Pick<Context, 'sql' | 'workspace' | 'feed'>,
  groupIds: readonly number[],
): Promise<void> {
  if (groupIds.length === 0) return
  feed.entriesChanged(
    await sql<{ id: number; lineage_id: string }[]>`
      select id, lineage_id from entries where workspace_id = ${workspace.id} and variant_group_id ${amongIds(sql, new Set(groupIds))}`,
  )
}
