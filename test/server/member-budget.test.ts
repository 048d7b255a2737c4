// All keys of a member share a budget of twenty keys: each key has its own whole limit, and more keys are no way around it.
import { expect, test } from 'vitest'
import { hashSecret } from '../../server/accounts/secrets.ts'
import { longerWait } from '../../server/front-door/rate-limit.ts'
import { SharedLookup } from '../../server/front-door/shared-lookup.ts'
import { type Answer, callAs } from '../support/api.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { newKey, startTestServer } from '../support/server.ts'
import { passTime } from '../support/window-time.ts'

const limit = 5
const server = await startTestServer({ rateLimitRequests: limit, rateLimitPush: 2 * limit })

async function pass(ms: number): Promise<void> {
  server.clock.advance(ms)
  await passTime(server.database, ms)
}

/** So many keys of Mia, and one of Max. */
async function keysOfMia(count: number) {
  const { slug, url, keys, workspaceId } = await server.addWorkspace()
  const own = Array.from({ length: count }, newKey)
  const email = `mia@${slug}.test`
  await server.changeWorkspace(slug, {
    members: [{ email, name: 'mia', role: 'member' }],
    keys: own.map((key, n) => ({ name: `mia ${n}`, member: email, scope: 'read', key })),
  })
  return { own: own.map((key) => callAs(url, key)), max: callAs(url, keys.max), secrets: own, workspaceId }
}

/** How many of so many requests get through. */
async function through(count: number, ask: () => Promise<Answer>): Promise<number> {
  let passed = 0
  for (let n = 0; n < count; n++) if ((await ask()).status === 200) passed++
  return passed
}

test('twenty keys have their whole limits, the next one of the member none, and others have theirs', async () => {
  const { own, max } = await keysOfMia(23)
  const passed: number[] = []
  for (const key of own) passed.push(await through(limit + 1, () => key.get('/auth/me')))
  expect(passed).toEqual([...Array<number>(20).fill(limit), 0, 0, 0])
  const refused = await own[22]?.get('/auth/me')
  expect([refused?.status, refused?.body.error]).toEqual([
    429,
    expect.stringMatching(/^The keys of this member made 100 requests/),
  ])
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect((await own[0]?.get('/auth/me'))?.body.error).toMatch(/^This key made 5 requests/)
  expect((await own[22]?.get('/push/limits'))?.status, 'pushes have a budget of their own').toBe(200)
  expect(await through(limit + 1, () => max.get('/auth/me'))).toBe(limit)
})

test('a wait is called that of the member where the key alone would wait a second less', () => {
  const isOfMember = (keyMs: number, memberMs: number) => longerWait(keyMs, memberMs).isOfMember
  expect([isOfMember(0, 1), isOfMember(100, 1200)]).toEqual([true, true])
  expect([isOfMember(0, 0), isOfMember(59_990, 59_991), isOfMember(500, 100)]).toEqual([false, false, false])
})

test('what a member is refused counts nowhere: a minute later every key has its whole limit', async () => {
  const { own } = await keysOfMia(21)
  const last = () => own[20]?.get('/auth/me') as Promise<Answer>
  for (const key of own.slice(0, 20)) await through(limit, () => key.get('/auth/me'))
  await pass(40_000)
  expect(await through(10, last)).toBe(0)
  await pass(21_000)
  expect(await through(limit + 1, last)).toBe(limit)
})

test('as long as Retry-After says, and then there is room', async () => {
  const { own } = await keysOfMia(21)
  for (const key of own.slice(0, 20)) await through(limit, () => key.get('/auth/me'))
  await pass(10_000)
  const seconds = Number((await own[20]?.get('/auth/me'))?.headers.get('retry-after'))
  expect(seconds).toBeLessThanOrEqual(51)
  await pass(seconds * 1000)
  expect((await own[20]?.get('/auth/me'))?.status).toBe(200)
})

test.runIf(isPostgres)(
  'several processes share the budget of a member exactly, whatever comes at once',
  postgresOnly,
  async () => {
    const { secrets, workspaceId } = await keysOfMia(30)
    const doors = Array.from({ length: 3 }, () => new SharedLookup(server.database, { requests: limit, push: limit }))
    const asked = secrets.flatMap((key) =>
      doors.flatMap((door) =>
        Array.from({ length: limit }, () =>
          door.find({ keyHash: hashSecret(key), slug: undefined, budget: 'requests', now: new Date() }),
        ),
      ),
    )
    const found = await Promise.all(asked)
    const letIn = found.filter((one) => one?.wait.ms === 0)
    expect(letIn).toHaveLength(20 * limit)
    const ofKeys = Map.groupBy(letIn, (one) => one?.holder.actor.keyId)
    expect(Math.max(...[...ofKeys.values()].map((ones) => ones.length))).toBeLessThanOrEqual(limit)
    const rows = await server.database.sql`select 1 from member_windows where workspace_id = ${workspaceId}`
    expect(rows).toHaveLength(1)
    await passTime(server.database, 180_000)
    await doors[0]?.tidy()
    expect(await server.database.sql`select 1 from member_windows where workspace_id = ${workspaceId}`).toHaveLength(0)
  },
)
