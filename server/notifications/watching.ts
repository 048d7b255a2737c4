/** Who watches an entry: by saying so, by taking part, or because they created it (spec 4.11). */
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Doing } from './notify.ts'

/** Of those who take part: they watch from now on, unless they muted the entry or watch it already. The caller holds the entry or its lineage. */
export async function startWatching(
  { sql, workspace, actor, now }: Doing,
  entryId: number,
  memberIds: readonly number[] = [actor.id],
): Promise<void> {
  const ids = [...new Set(memberIds)].sort((a, b) => a - b)
  if (ids.length === 0) return
  await sql`
    insert into watches (workspace_id, entry_id, member_id, state, reason, created_at)
    select ${workspace.id}, ${entryId}, taking_part.id, 'watching', 'participating', ${now.toISOString()}
      from unnest(${ids}::bigint[]) as taking_part (id)
    on conflict do nothing`
}

/** Everyone who watches the entry, also its creator, unless muted: those to tell of a new comment. */
export async function watchersOf(sql: Sql, workspaceId: number, entryId: number): Promise<number[]> {
  const rows = await sql<{ member_id: number }[]>`
    select member_id from watches where workspace_id = ${workspaceId} and entry_id = ${entryId} and state = 'watching'
    union all
    select e.created_by from entries e
     where e.workspace_id = ${workspaceId} and e.id = ${entryId} and e.created_by is not null
       and not exists (select 1 from watches w where w.workspace_id = ${workspaceId} and w.entry_id = e.id and w.member_id = e.created_by)`
  return rows.map((row) => row.member_id)
}

/** With the entry: its watches, and what people were told of it. The caller holds the entries. */
export async function forgetEntries(sql: Sql, workspaceId: number, entryIds: readonly number[]): Promise<void> {
  await sql`delete from watches where workspace_id = ${workspaceId} and entry_id ${amongIds(sql, entryIds)}`
  await sql`delete from notifications where workspace_id = ${workspaceId} and entry_id ${amongIds(sql, entryIds)}`
}
