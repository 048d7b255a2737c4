// PostgreSQL that is ended without a word under load, and started again: what was acknowledged is there, and what was not is told so.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { BusyWork } from '../support/busy-work.ts'
import { ok } from '../support/check-out.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed } from '../support/push.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestServer } from '../support/server.ts'

const crashes = 3

test.runIf(isPostgres)(
  'pushes, reads and deliveries go on when it is there again: nothing acknowledged is lost, no event is missed, nothing hangs',
  postgresOnly,
  async () => {
    const postgres = await startOwnPostgres()
    const server = await startTestServer({ databaseUrl: postgres.url, webhookAllowPrivate: true })
    const { url, keys } = await server.addWorkspace()
    const [adam, mia] = [callAs(url, keys.adam), callAs(url, keys.mia)]
    const receiver = await startReceiver()
    ok(await adam.post('/admin/webhooks', { url: `${receiver.url}/in`, events: ['push.commit'] }), 201)

    const busy = new BusyWork(mia, { workers: 6, reads: ['/entries', '/activity'] })
    for (let crash = 0; crash < crashes; crash++) {
      await busy.goOn(40)
      await postgres.crash()
    }
    await busy.goOn(40, ({ status }) => status === 200)
    await busy.end()

    const { sql } = server.database
    const kept = new Set((await sql<{ id: number }[]>`select id from objects`).map(({ id }) => id))
    expect(busy.committed.filter((id) => !kept.has(id))).toEqual([])
    expect(busy.committed.length).toBeGreaterThan(crashes)
    await pushed(mia, [item()])
    const events = await sql<{ id: number }[]>`select id from activity where event_type = 'push.commit'`
    await expect.poll(() => new Set(receiver.ids('/in')).size, { timeout: 60_000 }).toBe(events.length)
  },
)
