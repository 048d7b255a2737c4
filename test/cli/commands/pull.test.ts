/** ph pull, as a person and as a script run it, against a real library. */
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { PullPlan } from '../../../client/pull/plan.ts'
import type { PullReport } from '../../../client/pull/report.ts'
import { type Caller, callAs } from '../../support/api.ts'
import { type Outcome, ph, type Setting, signedIn } from '../../support/ph.ts'
import { filesBelow } from '../../support/pull.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { makeProject, type TestProject } from '../../support/unreal-project.ts'

const server = await startTestServer()
let env: Record<string, string>
let colleague: Record<string, string>
let caller: Caller
let source: TestProject

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  env = { ...signedIn(url, keys.olivia), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder(), NO_COLOR: '1' }
  colleague = { ...env, ...signedIn(url, keys.max) }
  caller = callAs(url, keys.olivia)
  source = await makeProject({
    'Content/Inn/SM_Barrel.uasset': { imports: ['/Game/Inn/M_Oak', '/Foliage/M_Moss'] },
    'Content/Inn/M_Oak.uasset': {},
  })
  await source.push({ url, key: keys.olivia })
})

const pull = (cwd: string, line: string, more: Setting = {}): Promise<Outcome> =>
  ph(`pull ${line}`, { cwd, ...more, env: { ...env, ...more.env } })
const report = (outcome: Outcome): PullReport => outcome.json() as PullReport

/** An Unreal project without content; gives its folder. */
const tavern = (descriptor = '{"EngineAssociation": "5.4"}'): string => temporaryFolder({ 'Tavern.uproject': descriptor })
const barrelIn = (folder: string): string => join(folder, 'Content/Inn/SM_Barrel.uasset')

test('a prop comes with what it needs into the nearest project, and people are told what came of it', async () => {
  const folder = tavern()
  mkdirSync(join(folder, 'Config'))
  const { code, stdout, stderr } = await pull(join(folder, 'Config'), 'SM_Barrel')
  expect([stderr, code]).toEqual(['', 0])
  expect(stdout).toContain(`Pulled SM_Barrel into Tavern (${folder}) in `)
  expect(stdout).toMatch(/2 added/)
  expect(stdout).toContain('+ Content/Inn/M_Oak.uasset')
  expect(filesBelow(join(folder, 'Content'))).toEqual(filesBelow(join(source.root, 'Content')))
  expect(filesBelow(join(folder, 'Saved'))).toEqual({})
})

test('a pull and a send agree on the root that was chosen for the project, and both warn of it', async () => {
  const folder = tavern()
  await caller.post('/projects', { name: 'Tavern', default_root: '/Game/Kit' })
  const sent = await ph('send SM_Barrel --project Tavern', { env })
  const pulled = await pull(folder, 'SM_Barrel')
  for (const { stdout } of [sent, await pull(folder, 'SM_Barrel --plan'), pulled, await pull(folder, '')]) {
    expect(stdout.match(/Files land below \/Game\/Kit instead of \/Game\. References between packages are paths/g)).toHaveLength(
      1,
    )
    expect(stdout).toContain('`ph project edit <project> --root /Game`')
  }
  const files = Object.keys(filesBelow(join(folder, 'Content')))
  expect(files).toEqual(['Kit/Inn/M_Oak.uasset', 'Kit/Inn/SM_Barrel.uasset'])
  expect((await pull(folder, 'SM_Barrel --root /Game')).stdout).not.toContain('References between')
})

test('what waits for the project shows after a pull, with who sent it, until it is pulled', async () => {
  const folder = tavern()
  expect((await pull(folder, 'M_Oak')).stdout).not.toContain('wait')
  await ph('send SM_Barrel --project Tavern', { env })
  await ph('send M_Oak --project Tavern --to-agent', { env })
  const after = await pull(folder, 'M_Oak')
  expect(after.stdout).toMatch(
    /\n2 pull jobs wait for Tavern:\n {2}job \d+ from olivia, just now: 1 entry, 2 files, .*\n {2}job .*, by the desktop agent\n/,
  )
  expect(after.stdout).toContain('→ ph pull --project Tavern')
  const jobs = await pull(folder, '')
  expect(jobs.stdout).toMatch(/Pulled SM_Barrel[\s\S]*1 pull job waits for Tavern:[\s\S]*→ An editor/)
  expect((await pull(folder, '')).stdout).not.toContain('No pull job waits')
})

test('--into takes a folder that is not there yet, under the name that is given', async () => {
  const folder = join(temporaryFolder(), 'new', 'place')
  const outcome = await pull(temporaryFolder(), `SM_Barrel --project Tavern --into ${folder} --json`)
  expect(outcome.code).toBe(0)
  expect(report(outcome)).toMatchObject({ project: 'Tavern', root: folder, engine_version: null })
  expect(Object.keys(filesBelow(folder))).toEqual(['Content/Inn/M_Oak.uasset', 'Content/Inn/SM_Barrel.uasset'])
})

test('a project that is not there, or has another name, is wrong usage that says what to type', async () => {
  const missing = await pull(temporaryFolder(), 'SM_Barrel --project Tavern')
  expect(missing.code).toBe(2)
  expect(missing.stderr).toContain('There is no Tavern.uproject')
  const other = await pull('/', `SM_Barrel --project Castle --into ${tavern()}`)
  expect(other.code).toBe(2)
  expect(other.stderr).toContain('holds the project Tavern, not Castle')
})

test('--plan says what would happen, and changes nothing anywhere', async () => {
  const folder = tavern()
  const outcome = await pull(folder, 'SM_Barrel --plan --json')
  expect(outcome.code).toBe(0)
  const [plan] = (outcome.json() as PullPlan).plans
  expect(plan).toMatchObject({
    job_id: null,
    target_root: '/Game',
    summary: { add: 2, identical: 0, safe_overwrite: 0, conflict: 0 },
    engine_too_old: false,
    plugins: [{ name: 'Foliage', present: false, entries: ['SM_Barrel'] }],
  })
  expect(plan?.bytes.to_download).toBe(plan?.bytes.total)
  expect(Object.keys(filesBelow(folder))).toEqual(['Tavern.uproject'])
  // How many requests were made is counted there for all programs of the machine.
  expect(Object.keys(filesBelow(env.PH_STATE_DIR ?? '')).filter((file) => !file.startsWith('requests/'))).toEqual([])
  expect(filesBelow(env.PH_CACHE_DIR ?? '')).toEqual({})
  expect((await caller.get('/pull-jobs')).body.jobs).toEqual([])
  const { stdout } = await pull(folder, 'SM_Barrel --plan')
  expect(stdout).toContain('It needs the plugin Foliage; the .uproject does not enable it.')
})

test('--plan tells conflicts, what would be replaced, and with --exact what is newer than was pushed', async () => {
  const folder = tavern()
  await pull(folder, 'SM_Barrel')
  writeFileSync(barrelIn(folder), 'mine')
  await source.save({ 'Content/Inn/M_Oak.uasset': { payload: Buffer.from('polished') } })
  await source.push({ url: env.PH_URL ?? '', key: env.PH_API_KEY ?? '' })
  const { stdout, code } = await pull(folder, 'SM_Barrel --plan')
  expect(code).toBe(0)
  expect(stdout).toMatch(/1 different here: conflicts/)
  expect(stdout).toMatch(/1 would be replaced by another version/)
  expect(stdout).not.toContain('Outdated when this pull is done')
  const exact = await pull(folder, 'SM_Barrel --plan --exact')
  expect(exact.stdout).toMatch(/1 there already/)
  expect(exact.stdout).toMatch(/Outdated when this pull is done:[\s\S]*\/Game\/Inn\/M_Oak {2}v1, now v2/)
})

test('--plan says what would become of conflicts, and counts what overwriting them downloads', async () => {
  const folder = tavern()
  await pull(folder, 'SM_Barrel')
  writeFileSync(barrelIn(folder), 'mine')
  const planned = async (choice: string) => {
    const { stdout } = await pull(folder, `SM_Barrel --plan ${choice}`)
    const told = (await pull(folder, `SM_Barrel --plan --json ${choice}`)).json() as PullPlan
    const bytes = told.plans[0]?.bytes
    return [
      /1 different here: conflicts, which (.*)/.exec(stdout)?.[1],
      told.on_conflict,
      bytes && bytes.to_download + bytes.in_cache > 0,
    ]
  }
  expect(await planned('')).toEqual(['would stay as they are', 'keep', false])
  expect(await planned('--on-conflict overwrite')).toEqual(['would be overwritten, with a backup', 'overwrite', true])
  expect(readFileSync(barrelIn(folder), 'utf8')).toBe('mine')
})

test('a conflict is kept and ends with 6; overwriting names the backup and ends with 0', async () => {
  const folder = tavern()
  await pull(folder, 'SM_Barrel')
  writeFileSync(barrelIn(folder), 'mine')
  const kept = await pull(folder, 'SM_Barrel')
  expect(kept.code).toBe(6)
  expect(kept.stdout).toMatch(/1 kept, different from the library[\s\S]*Conflicts:[\s\S]*Content\/Inn\/SM_Barrel\.uasset/)
  const overwritten = await pull(folder, 'SM_Barrel --on-conflict overwrite')
  expect(overwritten.code).toBe(0)
  expect(overwritten.stdout).toMatch(/What was here before is kept:\n {4}Saved\/PropHouse\/Backups\//)
})

test('on a terminal someone is asked about each conflict; elsewhere asking is wrong usage', async () => {
  const folder = tavern()
  await pull(folder, 'SM_Barrel')
  const before = readFileSync(barrelIn(folder))
  writeFileSync(barrelIn(folder), 'mine')
  const twoHoursAgo = Date.now() / 1000 - 2 * 3600
  utimesSync(barrelIn(folder), twoHoursAgo, twoHoursAgo)
  const asked = await pull(folder, 'SM_Barrel --on-conflict ask', { columns: 120, typed: ['s\n', 'o\n'] })
  expect(asked.code).toBe(0)
  expect(asked.stderr).not.toContain('skip')
  expect(asked.stderr).toMatch(
    /Content\/Inn\/SM_Barrel\.uasset \(4 B, saved 2 hours ago\) was changed here, from v1\. This pull brings v1\./,
  )
  expect(readFileSync(barrelIn(folder))).toEqual(before)
  writeFileSync(barrelIn(folder), 'again')
  expect((await pull(folder, 'SM_Barrel --on-conflict ask', { columns: 100, typed: ['k\n'] })).code).toBe(6)
  expect((await pull(folder, 'SM_Barrel --on-conflict ask')).code).toBe(2)
  expect((await pull(folder, 'SM_Barrel --on-conflict maybe')).code).toBe(2)
})

test('without entries the jobs that others sent are done, oldest first, and those of other projects are left alone', async () => {
  const { entries } = (await caller.get('/entries')).body
  const send = (target_project: string, id: number, more = {}) =>
    caller.post('/pull-jobs', { target_project, target_root: '/Game', entries: [{ entry_id: id }], ...more })
  const first = (await send('Tavern', entries[0].id)).body.id
  const second = (await send('Tavern', entries[1].id)).body.id
  await send('Castle', entries[0].id)
  await send('Tavern', entries[0].id, { delivery: 'agent' })
  const outcome = await pull(tavern(), '--json')
  expect(outcome.code).toBe(0)
  expect(report(outcome).jobs.map(({ job_id, status }) => [job_id, status])).toEqual([
    [first, 'done'],
    [second, 'done'],
  ])
  const again = await pull(tavern(), '')
  expect([again.code, again.stdout]).toEqual([
    0,
    expect.stringMatching(/^1 pull job waits for Tavern:\n.* by the desktop agent\n/),
  ])
})

test('what a colleague sent to the agents of the project is brought too, with who sent it and why, before and after', async () => {
  const folder = tavern()
  const sent = await ph(['send', 'M_Oak', '--project', 'Tavern', '--create', '--to-agent', '--note', 'for the bar'], {
    env: colleague,
  })
  expect(sent.stdout).toContain('“for the bar”')
  expect((await ph('jobs list --project Tavern', { env: { ...env, COLUMNS: '200' } })).stdout).toContain('for the bar')
  const planned = await pull(folder, '--plan')
  expect(planned.stdout).toMatch(/ {2}sent by max\n {2}“for the bar”/)
  const pulled = await pull(folder, '')
  expect([pulled.code, pulled.stdout]).toEqual([0, expect.stringMatching(/^Pulled M_Oak .*\n {2}sent by max\n {2}“for the bar”/)])
  expect(Object.keys(filesBelow(join(folder, 'Content')))).toEqual(['Inn/M_Oak.uasset'])
})

test('an engine that is too old is refused before anything is done, and the order is taken back', async () => {
  const folder = tavern('{"EngineAssociation": "4.27"}')
  expect((await pull(folder, 'SM_Barrel --plan')).stdout).toMatch(/Engine 5\.\d or newer is needed.*this pull would be refused/)
  const outcome = await pull(folder, 'SM_Barrel')
  expect(outcome.code).toBe(5)
  expect(outcome.stderr).toContain('/Game/Inn/M_Oak and 1 more need a newer engine than 4.27.0')
  expect((await caller.get('/pull-jobs')).body.jobs).toMatchObject([{ status: 'cancelled' }])
  expect(Object.keys(filesBelow(folder))).toEqual(['Tavern.uproject'])
  const { id } = (await caller.get('/entries?name=SM_Barrel')).body.entries[0]
  await caller.post('/pull-jobs', { target_project: 'Tavern', entries: [{ entry_id: id }] })
  const queued = await pull(folder, '')
  expect(queued.code).toBe(5)
  expect(queued.stdout).toContain('Not taken:')
  expect((await caller.get('/pull-jobs?status=queued')).body.jobs).toHaveLength(1)
})

test('an unknown name and a cache size that is none are told plainly', async () => {
  const folder = tavern()
  const unknown = await pull(folder, 'SM_Nothing')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('No entry is named "SM_Nothing"')])
  const size = await pull(folder, 'SM_Barrel', { env: { PH_CACHE_SIZE: 'plenty' } })
  expect([size.code, size.stderr]).toEqual([2, expect.stringContaining('PH_CACHE_SIZE is "plenty"')])
})

test('what a prop needs comes in the current version; --exact brings the one that it was pushed with, and says where a newer one came', async () => {
  const older = filesBelow(source.root)['Content/Inn/M_Oak.uasset']
  await source.save({ 'Content/Inn/M_Oak.uasset': { payload: Buffer.from('polished') } })
  await source.push({ url: env.PH_URL ?? '', key: env.PH_API_KEY ?? '' })
  const newer = filesBelow(source.root)['Content/Inn/M_Oak.uasset']
  const oakIn = (folder: string) => filesBelow(folder)['Content/Inn/M_Oak.uasset']
  const [current, exact, both] = [tavern(), tavern(), tavern()]
  expect((await pull(current, 'SM_Barrel')).code).toBe(0)
  expect(oakIn(current)).toEqual(newer)
  expect((await pull(exact, 'SM_Barrel --exact')).code).toBe(0)
  expect(oakIn(exact)).toEqual(older)
  const { code, stdout } = await pull(both, 'SM_Barrel M_Oak --exact')
  expect(code).toBe(0)
  expect(stdout).toMatch(/2 added[\s\S]*Notes:\n {2}· \/Game\/Inn\/M_Oak comes in v2, although v1 is asked for too/)
})

test('on a terminal the latest is shown first and brought after a yes; a no changes nothing', async () => {
  const folder = tavern()
  await pull(folder, 'SM_Barrel')
  await source.save({ 'Content/Inn/M_Oak.uasset': { payload: Buffer.from('polished') } })
  await source.push({ url: env.PH_URL ?? '', key: env.PH_API_KEY ?? '' })
  const before = filesBelow(join(folder, 'Content'))
  const declined = await pull(folder, '', { columns: 100, typed: ['n\n'] })
  expect(declined.code).toBe(1)
  expect(declined.stderr).toMatch(/1 would be replaced by another version[\s\S]*Bring this\?/)
  expect(filesBelow(join(folder, 'Content'))).toEqual(before)
  expect((await pull(folder, '', { columns: 100, typed: ['y\n'] })).code).toBe(0)
  expect(filesBelow(join(folder, 'Content'))).toEqual(filesBelow(join(source.root, 'Content')))
  expect((await pull(folder, '', { columns: 100, typed: [] })).stderr).not.toContain('Bring this?')
  expect((await pull(folder, 'SM_Barrel --all')).code).toBe(2)
})
