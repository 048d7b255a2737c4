/** Keys for which an address was given out to a place that tells nobody what it took: written down before, so that what nobody comes back for is found. */
import type { Database } from '../database/open.ts'
import { inTransaction } from '../database/transaction.ts'
import { readKey } from './storage.ts'
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
