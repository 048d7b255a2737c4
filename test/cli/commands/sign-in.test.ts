/** Signing in, saying who one is, signing out: ph login, whoami, logout and profiles. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { answer, cut, startPeer } from '../../support/peer.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { type Keys, newKey, startTestServer, type TestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let server: TestServer
let url: string
let keys: Keys

beforeAll(async () => {
  server = await startTestServer()
  const workspace = await server.addWorkspace()
  url = workspace.url
  keys = workspace.keys
})

/** What a server says of a key. */
const identity = {
  user: { id: 1, name: 'a', email: 'a', display_name: 'A', role: 'member' },
  name: 'k',
  org_id: 1,
  org: { id: 1, name: 'W', slug: 'w' },
  scope: 'read',
}

/** Folders of a person who has used nothing yet. */
const newcomer = () => ({ PH_CONFIG_DIR: temporaryFolder() })
const login = (env: Record<string, string>, key: string, more = '') =>
  ph(`login --with-key --insecure-storage --url ${url} ${more}`, { env, stdin: `${key}\n` })

test('login keeps the key in a file that only its owner can read, and says so', async () => {
  const env = newcomer()
  const { code, stdout, stderr } = await login(env, keys.mia)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  const file = join(env.PH_CONFIG_DIR, 'keys.json')
  expect(stdout).toContain(`at ${url} as mia`)
  expect(stdout).toContain(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(stdout).not.toContain(keys.mia)
})

test('after login whoami says who, where, with which scope and where the key is', async () => {
  const env = newcomer()
  await login(env, keys.miaReads)
  const { stdout } = await ph('whoami', { env })
  expect(stdout).toContain('mia')
  expect(stdout).toContain(url)
  expect(stdout).toContain('read scope')
  expect(stdout).toContain(join(env.PH_CONFIG_DIR, 'keys.json'))
  const told = (await ph('whoami --json', { env })).json()
  expect(told).toMatchObject({ scope: 'read', url, profile: 'default', key: { source: 'file' } })
})

test('a key the server does not know is refused with exit code 4 and nothing is kept', async () => {
  const env = newcomer()
  const { code, stderr } = await login(env, newKey())
  expect(code).toBe(4)
  expect(stderr).toContain('Paste the whole key')
  expect((await ph('whoami', { env })).stderr).toContain('ph does not know which server')
})

test('a workspace that the server does not have is refused with the part of the address to look at', async () => {
  const { code, stderr } = await ph(`login --with-key --url ${server.url}/w/nobody`, { env: newcomer(), stdin: keys.mia })
  expect(code).toBe(1)
  expect(stderr).toContain('"nobody"')
  expect(stderr).toContain('after /w/')
})

test('what is not a key is refused before any server is asked', async () => {
  const empty = await ph('login --with-key --url http://127.0.0.1:1', { env: newcomer(), stdin: '' })
  expect(empty.code).toBe(2)
  expect(empty.stderr).toContain('No key came on standard input')
  const prose = await ph('login --with-key --url http://127.0.0.1:1', { env: newcomer(), stdin: 'two words' })
  expect(prose.code).toBe(2)
})

test('logout revokes the key on the server and forgets it here', async () => {
  const env = newcomer()
  const workspace = await server.addWorkspace()
  await ph(`login --with-key --insecure-storage --url ${workspace.url}`, { env, stdin: workspace.keys.max })
  const { code, stdout } = await ph('logout', { env })
  expect(code).toBe(0)
  expect(stdout).toContain('The key is revoked')
  expect(readFileSync(join(env.PH_CONFIG_DIR, 'keys.json'), 'utf8')).not.toContain(workspace.keys.max)
  expect((await ph('whoami', { env: { ...env, ...signedIn(workspace.url, workspace.keys.max) } })).code).toBe(4)
})

test('logout --keep-key forgets the key here and leaves it valid', async () => {
  const env = newcomer()
  await login(env, keys.adam)
  expect((await ph('logout --keep-key', { env })).code).toBe(0)
  expect((await ph('whoami', { env })).code).toBe(4)
  expect((await ph('whoami', { env: { ...env, ...signedIn(url, keys.adam) } })).code).toBe(0)
})

test('logout of a key that the server has ended already still forgets it here', async () => {
  const env = newcomer()
  const workspace = await server.addWorkspace()
  const there = { env, stdin: workspace.keys.max }
  await ph(`login --with-key --insecure-storage --profile one --url ${workspace.url}`, there)
  await ph(`login --with-key --insecure-storage --profile two --url ${workspace.url}`, there)
  await ph('logout --profile two', { env })
  expect((await ph('logout --profile one', { env })).code).toBe(0)
  expect((await ph('whoami --all --json', { env })).json()).toEqual({ current: null, profiles: {} })
})

test('logout while the server is away forgets the key here and says that it still works there', async () => {
  const env = newcomer()
  const away = await startPeer(answer(200, identity), cut)
  await ph(`login --with-key --insecure-storage --url ${away.url}`, { env, stdin: newKey() })
  const { code, stdout } = await ph('logout', { env })
  expect(code).toBe(0)
  expect(stdout).toContain('could not be reached to revoke it')
  expect((await ph('whoami', { env })).code).toBe(4)
})

test('profiles stand side by side, and --profile chooses one', async () => {
  const env = newcomer()
  await login(env, keys.olivia, '--profile owner')
  await login(env, keys.mia, '--profile member')
  expect((await ph('whoami', { env })).stdout).toContain('mia')
  expect((await ph('whoami --profile owner', { env })).stdout).toContain('olivia')
  const all = (await ph('whoami --all --json', { env })).json() as { current: string; profiles: object }
  expect(all.current).toBe('member')
  expect(Object.keys(all.profiles)).toEqual(['owner', 'member'])
})

test('a profile named outright brings its own key: that of the environment never travels to its server', async () => {
  const env = newcomer()
  const studio = await startPeer(answer(200, identity))
  await ph(`login --with-key --insecure-storage --profile studio --url ${studio.url}`, { env, stdin: 'key-of-studio' })
  const elsewhere = { ...env, ...signedIn(url, keys.olivia) }
  expect((await ph('whoami --profile studio', { env: elsewhere })).code).toBe(0)
  expect(studio.heard.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-of-studio', 'Bearer key-of-studio'])
  expect((await ph('whoami --profile nobody', { env: elsewhere })).stderr).toContain('There is no profile nobody')
})

test('an address that no key is known for is named in the command that signs in there', async () => {
  const { code, stderr } = await ph('search --json --url http://127.0.0.1:1/w/acme')
  expect([code, JSON.parse(stderr).error]).toMatchObject([
    4,
    { code: 'NO_KEY', next: ['ph login --url http://127.0.0.1:1/w/acme'] },
  ])
})

test('a server that is not there is named, with exit code 3', async () => {
  const { code, stderr } = await ph('whoami', { env: { ...newcomer(), ...signedIn('http://127.0.0.1:1', keys.mia) } })
  expect(code).toBe(3)
  expect(stderr).toContain('http://127.0.0.1:1')
})

test('whoami says owner where the server tells owners apart, else what it says of the role', async () => {
  for (const [more, said] of [
    [{ workspace_role: 'owner' }, 'owner'],
    [{}, identity.user.role],
  ] as const) {
    const peer = await startPeer(answer(200, { ...identity, ...more }))
    const { stdout } = await ph('whoami', { env: signedIn(peer.url, 'ph_live_x') })
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`\\), ${said}$`))
  }
})
