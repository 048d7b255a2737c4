/** Get latest in a team: two people and a build machine, one project, everything with `ph pull` without names. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Workstation, workstation } from '../support/workstation.ts'

const server = await startTestServer()
const payload = (text: string) => ({ payload: Buffer.from(text) })
const [table, oak, stool] = ['Content/Props/SM_Table.uasset', 'Content/Mat/M_Oak.uasset', 'Content/Props/SM_Stool.uasset']
const tableSpec = { imports: ['/Game/Mat/M_Oak'] }

interface House {
  mia: Workstation
  max: Workstation
  /** A fresh clone. */
  build: Workstation
  call: ReturnType<typeof callAs>
}

async function house(): Promise<House> {
  const { url, keys } = await server.addWorkspace()
  const mia = workstation({ url, key: keys.mia }, 'Inn')
  await mia.save({ [table]: { ...payload('v1'), ...tableSpec }, [oak]: payload('v1') })
  await mia.ph('push')
  const max = workstation({ url, key: keys.max }, 'Inn')
  await max.ph('pull SM_Table')
  return { mia, max, build: workstation({ url, key: keys.adam }, 'Inn'), call: callAs(url, keys.mia) }
}

const contentOf = ({ root }: Workstation) => filesBelow(join(root, 'Content'))
const statesOf = async (who: Workstation) =>
  Object.fromEntries((await who.ask('status --all')).files.map(({ file, state }: Json) => [file, state]))

test('ph pull brings what became outdated and what it needs now, leaves what others added, and says all of it', async () => {
  const { mia, max } = await house()
  const wax = 'Content/Mat/M_Wax.uasset'
  await mia.save({ [oak]: { ...payload('v2'), imports: ['/Game/Mat/M_Wax'] }, [wax]: payload('v1'), [stool]: payload('v1') })
  await mia.ph('push')
  const plan = await max.ask('pull --plan')
  expect(plan.latest).toMatchObject({
    outdated: [oak],
    diverged: [],
    added: [{ path: '/game/mat/m_wax' }, { path: '/game/props/sm_stool' }],
  })
  expect(plan.plans[0].summary).toEqual({ add: 1, identical: 0, safe_overwrite: 1, conflict: 0 })
  const { stdout } = await max.ph('pull')
  expect(stdout).toMatch(/1 added\n.*1 replaced by another version/)
  expect(stdout).toContain('2 props that others added to Inn are not here: `ph pull --all`')
  expect(await statesOf(max)).toEqual({ [table]: 'current', [oak]: 'current', [wax]: 'current' })
  const again = await max.ph('pull')
  expect(again.stdout).toContain('What Inn has from the library is current.')
  expect(again.stdout).toContain('1 prop that others added to Inn is not here: `ph pull --all`')
  await max.ph('pull --all')
  expect(contentOf(max)).toEqual(contentOf(mia))
  expect((await max.ph('pull')).stdout).not.toContain('added')
})

test('a build machine gets all of the project by --all; what is missing there comes again with it alone', async () => {
  const { mia, build } = await house()
  expect((await build.ph('pull')).stdout).toContain('2 props that others added to Inn are not here: `ph pull --all`')
  await build.ph('pull --all')
  expect(contentOf(build)).toEqual(contentOf(mia))
  build.remove(oak)
  expect((await build.ph('pull')).stdout).toContain('1 file that was here is gone: `ph pull --all`')
  expect(Object.keys(contentOf(build))).toHaveLength(1)
  await build.ph('pull --all')
  expect(contentOf(build)).toEqual(contentOf(mia))
})

test('what is edited here stays: an edit of the current version ends well, one of an outdated version ends with 6 and is named', async () => {
  const { mia, max } = await house()
  await max.save({ [table]: { ...payload('mine'), ...tableSpec } })
  const mine = readFileSync(join(max.root, table))
  expect((await max.ph('pull')).stdout).toContain('1 file that you changed stays here: `ph push`')
  await mia.save({ [table]: { ...payload('theirs'), ...tableSpec }, [oak]: payload('v2') })
  await mia.ph('push')
  const { latest, jobs } = await max.ask('pull', 6)
  expect(latest).toMatchObject({ outdated: [oak], diverged: [table] })
  expect(jobs[0].summary).toMatchObject({ updated: 1, kept: 0 })
  expect(readFileSync(join(max.root, table))).toEqual(mine)
  expect(contentOf(max)['Mat/M_Oak.uasset']).toEqual(contentOf(mia)['Mat/M_Oak.uasset'])
})

test('jobs that wait for the project come in the same pull; what was pushed since is current in both', async () => {
  const { mia, max, call } = await house()
  await mia.save({ [oak]: payload('v2'), [stool]: payload('v1') })
  await mia.ph('push')
  await mia.ph('send SM_Stool --project Inn')
  const { jobs, latest } = await max.ask('pull')
  expect(latest.outdated).toEqual([oak])
  expect(jobs).toHaveLength(2)
  expect(contentOf(max)).toEqual(contentOf(mia))
  expect((await call.get('/pull-jobs?status=queued')).body.jobs).toEqual([])
})

test('what waited for long does not set a file back that is current by now, planned or pulled; an exact order does', async () => {
  const { mia, max } = await house()
  await mia.ph('send SM_Table --project Inn')
  await mia.save({ [oak]: payload('v2') })
  await mia.ph('push')
  const plan = await max.ask('pull --plan')
  expect(plan.plans.flatMap((one: Json) => one.files).filter((one: Json) => one.file === oak)).toMatchObject([
    { action: 'safe_overwrite' },
    { action: expect.stringMatching(/^(identical|safe_overwrite)$/) },
  ])
  const { stdout } = await max.ph('pull')
  expect(stdout).toContain('newer here than when it was sent, left as it is')
  expect(contentOf(max)).toEqual(contentOf(mia))
  await max.ph('pull SM_Table --exact')
  expect(contentOf(max)).not.toEqual(contentOf(mia))
})

test('what waited with an older set of a level brings no actor back that left it since, planned or pulled', async () => {
  const { mia, max } = await house()
  const hall = 'Content/Maps/L_Hall.umap'
  const [lamp, rug] = ['Lamp', 'Rug'].map((name) => `Content/__ExternalActors__/Maps/L_Hall/0/1A/${name}.uasset`) as [
    string,
    string,
  ]
  const actorOf = (text: string) => ({ assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Hall'], ...payload(text) })
  await mia.save({ [hall]: { assetClass: 'World', ...payload('hall') }, [lamp]: actorOf('v1'), [rug]: actorOf('v1') })
  await mia.ph('push')
  await max.ph('pull L_Hall')
  await mia.ph('send L_Hall --project Inn')
  mia.remove(rug)
  await mia.save({ [lamp]: actorOf('v2') })
  await mia.ph('push')
  await max.ph('pull L_Hall --yes')
  expect(contentOf(max)).toEqual(contentOf(mia))
  const { plans } = await max.ask('pull --plan')
  expect(plans[0]).toMatchObject({ summary: { add: 0, safe_overwrite: 0, newer: 2 }, leaving: [] })
  const { jobs } = await max.ask('pull')
  expect(jobs[0]).toMatchObject({ status: 'done', summary: { added: 0, updated: 0, newer: 2 }, taken_away: [] })
  expect(contentOf(max)).toEqual(contentOf(mia))
  await max.ph('status --exit-code')
  await max.ph('pull L_Hall')
  expect(contentOf(max)).toEqual(contentOf(mia))
})

test('what another branch brings back, props and actors of a level, is no edit: the command that status advises brings what is current', async () => {
  const { mia, max } = await house()
  const hall = 'Content/Maps/L_Hall.umap'
  const lamp = 'Content/__ExternalActors__/Maps/L_Hall/0/1A/Lamp.uasset'
  const saved = (text: string) => ({
    [oak]: payload(text),
    [lamp]: { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Hall'], ...payload(text) },
  })
  await mia.save({ [hall]: { assetClass: 'World', ...payload('hall') }, ...saved('v2') })
  await mia.ph('push')
  await max.ph('pull --all')
  const branch = temporaryFolder()
  cpSync(join(max.root, 'Content'), branch, { recursive: true })
  await mia.save(saved('v3'))
  await mia.ph('push')
  await max.ph('pull')
  cpSync(branch, join(max.root, 'Content'), { recursive: true })
  const { stdout } = await max.ph('status')
  const [, advised = ''] = /To bring what is current: `ph ([^`]*)`/.exec(stdout) ?? []
  expect((await max.ask(`${advised} --plan`)).latest).toMatchObject({ outdated: [oak, lamp], modified: [], diverged: [] })
  await max.ph(advised)
  expect(contentOf(max)).toEqual(contentOf(mia))
  await max.ph('status --exit-code')
})

test('of a folder under another name only what waits is pulled', async () => {
  const { mia, max } = await house()
  await mia.ph('send SM_Table --project Mill --create')
  const { jobs, latest } = await max.ask(`pull --project Mill --into ${join(temporaryFolder(), 'mill')}`)
  expect(jobs).toHaveLength(1)
  expect(latest).toMatchObject({ outdated: [], added: [] })
})

test('a fresh machine gets all of a project into a folder that is not there yet, and its latest later, as the words before advise', async () => {
  const { mia, max } = await house()
  const fresh = join(temporaryFolder(), 'Inn')
  const into = `--project Inn --into ${fresh}`
  const { stdout } = await max.ph(`pull ${into}`)
  expect(stdout).toContain('Nothing in Inn is from the library.')
  const [all = ''] = advised(stdout)
  await max.ph(all)
  const placed = (file: string) => readFileSync(join(fresh, file))
  expect(placed(table)).toEqual(readFileSync(join(mia.root, table)))
  await mia.save({ [oak]: payload('v2') })
  await mia.ph('push')
  expect((await max.ask(`pull ${into}`)).latest).toMatchObject({ outdated: [oak], added: [] })
  expect(placed(oak)).toEqual(readFileSync(join(mia.root, oak)))
})

/** Max edits what Mia has pushed a newer version of. */
async function diverged(): Promise<House & { mine: Buffer; theirs: Buffer }> {
  const all = await house()
  const { mia, max } = all
  await max.save({ [table]: { ...payload('mine'), ...tableSpec } })
  await mia.save({ [table]: { ...payload('theirs'), ...tableSpec } })
  await mia.ph('push')
  const read = ({ root }: Workstation) => readFileSync(join(root, table))
  return { ...all, mine: read(max), theirs: read(mia) }
}

const advised = (text: string): string[] =>
  [...text.replaceAll(/\s+/g, ' ').matchAll(/`ph ([^`]+)`/g)].map(([, line = '']) => line)

test.each([
  ['status', 0],
  ['pull', 6],
  ['pull SM_Table', 6],
  ['push', 6],
  [`checkout ${table}`, 6],
  [`checkin ${table}`, 6, `checkout ${table}`],
  [`release ${table}`, 0, `checkout ${table}`],
])(
  'where ph %s meets a file that was edited on both sides, each command that it advises works',
  async (met, code, first?: string) => {
    for (const way of ['--from current', '--theirs', '--mine']) {
      const { max, mine, theirs, mia } = await diverged()
      if (first) await max.ph(first, 6)
      const { stdout } = await max.ph(met, code)
      const [line] = advised(stdout).filter((one) => one.includes(way))
      expect(line, stdout).toBeDefined()
      const outcome = await max.ph(String(line))
      const now = readFileSync(join(max.root, table))
      if (way === '--theirs') {
        expect(now).toEqual(theirs)
        const [, backup = ''] = /What was here before is kept:\s+(.*SM_Table\.uasset)/.exec(outcome.stdout) ?? []
        expect(readFileSync(join(max.root, backup.trim()))).toEqual(mine)
        expect(await statesOf(max)).toMatchObject({ [table]: 'current' })
      } else expect(now).toEqual(mine)
      if (way !== '--mine') continue
      expect(await statesOf(max)).toMatchObject({ [table]: 'modified' })
      expect((await max.ph('pull')).stdout).toContain('1 file that you changed stays here')
      expect((await max.ask('push')).summary).toMatchObject({ new: 1, outdated: 0, held: 0 })
      await mia.ph('pull')
      expect(readFileSync(join(mia.root, table))).toEqual(mine)
    }
  },
)

test('an edit of what is current is no conflict of a get latest that brings what needs it, and what both changed is told of once', async () => {
  const { mia, max } = await house()
  await max.save({ [oak]: payload('mine') })
  await mia.save({ [table]: { ...payload('v2'), ...tableSpec } })
  await mia.ph('push')
  for (const line of ['pull --plan', 'pull']) {
    const { stdout } = await max.ph(line)
    expect(stdout).not.toMatch(/conflict/i)
    expect(stdout).toContain('1 file that you changed stays here: `ph push`')
  }
  await mia.save({ [oak]: payload('theirs'), [table]: { ...payload('v3'), ...tableSpec } })
  await mia.ph('push')
  const { stdout } = await max.ph('pull', 6)
  expect(stdout.split(`ph pull ${oak} --theirs`)).toHaveLength(2)
})

test('--theirs takes back an edit of the current version too; of what was not changed here both say so, and bad words are wrong usage', async () => {
  const { max } = await house()
  const before = readFileSync(join(max.root, table))
  await max.save({ [table]: { ...payload('mine'), ...tableSpec } })
  await max.ph(`pull ${table} --theirs`)
  expect(readFileSync(join(max.root, table))).toEqual(before)
  for (const side of ['--theirs', '--mine'])
    expect((await max.ph(`pull ${table} ${side}`, 1)).stderr).toContain(`Nothing in ${table} was changed here`)
  for (const wrong of ['pull --mine', `pull ${table} --mine --theirs`, `pull ${table} --theirs --plan`]) await max.ph(wrong, 2)
})

test('someone else’s file in the place of a prop that was made here becomes its next version by --mine', async () => {
  const { build, max } = await house()
  await build.save({ [table]: payload('made here') })
  const made = readFileSync(join(build.root, table))
  await build.ph(`pull ${table} --mine`)
  expect((await build.ask('push')).summary).toMatchObject({ new: 1, held: 0 })
  await max.ph('pull')
  expect(readFileSync(join(max.root, table))).toEqual(made)
})

test('a restored version is the newest: it replaces a later one with the words who restored it, before the pull and after it', async () => {
  const { mia, max } = await house()
  const before = readFileSync(join(max.root, oak))
  await mia.save({ [oak]: payload('v2') })
  await mia.ph('push')
  await max.ph('pull')
  await mia.ph('restore M_Oak --version v1')
  const words = /Restored:\n.*current again.*\n +Content\/Mat\/M_Oak\.uasset, restored by mia\n/
  expect((await max.ph('pull --plan')).stdout).toMatch(words)
  const { stdout } = await max.ph('pull')
  expect(stdout).toMatch(words)
  expect(stdout).not.toContain('Older than before')
  expect(readFileSync(join(max.root, oak))).toEqual(before)
  expect(await statesOf(max)).toMatchObject({ [oak]: 'current' })
  await mia.save({ [oak]: payload('v3') })
  await mia.ph(`pull ${oak} --mine`)
  await mia.ph('push')
  expect((await max.ph('pull')).stdout).not.toContain('restored by')
})
