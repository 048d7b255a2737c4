/** The room that a workspace takes, of what it may take. */
import type { Sql } from '../database/open.ts'

export interface Room {
  storedBytes: number
  /** Null: no limit. */
  limitBytes: number | null
}

export async function roomOf(sql: Sql, workspaceId: number): Promise<Room> {
  const [row] = await sql<{ stored_bytes: number; storage_limit_bytes: number | null }[]>`
    select storage_limit_bytes,
           (select coalesce(sum(o.blob_size), 0)::bigint from objects o where o.workspace_id = w.id)
         + (select coalesce(sum(a.size), 0)::bigint from artifacts a where a.workspace_id = w.id and a.finished_at is not null) as stored_bytes
      from workspaces w where w.id = ${workspaceId}`
  return { storedBytes: row?.stored_bytes ?? 0, limitBytes: row?.storage_limit_bytes ?? null }
}
