/** The entries that show a pack: readers that packs and deletions share. */
import type { Fragment, Sql } from '../database/sql.ts'

/** Those whose current version came from the pack, looked up one by one (server/database/among.ts says why). */
const entriesOfPack = (sql: Sql, workspaceId: number, packId: number): Fragment => sql`
  from objects o cross join lateral (
    select e.id, e.lineage_id
      from lineages l join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
     where l.workspace_id = ${workspaceId} and l.id = o.lineage_id and l.face_object_id = o.id offset 0) found
   where o.workspace_id = ${workspaceId} and o.pack_id = ${packId}`

export const selectEntriesOfPack = (sql: Sql, workspaceId: number, packId: number) =>
  sql<{ id: number; lineage_id: string }[]>`select found.* ${entriesOfPack(sql, workspaceId, packId)}`

/** Within a transaction that changes it; else the catalog knows (server/search/rollups.ts). */
export async function countEntriesOfPack(sql: Sql, workspaceId: number, packId: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count ${entriesOfPack(sql, workspaceId, packId)}`
  return row?.count ?? 0
}
