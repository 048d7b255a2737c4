/** ph doctor: what it finds on a machine, on the way to a library and in a project, and what it says to do. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { provision } from '../../../server/provision/provision.ts'
import type { Finding } from '../../../system/finding.ts'
import { startPeer } from '../../support/peer.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'
import { newKey, startTestServer, type TestServer, workspaceOf } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let server: TestServer
let workspace: Awaited<ReturnType<TestServer['addWorkspace']>>

beforeAll(async () => {
  server = await startTestServer()
  workspace = await server.addWorkspace()
})

const ownFolders = () => ({ PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() })

async function doctor(env: Record<string, string>, setting: Setting = {}) {
  const told = await ph('doctor --json', { cwd: temporaryFolder(), ...setting, env: { ...ownFolders(), ...env } })
  const { findings, problems } = told.json() as { findings: Finding[]; problems: number; warnings: number }
  return { code: told.code, problems, findings, of: (check: string) => findings.find((one) => one.check === check) }
}

const withKey = (who: 'olivia' | 'miaReads' = 'olivia') => signedIn(workspace.url, workspace.keys[who])

test('with everything in order it ends with 0 and has nothing to fix', async () => {
  const { code, findings, of } = await doctor(withKey())
  expect(code).toBe(0)
  expect(findings.filter(({ verdict }) => verdict === 'warning' || verdict === 'problem')).toEqual([])
  expect(of('key')?.said).toContain('(owner)')
  for (const check of ['node', 'config', 'disk', 'sign-in', 'server', 'clock', 'key', 'scope', 'workspace'])
    expect([check, of(check)?.verdict]).toEqual([check, 'ok'])
})

test('its lines have signs that need no colour, and say how to go on', async () => {
  const { code, stdout } = await ph('doctor', { env: ownFolders(), cwd: temporaryFolder() })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^✓ node /m)
  expect(stdout).toMatch(/^✗ sign-in .*\n +→ .*ph login/m)
  expect(stdout).toMatch(/1 problem\.\n$/)
})

test('on a narrow terminal every line fits', async () => {
  const { stdout } = await ph('doctor', { env: { ...ownFolders(), ...withKey() }, cwd: temporaryFolder(), columns: 40 })
  const prose = stripVTControlCharacters(stdout)
    .split('\n')
    .filter((line) => !line.includes('/'))
  expect(prose.filter((line) => line.length > 40)).toEqual([])
})

test('a folder that cannot be written is a problem, with the setting that moves it', async () => {
  const file = join(temporaryFolder({ taken: 'a file' }), 'taken')
  const { code, of } = await doctor({ ...withKey(), PH_STATE_DIR: join(file, 'state') })
  expect(code).toBe(1)
  expect(of('state')).toMatchObject({ verdict: 'problem', next: expect.stringContaining('PH_STATE_DIR') })
})

test('a key file that others may read is named', async () => {
  const PH_CONFIG_DIR = temporaryFolder()
  await ph(`login --with-key --insecure-storage --url ${workspace.url}`, { env: { PH_CONFIG_DIR }, stdin: workspace.keys.mia })
  chmodSync(join(PH_CONFIG_DIR, 'keys.json'), 0o644)
  expect((await doctor({ PH_CONFIG_DIR })).of('sign-in')).toMatchObject({
    verdict: 'problem',
    next: expect.stringContaining('chmod 600'),
  })
})

test('a server that is not there, and a name that nobody knows, are told apart', async () => {
  const gone = await doctor(signedIn('http://127.0.0.1:1', newKey()))
  expect(gone.of('server')).toMatchObject({ verdict: 'problem', said: expect.stringContaining('nothing listens there') })
  const unknown = await doctor(signedIn('https://no-such-host.invalid', newKey()))
  expect(unknown.of('host')).toMatchObject({ verdict: 'problem', said: expect.stringContaining('no-such-host.invalid') })
  expect(unknown.of('server')).toBeUndefined()
})

test('what answers there but is no library is said to be none, and gets no key', async () => {
  const other = await startPeer((response) => response.writeHead(200).end('<html>'))
  const { of } = await doctor(signedIn(other.url, newKey()))
  expect(of('server')).toMatchObject({ verdict: 'problem', said: expect.stringContaining('is not a Prop House server') })
  expect(other.heard.map(({ headers }) => headers.authorization)).toEqual([undefined])
})

test('a server of another version says which side to update', async () => {
  const newer = await startPeer((response) => response.writeHead(426, { 'x-ph-api': '2' }).end('{}'))
  expect((await doctor(signedIn(newer.url, newKey()))).findings).toContainEqual(
    expect.objectContaining({ verdict: 'problem', next: 'Update ph on this machine.' }),
  )
})

test('a clock that is wrong is measured against that of the server', async () => {
  const late = await doctor(withKey(), { now: () => new Date(Date.now() + 3_600_000) })
  expect(late.of('clock')).toMatchObject({ verdict: 'problem', said: expect.stringMatching(/3\d\d\d s ahead/) })
  const early = await doctor(withKey(), { now: () => new Date(Date.now() - 120_000) })
  expect(early.of('clock')).toMatchObject({ verdict: 'warning', said: expect.stringMatching(/1[12]\d s behind/) })
})

test('a key that is not valid any more is a problem, with the command that signs in again', async () => {
  const { code, of } = await doctor(signedIn(workspace.url, newKey()))
  expect(code).toBe(1)
  expect(of('key')).toMatchObject({ verdict: 'problem', next: expect.stringContaining('PH_API_KEY') })
})

test('a key that only reads is worth knowing, and no reason to fail', async () => {
  const { code, of } = await doctor(withKey('miaReads'))
  expect(code).toBe(0)
  expect(of('scope')).toMatchObject({ verdict: 'note', next: 'Set PH_API_KEY to a key with write scope.' })
})

test.each([
  ['read_only', 'read-only'],
  ['starting', 'starting'],
  ['ingest_blocked', 'no new files'],
] as const)('a workspace that is %s is a warning with the reason, and nothing is left there by asking', async (state, word) => {
  const { workspace: made, keys } = workspaceOf(`w-${state.replace('_', '-')}`)
  await provision(server.database, { workspaces: [{ ...made, state }] }, server.clock.now())
  const { code, of } = await doctor(signedIn(`${server.url}/w/${made.slug}`, keys.olivia))
  expect([code, of('workspace')]).toEqual([
    0,
    expect.objectContaining({ verdict: 'warning', said: expect.stringContaining(word) }),
  ])
})

test('a server that does not answer ends after a bounded time', async () => {
  const silent = await startPeer(() => undefined)
  const { findings } = await checkedWithin(signedIn(silent.url, newKey()), 300)
  expect(findings).toContainEqual(expect.objectContaining({ check: 'server', verdict: 'problem' }))
})

async function checkedWithin(env: Record<string, string>, limitMs: number) {
  const [{ checkUp }, { findFolders }] = await Promise.all([
    import('../../../client/doctor/doctor.ts'),
    import('../../../client/folders.ts'),
  ])
  const findings = await checkUp({
    folders: findFolders(ownFolders()),
    choice: { url: env.PH_URL, key: env.PH_API_KEY },
    env: {},
    cwd: temporaryFolder(),
    clientName: 'ph/test',
    now: () => new Date(),
    signal: new AbortController().signal,
    limitMs,
  })
  return { findings }
}

test('the project here is described, and names that other systems do not take are found', async () => {
  const cwd = temporaryFolder({
    'Tavern.uproject': '{"EngineAssociation": "5.4"}',
    'Content/Props/SM_Barrel.uasset': '',
    'Content/Props/sm_barrel.uasset': '',
    'Content/Aux/T_Wood.uasset': '',
    'Content/Props/T Wood (new).uasset': '',
    'Content/Props/notes (mine).txt': '',
  })
  const { code, findings, of } = await doctor(withKey(), { cwd })
  expect(code).toBe(0)
  expect(of('project')?.said).toContain('Tavern')
  expect(of('project')?.said).toContain('5.4.0')
  const names = findings.filter(({ check }) => check === 'names').map(({ verdict, said }) => [verdict, said])
  expect(names).toEqual([
    ['warning', expect.stringContaining('Props/SM_Barrel.uasset and Props/sm_barrel.uasset')],
    ['warning', expect.stringContaining('Windows takes no such names: Aux')],
    ['warning', expect.stringMatching(/not pulled: Props\/T Wood \(new\)\.uasset\.$/)],
  ])
})

test('a project without a Content folder, and two projects in one folder, are named', async () => {
  const cwd = temporaryFolder({ 'Inn.uproject': '{}' })
  const bare = await doctor(withKey(), { cwd })
  expect(bare.of('content')).toMatchObject({ verdict: 'warning', said: expect.stringContaining('no Content folder') })
  expect(bare.of('engine')?.verdict).toBe('note')
  writeFileSync(join(cwd, 'Mill.uproject'), '{}')
  expect((await doctor(withKey(), { cwd })).of('project')).toMatchObject({
    verdict: 'warning',
    said: expect.stringContaining('Inn, Mill'),
  })
  const above = temporaryFolder({ 'A/A.uproject': '{}', 'B/B.uproject': '{}', 'C/C.uproject': '{}' })
  expect((await doctor(withKey(), { cwd: above })).of('project')).toMatchObject({
    said: expect.stringMatching(/^More than one folder here holds a project: .* and 1 more\.$/),
    next: expect.stringContaining('`ph pull --project`'),
  })
})
