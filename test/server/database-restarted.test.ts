// PostgreSQL that is ended without a word under load, and started again: what was acknowledged is there, and what was not is told so.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Answer, callAs, type Json } from '../support/api.ts'
import { ok } from '../support/check-out.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { item, manifestOf, pushed } from '../support/push.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTestServer } from '../support/server.ts'

const crashes = 3

test.runIf(process.env.PH_TEST_DATABASE_URL)(
  'pushes, reads and deliveries go on when it is there again: nothing acknowledged is lost, no event is missed, nothing hangs',
  { timeout: 120_000 },
  async () => {
    const postgres = await startOwnPostgres()
    const server = await startTestServer({ databaseUrl: postgres.url, webhookAllowPrivate: true })
    const { url, keys } = await server.addWorkspace()
    const [adam, mia] = [callAs(url, keys.adam), callAs(url, keys.mia)]
    const receiver = await startReceiver()
    ok(await adam.post('/admin/webhooks', { url: `${receiver.url}/in`, events: ['push.commit'] }), 201)

    const answers: Answer[] = []
    let isOver = false
    const work = async () => {
      while (!isOver) {
        const one = item()
        answers.push(await mia.put(`/blobs/${one.content_hash}`, one.bytes), await mia.post('/push/commit', manifestOf([one])))
        answers.push(await mia.get('/entries'), await mia.get('/activity'))
      }
    }
    const workers = Array.from({ length: 6 }, work)
    for (let crash = 0; crash < crashes; crash++) {
      const before = answers.length
      await expect.poll(() => answers.length, { timeout: 20_000 }).toBeGreaterThan(before + 40)
      await postgres.crash()
      await sleep(200)
    }
    const before = answers.filter(({ status }) => status === 200).length
    await expect
      .poll(() => answers.filter(({ status }) => status === 200).length, { timeout: 20_000 })
      .toBeGreaterThan(before + 40)
    isOver = true
    await Promise.all(workers)

    const failed = answers.filter(({ status, body }) => status >= 400 && status !== 503 && body.error?.code !== 'BLOB_MISSING')
    expect(failed.map(({ status, body }) => [status, body])).toEqual([])
    expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0)
    const committed = answers.flatMap(({ body }) => (body.results ?? []) as Json[]).map((result) => result.object_id)
    const { sql } = server.database
    const kept = await sql<{ id: number }[]>`select id from objects`
    const keptIds = new Set(kept.map(({ id }) => id))
    expect(committed.filter((id) => !keptIds.has(id))).toEqual([])
    expect(committed.length).toBeGreaterThan(crashes)
    await pushed(mia, [item()])
    const events = await sql<{ id: number }[]>`select id from activity where event_type = 'push.commit'`
    await expect.poll(() => new Set(receiver.ids('/in')).size, { timeout: 30_000 }).toBe(events.length)
  },
)
