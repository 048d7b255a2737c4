// Background work: who does it, when, and that nothing of it holds up or stops anything else.
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { randomId } from '../../server/clock.ts'
import { openDatabase } from '../../server/database/open.ts'
import { openLog } from '../../server/monitoring/log.ts'
import { leaseMs } from '../../server/work/leases.ts'
import { type Job, Runner, type Step } from '../../server/work/runner.ts'
import { startTestServer, TestClock, type TestServer } from '../support/server.ts'

const hourMs = 3_600_000
const clock = new TestClock()
const lines: string[] = []
let server: TestServer
let workspaceIds: number[]

beforeAll(async () => {
  server = await startTestServer()
  await Promise.all(Array.from({ length: 5 }, () => server.addWorkspace()))
  workspaceIds = (await server.database.sql<{ id: number }[]>`select id from workspaces`).map((row) => row.id).sort()
})

/** One of several servers on the database. */
const runner = (...jobs: Job[]) => new Runner({ database: server.database, clock, log: openLog({ write: logged }) }, jobs)
const logged = (line: string) => void lines.push(line)
const said = () => lines.splice(0).map((line) => JSON.parse(line))

/** A job that no other test has, with the steps that it took. */
function job(run: (step: Step) => Promise<boolean> | boolean = () => false, everyMs = hourMs) {
  const steps: number[] = []
  const made: Job = {
    name: randomId('job'),
    of: 'workspace',
    everyMs,
    async run(step) {
      steps.push(step.workspaceId)
      return run(step)
    },
  }
  return { job: made, steps }
}
const inOneOf = (one: number | undefined, work: () => Promise<boolean> | boolean) => (step: Step) =>
  step.workspaceId === one ? work() : false
const sorted = (ids: readonly number[]) => [...ids].sort()

test('what is due is done once in each workspace though several servers look at once, and again when its interval is over', async () => {
  const { job: shared, steps } = job()
  const servers = Array.from({ length: 4 }, () => runner(shared))
  const look = () => Promise.all(servers.map((one) => one.look()))
  await look()
  expect(sorted(steps)).toEqual(workspaceIds)
  clock.advance(hourMs - 60_000)
  await look()
  expect(steps).toHaveLength(workspaceIds.length)
  clock.advance(61_000)
  await look()
  expect(sorted(steps)).toEqual(sorted([...workspaceIds, ...workspaceIds]))
})

test('a workspace that is new gets its work with the next look', async () => {
  const { job: own, steps } = job()
  const one = runner(own)
  await one.look()
  const { workspaceId } = await server.addWorkspace()
  await one.look()
  expect(steps.filter((id) => id === workspaceId)).toHaveLength(1)
  workspaceIds = sorted([...workspaceIds, workspaceId])
})

test('what a server that died was at is taken over when its lease has run out, and no sooner', async () => {
  const [first] = workspaceIds
  const reached = Promise.withResolvers<void>()
  const dead = job(
    inOneOf(first, () => {
      reached.resolve()
      return new Promise<boolean>(() => {})
    }),
  )
  void runner(dead.job).look()
  await reached.promise
  const other = job()
  const living = runner({ ...other.job, name: dead.job.name } as Job)
  await living.look()
  expect(other.steps).not.toContain(first)
  clock.advance(leaseMs - 60_000)
  await living.look()
  expect(other.steps).not.toContain(first)
  clock.advance(61_000)
  await living.look()
  expect(other.steps.filter((id) => id === first)).toEqual([first])
})

test('a server that comes back to a job after another took it over leaves what that one says of it', async () => {
  const [first] = workspaceIds
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()]
  const slow = job(
    inOneOf(first, () => {
      reached.resolve()
      return goOn.promise
    }),
  )
  const late = runner(slow.job)
  const looking = late.look()
  await reached.promise
  clock.advance(leaseMs + 1_000)
  const other = job()
  await runner({ ...other.job, name: slow.job.name } as Job).look()
  goOn.resolve(true)
  await looking
  expect(
    slow.steps.filter((id) => id === first),
    'it has no more of it, though there was more',
  ).toEqual([first])
})

test('work that fails is logged and tried again after pauses that grow, and keeps nothing else from being done', async () => {
  const [first] = workspaceIds
  said()
  const broken = job(
    inOneOf(first, () => {
      throw new Error('the disk is on fire')
    }),
  )
  const sound = job()
  const one = runner(broken.job, sound.job)
  const failures = () => said().filter((line) => line.err?.message === 'the disk is on fire')
  await one.look()
  expect(sorted(broken.steps)).toEqual(workspaceIds)
  expect(sorted(sound.steps)).toEqual(workspaceIds)
  expect(failures()).toMatchObject([{ job: broken.job.name, workspace_id: first }])
  for (const pauseMs of [5_000, 10_000, 20_000, 40_000]) {
    clock.advance(pauseMs / 2)
    await one.look()
    expect(failures(), `before ${pauseMs} ms`).toHaveLength(0)
    clock.advance(pauseMs / 2)
    await one.look()
    expect(failures(), `after ${pauseMs} ms`).toHaveLength(1)
  }
  expect(sorted(sound.steps)).toEqual(workspaceIds)
})

test('pauses grow no longer than the interval of the job', async () => {
  const broken = job(() => Promise.reject(new Error('it never works')), 30_000)
  const one = runner(broken.job)
  for (let time = 0; time < 12; time++) {
    await one.look()
    clock.advance(30_000)
  }
  expect(broken.steps).toHaveLength(12 * workspaceIds.length)
  said()
})

test('a job with many steps takes turns with the others that are due', async () => {
  const order: string[] = []
  const [first] = workspaceIds
  let left = 20
  const long = job(
    inOneOf(first, () => {
      order.push('long')
      return --left > 0
    }),
  )
  const one = runner(long.job)
  await one.look()
  expect(order).toHaveLength(20)
  left = 20
  order.length = 0
  clock.advance(2 * hourMs)
  const short = job(inOneOf(first, () => order.push('short') < 0))
  await runner(long.job, short.job).look()
  expect(order).toHaveLength(21)
  expect(order.indexOf('short')).toBeLessThan(3)
})

test('what has been due for longest comes first', async () => {
  const order: string[] = []
  const [first] = workspaceIds
  const [late, early] = ['late', 'early'].map((name) => job(inOneOf(first, () => order.push(name) < 0)).job) as [Job, Job]
  const one = runner(late, early)
  await one.look()
  order.length = 0
  for (const [{ name }, agoMs] of [
    [late, 1_000],
    [early, 60_000],
  ] as const) {
    const due = new Date(clock.now().getTime() - agoMs).toISOString()
    await server.database.sql`update background_jobs set due_at = ${due} where workspace_id = ${first ?? 0} and name = ${name}`
  }
  await one.look()
  expect(order).toEqual(['early', 'late'])
})

test('a server that stops finishes the step it is at, and begins no other', async () => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isDone = false
  const { job: slow, steps } = job(async () => {
    reached.resolve()
    await goOn.promise
    isDone = true
    return true
  })
  const one = runner(slow)
  void one.look()
  await reached.promise
  const stopped = one.stop()
  let isStopped = false
  void stopped.then(() => (isStopped = true))
  await server.database.sql`select 1`
  expect([isStopped, isDone]).toEqual([false, false])
  goOn.resolve()
  await stopped
  expect([isDone, steps.length]).toEqual([true, 1])
  const other = job()
  await runner({ ...other.job, name: slow.name } as Job).look()
  expect(other.steps, 'what it left is due for others').toHaveLength(workspaceIds.length)
})

test('a step that does not end keeps no server from stopping', async () => {
  const reached = Promise.withResolvers<void>()
  const { job: stuck } = job(() => {
    reached.resolve()
    return new Promise<boolean>(() => {})
  })
  const one = runner(stuck)
  void one.look()
  await reached.promise
  await one.stop()
})

test('what a server does of its own goes on while work of workspaces takes long, and fails without harm', async () => {
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()]
  const slow = job(() => {
    reached.resolve()
    return goOn.promise
  })
  let runs = 0
  const own: Job = {
    name: 'own',
    of: 'server',
    everyMs: 30_000,
    run: () => (++runs === 1 ? Promise.reject(new Error('not now')) : Promise.resolve()),
  }
  said()
  const one = runner(slow.job, own)
  const looking = one.look()
  await reached.promise
  const look = () => void one.look()
  await expect.poll(() => runs).toBe(1)
  expect(said()).toMatchObject([{ job: 'own', err: { message: 'not now' } }])
  clock.advance(5_000)
  look()
  await expect.poll(() => runs).toBe(2)
  clock.advance(30_000)
  look()
  await expect.poll(() => runs).toBe(3)
  goOn.resolve(false)
  await looking
  await one.stop()
})

test('what a server does of its own and fails again and again is tried each time, and told about less and less often', async () => {
  let runs = 0
  const own: Job = { name: 'own', of: 'server', everyMs: 1_000, run: () => Promise.reject(new Error(`not now: ${++runs}`)) }
  const one = runner(own)
  said()
  for (let look = 0; look < 9; look++) {
    await one.look()
    clock.advance(1_000)
  }
  expect(runs).toBe(9)
  expect(said().map(({ err }) => err.message)).toEqual([1, 2, 4, 8].map((count) => `not now: ${count}`))
})

test('what is done where something is found fails in one workspace and is done in the others', async () => {
  const done: number[] = []
  const [first = 0, second = 0] = workspaceIds
  const found: Job = {
    name: 'found',
    of: 'found workspaces',
    everyMs: 1_000,
    find: async () => [first, second],
    run: async (workspaceId) => {
      if (workspaceId === first) throw new Error('not there')
      done.push(workspaceId)
    },
  }
  said()
  await runner(found).look()
  expect(done).toEqual([second])
  expect(said()).toMatchObject([{ job: 'found', err: { message: 'not there' } }])
})

test('a due time that a clock set which was a year ahead delays nothing', async () => {
  const { job: own, steps } = job()
  const one = runner(own)
  const yearMs = 365 * 24 * hourMs
  clock.advance(yearMs)
  await one.look()
  clock.advance(-yearMs)
  await one.look()
  expect(steps).toHaveLength(2 * workspaceIds.length)
})

test('a database that is away is told about once and then less and less often, and nothing is thrown', async () => {
  said()
  const { job: own } = job()
  const away = await openDatabase({ databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing', embeddedDir: '' })
  onTestFinished(() => away.close())
  const one = new Runner({ database: away, clock, log: openLog({ write: logged }) }, [own])
  for (let time = 0; time < 15; time++) {
    await one.look()
    clock.advance(4_000)
  }
  const told = said()
  expect(told.length).toBeGreaterThan(1)
  expect(told.length).toBeLessThan(6)
  expect(told[0]).toMatchObject({ level: 40, err: { message: expect.stringContaining('ECONNREFUSED') } })
})

test('uses of keys are written down half a minute later, by a server that looks by itself', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const use = async () => {
    const [row] = await server.database.sql<{ last_used_at: Date | null }[]>`
      select k.last_used_at from api_keys k join workspaces w on w.id = k.workspace_id where w.slug = ${slug} and k.name = 'mia'`
    return row?.last_used_at?.getTime() ?? 0
  }
  const ask = () => fetch(`${url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${keys.mia}` } })
  await server.work.look()
  await ask()
  await server.work.look()
  expect(await use(), 'not by every look').toBe(0)
  const usedMs = server.clock.now().getTime()
  server.clock.advance(30_000)
  await expect.poll(use, { timeout: 60_000 }).toBeGreaterThan(usedMs - 60_000)
})
