/** Writers hold lineages by their keys: reading a whole library for that would cost each write more than everything else together. */
import { expect, test } from 'vitest'
import { lineagesHeldBy } from '../../server/rows/hold.ts'
import { startTestServer } from '../support/server.ts'

test('the lineages that a query names are found through the index', async () => {
  const { database } = await startTestServer()
  const { sql } = database
  const lines = await sql.begin(async (session) => {
    // What cannot use an index reads the table in spite of this.
    await session`set local enable_seqscan = off`
    const query = session`select lineage_id from locks where workspace_id = 1`
    return session<Record<string, string>[]>`explain ${lineagesHeldBy(session, 1, query)}`
  })
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
  expect(plan).toContain('on lineages')
  expect(plan).toMatch(/Index Cond: .*\(id = /)
})
