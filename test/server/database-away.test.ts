// A PostgreSQL that is stopped, cut off or full: requests are told to come back, and the server goes on when it is there again (spec 7).
import postgres from 'postgres'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type Answer, callAs } from '../support/api.ts'
import { BusyWork } from '../support/busy-work.ts'
import { wireTo } from '../support/database-wire.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { oneWaitsFor } from '../support/lock-waits.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, manifestOf, pushed, upload } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

/** A server whose PostgreSQL knows it by a role of its own, behind a wire. */
async function serverOnWire(databaseUrl: string) {
  const role = new URL(databaseUrl).pathname.slice(1)
  const admin = postgres(databaseUrl, { onnotice: () => {} })
  await admin`create role ${admin(role)} login`
  await admin`grant all on schema public to ${admin(role)}`
  const own = new URL(databaseUrl)
  own.username = role
  const wire = await wireTo(own.href)
  const server = await startTestServer({ databaseUrl: wire.url })
  const { url, keys } = await server.addWorkspace()
  return {
    admin,
    role,
    wire,
    url: server.url,
    mia: callAs(url, keys.mia),
    backends: () => admin`select pid from pg_stat_activity where usename = ${role}`,
    terminateAll: () => admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`,
    async readiness() {
      const response = await fetch(`${server.url}/readyz`)
      return [response.status, await response.json()]
    },
  }
}
type OnWire = Awaited<ReturnType<typeof serverOnWire>>

// What hangs on a lost connection would be given up after half a minute.
describe.runIf(isPostgres)('PostgreSQL', postgresOnly, async () => {
  const database = await freshPostgres()
  if (!database) return
  const parts = await serverOnWire(database.url)
  const { admin, role, wire, mia } = parts
  afterEach(async () => {
    await wire.repair()
    await expect.poll(() => mia.get('/auth/me')).toMatchObject({ status: 200 })
  })
  afterAll(async () => {
    await wire.cut()
    await admin`drop owned by ${admin(role)} cascade`
    await admin`drop role ${admin(role)}`
    await admin.end()
    await database.drop()
  })
  testBeingAway(parts)
  testLosses(parts)
})

function expectFrontDoorAway({ status, headers, body }: Answer): void {
  expect([status, headers.get('retry-after'), typeof body.error]).toEqual([503, '2', 'string'])
}

function testBeingAway({ admin, role, wire, url, mia, backends, terminateAll, readiness }: OnWire): void {
  test.for(['refuses', 'closes without a word'])(
    'a database that %s is told by the front door and by /readyz, until it is back',
    async (how) => {
      await (how === 'refuses' ? wire.cut() : wire.mute())
      for (const answer of await Promise.all([mia.get('/auth/me'), mia.get('/entries'), mia.post('/push/negotiate', {})]))
        expectFrontDoorAway(answer)
      expect(await readiness()).toEqual([503, { database: 'fails', storage: 'ok', looks: 'idle' }])
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      await wire.repair()
      await expect.poll(readiness).toEqual([200, { database: 'ok', storage: 'ok', looks: 'idle' }])
      expect((await pushed(mia, [item()]))[0].status).toBe('new')
    },
  )

  test('a database that has no connection left is away, and there again when it has', async () => {
    await admin`alter role ${admin(role)} connection limit 0`
    await terminateAll()
    await expect.poll(backends).toHaveLength(0)
    expectFrontDoorAway(await mia.get('/auth/me'))
    await admin`alter role ${admin(role)} connection limit -1`
  })
}

function testLosses({ admin, wire, mia, terminateAll }: OnWire): void {
  test('a connection that is shut down under a request is UNAVAILABLE, in reading and in writing', async () => {
    const one = item()
    await upload(mia, [one])
    for (const ask of [() => mia.get('/packs/999'), () => mia.post('/push/commit', manifestOf([one]))]) {
      await expect.poll(() => mia.get('/auth/me')).toMatchObject({ status: 200 })
      const asked = await admin.begin(async (holding) => {
        await holding`lock table packs in access exclusive mode`
        const answer = ask()
        await oneWaitsFor(admin, { table: 'packs' })
        await terminateAll()
        return { answer }
      })
      const { status, headers, body } = await asked.answer
      expect([status, headers.get('retry-after'), body.error.code]).toEqual([503, '2', 'UNAVAILABLE'])
      expect(body.error.details).toEqual({ reason: 'database_away' })
    }
    await expect.poll(() => mia.get('/packs/999')).toMatchObject({ status: 404 })
    expect((await pushed(mia, [one]))[0].status).toBe('new')
  })

  test('an answer that breaks off is no answer, and the next one is whole, however often', async () => {
    for (let round = 0; round < 20; round++) {
      expect((await mia.get('/auth/me')).status).toBe(200)
      // What the front door asks for; what the server does beside it is answered whole.
      wire.halveNext('mia@')
      expectFrontDoorAway(await mia.get('/auth/me'))
      expect((await mia.get('/auth/me')).body.user.name).toBe('mia')
    }
  })

  test('whatever is under way when connections break again and again is done or told to come back, and nothing hangs', async () => {
    const busy = new BusyWork(mia, { workers: 8, reads: ['/entries', '/catalog/changes'] })
    for (let round = 0; round < 12; round++) {
      await busy.goOn(16)
      if (round % 3 === 0) await terminateAll()
      else if (round % 3 === 1) wire.mute()
      else await wire.cut()
      await wire.repair()
    }
    await busy.end()
    const manyAtOnce = async () =>
      (await Promise.all(Array.from({ length: 48 }, () => mia.get('/entries')))).filter((answer) => answer.status !== 200)
    await expect.poll(manyAtOnce).toEqual([])
    const kept = await admin<{ id: string }[]>`select id from objects where id = any(${busy.committed})`
    expect(kept).toHaveLength(busy.committed.length)
  })
}
