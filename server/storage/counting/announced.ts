/** Keys for which an address was given out to a place that tells nobody what it took: written down before, so that what nobody comes back for is found. */
import { amongTexts } from '../../database/among.ts'
import type { Database } from '../../database/open.ts'
import type { Sql } from '../../database/sql.ts'
import { inTransaction } from '../../database/transaction.ts'
import { readKey } from '../storage.ts'
import { holdCount } from './workspace-ledger.ts'

interface Announced {
  key: string
  /** Bytes; zero where nobody knows. */
  size: number
}

/** Not counted before someone takes them over. As those that came in they go when nobody has done so for a day (orphans.ts). */
export async function announce(database: Database, files: readonly Announced[], now: Date): Promise<void> {
  const ofWorkspaces = Map.groupBy(files, ({ key }) => readKey(key).workspaceId)
  for (const [workspaceId, own] of ofWorkspaces)
    await inTransaction(
      database.sql,
      async (sql) => {
        await holdCount(sql, workspaceId)
        await sql`
          insert into loose_files as l (workspace_id, key, size, is_counted, loose_since)
          select distinct on (r.key) ${workspaceId}, r.key, r.size, false, ${now.toISOString()}
            from jsonb_to_recordset(${sql.json(own.map(({ key, size }) => ({ key, size })))}) as r(key text, size bigint)
          on conflict (workspace_id, key) do update set loose_since = excluded.loose_since where l.loose_since < excluded.loose_since`
      },
      workspaceId,
    )
}

/** Those among the keys that came in, or may have, and belong to nothing yet. */
export async function looseAmong(sql: Sql, workspaceId: number, keys: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ key: string }[]>`
    select key from loose_files where workspace_id = ${workspaceId} and key ${amongTexts(sql, keys)}`
  return new Set(rows.map((row) => row.key))
}
