// Throttles: ten failed sign-ins of one e-mail or one address in ten minutes, counted by all processes together (contract-gaps 3).
import { expect, test } from 'vitest'
import type { ApiError } from '../../contract/errors.ts'
import { hashPassword } from '../../server/accounts/passwords.ts'
import { signIn } from '../../server/accounts/sign-in.ts'
import { startServer } from '../../server/main.ts'
import { ask, openBrowser, stranger, workspaceWithPasswords } from '../support/browser.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { scryptRuns } from '../support/scrypt-runs.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const minuteMs = 60_000

const server = await startTestServer({ trustedProxies: 1 })

interface Elsewhere {
  headers?: Record<string, string> | undefined
  url?: string
}

let places = 0
const from = (address: string) => ({ 'x-forwarded-for': address })
/** An address that nobody used before. */
const place = () => from(`198.18.${++places >> 8}.${places & 255}`)

/** People whom nobody has tried to be yet. */
async function fresh() {
  const people = await workspaceWithPasswords(server)
  const attempt = (name: string, password: string, { headers = place(), url = people.url }: Elsewhere = {}) =>
    ask(url, '/auth/login', { method: 'POST', body: { ...people.credentialsOf(name), password }, headers })
  return {
    ...people,
    attempt,
    fail: (name: string, headers?: Record<string, string>) => attempt(name, 'a guess', { headers }),
    succeed: (name: string, headers?: Record<string, string>) => attempt(name, people.credentialsOf(name).password, { headers }),
  }
}

async function tenTimes(work: (n: number) => Promise<{ status: number }>): Promise<void> {
  for (let n = 0; n < 10; n++) expect((await work(n)).status).toBe(401)
}

test('after ten failures of one e-mail, from wherever, even the right password waits, and the answer says how long', async () => {
  const { fail, succeed } = await fresh()
  const begin = server.clock.now()
  await tenTimes(() => fail('mia'))
  server.clock.advance(4 * minuteMs)
  const refused = await succeed('mia')
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED'])
  const { retry_after_seconds: seconds } = refused.body.error.details
  expect(refused.headers.get('retry-after')).toBe(String(seconds))
  expect(begin.getTime() + 10 * minuteMs - server.clock.now().getTime()).toBeGreaterThanOrEqual((seconds - 5) * 1000)
  expect(seconds).toBeGreaterThan(5 * 60)
  expect((await succeed('max')).status).toBe(200)
  server.clock.advance(seconds * 1000)
  expect((await succeed('mia')).status).toBe(200)
})

test('ten failures from one address close it for everybody there, and nowhere else; refused attempts do not prolong it', async () => {
  const { attempt, succeed } = await fresh()
  const here = place()
  const names = ['mia', 'max', 'adam', 'olivia']
  await tenTimes((n) => attempt(names[n % 3] ?? '', 'a guess', { headers: here }))
  expect((await succeed('olivia', here)).status).toBe(429)
  expect((await succeed('olivia')).status).toBe(200)
  server.clock.advance(9 * minuteMs)
  expect((await succeed('olivia', here)).status).toBe(429)
  server.clock.advance(minuteMs)
  expect((await succeed('olivia', here)).status).toBe(200)
})

test('who gets in is not counted, however often', async () => {
  const { succeed } = await fresh()
  const here = place()
  for (let n = 0; n < 12; n++) expect((await succeed('mia', here)).status).toBe(200)
})

test('an empty password, and what is no e-mail address, are refused and count neither for the e-mail nor for the address', async () => {
  const { attempt, succeed, url } = await fresh()
  const here = place()
  for (let n = 0; n < 12; n++) {
    expect((await attempt('mia', '', { headers: here })).status).toBe(401)
    const body = { email: 'mia', password: 'mia has one' }
    expect((await ask(url, '/auth/login', { method: 'POST', body, headers: here })).status).toBe(401)
  }
  expect((await succeed('mia', here)).status).toBe(200)
})

test('ten failures at one moment all count, no more than two hashes run at once, and nobody gets more than ten guesses', async () => {
  const { fail, succeed, idsOf, credentialsOf } = await fresh()
  const { sql } = server.database
  const hash = await hashPassword(credentialsOf('mia').password)
  await sql`update accounts set password_hash = ${hash} where id = ${idsOf('mia').accountId}`
  const runs = await scryptRuns(async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => fail('mia')))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
  })
  expect(runs).toEqual({ count: 10, most: 2 })
  expect((await succeed('mia')).status).toBe(429)
})

test('thirty people who sign in from one office at one moment all get in', async () => {
  const { succeed } = await fresh()
  const here = place()
  const names = ['mia', 'max', 'adam', 'olivia']
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => succeed(names[n % 4] ?? '', here)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test('who owns a network of IPv6 addresses counts as one', async () => {
  const { attempt } = await fresh()
  const people = ['mia', 'max', 'adam', 'olivia']
  await tenTimes((n) => attempt(people[n % 4] ?? '', 'a guess', { headers: from(`2001:db8:7:1::${n}:1`) }))
  expect((await attempt('mia', 'a guess', { headers: from('2001:DB8:7:1:ffff::') })).status).toBe(429)
  expect((await attempt('mia', 'a guess', { headers: from('2001:db8:7:2::1') })).status).toBe(401)
})

test('a clock that is set back locks nobody out for longer than a window, and forgets no failures of a moment ago', async () => {
  const { fail, succeed } = await fresh()
  await tenTimes(() => fail('mia'))
  server.clock.advance(-minuteMs)
  expect((await succeed('mia')).status).toBe(429)
  server.clock.advance(-59 * minuteMs)
  expect((await succeed('mia')).status).toBe(200)
  server.clock.advance(60 * minuteMs)
})

test('when very many come at one moment, those beyond the hundred that wait are asked to come again', async () => {
  const { fail, credentialsOf } = await fresh()
  // Attempts that are refused at once, so that nothing but the queue takes time.
  await tenTimes(() => fail('mia'))
  const come = () =>
    signIn(server.database.sql, {
      ...credentialsOf('mia'),
      address: '198.18.250.1',
      browser: stranger,
      now: server.clock.now(),
    })
  const codes = await Promise.all(Array.from({ length: 110 }, () => come().catch((error: ApiError) => error.code)))
  expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(104)
  expect(codes.filter((code) => code === 'UNAVAILABLE')).toHaveLength(6)
})

test('what nobody tries any more leaves no rows behind', async () => {
  const { fail, succeed } = await fresh()
  for (let n = 0; n < 15; n++) await fail('mia')
  server.clock.advance(11 * minuteMs)
  for (let n = 0; n < 12; n++) await succeed('max')
  const [{ count } = { count: 0 }] = await server.database.sql<{ count: number }[]>`
    select count(*)::int as count from throttles where touched_at < ${new Date(server.clock.now().getTime() - 10 * minuteMs).toISOString()}`
  expect(count).toBe(0)
})

test('a counted attempt outlives the server', async () => {
  const { fail, slug, credentialsOf } = await fresh()
  await tenTimes(() => fail('mia'))
  await server.restart()
  const { login } = await openBrowser(`${server.url}/w/${slug}`, credentialsOf('mia'), place())
  expect(login.status).toBe(429)
})

test.runIf(isPostgres)('two processes on one PostgreSQL count together and know the same sessions', postgresOnly, async () => {
  const people = await fresh()
  const settings = { ...server.settings, dataDir: temporaryFolder(), port: 0 }
  const other = await startServer({ settings, clock: server.clock, log: 'none' })
  try {
    const elsewhere = `${other.url}/w/${people.slug}`
    for (let n = 0; n < 5; n++) expect((await people.fail('mia')).status).toBe(401)
    for (let n = 0; n < 5; n++) expect((await people.attempt('mia', 'a guess', { url: elsewhere })).status).toBe(401)
    expect([(await people.fail('mia')).status, (await people.attempt('mia', 'a guess', { url: elsewhere })).status]).toEqual([
      429, 429,
    ])
    const max = await openBrowser(people.url, people.credentialsOf('max'), place())
    const there = { headers: { cookie: `ph_session=${max.sessionId}` } }
    expect((await ask(elsewhere, '/auth/tokens', there)).status).toBe(200)
    await max.change('POST', '/auth/logout')
    expect((await ask(elsewhere, '/auth/tokens', there)).status).toBe(401)
  } finally {
    await other.stop()
  }
})
