/** The desktop agent watches a project: how its files stand, while people edit and the library moves. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Person, personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { agentOf, until } from '../../support/watched-agent.ts'

const server = await startTestServer()

/** Mia's project with two props that the library has, and Max with a project of his own. */
async function twoPeople(): Promise<{ mia: Person; max: Person; slug: string }> {
  const { url, keys, slug } = await server.addWorkspace()
  const [mia, max] = [personAt(url, keys.mia), personAt(url, keys.max)]
  await mia.save('SM_Stool', 'one')
  await mia.save('SM_Barrel', 'one')
  await mia.ok('push Content')
  return { mia, max, slug }
}

test('a file that is edited, made or removed stands so in the table, and is told of as an event', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  expect(await agent.report()).toMatchObject({ state: 'watching', files: 2, modified: 0, untracked: 0, missing: 0 })
  await mia.save('SM_Stool', 'two')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
  await mia.save('SM_Table', 'one')
  await until(async () => expect(await agent.state('SM_Table')).toBe('untracked'))
  rmSync(mia.path('SM_Barrel'))
  await until(async () => expect(await agent.state('SM_Barrel')).toBe('missing'))
  expect(await agent.report()).toMatchObject({ modified: 1, untracked: 1, missing: 1, outdated: 0 })
  expect(agent.of('file').map(({ file, state }) => [file.split('/').at(-1), state])).toEqual([
    ['SM_Stool.uasset', 'modified'],
    ['SM_Table.uasset', 'untracked'],
    ['SM_Barrel.uasset', 'missing'],
  ])
  await mia.save('SM_Stool', 'one')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('current'))
})

test('files that come without the agent are counted soon', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia, { watchPace: { countMs: 200 } })
  expect(await agent.report()).toMatchObject({ files: 2 })
  await mia.save('SM_Table', 'one')
  await until(async () => expect(await agent.report()).toMatchObject({ files: 3, untracked: 1 }))
})

test('a save by a temporary file and a rename is one change, and pending until it stands still', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  await mia.save('SM_Copy', 'two')
  const folder = join(mia.root, 'Content/Inn')
  renameSync(mia.path('SM_Copy'), join(folder, 'SM_Stool.tmp'))
  renameSync(join(folder, 'SM_Stool.tmp'), mia.path('SM_Stool'))
  await until(async () => expect(await agent.state('SM_Stool')).toBe('pending'))
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
  expect(await agent.state('SM_Copy')).toBe('current')
  expect(agent.of('file')).toHaveLength(1)
})

test('a new folder, a renamed one and one that was moved in are watched with what they hold', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  const content = join(mia.root, 'Content')
  renameSync(join(content, 'Inn'), join(content, 'Tavern'))
  await until(async () => expect(await agent.report()).toMatchObject({ files: 2, missing: 0 }))
  mkdirSync(join(content, 'Inn'))
  await mia.save('SM_New', 'one')
  await until(async () => expect(await agent.state('SM_New')).toBe('untracked'))
  await mia.save('SM_New2', 'one')
  await until(async () => expect(await agent.state('SM_New2')).toBe('untracked'))
})

test('a version that someone else pushes makes a file outdated, and an edited one both', async () => {
  const { mia, max } = await twoPeople()
  const agent = await agentOf(mia)
  await max.ok('pull SM_Stool SM_Barrel --project Inn')
  await max.save('SM_Stool', 'three')
  await max.ok('push Content')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('outdated'))
  await mia.save('SM_Stool', 'mine')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('diverged'))
  expect(await agent.report()).toMatchObject({ modified: 1, outdated: 1 })
  await mia.ok('pull SM_Stool --project Inn --on-conflict overwrite')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('current'))
})

test('who holds what is known, and that it is given back', async () => {
  const { mia, max } = await twoPeople()
  const agent = await agentOf(mia)
  await max.run(['checkout', 'SM_Stool', '--note', 'new legs'])
  await until(async () =>
    expect(await agent.row('SM_Stool')).toMatchObject({
      state: 'current',
      held_by: { name: 'max' },
      held_note: 'new legs',
      mine: false,
    }),
  )
  expect(await agent.report()).toMatchObject({ held: 1 })
  await max.ok('release SM_Stool')
  await until(async () => expect(await agent.row('SM_Stool')).toBeUndefined())
})

async function write10000(root: string): Promise<void> {
  for (let n = 0; n < 10_000; n++) {
    writeFileSync(join(root, `Content/Many/F${n % 100}/T_${n}.png`), `${n}`)
    // What watches hears of it in between.
    if (n % 100 === 0) await new Promise(setImmediate)
  }
}

test('10,000 changes in a second are one batch, none is missed, and the agent answers meanwhile', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  for (let folder = 0; folder < 100; folder++) mkdirSync(join(mia.root, `Content/Many/F${folder}`), { recursive: true })
  await until(async () => expect((await agent.report()).pending).toBe(0))
  const before = agent.of('files').length
  const writing = write10000(mia.root)
  // The agent answers while they come, one question after the other.
  const answers: { atMs: number; pending: number }[] = []
  for (let isSeen = false; !isSeen; ) {
    const report = await agent.report()
    isSeen = report.untracked === 10_000
    answers.push({ atMs: performance.now(), pending: report.pending })
  }
  await writing
  expect(Math.max(...answers.map(({ pending }) => pending))).toBeGreaterThan(1000)
  const tookMs = (answers.at(-1)?.atMs ?? 0) - (answers[0]?.atMs ?? 0)
  const pauses = answers.slice(1).map(({ atMs }, index) => atMs - (answers[index]?.atMs ?? 0))
  expect(Math.max(...pauses)).toBeLessThan(tookMs / 2)
  await until(async () => expect((await agent.report()).pending).toBe(0))
  expect(await agent.report()).toMatchObject({ state: 'watching', untracked: 10_000, files: 10_002 })
  expect(agent.of('files').length - before).toBeLessThan(5)
  expect(agent.of('file').length).toBeLessThan(400)
}, 90_000)

test('the folder may go away and come back: that is said, and watching goes on', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  renameSync(mia.root, `${mia.root}-away`)
  await until(async () =>
    expect(await agent.report()).toMatchObject({ state: 'gone', message: expect.stringContaining('is not in') }),
  )
  renameSync(`${mia.root}-away`, mia.root)
  await until(async () => expect(await agent.report()).toMatchObject({ state: 'watching', message: null }))
  await mia.save('SM_Stool', 'two')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
  expect(agent.of('watching').map(({ state }) => state)).toContain('gone')
})

test('names that differ in case only, long paths, dead links and hostile names do not stop the rest', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  const deep = Array.from({ length: 12 }, (_, n) => `${n}_${'long'.repeat(8)}`).join('/')
  mkdirSync(join(mia.root, 'Content/Inn', deep), { recursive: true })
  for (const name of ['sm_stool', `${deep}/SM_Deep`, 'SM_$(touch x)', "SM_'; rm -rf '", 'SM_\n<b>', '-SM_x'])
    await mia.save(name, name)
  symlinkSync('nowhere', mia.path('SM_Dead'))
  for (const name of ['sm_stool', `${deep}/SM_Deep`, 'SM_$(touch x)', "SM_'; rm -rf '", 'SM_\n<b>', '-SM_x'])
    await until(async () => expect(await agent.state(name), name).toBe('untracked'))
  await mia.save('SM_Stool', 'two')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
})

test('folders that the engine fills and files that a list leaves out are not watched; another list counts at once', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  mkdirSync(join(mia.root, 'Saved'))
  writeFileSync(join(mia.root, 'Saved/SM_Auto.uasset'), 'x')
  await mia.save('Draft/SM_Draft', 'one')
  await until(async () => expect(await agent.state('Draft/SM_Draft')).toBe('untracked'))
  expect(await agent.report()).toMatchObject({ untracked: 1 })
  writeFileSync(join(mia.root, 'Content/.phignore'), 'Draft/\n')
  await until(async () => expect(await agent.report()).toMatchObject({ untracked: 0, files: 2 }))
})

test('a linked project is let go when it is unlinked, and watched while an editor has it open', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  await agent.api.agentProjects.unlink({ path: mia.root })
  expect((await agent.api.agent.status()).projects).toEqual([])
  const said = { session_id: 'editor-1', project_key: 'Inn', root: mia.root, accepts_imports: false }
  await agent.api.agentEditors.announce(said)
  await until(async () => expect((await agent.report()).state).toBe('watching'))
  await mia.save('SM_Stool', 'two')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
})
