// Several server processes on one PostgreSQL: a key has the same budget and the same standing at each of them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { hashKey } from '../../server/front-door/keys.ts'
import { SharedDoor } from '../../server/front-door/shared-door.ts'
import { Window } from '../../server/front-door/windows.ts'
import { callAs } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { newKey, startTestServer, workspaceOf } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer()
const isPostgres = server.database.kind === 'postgresql'

test.runIf(isPostgres)(
  'two processes share the windows of a key, and what one of them revokes is unknown to the other at once',
  async () => {
    const database = await freshPostgres()
    const dir = temporaryFolder()
    const { workspace, keys } = workspaceOf('acme')
    const file = join(dir, 'provision.json')
    writeFileSync(file, JSON.stringify({ workspaces: [workspace] }))
    const env = { PH_DATABASE_URL: database?.url ?? '' }
    const start = (name: string) => startServerProcess(['--data', join(dir, name), '--provision', file], { env })
    const servers = [await start('one'), await start('two')]
    onTestFinished(async () => {
      for (const one of servers) await one.stop()
      await database?.drop()
    })
    const as = (key: string) => servers.map(({ url }) => callAs(url, key))
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => as(keys.mia)[index % 2]?.get('/auth/me')))
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(240)
    for (const mia of as(keys.mia)) expect((await mia.get('/auth/me')).status).toBe(429)
    const [here, there] = as(keys.max)
    expect([(await here?.get('/auth/me'))?.status, (await there?.get('/auth/me'))?.status]).toEqual([200, 200])
    expect((await here?.post('/auth/logout'))?.status).toBe(204)
    expect((await there?.get('/auth/me'))?.status).toBe(401)
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
