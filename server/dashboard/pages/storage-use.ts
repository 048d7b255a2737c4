/** The room that a workspace takes, of what it may take. */
import type { Sql } from '../../database/sql.ts'

export interface Room {
  storedBytes: number
  /** Null: no limit. */
  limitBytes: number | null
}

export async function roomOf(sql: Sql, workspaceId: number): Promise<Room> {
  const [row] = await sql<{ stored_bytes: number; storage_limit_bytes: number | null }[]>`
    select stored_bytes, storage_limit_bytes from workspaces where id = ${workspaceId}`
  return { storedBytes: row?.stored_bytes ?? 0, limitBytes: row?.storage_limit_bytes ?? null }
}
