// Browsers that signed in before: failures from elsewhere do not shut them out, and their own count for nobody else.
import { expect, test } from 'vitest'
import { setPassword } from '../../server/accounts/sign-in.ts'
import { networkOf } from '../../server/accounts/throttle.ts'
import { startServer } from '../../server/main.ts'
import type { Answer } from '../support/api.ts'
import { ask, workspaceWithPasswords } from '../support/browser.ts'
import { PageBrowser } from '../support/page-browser.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer({ trustedProxies: 1 })
const minuteMs = 60_000

let places = 0
/** An address that nobody used before. */
const place = () => ({ 'x-forwarded-for': `198.19.${++places >> 8}.${places & 255}` })
const known = (answer: Answer): string => cookieLine(answer).split(';')[0]?.slice('ph_device='.length) ?? ''
const cookieLine = ({ headers }: Answer): string => headers.getSetCookie().find((line) => line.startsWith('ph_device=')) ?? ''

/** People whom nobody has tried to be yet. */
async function fresh() {
  const people = await workspaceWithPasswords(server)
  const attempt = (
    name: string,
    { password = people.credentialsOf(name).password, device = '', headers = place(), url = people.url } = {},
  ) =>
    ask(url, '/auth/login', {
      method: 'POST',
      body: { ...people.credentialsOf(name), password },
      headers: { ...headers, ...(device === '' ? {} : { cookie: `ph_device=${device}` }) },
    })
  const fail = (name: string, device?: string) => attempt(name, { password: 'a guess', ...(device ? { device } : {}) })
  return {
    ...people,
    attempt,
    fail,
    signIn: async (name: string, device?: string) => known(await attempt(name, device ? { device } : {})),
  }
}

async function times(count: number, work: () => Promise<Answer>): Promise<number[]> {
  const statuses = []
  for (let n = 0; n < count; n++) statuses.push((await work()).status)
  return statuses
}
const ten = (status: number) => Array(10).fill(status)

test('ten wrong passwords from elsewhere stop strangers, and not a browser that signed in before', async () => {
  const { attempt, fail, signIn } = await fresh()
  const device = await signIn('mia')
  expect(await times(10, () => fail('mia'))).toEqual(ten(401))
  expect((await attempt('mia')).status).toBe(429)
  expect((await attempt('mia', { device })).status).toBe(200)
})

test('a browser that signed in before has ten failures of its own, which stop no one else', async () => {
  const { attempt, fail, signIn } = await fresh()
  const device = await signIn('mia')
  expect(await times(10, () => fail('mia', device))).toEqual(ten(401))
  const refused = await attempt('mia', { device })
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED'])
  const other = await attempt('mia')
  expect(other.status).toBe(200)
  server.clock.advance(10 * minuteMs)
  expect((await attempt('mia', { device })).status).toBe(200)
})

test('failures of others at the same address do not stop a browser that signed in before', async () => {
  const { attempt, signIn } = await fresh()
  const device = await signIn('mia')
  const headers = place()
  expect(await times(10, () => attempt('max', { password: 'a guess', headers }))).toEqual(ten(401))
  expect((await attempt('olivia', { headers })).status).toBe(429)
  expect((await attempt('mia', { headers, device })).status).toBe(200)
})

test('the cookie is long and random, for this server only, new at every sign-in, and kept as its hash', async () => {
  const { attempt, signIn } = await fresh()
  const first = await attempt('mia')
  expect(cookieLine(first)).toMatch(/^ph_device=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/)
  const overHttps = await attempt('mia', { headers: { ...place(), 'x-forwarded-proto': 'https' } as ReturnType<typeof place> })
  expect(cookieLine(overHttps)).toMatch(/; Secure/)
  const second = await signIn('mia', known(first))
  expect(second).not.toBe(known(first))
  const stored = JSON.stringify(await server.database.sql`select * from known_devices`)
  expect(stored).not.toContain(second)
})

test('a cookie of before its renewal, of another account, made up, or too old is that of a stranger', async () => {
  const { attempt, fail, signIn } = await fresh()
  const before = await signIn('mia')
  const device = await signIn('mia', before)
  const foreign = await signIn('max')
  await times(10, () => fail('mia'))
  for (const one of [before, foreign, 'x'.repeat(43), 'short', '%00'])
    expect((await attempt('mia', { device: one })).status).toBe(429)
  server.clock.advance(366 * 24 * 60 * minuteMs)
  await times(10, () => fail('mia'))
  expect((await attempt('mia', { device })).status).toBe(429)
})

test('signing in to an account of one’s own gives no more guesses at another one that the browser is known to', async () => {
  const { attempt, fail, signIn } = await fresh()
  const shared = await signIn('max', await signIn('mia'))
  expect(await times(10, () => fail('mia', shared))).toEqual(ten(401))
  const renewed = await signIn('max', shared)
  expect((await fail('mia', renewed)).status).toBe(429)
  server.clock.advance(10 * minuteMs)
  await times(10, () => fail('mia'))
  expect((await attempt('mia', { device: renewed })).status).toBe(200)
})

test('who is tried need not exist: a refusal says the same of unknown addresses', async () => {
  const { attempt, fail, signIn, slug, url } = await fresh()
  const device = await signIn('max')
  const cookie = `ph_device=${device}`
  const nobody = () =>
    ask(url, '/auth/login', {
      method: 'POST',
      body: { email: `no@${slug}.test`, password: 'a guess' },
      headers: { ...place(), cookie },
    })
  expect(await times(10, nobody)).toEqual(ten(401))
  await times(10, () => fail('mia'))
  const [unknown, there] = [await nobody(), await attempt('mia', { device, password: 'a guess' })]
  expect([unknown.status, there.status]).toEqual([429, 429])
  expect(unknown.body.error.message).toBe(there.body.error.message)
  expect(unknown.body.error.message).toContain('A browser in which you signed in before is not affected.')
})

test('an account keeps the twenty browsers that signed in last', async () => {
  const { fail, signIn, attempt, idsOf } = await fresh()
  const first = await signIn('mia')
  const devices = []
  for (let n = 0; n < 20; n++) {
    server.clock.advance(1000)
    devices.push(await signIn('mia'))
  }
  const { sql } = server.database
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    select count(*)::int as count from known_devices where account_id = ${idsOf('mia').accountId}`
  expect(count).toBe(20)
  await times(10, () => fail('mia'))
  expect((await attempt('mia', { device: first })).status).toBe(429)
  expect((await attempt('mia', { device: devices[0] ?? '' })).status).toBe(200)
})

/** On pages, at an address of its own. */
async function atPages({ slug, credentialsOf }: Awaited<ReturnType<typeof fresh>>, name: string) {
  const base = `/w/${slug}`
  const browser = new PageBrowser(server.url, place())
  const page = await browser.send(await browser.open(`${base}/sign-in`), `${base}/sign-in`, { ...credentialsOf(name) })
  return { browser, page, change: (fields: Record<string, string>) => changePassword(browser, base, fields) }
}

async function changePassword(browser: PageBrowser, base: string, fields: Record<string, string>) {
  return browser.send(await browser.open(`${base}/account`), `${base}/account`, {
    repeated: fields.new_password ?? '',
    ...fields,
  })
}

test('signing out on a page keeps the browser known; the page of signing in lets it in while strangers wait', async () => {
  const people = await fresh()
  const { browser } = await atPages(people, 'mia')
  const base = `/w/${people.slug}`
  await browser.send(await browser.open(`${base}/sign-out`), `${base}/sign-out`)
  expect([browser.cookies.has('ph_session'), browser.cookies.has('ph_device')]).toEqual([false, true])
  await times(10, () => people.fail('mia'))
  const form = await browser.open(`${base}/sign-in`)
  const page = await browser.send(form, `${base}/sign-in`, { ...people.credentialsOf('mia') })
  expect(page.path).toBe(`${base}/`)
  expect((await atPages(people, 'mia')).page.status).toBe(429)
})

test('attempts from elsewhere do not keep who is signed in from changing the password, with the cookie or without', async () => {
  const people = await fresh()
  const { browser, change } = await atPages(people, 'mia')
  await times(10, () => people.fail('mia'))
  const password = people.credentialsOf('mia').password
  browser.cookies.delete('ph_device')
  expect((await change({ password, new_password: 'another correct horse' })).status).toBe(200)
  expect((await change({ password: 'another correct horse', new_password: 'a third correct horse' })).status).toBe(200)
  for (let n = 0; n < 10; n++) expect((await change({ password: 'a guess', new_password: 'guessed it all' })).status).toBe(401)
  expect((await change({ password: 'a third correct horse', new_password: 'a fourth correct horse' })).status).toBe(429)
})

test('a new password that its person chose makes strangers of all browsers but this one; one that the operator gave does not', async () => {
  const people = await fresh()
  const elsewhere = await people.signIn('mia')
  const { browser, change } = await atPages(people, 'mia')
  const chosen = 'another correct horse'
  await change({ password: people.credentialsOf('mia').password, new_password: chosen })
  await times(10, () => people.fail('mia'))
  expect((await people.attempt('mia', { password: chosen, device: elsewhere })).status).toBe(429)
  const here = browser.cookies.get('ph_device') ?? ''
  const again = await people.attempt('mia', { password: chosen, device: here })
  expect(again.status).toBe(200)
  await setPassword(server.database.sql, people.idsOf('mia').accountId, 'given by the operator')
  expect((await people.attempt('mia', { password: 'given by the operator', device: known(again) })).status).toBe(200)
})

test('one address counts as one, however it is written', () => {
  const same = [
    '198.18.0.1',
    '::ffff:198.18.0.1',
    '::FFFF:c612:1',
    '0:0:0:0:0:ffff:c612:0001',
    '198.18.0.1:4711',
    '[::ffff:c612:1]:80',
  ]
  expect(new Set(same.map(networkOf))).toEqual(new Set(['198.18.0.1']))
  const network = ['2001:db8:7:1::1', '2001:0DB8:7:1:ffff::', '[2001:db8:7:1::2]:4711', '2001:db8:7:1:0:0:198.18.0.1']
  expect(new Set(network.map(networkOf))).toEqual(new Set(['2001:db8:7:1']))
  expect(networkOf('::1')).not.toBe(networkOf('::ffff:198.18.0.1'))
})

test.runIf(isPostgres)(
  'a browser that signed in at one process is known to the other, and counted once',
  postgresOnly,
  async () => {
    const people = await fresh()
    const settings = { ...server.settings, dataDir: temporaryFolder(), port: 0 }
    const other = await startServer({ settings, clock: server.clock, log: 'none' })
    try {
      const url = `${other.url}/w/${people.slug}`
      const device = await people.signIn('mia')
      await times(10, () => people.fail('mia'))
      expect(await times(5, () => people.attempt('mia', { password: 'a guess', device, url }))).toEqual(ten(401).slice(5))
      expect(await times(6, () => people.fail('mia', device))).toEqual([...ten(401).slice(5), 429])
      expect((await people.attempt('mia', { device, url })).status).toBe(429)
    } finally {
      await other.stop()
    }
  },
)
