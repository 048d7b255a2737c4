/** `ph status` of a project that the agent watches: the same answer, without a look at what the agent knows to be untouched. */
import fs, { linkSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agentFolder, findFolders, keptWalkFile, projectStateFile } from '../../client/folders.ts'
import type { KeptFolder } from '../../client/project/kept-walk.ts'
import type { Json } from '../support/api.ts'
import { type Person, personAt } from '../support/person.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { agentOf, until, type WatchedAgent } from '../support/watched-agent.ts'

const server = await startTestServer()
const isLinux = process.platform === 'linux'

async function twoPeople(): Promise<{ mia: Person; max: Person }> {
  const { url, keys } = await server.addWorkspace()
  const [mia, max] = [personAt(url, keys.mia), personAt(url, keys.max)]
  for (const name of ['SM_Stool', 'SM_Barrel', 'SM_Keg', 'SM_Bench', 'SM_Lamp', 'SM_Rug']) await mia.save(name, 'one')
  await mia.ok('push Content')
  return { mia, max }
}

const heardOf = ({ api }: WatchedAgent, { root }: Person) => api.agentFiles.touched({ path: root })

/** Where nobody finds the agent. */
async function alone<T>({ env }: Person, work: () => Promise<T>): Promise<T> {
  const note = join(agentFolder(findFolders(env)), 'note.json')
  renameSync(note, `${note}.away`)
  return work().finally(() => renameSync(`${note}.away`, note))
}

const walkFile = ({ env, root }: Person): string => keptWalkFile(projectStateFile(findFolders(env), env.PH_URL ?? '', root))

/** What the agent kept says of a file what is not so: who believes it has asked the agent. */
function forgetInWalk(person: Person, name: string): void {
  const [walk = '', text = ''] = readFileSync(walkFile(person), 'utf8').split('\n')
  const folders = JSON.parse(text) as Record<string, KeptFolder>
  for (const folder of Object.values(folders))
    Object.assign(folder, { entries: folder.entries.filter(([first]) => first !== `${name}.uasset`) })
  writeFileSync(walkFile(person), `${walk}\n${JSON.stringify(folders)}`)
}

const files = (report: Json): string[] => report.files.map(({ file }: Json) => file.split('/').at(-1).replace('.uasset', ''))

test.runIf(isLinux)('the answer is the same with the agent and without: of every state, held, in part, as text', async () => {
  const { mia, max } = await twoPeople()
  await max.ok('pull SM_Stool SM_Barrel SM_Keg SM_Bench --project Inn')
  const agent = await agentOf(mia)
  await max.save('SM_Stool', 'two')
  await max.save('SM_Barrel', 'two')
  await max.ok('push Content')
  await max.ok(`checkout ${max.path('SM_Keg')}`)
  await max.ok('send SM_Lamp --project Inn')
  await mia.save('SM_Barrel', 'mine')
  await mia.save('SM_Bench', 'mine')
  await mia.save('SM_New', 'one')
  rmSync(mia.path('SM_Rug'))
  await until(async () => expect((await mia.ok('status')).read.files).toBe(0))
  expect((await heardOf(agent, mia)).walk).not.toBeNull()
  const lines = [
    'status --json',
    'status Content/Inn --json',
    'status Content/Inn/SM_Bench.uasset --json',
    'status',
    'status --exit-code',
  ]
  for (const line of lines) {
    const [by, without] = [await mia.run(line), await alone(mia, () => mia.run(line))]
    expect(by.code, line).toBe(without.code)
    expect(by.stdout.replace(/"took_ms": \d+/, ''), line).toBe(without.stdout.replace(/"took_ms": \d+/, ''))
  }
  const report = await mia.ok('status')
  expect(report.summary).toMatchObject({ current: 2, modified: 1, outdated: 1, diverged: 1, untracked: 1, missing: 1 })
  expect(report).toMatchObject({ locks: [{ mine: false }], waiting: [{ status: 'queued' }] })
})

test.runIf(isLinux)(
  'files that nobody touched since the agent looked are not looked at again, those that someone touched are',
  async () => {
    const { mia } = await twoPeople()
    await agentOf(mia)
    forgetInWalk(mia, 'SM_Lamp')
    expect(files(await mia.ok('status'))).not.toContain('SM_Lamp')
    expect(files(await alone(mia, () => mia.ok('status')))).toContain('SM_Lamp')
    writeFileSync(mia.path('SM_Stool'), readFileSync(mia.path('SM_Stool')))
    expect(files(await mia.ok('status'))).toContain('SM_Lamp')
  },
)

test.runIf(isLinux)('a file that was saved just before is in the answer, every time', async () => {
  const { mia } = await twoPeople()
  const one = readFileSync(mia.path('SM_Stool'))
  await mia.save('SM_Stool', 'two')
  const two = readFileSync(mia.path('SM_Stool'))
  writeFileSync(mia.path('SM_Stool'), one)
  const { agent } = await agentOf(mia)
  for (let round = 0; round < 20; round++) {
    // The bytes are replaced where they are, which changes nothing of the folder.
    writeFileSync(mia.path('SM_Stool'), round % 2 === 0 ? two : one, { flag: 'r+' })
    const { summary } = await mia.ok('status')
    expect(summary.modified, `round ${round}`).toBe(round % 2 === 0 ? 1 : 0)
  }
  // Asked before the system could tell it.
  const watch = agent.agent.watching.of(mia.root)
  const before = await watch?.heard()
  writeFileSync(join(mia.root, 'Content/SM_Other.uasset'), two)
  const after = await watch?.heard()
  expect(after?.touched).toEqual([...(before?.touched ?? []), 'Content'])
})

test('an agent that was killed, or answers nothing that is understood, leaves the look to ph', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  const note = join(agentFolder(findFolders(mia.env)), 'note.json')
  const said = readFileSync(note)
  if (isLinux) forgetInWalk(mia, 'SM_Lamp')
  const token = JSON.parse(String(said))
  writeFileSync(note, JSON.stringify({ ...token, token: 'of another agent' }))
  expect((await mia.ok('status')).summary.current).toBe(6)
  await agent.agent.stop()
  writeFileSync(note, said)
  const { code, stderr, stdout } = await mia.run('status --json')
  expect([code, stderr, JSON.parse(stdout).summary.current]).toEqual([0, '', 6])
})

test('an agent of another library, or of another folder, leaves the look to ph', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  if (isLinux) forgetInWalk(mia, 'SM_Lamp')
  const other = await server.addWorkspace()
  const env = { PH_URL: other.url, PH_API_KEY: other.keys.mia }
  expect((await mia.ok('status', { env })).summary).toMatchObject({ untracked: 6 })
  const elsewhere = temporaryFolder({ 'Inn.uproject': '{}' })
  writeFiles(elsewhere, { 'Content/SM_Lamp.uasset': readFileSync(mia.path('SM_Lamp')) })
  expect((await mia.ok('status', { cwd: elsewhere })).root).toBe(elsewhere)
  expect(await agent.api.agentFiles.touched({ path: elsewhere })).toEqual({ walk: null, touched: [] })
})

test.runIf(isLinux)('while it is paused, and where it may not hear of everything, the agent says so', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  const walk = async () => (await heardOf(agent, mia)).walk
  const before = await walk()
  expect(before).not.toBeNull()
  // Other files count now, and are watched.
  writeFileSync(join(mia.root, '.phignore'), 'Content/Inn/SM_Rug.uasset\n')
  expect(await walk()).not.toBe(before)
  expect((await mia.ok('status')).summary.current).toBe(5)
  await until(async () => expect(await walk()).not.toBeNull())
  await agent.api.agent.pause({})
  await until(async () => expect(await walk()).toBeNull())
  await agent.api.agent.resume()
  await until(async () => expect(await walk()).not.toBeNull())
  // What it leads to may be changed by its other name.
  symlinkSync(temporaryFolder({ 'SM_Far.uasset': 'far' }), join(mia.root, 'Content/Far'))
  await until(async () => expect(await walk()).toBeNull())
})

test.runIf(isLinux)('what is reached by a second name is looked at each time', async () => {
  const { mia } = await twoPeople()
  const far = join(temporaryFolder(), 'far.uasset')
  writeFileSync(far, readFileSync(mia.path('SM_Lamp')))
  linkSync(far, join(mia.root, 'Content/Inn/SM_Near.uasset'))
  const agent = await agentOf(mia)
  expect((await heardOf(agent, mia)).walk).not.toBeNull()
  const before = (await mia.ok('status')).files.find(({ file }: Json) => file.endsWith('SM_Near.uasset')).content_hash
  writeFileSync(far, 'another file', { flag: 'r+' })
  expect((await mia.ok('status')).files.find(({ file }: Json) => file.endsWith('SM_Near.uasset')).content_hash).not.toBe(before)
})

test.runIf(isLinux)('a folder that was away for a moment is looked at with all that lies in it', async () => {
  const { mia } = await twoPeople()
  const lamp = readFileSync(mia.path('SM_Lamp'))
  const rooms = Array.from({ length: 3 }, (_, n) => `Content/Inn/Rooms/R${n}/SM_Bed${n}.uasset`)
  writeFiles(mia.root, Object.fromEntries(rooms.map((room) => [room, lamp])))
  const { agent } = await agentOf(mia)
  const folder = join(mia.root, 'Content/Inn')
  const away = join(temporaryFolder(), 'Inn')
  renameSync(folder, away)
  for (const room of rooms) writeFileSync(join(away, room.slice('Content/Inn/'.length)), 'another file', { flag: 'r+' })
  renameSync(away, folder)
  expect((await agent.agent.watching.of(mia.root)?.heard())?.touched).toContain('Content/Inn/')
  expect((await mia.ok('status')).read.files).toBeGreaterThanOrEqual(rooms.length)
})

test.runIf(isLinux)('where so much happened at once that the system dropped some of it, all is looked at', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  forgetInWalk(mia, 'SM_Lamp')
  // Nothing is heard in between: the queue of the system runs over.
  for (let n = 0; n < 20_000; n++) writeFileSync(mia.path(n % 2 === 0 ? 'SM_Keg' : 'SM_Rug'), `${n}`)
  writeFileSync(join(mia.root, 'Content/SM_Late.uasset'), 'late')
  expect(await heardOf(agent, mia)).toMatchObject({ walk: null })
  await until(async () => expect((await heardOf(agent, mia)).walk).not.toBeNull())
})

test.runIf(isLinux)('of a disk that other machines may write to, the agent says that it hears not all', async () => {
  const { mia } = await twoPeople()
  const { statfsSync } = fs
  onTestFinished(() => {
    fs.statfsSync = statfsSync
    syncBuiltinESMExports()
  })
  const nfs = 0x6969
  fs.statfsSync = ((path: string) => Object.assign(statfsSync(path), { type: nfs })) as typeof statfsSync
  syncBuiltinESMExports()
  const agent = await agentOf(mia)
  expect(await heardOf(agent, mia)).toEqual({ walk: null, touched: [] })
})
