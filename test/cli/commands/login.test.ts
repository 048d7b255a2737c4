/** ph login against a real server: approved, denied, forgotten, throttled, over a restart; and what a revoked key leads to. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { approveSignIn, denySignIn, findWaiting } from '../../../server/accounts/device-approval.ts'
import { openBrowser, workspaceWithPasswords } from '../../support/browser.ts'
import { ph, type Setting } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
const acme = await workspaceWithPasswords(server)
/** A server that is started anew listens elsewhere. */
const home = () => `${server.url}/w/${acme.slug}`

// Ten codes of one address in ten minutes are enough for anybody.
afterEach(() => server.clock.advance(11 * 60_000))

const entry = (userCode: string, name = 'mia') => {
  const { accountId, workspaceId } = acme.idsOf(name)
  return { userCode, accountId, workspaceId, now: server.clock.now() }
}
const approve = (userCode: string, scope: 'read' | 'write' = 'write') =>
  approveSignIn(server.database.sql, { ...entry(userCode), scope })

/** A person at a terminal and a browser: waiting moves the server's clock, and the first wait is the time to decide. */
function person(decide: (userCode: string) => Promise<unknown>, more: Setting = {}) {
  let said = ''
  let decided = false
  const env = { PH_CONFIG_DIR: temporaryFolder(), ...more.env }
  const setting: Setting = {
    now: () => server.clock.now(),
    onStderr: (text) => {
      said += text
    },
    pause: async (ms, signal) => {
      signal?.throwIfAborted()
      server.clock.advance(ms)
      const [code] = /\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/.exec(said) ?? []
      if (code === undefined || decided) return
      decided = true
      await decide(code)
    },
    ...more,
  }
  return { ...setting, env }
}

const login = (setting: Setting, more = '') => ph(`login --insecure-storage --no-browser --url ${home()} ${more}`, setting)

test('someone who approves is signed in, under the name of this machine, and logout ends it', async () => {
  const mia = person(approve)
  const { code, stdout, stderr } = await login(mia)
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${home()}/device?code=`)])
  expect(stdout).toMatch(
    new RegExp(`^Signed in to ${acme.slug} at ${home()} as mia\\.\nThe write key "ph on .+ \\(device\\)" is kept in`),
  )
  const who = (await ph('whoami --json', mia)).json() as { key: { prefix: string }; name: string }
  const browser = await openBrowser(home(), acme.credentialsOf('mia'))
  const listed = (await browser.get('/auth/tokens')).body.tokens.find(
    (token: { prefix: string }) => token.prefix === who.key.prefix,
  )
  expect(listed).toMatchObject({ name: who.name, scope: 'write' })
  const key = Object.values(JSON.parse(readFileSync(join(mia.env.PH_CONFIG_DIR, 'keys.json'), 'utf8')))[0]
  expect((await ph('logout', mia)).stdout).toContain('The key is revoked')
  expect((await ph('whoami', { env: { ...mia.env, PH_URL: home(), PH_API_KEY: String(key) } })).code).toBe(4)
})

test('the page is told who asks, from where, for what, and of which workspace', async () => {
  let waiting: object | undefined
  const look = async (code: string) => {
    waiting = await findWaiting(server.database.sql, entry(code))
    await approve(code, 'read')
  }
  await login(person(look), '--scope read')
  expect(waiting).toMatchObject({
    clientName: expect.stringMatching(/^ph on /),
    scope: 'read',
    requestedFrom: '127.0.0.1',
    requestedWorkspaceId: acme.idsOf('mia').workspaceId,
  })
})

test('a workspace that the server does not have is named', async () => {
  const { code, stderr } = await ph(`login --url ${home()}e`, person(approve))
  expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no workspace at ${home()}e, but a server answers there.`)])
})

test('less than was asked for may be approved, and is said', async () => {
  const { code, stdout, stderr } = await login(person((userCode) => approve(userCode, 'read')))
  expect(code).toBe(0)
  expect(stderr).toContain('approved with read scope, not with write scope')
  expect(stdout).toContain('The read key')
})

test('someone who says no ends it with exit code 4', async () => {
  const { code, stdout, stderr } = await login(person((userCode) => denySignIn(server.database.sql, entry(userCode))))
  expect([code, stdout]).toEqual([4, ''])
  expect(stderr).toContain('The sign-in was denied.')
})

test('a code that nobody looks at expires after a quarter of an hour', async () => {
  const before = server.clock.now().getTime()
  const { code, stderr } = await login(person(async () => undefined))
  expect(code).toBe(4)
  expect(stderr).toContain('The sign-in code has expired.')
  expect(server.clock.now().getTime() - before).toBeGreaterThanOrEqual(900_000)
})

test('too many tries from one place are refused with the time to wait', async () => {
  const refused = []
  for (let tries = 0; tries < 11; tries++) {
    const { code, stderr } = await login(person((userCode) => denySignIn(server.database.sql, entry(userCode))))
    if (code !== 4) refused.push([code, stderr])
  }
  expect(refused).toEqual([[3, expect.stringMatching(/Try again in \d+ min/)]])
})

test('a server that is started anew in the middle of it is asked on, and the sign-in goes through', async () => {
  const proxy = await startProxy(server.url)
  const mia = person(async (userCode) => {
    await server.restart()
    proxy.leadTo(server.url)
    await approve(userCode)
  })
  const { code, stdout } = await ph(`login --insecure-storage --no-browser --url ${proxy.url(home())}`, mia)
  expect(code).toBe(0)
  expect(stdout).toContain(`at ${proxy.url(home())}`)
})

test('after the key is revoked on the page the next command says which one it was, and the command that signs in again', async () => {
  const mia = person(approve)
  await login(mia, '--profile studio')
  const browser = await openBrowser(home(), acme.credentialsOf('mia'))
  const [newest] = (await browser.get('/auth/tokens')).body.tokens
  await browser.change('DELETE', `/auth/tokens/${newest.id}`)
  for (const line of ['search', 'whoami', 'jobs list', 'api GET /packs']) {
    const { code, stdout, stderr } = await ph(line, mia)
    expect([line, code, stdout]).toEqual([line, 4, ''])
    expect(stderr).toContain(`${home()} refused the key of profile studio`)
    expect(stderr).toContain('`ph login --profile studio`')
    expect(stderr.match(/sign in again/gi)).toHaveLength(1)
  }
  const again = await login({ ...person(approve), env: mia.env }, '--profile studio')
  expect(again.stdout).toContain('Signed in to')
  expect((await ph('whoami', mia)).code).toBe(0)
})

test('a key in the environment that is not valid is named as such', async () => {
  const env = { PH_URL: home(), PH_API_KEY: `ph_live_${'0'.repeat(40)}`, PH_CONFIG_DIR: temporaryFolder() }
  const { code, stderr } = await ph('search --json', { env })
  expect(code).toBe(4)
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'UNAUTHORIZED',
    message: expect.stringContaining('the key in PH_API_KEY'),
    hint: expect.stringContaining('PH_API_KEY'),
  })
})

test('logout with PH_API_KEY revokes that key, says so, and leaves the profiles alone', async () => {
  const mia = person(approve)
  await login(mia)
  const env = { ...mia.env, PH_URL: home(), PH_API_KEY: acme.keys.max }
  const { code, stdout } = await ph('logout', { env })
  expect(code).toBe(0)
  expect(stdout).toContain('The key in PH_API_KEY is revoked')
  expect((await ph('whoami', { env })).code).toBe(4)
  expect((await ph('whoami', mia)).code).toBe(0)
})

test('logout --all ends every sign-in of this machine', async () => {
  const mia = person(approve)
  await login(mia)
  await login({ ...person(approve), env: mia.env }, '--profile second')
  const { code, stdout } = await ph('logout --all --json', mia)
  expect(code).toBe(0)
  const revoked = { url: home(), revoked: true }
  expect(JSON.parse(stdout)).toEqual({
    profiles: [
      { profile: 'default', ...revoked },
      { profile: 'second', ...revoked },
    ],
  })
  expect((await ph('whoami --all --json', mia)).json()).toEqual({ current: null, profiles: {} })
})
