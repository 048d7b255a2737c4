// Dashboard sessions: signing in and out, cookies, CSRF tokens, throttles (contract-gaps 3).
import { expect, test } from 'vitest'
import { changePerson } from '../../server/accounts/people.ts'
import { findSession, startSession } from '../../server/accounts/sessions.ts'
import { changePassword, setPassword } from '../../server/accounts/sign-in.ts'
import { ask, type Browser, cookieOf, openBrowser, stranger, workspaceWithPasswords } from '../support/browser.ts'
import { scryptRuns } from '../support/scrypt-runs.ts'
import { startTestServer } from '../support/server.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

// Behind a proxy that is trusted, so that tests come from the addresses that they need.
const server = await startTestServer({ trustedProxies: 1 })
const acme = await workspaceWithPasswords(server)

let places = 0
/** An address that nobody used before. */
const place = () => ({ 'x-forwarded-for': `198.18.${++places >> 8}.${places & 255}` })
const open = (name: string, headers: Record<string, string> = place()) => openBrowser(acme.url, acme.credentialsOf(name), headers)
const attempt = (body: unknown, headers: Record<string, string> = place()) =>
  ask(acme.url, '/auth/login', { method: 'POST', body, headers })
const fail = (name: string, headers?: Record<string, string>) =>
  attempt({ ...acme.credentialsOf(name), password: 'a guess' }, headers)
const isIn = async (browser: Browser) => (await browser.get('/auth/tokens')).status === 200

test('signing in sets a cookie that scripts cannot read and that other sites do not send along, and answers the CSRF token', async () => {
  const { login, csrf, sessionId } = await open('mia')
  expect([login.status, login.headers.get('cache-control'), Object.keys(login.body)]).toEqual([200, 'no-store', ['csrf_token']])
  expect(csrf).toMatch(/^[\w-]{43}$/)
  expect(sessionId).toMatch(/^[\w-]{43}$/)
  expect(cookieOf(login)).toMatch(/; Path=\/;.*; HttpOnly; SameSite=Lax$/)
  const expires = new Date(/Expires=([^;]+)/.exec(cookieOf(login))?.[1] ?? '').getTime()
  expect(Math.round((expires - server.clock.now().getTime()) / dayMs)).toBe(30)
})

test('the cookie travels over https only where the request came that way, or the public address says so', async () => {
  const overHttps = await open('mia', { ...place(), 'x-forwarded-proto': 'https' })
  expect(cookieOf(overHttps.login)).toContain('; Secure')
  const untrusting = await startTestServer()
  const plain = await workspaceWithPasswords(untrusting)
  const claimed = await openBrowser(plain.url, plain.credentialsOf('mia'), { 'x-forwarded-proto': 'https' })
  expect(cookieOf(claimed.login)).not.toContain('Secure')
  const published = await startTestServer({ publicUrl: 'https://props.example' })
  const people = await workspaceWithPasswords(published)
  expect(cookieOf((await openBrowser(people.url, people.credentialsOf('mia'))).login)).toContain('; Secure')
})

test('an unknown e-mail, a wrong password, an account without one and someone who left are told the same, for the same work', async () => {
  const guest = await workspaceWithPasswords(server)
  const { workspaceId, personId } = guest.idsOf('max')
  const { sql } = server.database
  await changePerson(sql, { workspaceId, by: undefined, personId, status: 'disabled' })
  await sql`update accounts set password_hash = null where id = ${guest.idsOf('adam').accountId}`
  const answers = new Set<string>()
  for (const credentials of [
    { email: 'nobody@nowhere.test', password: 'correct horse' },
    { ...guest.credentialsOf('mia'), password: 'wrong' },
    guest.credentialsOf('adam'),
    guest.credentialsOf('max'),
  ]) {
    const runs = await scryptRuns(async () => {
      const { status, body } = await attempt(credentials)
      answers.add(JSON.stringify([status, body]))
    })
    expect([credentials.email, runs.count]).toEqual([credentials.email, 1])
  }
  expect([...answers]).toEqual([expect.stringContaining('[401,{"error":{"code":"UNAUTHORIZED"')])
})

test('a session never has an id that the browser brought, and the one it brought ends', async () => {
  const planted = 'A'.repeat(43)
  const first = await open('mia', { ...place(), cookie: `ph_session=${planted}` })
  expect(first.sessionId).not.toBe(planted)
  const second = await open('mia', { ...place(), cookie: `ph_session=${first.sessionId}` })
  expect(second.sessionId).not.toBe(first.sessionId)
  expect([await isIn(first), await isIn(second)]).toEqual([false, true])
})

test('a failed sign-in leaves the session that is there alone', async () => {
  const mia = await open('mia')
  await attempt({ ...acme.credentialsOf('mia'), password: 'wrong' }, { ...place(), cookie: `ph_session=${mia.sessionId}` })
  expect(await isIn(mia)).toBe(true)
})

test('e-mail addresses are read without regard to case, passwords as any keyboard composes them', async () => {
  const { accountId } = acme.idsOf('max')
  await setPassword(server.database.sql, accountId, 'Zu\u0308rich liegt am See')
  const { email } = acme.credentialsOf('max')
  expect((await attempt({ email: ` ${email.toUpperCase()} `, password: 'Z\u00fcrich liegt am See' })).status).toBe(200)
})

test('a change needs the CSRF token of its own session; reading does not', async () => {
  const [mia, adam] = [await open('mia'), await open('adam')]
  const cookie = `ph_session=${mia.sessionId}`
  const tokens: Record<string, string>[] = [
    {},
    { 'x-csrf-token': '' },
    { 'x-csrf-token': adam.csrf },
    { 'x-csrf-token': `${mia.csrf}x` },
  ]
  for (const token of tokens)
    for (const [method, path, body] of [
      ['POST', '/auth/tokens', { name: 'x', scope: 'read' }],
      ['DELETE', '/auth/tokens/1', undefined],
      ['POST', '/auth/logout', undefined],
    ] as const) {
      const answer = await ask(acme.url, path, { method, body, headers: { cookie, ...token } })
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 403, 'FORBIDDEN'])
    }
  expect(await isIn(mia)).toBe(true)
})

test('only JSON signs anybody in: a form of another site does not', async () => {
  const { email, password } = acme.credentialsOf('mia')
  for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
    const body = type === 'text/plain' ? JSON.stringify({ email, password }) : `${new URLSearchParams({ email, password })}`
    const answer = await attempt(body, { ...place(), 'content-type': type })
    expect([type, answer.status, cookieOf(answer)]).toEqual([type, 422, ''])
  }
})

test('signing out ends the session and takes the cookie away; a key is judged before a cookie', async () => {
  const mia = await open('mia')
  const both = { authorization: `Bearer ${acme.keys.miaReads}`, cookie: `ph_session=${mia.sessionId}` }
  expect((await ask(acme.url, '/auth/logout', { method: 'POST', headers: both })).status).toBe(204)
  expect((await ask(acme.url, '/auth/me', { headers: both })).status).toBe(401)
  expect(await isIn(mia)).toBe(true)
  const out = await mia.change('POST', '/auth/logout')
  expect([out.status, cookieOf(out)]).toEqual([204, expect.stringMatching(/^ph_session=; .*Expires=Thu, 01 Jan 1970/)])
  expect(await isIn(mia)).toBe(false)
})

test('a cookie that is nobody is refused by the front door, whatever it holds', async () => {
  for (const cookie of ['', 'x', 'A'.repeat(43), `${'A'.repeat(6_000)}`, "' or 1=1 --", '%00', '%E0%A4%A']) {
    const answer = await ask(acme.url, '/auth/tokens', { headers: { cookie: `ph_session=${cookie}` } })
    expect([cookie.slice(0, 50), answer.status, typeof answer.body.error]).toEqual([cookie.slice(0, 50), 401, 'string'])
  }
})

test('a session ends after thirty days, when its person is disabled, and when the password changes', async () => {
  const { sql } = server.database
  const guest = await workspaceWithPasswords(server)
  const come = (name: string) => openBrowser(guest.url, guest.credentialsOf(name), place())
  const [mia, again, adam] = [await come('mia'), await come('mia'), await come('adam')]
  const { workspaceId, personId } = guest.idsOf('adam')
  await changePerson(sql, { workspaceId, by: 'owner', personId, status: 'disabled' })
  expect([await isIn(mia), await isIn(again), await isIn(adam)]).toEqual([true, true, false])
  expect(await findSession(sql, adam.sessionId, server.clock.now())).toBeUndefined()
  const { accountId } = guest.idsOf('mia')
  const now = server.clock.now()
  const change = { accountId, newPassword: 'a new correct horse', address: '198.18.200.1', browser: stranger, now }
  await expect(changePassword(sql, { ...change, password: 'not mine' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await isIn(mia)).toBe(true)
  await changePassword(sql, { ...change, password: guest.credentialsOf('mia').password })
  expect([await isIn(mia), await isIn(again)]).toEqual([false, false])
  expect((await come('mia')).login.status).toBe(401)
  const renewed = await openBrowser(guest.url, { ...guest.credentialsOf('mia'), password: change.newPassword }, place())
  server.clock.advance(30 * dayMs - minuteMs)
  expect(await isIn(renewed)).toBe(true)
  server.clock.advance(2 * minuteMs)
  expect(await isIn(renewed)).toBe(false)
})

test('a sign-in that compared the password before it was changed gets no session after', async () => {
  const { sql } = server.database
  const { accountId } = acme.idsOf('olivia')
  const [account] = await sql<{ password_hash: string }[]>`select password_hash from accounts where id = ${accountId}`
  await setPassword(sql, accountId, acme.credentialsOf('olivia').password)
  const started = { accountId, browser: stranger, now: server.clock.now() }
  expect(await startSession(sql, { ...started, passwordHash: account?.password_hash ?? '' })).toBeUndefined()
  expect(await startSession(sql, started)).toBeDefined()
})

test('someone who signs in again and again keeps the fifty sessions that were used last', async () => {
  const { sql } = server.database
  const { accountId } = (await workspaceWithPasswords(server)).idsOf('mia')
  const ids: string[] = []
  for (let n = 0; n < 52; n++) {
    server.clock.advance(1000)
    ids.push((await startSession(sql, { accountId, browser: stranger, now: server.clock.now() }))?.id ?? '')
  }
  const alive = await Promise.all(ids.map((id) => findSession(sql, id, server.clock.now())))
  expect(alive.map((session) => session !== undefined)).toEqual(ids.map((_, n) => n >= 2))
})

test('passwords, cookies and CSRF tokens are neither in the log nor in the database', async () => {
  const mia = await open('mia')
  await fail('mia', { ...place(), cookie: 'ph_session=planted-by-someone' })
  await attempt({ email: 'evil\r\nSet-Cookie: x=1@x.test', password: 'p\r\nq' })
  const log = server.logLines.join('')
  for (const line of server.logLines) expect(() => JSON.parse(line)).not.toThrow()
  const kept = JSON.stringify([
    await server.database.sql`select * from sessions`,
    await server.database.sql`select * from accounts`,
    await server.database.sql`select * from throttles`,
  ])
  for (const secret of [mia.sessionId, mia.csrf, acme.credentialsOf('mia').password, 'a guess', 'planted-by-someone']) {
    expect(log).not.toContain(secret)
    expect(kept).not.toContain(secret)
  }
  expect(log).not.toContain('evil')
})
