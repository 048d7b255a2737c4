// Several server processes on one PostgreSQL: a key has the same budget and the same standing at each of them.

import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { hashSecret } from '../../server/accounts/secrets.ts'
import { SharedLookup } from '../../server/front-door/shared-lookup.ts'
import { Window } from '../../server/front-door/windows.ts'
import { type RunningServer, startServer } from '../../server/main.ts'
import { callAs } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { newKey, startTestServer, workspaceOf } from '../support/server.ts'
import { serverHouse } from '../support/server-house.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { passTime } from '../support/window-time.ts'

const server = await startTestServer()

test.runIf(isPostgres)(
  'two processes share the windows of a key, and what one of them revokes is unknown to the other at once',
  postgresOnly,
  async () => {
    const { start, keys } = await serverHouse()
    const servers = [await start(), await start()]
    const as = (key: string) => servers.map(({ url }) => callAs(url, key))
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => as(keys.mia)[index % 2]?.get('/auth/me')))
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(240)
    for (const mia of as(keys.mia)) {
      const { status, headers } = await mia.get('/auth/me')
      expect(status).toBe(429)
      expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
    }
    const [here, there] = as(keys.max)
    expect([(await here?.get('/auth/me'))?.status, (await there?.get('/auth/me'))?.status]).toEqual([200, 200])
    expect((await here?.post('/auth/logout'))?.status).toBe(204)
    expect((await there?.get('/auth/me'))?.status).toBe(401)
  },
)

/** Processes on one database with a budget of so many requests, each with its own idea of the time. */
async function processesOnOne(rateLimitRequests: number, clocksMs: readonly number[]) {
  const database = await freshPostgres()
  const { workspace, keys } = workspaceOf('acme')
  const begin = (aheadMs: number) =>
    startServer({
      settings: { ...server.settings, databaseUrl: database?.url, dataDir: temporaryFolder(), port: 0, rateLimitRequests },
      clock: { now: () => new Date(Date.now() + aheadMs) },
      log: 'none',
      provisioning: { workspaces: [workspace] },
    })
  const servers: RunningServer[] = []
  onTestFinished(async () => {
    for (const one of servers) await one.stop()
    await database?.drop()
  })
  for (const aheadMs of clocksMs) servers.push(await begin(aheadMs))
  const ask = async ({ url }: RunningServer) => {
    const { status, headers } = await callAs(url, keys.mia).get('/auth/me')
    return { status, waitSeconds: Number(headers.get('retry-after')) }
  }
  return {
    askAll: async () => {
      const answers = []
      for (const one of servers) answers.push(await ask(one))
      return answers
    },
    pass: async (ms: number) => passTime((servers[0] as RunningServer).database, ms),
  }
}

test.runIf(isPostgres)(
  'Retry-After is as long at one process as at the other, and then there is room at both',
  postgresOnly,
  async () => {
    const { askAll, pass } = await processesOnOne(3, [0, 0])
    const statuses = async () => (await askAll()).map(({ status }) => status)
    const started = performance.now()
    expect(await statuses()).toEqual([200, 200])
    await pass(20_000)
    expect(await statuses()).toEqual([200, 429])
    for (const { status, waitSeconds } of await askAll()) {
      const tookMs = performance.now() - started
      expect([status, waitSeconds <= 40, waitSeconds >= Math.ceil((40_000 - tookMs) / 1000)]).toEqual([429, true, true])
    }
    await pass(40_000)
    expect(await statuses()).toEqual([200, 200])
    expect(await statuses()).toEqual([429, 429])
  },
)

test.runIf(isPostgres)(
  'processes whose clocks are two minutes apart in both directions share one window exactly',
  postgresOnly,
  async () => {
    const { askAll, pass } = await processesOnOne(7, [0, 120_000, -120_000])
    for (let round = 0; round < 2; round++) {
      const statuses: number[] = []
      for (let turn = 0; turn < 4; turn++) statuses.push(...(await askAll()).map(({ status }) => status))
      expect(statuses).toEqual([...Array<number>(7).fill(200), ...Array<number>(5).fill(429)])
      for (const { waitSeconds } of await askAll()) {
        expect(waitSeconds).toBeGreaterThanOrEqual(1)
        expect(waitSeconds).toBeLessThanOrEqual(60)
      }
      await pass(60_000)
    }
  },
)

test.runIf(isPostgres)('windows that nobody uses are removed without waiting for one that is in use', postgresOnly, async () => {
  const { keys, slug } = await server.addWorkspace()
  const door = new SharedLookup(server.database, { requests: 240, push: 2400 })
  const ask = (key: string) => door.find({ keyHash: hashSecret(key), slug: undefined, budget: 'requests', now: new Date() })
  await ask(keys.mia)
  await ask(keys.max)
  await passTime(server.database, 180_000)
  const names = () => server.database.sql<{ name: string }[]>`
    select k.name from request_windows r join api_keys k on k.workspace_id = r.workspace_id and k.id = r.key_id
      join workspaces w on w.id = k.workspace_id where w.slug = ${slug}`
  await server.database.sql.begin(async (sql) => {
    await sql`
      select 1 from request_windows r join api_keys k on k.workspace_id = r.workspace_id and k.id = r.key_id
       where k.key_hash = ${hashSecret(keys.mia)} for update of r`
    await door.tidy()
  })
  expect(await names()).toEqual([{ name: 'mia' }])
  await door.tidy()
  expect(await names()).toEqual([])
})

test.runIf(isPostgres)(
  'requests of many keys at once, at several processes, hold each other up in no order that locks them',
  postgresOnly,
  async () => {
    const { keys } = await server.addWorkspace()
    const doors = Array.from({ length: 4 }, () => new SharedLookup(server.database, { requests: 100, push: 100 }))
    const now = new Date()
    const all = [keys.mia, keys.max, keys.adam, keys.olivia, keys.miaReads]
    const found = await Promise.all(
      doors.flatMap((door, turn) =>
        Array.from({ length: 500 }, (_, n) =>
          door.find({
            keyHash: hashSecret(all.at((turn % 2 === 0 ? n : -n) % all.length) ?? ''),
            slug: undefined,
            budget: n % 3 === 0 ? 'push' : 'requests',
            now,
          }),
        ),
      ),
    )
    const letIn = Map.groupBy(
      found.filter((one) => one?.wait.ms === 0),
      (one) => one?.holder.actor.keyName,
    )
    expect([...letIn.values()].map((ones) => ones.length)).toEqual([200, 200, 200, 200, 200])
  },
)

test.runIf(isPostgres)(
  'the statement that counts keeps the law of the window in memory, however the clock jumps',
  postgresOnly,
  async () => {
    let person = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: 0, max: 2 }), fc.integer({ min: -360, max: 360 })), { maxLength: 80 }),
        fc.constantFrom(0, 1, 5, 20, 300),
        async (steps, limit) => {
          const key = newKey()
          // A person of each run: the window of a member would still hold what the runs before asked.
          const email = `mia-${++person}@first.test`
          await server.changeWorkspace('first', {
            members: [{ email, name: 'mia', role: 'member' }],
            keys: [{ name: 'one', member: email, scope: 'read', key }],
          })
          const door = new SharedLookup(server.database, { requests: limit, push: limit })
          const window = new Window()
          let passedMs = 0
          for (const step of steps) {
            // Whole grains: how requests share runs depends on the time as such.
            await passTime(server.database, step * 250)
            passedMs += step * 250
            const found = await door.find({ keyHash: hashSecret(key), slug: undefined, budget: 'push', now: new Date(0) })
            const [row] = await server.database.sql<{ seen_at: number }[]>`
            select seen_at from request_windows where key_id = ${found?.holder.actor.keyId ?? 0}`
            expect([step, found?.wait.ms]).toEqual([step, window.take(Number(row?.seen_at) + passedMs, limit)])
          }
        },
      ),
      { numRuns: 25 },
    )
  },
)

test.runIf(isPostgres)('a window stays small, and goes when nobody uses it', postgresOnly, async () => {
  const { keys, slug } = await server.addWorkspace()
  const door = new SharedLookup(server.database, { requests: 2400, push: 2400 })
  const rows = () => server.database.sql<{ runs: number; bytes: number }[]>`
    select cardinality(runs) as runs, pg_column_size(r) as bytes from request_windows r join workspaces w on w.id = r.workspace_id
     where w.slug = ${slug}`
  for (let request = 0; request < 1200; request++) {
    await passTime(server.database, 100)
    await door.find({ keyHash: hashSecret(keys.mia), slug: undefined, budget: 'requests', now: new Date() })
  }
  const [row] = await rows()
  expect(row?.runs).toBeLessThanOrEqual(241)
  expect(row?.bytes).toBeLessThanOrEqual(2040)
  await passTime(server.database, 60_000)
  await door.tidy()
  expect(await rows()).toHaveLength(1)
  await passTime(server.database, 120_000)
  await door.tidy()
  expect(await rows()).toHaveLength(0)
})
