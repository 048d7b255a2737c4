// What the database reads for a page while it has no statistics of a library yet: only what the page shows (server/database/among.ts).

import { expect, test } from 'vitest'
import type { Sql } from '../../server/database/sql.ts'
import { inTransaction } from '../../server/database/transaction.ts'
import { selectEntriesWithTags, selectEntryDetails } from '../../server/rows/entry.ts'
import { changeLibrary, seeded, writeLibrary } from '../support/random-library.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const entries = 4000

/** Rows of current versions that the transaction has read so far. Entries are read for the size of their variant groups too. */
async function rowsRead(sql: Sql): Promise<number> {
  const [counted] = await sql<{ rows: number }[]>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as rows from pg_stat_xact_user_tables
     where relname in ('lineages', 'objects')`
  return counted?.rows ?? 0
}

test('of a library that was never counted, a page reads its own entries, and not the library once for each of them', async () => {
  const { sql } = server.database
  const { workspaceId } = await server.addWorkspace()
  const library = await writeLibrary(sql, { workspaceId, random: seeded(1), most: 0 })
  await changeLibrary(library, entries)
  const ids = library.entryIds.slice(-200)
  const details = (transaction: Sql, workspaceId: number, wanted: number[]) =>
    selectEntryDetails(transaction, { workspaceId, viewerId: 0 }, wanted)
  for (const select of [selectEntriesWithTags, details]) {
    const [found, read] = await inTransaction(sql, async (transaction) => {
      const before = await rowsRead(transaction)
      const { length } = await select(transaction, workspaceId, ids)
      return [length, (await rowsRead(transaction)) - before]
    })
    expect(found).toBe(ids.length)
    expect(read).toBeGreaterThanOrEqual(2 * ids.length)
    expect(read).toBeLessThan(4 * ids.length)
  }
})
