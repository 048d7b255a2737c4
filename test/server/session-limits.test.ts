// Every session on PostgreSQL says how long it waits and stands still; and what the driver says for itself, BEGIN and COMMIT, has an end too.

import { afterAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../server/database/sql.ts'
import { inTransaction } from '../../server/database/transaction.ts'
import { usualWaits } from '../../server/database/waits.ts'
import { callAs } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { readStatements } from '../support/statement-wire.ts'

/** So little that a test can wait for it; statements of a busy machine take less. */
const short = { lockMs: 3000, idleMs: 3000, doorMs: 3000, readMs: 3000, writeMs: 3000 }

describe.runIf(isPostgres)('PostgreSQL', postgresOnly, async () => {
  test('every session ends what waits for a lock, stands still in a transaction, or takes too long', async () => {
    const { database } = await startTestServer()
    const limits = async (sql: Sql) => {
      const rows = await sql<{ name: string; setting: string }[]>`
        select name, setting from pg_settings
         where name in ('lock_timeout', 'idle_in_transaction_session_timeout', 'statement_timeout')`
      return Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))
    }
    for (const sql of [database.sql, database.longSql, database.frontDoorSql])
      expect(Object.values(await limits(sql)).filter((ms) => ms > 0)).toHaveLength(3)
    expect(await inTransaction(database.sql, limits)).toEqual({
      lock_timeout: usualWaits.lockMs,
      idle_in_transaction_session_timeout: usualWaits.idleMs,
      statement_timeout: usualWaits.writeMs,
    })
  })

  test.for(['begin', 'commit'])('a request whose %s is not answered ends, and the next one goes through', async (word) => {
    const postgres = await freshPostgres()
    if (!postgres) return expect.fail('there is no PostgreSQL')
    const wire = await readStatements(postgres.url)
    const server = await startTestServer({ databaseUrl: wire.url }, { waits: short })
    afterAll(async () => {
      wire.end()
      await postgres.drop()
    })
    const { url, keys } = await server.addWorkspace()
    const mia = callAs(url, keys.mia)
    const [{ entry_id } = {}] = await pushed(mia, [item()])
    const stop = wire.stopAll(new RegExp(`^${word}\\b`, 'i'))
    const { status, body } = await mia.patch(`/entries/${entry_id}`, { category: 'Late' })
    expect([status, body.error.code, body.error.details]).toEqual([503, 'UNAVAILABLE', { reason: 'database_away' }])
    stop.goOn()
    await expect
      .poll(async () => (await mia.patch(`/entries/${entry_id}`, { category: 'Next' })).status, { timeout: 60_000 })
      .toBe(200)
    expect((await mia.get(`/entries/${entry_id}`)).body.category).toBe('Next')
  })
})
