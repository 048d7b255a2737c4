// A workspace that begins beside a large one: what it pushes is found by its own indexes, not by reading all of the workspace.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { graphRows, shapes } from '../support/graph-rows.ts'
import { item, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const { sql, longSql } = server.database

/** How the database would find the entry of a lineage. */
async function wayToEntry(workspaceId: number): Promise<string> {
  const lines = await sql.unsafe<{ 'QUERY PLAN': string }[]>(
    `explain select id from entries where workspace_id = ${workspaceId} and lineage_id = 'one'`,
  )
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

test('the database learns of a workspace when it has grown by itself, however small it is beside the others', async () => {
  const large = await server.addWorkspace()
  await graphRows(longSql, { workspaceId: large.workspaceId, count: 20_000, edges: shapes.chain(20_000) })
  await pushed(callAs(large.url, large.keys.mia), [item()])
  const { workspaceId, url, keys } = await server.addWorkspace()
  await pushed(
    callAs(url, keys.mia),
    Array.from({ length: 500 }, () => item()),
  )
  expect(await wayToEntry(workspaceId)).toContain('entries_lineage')
})
