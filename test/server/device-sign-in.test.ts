// Device sign-in: every outcome of spec section 5, races, restarts, guesses (contract-gaps 3).
import { expect, test } from 'vitest'
import { approveSignIn, denySignIn, findWaiting } from '../../server/accounts/device-approval.ts'
import { collectKey } from '../../server/accounts/device-sign-in.ts'
import { changePerson } from '../../server/accounts/people.ts'
import { startServer } from '../../server/main.ts'
import type { Answer } from '../support/api.ts'
import { ask, openBrowser, workspaceWithPasswords } from '../support/browser.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const second = 1000
const minuteMs = 60 * second

const server = await startTestServer({ trustedProxies: 1 })
const acme = await workspaceWithPasswords(server)

interface Elsewhere {
  headers?: Record<string, string> | undefined
  base?: string | undefined
}

let places = 0
/** An address that nobody used before. */
const place = () => ({ 'x-forwarded-for': `198.19.${++places >> 8}.${places & 255}` })
const post = (path: string, body: unknown, { headers = place(), base = acme.url }: Elsewhere = {}) =>
  ask(base, path, { method: 'POST', body, headers })
const start = (body: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  post('/auth/device/code', { client_name: 'ph on builder', scopes: 'write', ...body }, { headers })
const begun = async (body: Record<string, unknown> = {}, headers?: Record<string, string>) => (await start(body, headers)).body
const poll = (device_code: string, base?: string) => post('/auth/device/token', { device_code }, { base })
const told = ({ status, body }: Answer) => [status, body.error?.code, body.error?.details.interval]

/** What the page does when someone who is signed in presses a button. */
const entry = (userCode: string, name = 'mia') => {
  const { accountId, workspaceId } = acme.idsOf(name)
  return { userCode, accountId, workspaceId, now: server.clock.now() }
}
const approve = (userCode: string, name?: string, scope: 'read' | 'write' = 'write') =>
  approveSignIn(server.database.sql, { ...entry(userCode, name), scope })
const deny = (userCode: string, name?: string) => denySignIn(server.database.sql, entry(userCode, name))

test('a code is asked for without a key, and the answer says where to approve it and how often to ask', async () => {
  const { status, body, headers } = await start()
  expect([status, headers.get('cache-control'), headers.get('x-ph-api')]).toEqual([200, 'no-store', '1'])
  expect(body).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: '/device',
    verification_uri_complete: `/device?code=${body.user_code}`,
    expires_in: 900,
    interval: 5,
  })
})

test('until someone approves it is pending; then the key is there once, listed and good in the workspace that was picked', async () => {
  const { device_code, user_code } = await begun()
  expect(told(await poll(device_code))).toEqual([400, 'DEVICE_PENDING', 5])
  await approve(user_code)
  server.clock.advance(5 * second)
  const { status, body, headers } = await poll(device_code)
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(body).toEqual({
    token: expect.stringMatching(/^ph_live_[0-9A-Za-z]{40}$/),
    token_id: expect.any(Number),
    scope: 'write',
    gateway_url: `${server.url}/w/${acme.slug}`,
  })
  const me = await ask(body.gateway_url, '/auth/me', { headers: { authorization: `Bearer ${body.token}` } })
  expect(me.body).toMatchObject({
    user: { name: 'mia' },
    name: 'ph on builder (device)',
    scope: 'write',
    org: { slug: acme.slug },
  })
  const mia = await openBrowser(acme.url, acme.credentialsOf('mia'), place())
  const { tokens } = (await mia.get('/auth/tokens')).body
  expect(tokens[0]).toMatchObject({ id: body.token_id, name: 'ph on builder (device)', scope: 'write' })
  for (let n = 0; n < 2; n++) {
    server.clock.advance(5 * second)
    expect(told(await poll(device_code))).toEqual([401, 'UNAUTHORIZED', undefined])
  }
})

test('the public address stands in gateway_url, where there is one', async () => {
  const published = await startTestServer({ publicUrl: 'https://props.example' })
  const people = await workspaceWithPasswords(published)
  const asked = (path: string, body: unknown) => ask(people.url, path, { method: 'POST', body })
  const { device_code, user_code } = (await asked('/auth/device/code', { client_name: 'ph', scopes: 'read' })).body
  const now = published.clock.now()
  await approveSignIn(published.database.sql, { ...people.idsOf('mia'), userCode: user_code, scope: 'read', now })
  const { body } = await asked('/auth/device/token', { device_code })
  expect(body.gateway_url).toBe(`https://props.example/w/${people.slug}`)
})

test('a first poll is never too fast; each poll that comes too soon adds five seconds to the pace of that code, and of no other', async () => {
  const [one, other] = [(await begun()).device_code, (await begun()).device_code]
  expect(told(await poll(one))).toEqual([400, 'DEVICE_PENDING', 5])
  server.clock.advance(second)
  const tooSoon = await poll(one)
  expect([...told(tooSoon), tooSoon.headers.get('retry-after')]).toEqual([429, 'DEVICE_SLOW_DOWN', 10, '10'])
  server.clock.advance(6 * second)
  expect(told(await poll(one))).toEqual([429, 'DEVICE_SLOW_DOWN', 15])
  server.clock.advance(15 * second)
  expect(told(await poll(one))).toEqual([400, 'DEVICE_PENDING', 15])
  expect(told(await poll(other))).toEqual([400, 'DEVICE_PENDING', 5])
})

test('an approved code that is asked about too soon keeps its key for the next poll in time', async () => {
  const { device_code, user_code } = await begun()
  await poll(device_code)
  await approve(user_code)
  expect(told(await poll(device_code))).toEqual([429, 'DEVICE_SLOW_DOWN', 10])
  server.clock.advance(10 * second)
  expect((await poll(device_code)).status).toBe(200)
})

test('a clock that is set back neither slows a program down for long nor ends its sign-in', async () => {
  const { device_code, user_code } = await begun()
  await poll(device_code)
  server.clock.advance(-60 * minuteMs)
  expect(told(await poll(device_code))).toEqual([400, 'DEVICE_PENDING', 5])
  await approve(user_code)
  server.clock.advance(5 * second)
  expect((await poll(device_code)).status).toBe(200)
  server.clock.advance(60 * minuteMs)
})

test('denied is denied: who asks is told so, and nobody can approve it any more', async () => {
  const { device_code, user_code } = await begun()
  await deny(user_code)
  expect(told(await poll(device_code))).toEqual([400, 'DEVICE_DENIED', undefined])
  await expect(approve(user_code)).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(deny(user_code, 'max')).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(told(await poll(device_code))).toEqual([400, 'DEVICE_DENIED', undefined])
})

test('after 900 seconds a code has expired, approved or not, and nobody can approve it', async () => {
  const [waiting, approved] = [await begun(), await begun()]
  await approve(approved.user_code)
  server.clock.advance(899 * second)
  expect(told(await poll(waiting.device_code))).toEqual([400, 'DEVICE_PENDING', 5])
  server.clock.advance(second)
  for (const { device_code } of [waiting, approved])
    expect(told(await poll(device_code))).toEqual([400, 'DEVICE_EXPIRED', undefined])
  await expect(approve(waiting.user_code)).rejects.toMatchObject({ code: 'DEVICE_EXPIRED' })
})

test('the last moment of a code is the one before 900 seconds are over, for the one who polls and for the one who decides', async () => {
  const { sql } = server.database
  const { device_code, user_code } = await begun()
  const approved = [await begun(), await begun()] as const
  const begin = await findWaiting(sql, entry(user_code))
  const at = (ms: number) => ({ now: new Date(begin.requestedAt.getTime() + ms) })
  expect(begin.expiresAt).toEqual(at(900_000).now)
  await expect(collectKey(sql, device_code, at(899_999).now)).rejects.toMatchObject({ code: 'DEVICE_PENDING' })
  await expect(findWaiting(sql, { ...entry(user_code), ...at(899_999) })).resolves.toMatchObject({ clientName: 'ph on builder' })
  for (const late of [900_000, 900_001]) {
    await expect(collectKey(sql, device_code, at(late).now)).rejects.toMatchObject({ code: 'DEVICE_EXPIRED' })
    for (const decide of [findWaiting, denySignIn])
      await expect(decide(sql, { ...entry(user_code), ...at(late) })).rejects.toMatchObject({ code: 'DEVICE_EXPIRED' })
    const approval = { ...entry(user_code), scope: 'read' as const, ...at(late) }
    await expect(approveSignIn(sql, approval)).rejects.toMatchObject({ code: 'DEVICE_EXPIRED' })
  }
  for (const [{ device_code: code, user_code: typed }, ms, expected] of [
    [approved[0], 899_999, { scope: 'write' }],
    [approved[1], 900_000, { code: 'DEVICE_EXPIRED' }],
  ] as const) {
    const { requestedAt } = await findWaiting(sql, entry(typed))
    await approve(typed)
    const outcome = await collectKey(sql, code, new Date(requestedAt.getTime() + ms)).catch((error: unknown) => error)
    expect(outcome).toMatchObject(expected)
  }
})

test('an unknown device code, a user code among them, is UNAUTHORIZED; a body without one is INVALID_REQUEST', async () => {
  const { user_code } = await begun()
  for (const code of [user_code, 'x', '', 'A'.repeat(43), 'y'.repeat(5_000)])
    expect([code, told(await poll(code))]).toEqual([code, [401, 'UNAUTHORIZED', undefined]])
  for (const body of [{}, { code: 'x' }, { device_code: null }, [], undefined, null])
    expect([body, told(await post('/auth/device/token', body))]).toEqual([body, [400, 'INVALID_REQUEST', undefined]])
  expect(told(await post('/auth/device/token', { device_code: 5 }))).toEqual([422, 'VALIDATION', undefined])
  expect(told(await post('/auth/device/token', { device_code: 'x'.repeat(100_000) }))).toEqual([422, 'VALIDATION', undefined])
})

test('the user code is read without regard to case, dash and spaces', async () => {
  for (const typed of [
    (code: string) => code.toLowerCase(),
    (code: string) => ` ${code.replace('-', '')} `,
    (code: string) => code.replace('-', ' - '),
  ]) {
    const { device_code, user_code } = await begun()
    await approve(typed(user_code))
    expect((await poll(device_code)).status).toBe(200)
  }
})

test('who looks at a code sees who asks, from where, since when and for what', async () => {
  const here = { 'x-forwarded-for': '203.0.113.9' }
  const { user_code } = await begun({ client_name: 'Maya in Köln', scopes: undefined }, here)
  const seen = await findWaiting(server.database.sql, entry(user_code))
  expect(seen).toMatchObject({
    clientName: 'Maya in Köln',
    scope: 'read',
    requestedFrom: '203.0.113.9',
    requestedWorkspaceId: acme.idsOf('mia').workspaceId,
  })
  expect(seen.expiresAt.getTime() - seen.requestedAt.getTime()).toBe(900 * second)
})

test('a key never may more than was asked for; less it may', async () => {
  const reading = await begun({ scopes: 'read' })
  await expect(approve(reading.user_code, 'mia', 'write')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await approve(reading.user_code, 'mia', 'read')
  expect((await poll(reading.device_code)).body.scope).toBe('read')
  const writing = await begun({ scopes: 'write' })
  await approve(writing.user_code, 'mia', 'read')
  expect((await poll(writing.device_code)).body.scope).toBe('read')
})

test('nobody approves for a workspace that is not theirs, and who leaves before the key is collected gives none', async () => {
  const guest = await workspaceWithPasswords(server)
  const { sql } = server.database
  const { device_code, user_code } = await begun()
  const strange = { ...entry(user_code), workspaceId: guest.idsOf('mia').workspaceId, scope: 'read' as const }
  await expect(approveSignIn(sql, strange)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const { workspaceId, personId, accountId } = guest.idsOf('max')
  await approveSignIn(sql, { userCode: user_code, accountId, workspaceId, scope: 'read', now: server.clock.now() })
  await changePerson(sql, { workspaceId, by: 'owner', personId, status: 'disabled' })
  expect(told(await poll(device_code))).toEqual([400, 'DEVICE_DENIED', undefined])
})

test('of twenty polls of an approved code at one moment exactly one gets the key, and one key is made', async () => {
  const { device_code, user_code } = await begun({ client_name: 'racer' })
  await approve(user_code)
  const answers = await Promise.all(Array.from({ length: 20 }, () => poll(device_code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await server.database.sql`select 1 from api_keys where name = 'racer (device)'`).toHaveLength(1)
})

test('of four people who decide at one moment one is heard', async () => {
  for (let round = 0; round < 10; round++) {
    const { user_code } = await begun()
    const deciding = [approve(user_code), deny(user_code, 'max'), approve(user_code, 'adam'), deny(user_code, 'olivia')]
    const decided = await Promise.allSettled(deciding)
    expect(decided.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  }
})

test('a thousand programs that ask and poll at one moment are all answered, each its own', async () => {
  const asked = await Promise.all(Array.from({ length: 1000 }, (_, n) => begun({ client_name: `crowd ${n}` })))
  expect(new Set(asked.map(({ user_code }) => user_code)).size).toBe(1000)
  const chosen = asked.filter((_, n) => n % 100 === 0)
  for (const { user_code } of chosen) await approve(user_code)
  const answers = await Promise.all(asked.map(({ device_code }) => poll(device_code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(chosen.length)
  expect(answers.filter(({ body }) => body.error?.code === 'DEVICE_PENDING')).toHaveLength(1000 - chosen.length)
})

test('a sign-in goes on after the server was started anew, before and after it is approved', async () => {
  const { device_code, user_code } = await begun()
  const again = () => poll(device_code, `${server.url}/w/${acme.slug}`)
  await server.restart()
  expect(told(await again())).toEqual([400, 'DEVICE_PENDING', 5])
  expect(told(await again())).toEqual([429, 'DEVICE_SLOW_DOWN', 10])
  await approve(user_code)
  await server.restart()
  server.clock.advance(10 * second)
  expect((await again()).status).toBe(200)
  acme.url = `${server.url}/w/${acme.slug}`
})

test('more than ten codes in ten minutes from one address are refused there, until the time that the answer names', async () => {
  const here = place()
  for (let n = 0; n < 10; n++) expect((await start({}, here)).status).toBe(200)
  const refused = await start({}, here)
  expect(told(refused).slice(0, 2)).toEqual([429, 'RATE_LIMITED'])
  const { retry_after_seconds: seconds } = refused.body.error.details
  expect(refused.headers.get('retry-after')).toBe(String(seconds))
  expect((await start()).status).toBe(200)
  server.clock.advance(seconds * second)
  expect((await start({}, here)).status).toBe(200)
})

test('who enters ten codes that nobody has must wait, for codes that someone has too; right ones are not counted', async () => {
  const { sql } = server.database
  const { user_code } = await begun()
  for (let n = 0; n < 12; n++) await findWaiting(sql, entry(user_code, 'adam'))
  for (let n = 0; n < 10; n++)
    await expect(findWaiting(sql, entry(`BBBB-BBB${'BCDFGHJKLM'[n]}`, 'adam'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  for (const act of [
    () => findWaiting(sql, entry(user_code, 'adam')),
    () => approve(user_code, 'adam'),
    () => deny(user_code, 'adam'),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await findWaiting(sql, entry(user_code, 'olivia'))
  server.clock.advance(10 * minuteMs)
  await findWaiting(sql, entry(user_code, 'adam'))
})

test('what is half typed, or holds letters that no code has, is no guess: it is told so, and the right code is let in after it', async () => {
  const { sql } = server.database
  const { user_code } = await begun()
  for (let n = 0; n < 12; n++)
    for (const typed of [user_code.slice(0, n % 8), 'AEIO-UYAE', `${user_code}B`])
      await expect(findWaiting(sql, entry(typed, 'max'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await findWaiting(sql, entry(user_code, 'max'))).scope).toBe('write')
})

test('the name of a program is at most eighty characters, and nothing in it can deceive the one who reads it', async () => {
  expect((await start({ client_name: '😀'.repeat(80) })).status).toBe(200)
  for (const client_name of ['😀'.repeat(81), '', '   ', '\u0007\u202e', 5, undefined])
    expect([client_name, told(await start({ client_name })).slice(0, 2)]).toEqual([client_name, [422, 'VALIDATION']])
  expect(told(await start({ scopes: 'admin' })).slice(0, 2)).toEqual([422, 'VALIDATION'])
  const { device_code, user_code } = await begun({ client_name: 'Unreal\r\nSet-Cookie: x=1\u001b[2J \u202egnp.exe\u2028' })
  expect((await findWaiting(server.database.sql, entry(user_code))).clientName).toBe('Unreal Set-Cookie: x=1 [2J gnp.exe')
  await approve(user_code)
  const { token_id } = (await poll(device_code)).body
  const [key] = await server.database.sql`select name from api_keys where id = ${token_id}`
  expect(key).toEqual({ name: 'Unreal Set-Cookie: x=1 [2J gnp.exe (device)' })
})

test('neither code nor key is kept, and none stands in the log', async () => {
  const { device_code, user_code } = await begun()
  await approve(user_code)
  const { token } = (await poll(device_code)).body
  const kept = JSON.stringify([
    await server.database.sql`select * from device_sign_ins`,
    await server.database.sql`select id, name, prefix, key_hash from api_keys`,
  ])
  for (const secret of [device_code, user_code, user_code.replace('-', ''), token]) {
    expect(kept).not.toContain(secret)
    expect(server.logLines.join('')).not.toContain(secret)
  }
})

test('sign-ins that are long over leave no rows behind', async () => {
  await begun()
  server.clock.advance(2 * 60 * minuteMs)
  for (let n = 0; n < 60; n++) await begun()
  const before = new Date(server.clock.now().getTime() - 60 * minuteMs).toISOString()
  expect(await server.database.sql`select 1 from device_sign_ins where expires_at < ${before}`).toEqual([])
})

test('another version of the API is refused here too, and an address of no workspace is a front-door 404', async () => {
  expect((await start({}, { ...place(), 'x-ph-api': '2' })).status).toBe(426)
  const nowhere = await post('/auth/device/code', { client_name: 'ph' }, { base: `${server.url}/w/nowhere` })
  expect([nowhere.status, typeof nowhere.body.error]).toEqual([404, 'string'])
})

test.runIf(isPostgres)(
  'two processes on one PostgreSQL share a sign-in, and only one of them gives the key',
  postgresOnly,
  async () => {
    const settings = { ...server.settings, dataDir: temporaryFolder(), port: 0 }
    const other = await startServer({ settings, clock: server.clock, log: 'none' })
    try {
      for (let n = 0; n < 10; n++) {
        const { device_code, user_code } = await begun()
        await approve(user_code)
        const bases = [acme.url, `${other.url}/w/${acme.slug}`]
        const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => poll(device_code, bases[at % 2])))
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      }
    } finally {
      await other.stop()
    }
  },
)
