// Several server processes on one PostgreSQL: a key has the same budget and the same standing at each of them.
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { hashKey } from '../../server/front-door/keys.ts'
import { SharedDoor } from '../../server/front-door/shared-door.ts'
import { Window } from '../../server/front-door/windows.ts'
import { startServer } from '../../server/main.ts'
import { callAs } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { newKey, startTestServer, workspaceOf } from '../support/server.ts'
import { serverHouse } from '../support/server-house.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer()
const isPostgres = server.database.kind === 'postgresql'

test.runIf(isPostgres)(
  'two processes share the windows of a key, and what one of them revokes is unknown to the other at once',
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

test.runIf(isPostgres)(
  'Retry-After is as long at one process as at the other, to the millisecond in which there is room',
  async () => {
    const database = await freshPostgres()
    let nowMs = Date.now()
    const { workspace, keys } = workspaceOf('acme')
    const begin = () =>
      startServer({
        settings: { ...server.settings, databaseUrl: database?.url, dataDir: temporaryFolder(), port: 0, rateLimitRequests: 3 },
        clock: { now: () => new Date(nowMs) },
        log: 'nowhere',
        provisioning: { workspaces: [workspace] },
      })
    const servers = [await begin(), await begin()] as const
    onTestFinished(async () => {
      for (const one of servers) await one.stop()
      await database?.drop()
    })
    const [here, there] = servers.map(({ url }) => async () => {
      const { status, headers } = await callAs(url, keys.mia).get('/auth/me')
      return [status, headers.get('retry-after')]
    })
    const both = async () => [await here?.(), await there?.()]
    expect(await both()).toEqual([
      [200, null],
      [200, null],
    ])
    nowMs += 20_000
    expect(await both()).toEqual([
      [200, null],
      [429, '40'],
    ])
    expect(await here?.()).toEqual([429, '40'])
    nowMs += 39_001
    expect(await both()).toEqual([
      [429, '1'],
      [429, '1'],
    ])
    nowMs += 998
    expect(await both()).toEqual([
      [429, '1'],
      [429, '1'],
    ])
    nowMs += 1
    expect(await both()).toEqual([
      [200, null],
      [200, null],
    ])
    expect(await both()).toEqual([
      [429, '20'],
      [429, '20'],
    ])
  },
)

test.runIf(isPostgres)('windows that nobody uses are removed without waiting for one that is in use', async () => {
  const { keys, slug } = await server.addWorkspace()
  const door = new SharedDoor(server.database, { requests: 240, push: 2400 })
  const nowMs = Date.now()
  const ask = (key: string) => door.find({ keyHash: hashKey(key), slug: undefined, budget: 'requests', now: new Date(nowMs) })
  await ask(keys.mia)
  await ask(keys.max)
  const names = () => server.database.sql<{ name: string }[]>`
    select k.name from request_windows r join api_keys k on k.workspace_id = r.workspace_id and k.id = r.key_id
      join workspaces w on w.id = k.workspace_id where w.slug = ${slug}`
  await server.database.sql.begin(async (sql) => {
    await sql`
      select 1 from request_windows r join api_keys k on k.workspace_id = r.workspace_id and k.id = r.key_id
       where k.key_hash = ${hashKey(keys.mia)} for update of r`
    await door.tidy(new Date(nowMs + 180_000))
  })
  expect(await names()).toEqual([{ name: 'mia' }])
  await door.tidy(new Date(nowMs + 180_000))
  expect(await names()).toEqual([])
})

test.runIf(isPostgres)(
  'requests of many keys at once, at several processes, hold each other up in no order that locks them',
  async () => {
    const { keys } = await server.addWorkspace()
    const doors = Array.from({ length: 4 }, () => new SharedDoor(server.database, { requests: 100, push: 100 }))
    const now = new Date()
    const all = [keys.mia, keys.max, keys.adam, keys.olivia, keys.miaReads]
    const found = await Promise.all(
      doors.flatMap((door, turn) =>
        Array.from({ length: 500 }, (_, n) =>
          door.find({
            keyHash: hashKey(all.at((turn % 2 === 0 ? n : -n) % all.length) ?? ''),
            slug: undefined,
            budget: n % 3 === 0 ? 'push' : 'requests',
            now,
          }),
        ),
      ),
    )
    const letIn = Map.groupBy(
      found.filter((one) => one?.waitMs === 0),
      (one) => one?.holder.actor.keyName,
    )
    expect([...letIn.values()].map((ones) => ones.length)).toEqual([200, 200, 200, 200, 200])
  },
)

test.runIf(isPostgres)('the statement that counts keeps the law of the window in memory, however the clock jumps', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: -90_000, max: 90_000 })), { maxLength: 80 }),
      fc.constantFrom(0, 1, 5, 20, 300),
      async (steps, limit) => {
        const key = newKey()
        const email = 'mia@first.test'
        await server.changeWorkspace('first', {
          members: [{ email, name: 'mia', role: 'member' }],
          keys: [{ name: 'one', member: email, scope: 'read', key }],
        })
        const door = new SharedDoor(server.database, { requests: limit, push: limit })
        const window = new Window()
        let nowMs = Date.now()
        for (const step of steps) {
          nowMs += step
          const found = await door.find({ keyHash: hashKey(key), slug: undefined, budget: 'push', now: new Date(nowMs) })
          expect([step, found?.waitMs]).toEqual([step, window.take(nowMs, limit)])
        }
      },
    ),
    { numRuns: 25 },
  )
})

test.runIf(isPostgres)('a window stays small, and goes when nobody uses it', async () => {
  const { keys, slug } = await server.addWorkspace()
  const door = new SharedDoor(server.database, { requests: 2400, push: 2400 })
  const rows = () => server.database.sql<{ runs: number; bytes: number }[]>`
    select cardinality(runs) as runs, pg_column_size(r) as bytes from request_windows r join workspaces w on w.id = r.workspace_id
     where w.slug = ${slug}`
  let nowMs = Date.now()
  for (let request = 0; request < 1200; request++) {
    nowMs += 100
    await door.find({ keyHash: hashKey(keys.mia), slug: undefined, budget: 'requests', now: new Date(nowMs) })
  }
  const [row] = await rows()
  expect(row?.runs).toBeLessThanOrEqual(241)
  expect(row?.bytes).toBeLessThanOrEqual(2040)
  await door.tidy(new Date(nowMs + 60_000))
  expect(await rows()).toHaveLength(1)
  await door.tidy(new Date(nowMs + 180_000))
  expect(await rows()).toHaveLength(0)
})
