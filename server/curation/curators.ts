/** Who changed entries by hand: who made an entry can take it back only as long as nobody else did (server/push/undo/). */
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'

interface Curating {
  sql: Sql
  workspace: { id: number }
  actor: { id: number }
}

/** The caller holds the entries' lineages. */
export async function noteCurator({ sql, workspace, actor }: Curating, entryIds: readonly number[]): Promise<void> {
  if (entryIds.length === 0) return
  await sql`
    update entries set curated_by = ${actor.id}
     where workspace_id = ${workspace.id} and id ${amongIds(sql, entryIds)} and created_by is distinct from ${actor.id}
       and curated_by is distinct from ${actor.id}`
}
