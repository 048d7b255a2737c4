// The Unreal editor plugin under CPython: what it says to the agent, what people see, and that the editor never waits for the network.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startAgent } from '../../agent/main.ts'
import { findFolders } from '../../client/folders.ts'
import { type DeclaredAgent, startDeclaredAgent } from '../support/declared-agent.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Played, pluginFolder, pythonProgram, startUnrealEditor, textsOf } from '../support/unreal-editor.ts'

const server = await startTestServer()
const patience = { timeout: 30_000, interval: 100 }
const soon = (look: () => unknown) => expect.poll(look, patience)
const allOnGameThread = ({ calls }: Played) => calls.filter(({ game }) => !game)

const watched = (file: string) => ({
  file,
  path: `/projects/${file}`,
  state: 'modified',
  entry_id: 4,
  lineage_id: 'L',
  held_by: { id: 2, name: 'max', display_name: 'Max' },
  held_until: null,
  held_note: null,
  mine: false,
})

async function editorWithAgent(answers: Parameters<typeof startDeclaredAgent>[1] = {}) {
  const state = temporaryFolder()
  const agent = await startDeclaredAgent(state, answers)
  const editor = startUnrealEditor(state)
  await soon(() => agent.of('agentEditors.announce').length).toBeGreaterThan(0)
  return { state, agent, editor }
}

/** Another one, where this one has ended. */
const startedAnew = async (state: string, agent: DeclaredAgent) => void (agent.hasEnded && (await startDeclaredAgent(state)))

const announced = { project_key: 'Tavern', engine_version: '5.4.4', plugin_version: '1.0', accepts_imports: true }

test('an editor announces itself with project, folder, engine and what is open, says what is new, and goodbye at its end', async () => {
  const { agent, editor } = await editorWithAgent()
  const [first] = agent.of('agentEditors.announce')
  expect(first).toEqual({
    ...announced,
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    root: editor.project,
    open: ['/Game/Maps/Main'],
  })
  await editor.set({ edited: ['/Game/Props/SM_Barrel'], dirty: ['/Game/Props/M_Wood', '/Engine/Other'] })
  await soon(() => agent.of('agentEditors.announce').at(-1)).toMatchObject({
    session_id: first?.session_id,
    open: ['/Game/Maps/Main', '/Game/Props/M_Wood', '/Game/Props/SM_Barrel'],
  })
  const played = await editor.quit()
  expect(agent.of('agentEditors.leave')).toEqual([{ session_id: first?.session_id }])
  expect(allOnGameThread(played)).toEqual([])
  expect(textsOf(played, 'unregister_owner_by_name')).toEqual(['PropHouse'])
})

test('without an agent it says once how one is started, and finds the one that is started later, or anew', async () => {
  const state = temporaryFolder()
  const editor = startUnrealEditor(state)
  await soon(async () => textsOf(await editor.look(), 'log')).toEqual([expect.stringContaining('ph agent start')])
  const first = await startDeclaredAgent(state)
  await editor.set({ dirty: ['/Game/A'] })
  await soon(() => first.of('agentEditors.announce').length).toBeGreaterThan(0)
  await first.stop()
  const second = await startDeclaredAgent(state)
  await editor.set({ dirty: ['/Game/A', '/Game/B'] })
  await soon(() => second.of('agentEditors.announce').length).toBeGreaterThan(0)
  expect(second.of('agentEditors.announce')[0]?.session_id).toBe(first.of('agentEditors.announce')[0]?.session_id)
  await soon(() => second.of('agentConflicts.list').length).toBe(1)
})

test('opening an asset that someone holds is warned of, once; what is opened while no agent runs is told to the next one', async () => {
  const reasons = [{ kind: 'held', message: 'Max has it checked out.', command: 'ph locks' }]
  const { agent, editor } = await editorWithAgent({
    'agentEditors.opened': ({ package: name }: { package: string }) =>
      name === '/Game/Props/SM_Barrel'
        ? { file: watched('Content/Props/SM_Barrel.uasset'), warnings: reasons, suggestion: null }
        : { file: null, warnings: [], suggestion: null },
  })
  await editor.set({ edited: ['/Game/Props/SM_Barrel'] })
  const warnings = async () => textsOf(await editor.look(), 'log_warning')
  await soon(warnings).toEqual(['Prop House: Max has it checked out. To fix it: ph locks'])
  expect((await editor.look()).notices).toContain('Prop House: Max has it checked out. To fix it: ph locks')
  const again = { project_key: 'Tavern', file: 'Content/Props/SM_Barrel.uasset', path: '/x', ...reasons[0] }
  agent.events.tell('warning', again)
  agent.events.tell('warning', { ...again, file: 'Content/Props/SM_Stool.uasset', message: 'Its base is old.', command: null })
  await soon(warnings).toHaveLength(2)
  expect((await warnings())[1]).toBe('Prop House: Its base is old.')
  expect(agent.of('agentEditors.opened').map((one) => one.package)).toContain('/Game/Maps/Main')
})

const report = (over: object) => ({
  job_id: 12,
  project_key: 'Tavern',
  state: 'running',
  phase: 'fetch',
  files: 1,
  total_files: 3,
  bytes: 1024 * 1024,
  total_bytes: 3 * 1024 * 1024,
  message: null,
  started_at: new Date().toISOString(),
  ended_at: null,
  ...over,
})

test('an import shows how far it is, then the registry is scanned; what is loaded is loaded anew, but nothing with unsaved changes', async () => {
  const { agent, editor } = await editorWithAgent()
  await editor.set({ loaded: ['/Game/Props/SM_Barrel', '/Game/Props/M_Wood'], dirty: ['/Game/Props/M_Wood'] })
  agent.events.tell('import', report({}))
  agent.events.tell('import', report({ project_key: 'Village', job_id: 13 }))
  await soon(async () => (await editor.look()).notices).toContain('Prop House: job 12, 1 of 3 files, 1.0 of 3.0 MiB')
  agent.events.tell('import', report({ files: 2 }))
  await soon(async () => (await editor.look()).notices).toContain('Prop House: job 12, 2 of 3 files, 1.0 of 3.0 MiB')
  const packages = ['/Game/Props/SM_Barrel', '/Game/Props/M_Wood', '/Game/Textures/T_Wood']
  agent.events.tell('imported', { project_key: 'Tavern', job_id: 12, packages, files: [] })
  agent.events.tell('import', report({ state: 'done', files: 3 }))
  await soon(async () => textsOf(await editor.look(), 'log')).toContain('Prop House: job 12 has arrived, 3 files.')
  const played = await editor.look()
  expect(textsOf(played, 'scan_paths_synchronous')).toEqual(["['/Game/Props', '/Game/Textures'] True"])
  expect(textsOf(played, '_reloaded')).toEqual(["['/Game/Props/SM_Barrel'] ASSUME_POSITIVE"])
  expect(textsOf(played, 'log_warning')).toEqual([expect.stringContaining('/Game/Props/M_Wood has unsaved changes here')])
  expect(allOnGameThread(played)).toEqual([])
})

const side = {
  content_hash: null,
  size: 2048,
  at: '2026-11-23T10:00:00.000Z',
  by: 'Max',
  version: 'v3',
  object_id: 9,
  picture: null,
}
const conflict = (id: number, over: object = {}) => ({
  id,
  job_id: 12,
  project_key: 'Tavern',
  file: `Content/Props/SM_${id}.uasset`,
  path: `/projects/SM_${id}`,
  package: null,
  reason: 'modified',
  open: false,
  local: { ...side, by: 'you', version: 'v2' },
  incoming: side,
  differences: ['triangles 1,200, was 900'],
  state: 'asked',
  answer: null,
  copy: null,
  asked_at: '2026-11-23T10:00:00.000Z',
  answer_by: '2026-11-23T10:10:00.000Z',
  ...over,
})

test('conflicts are asked one by one, with whose is whose and what differs; answers go to the agent, and what was answered elsewhere is not asked', async () => {
  const { agent, editor } = await editorWithAgent({
    'agentConflicts.list': () => ({ conflicts: [conflict(1), conflict(2, { state: 'waiting', answer: 'keep_local' })] }),
    'agentConflicts.answer': ({ conflict_id, answer }: { conflict_id: number; answer: string }) =>
      conflict(conflict_id, { state: 'answered', answer }),
  })
  await editor.set({ answers: ['YES', 'NO', 'CANCEL'] })
  agent.events.tell('conflict', conflict(3))
  agent.events.tell('conflict', conflict(4))
  agent.events.tell('conflict', conflict(5, { reason: 'open' }))
  agent.events.tell('conflict', conflict(5, { state: 'answered', answer: 'keep_local' }))
  await soon(() => agent.of('agentConflicts.answer')).toHaveLength(2)
  const asked = async () => textsOf(await editor.look(), 'show_message')
  await soon(asked).toHaveLength(3)
  expect(agent.of('agentConflicts.answer')).toEqual([
    { conflict_id: expect.any(Number), answer: 'keep_local' },
    { conflict_id: expect.any(Number), answer: 'take_incoming' },
  ])
  const [first = ''] = await asked()
  expect(first).toContain('Yours: v2, by you, 2026-11-23T10:00:00.000Z, 2048 bytes')
  expect(first).toContain('Incoming: v3, by Max')
  expect(first).toContain('triangles 1,200, was 900')
  agent.events.tell('conflict', conflict(6))
  await soon(asked).toHaveLength(4)
  expect((await asked())[3], 'the fifth was answered elsewhere').toContain('SM_6')
})

test('what an event tells is not taken back by a list that was answered before it and comes later', async () => {
  const late = Promise.withResolvers<object>()
  const { agent, editor } = await editorWithAgent({ 'agentConflicts.list': () => late.promise })
  await soon(() => agent.of('agentConflicts.list').length).toBe(1)
  agent.events.tell('conflict', conflict(7, { state: 'answered', answer: 'keep_local' }))
  agent.events.tell('conflict', conflict(8))
  agent.events.tell('import', report({}))
  await soon(async () => (await editor.look()).notices).toContain('Prop House: job 12, 1 of 3 files, 1.0 of 3.0 MiB')
  late.resolve({ conflicts: [conflict(7), conflict(9)] })
  const asked = async () => textsOf(await editor.look(), 'show_message').join()
  await soon(asked).toContain('SM_9')
  expect(await asked()).toContain('SM_8')
  expect(await asked()).not.toContain('SM_7')
})

const menu = 'LevelEditor.MainMenu.PropHouse'

test('menus check out and in what is selected, and say why a file is not as in the library; refusals are told in the agent’s words', async () => {
  const { ApiError } = await import('../../contract/errors.ts')
  const { agent, editor } = await editorWithAgent({
    'agentFiles.checkOut': ({ paths }: { paths: string[] }) => {
      if (paths.length > 1) throw new ApiError('LOCKED', 'Max has SM_Stool checked out.')
      return { files: paths.map(() => watched('Content/Props/SM_Barrel.uasset')) }
    },
    'agentFiles.checkIn': () => ({
      released: ['SM_Barrel.uasset'],
      still_checked_out: [{ file: 'SM_Stool.uasset', because: 'held' }],
    }),
    'agentFiles.why': () => ({
      file: watched('Content/Props/SM_Barrel.uasset'),
      reasons: [{ kind: 'modified', message: 'It was changed here.', command: 'ph push SM_Barrel' }],
    }),
  })
  const [barrel, stool] = [editor.save('/Game/Props/SM_Barrel'), editor.save('/Game/Props/SM_Stool')]
  const { menus } = await editor.look()
  expect(Object.keys(menus[menu] ?? {})).toEqual(['Check out', 'Check in', 'Why is it not as in the library?'])
  expect(menus['ContentBrowser.AssetContextMenu']).toEqual(menus[menu])
  const said = async () => textsOf(await editor.look(), 'log')
  await editor.click(menu, 'Check out')
  await soon(said).toContain('Prop House: select assets of this project that are saved.')
  await editor.set({ selected: ['/Game/Props/SM_Barrel', '/Game/New'] })
  await editor.click('ContentBrowser.AssetContextMenu', 'Check out')
  await soon(said).toContain('Prop House: checked out: Content/Props/SM_Barrel.uasset')
  await editor.set({ selected: ['/Game/Props/SM_Barrel', '/Game/Props/SM_Stool'], dirty: ['/Game/Props/SM_Stool'] })
  await editor.click(menu, 'Check out')
  await soon(said).toContain('Prop House: nothing was checked out. Max has SM_Stool checked out.')
  expect(agent.of('agentFiles.checkOut')).toEqual([{ paths: [barrel] }, { paths: [barrel, stool] }])
  await editor.click(menu, 'Check in')
  await soon(said).toContain('Prop House: checked in: SM_Barrel.uasset')
  expect(await said()).toContain('Prop House: SM_Stool.uasset stays checked out: held')
  expect(textsOf(await editor.look(), 'save_dirty_packages_with_dialog')).toHaveLength(1)
  await editor.set({ edited: ['/Game/Props/SM_Barrel'] })
  await editor.click('toolbar')
  const why = 'Prop House Content/Props/SM_Barrel.uasset\n\nIt was changed here.\n    ph push SM_Barrel OK OK'
  await soon(async () => textsOf(await editor.look(), 'show_message')).toContain(why)
  expect(agent.of('agentFiles.why')).toEqual([{ path: barrel }])
  await editor.click(menu, 'Why is it not as in the library?')
  await soon(async () => textsOf(await editor.look(), 'show_message')).toHaveLength(3)
  expect(textsOf(await editor.look(), 'log_error'), 'no dialog opens over another').toEqual([])
})

test('an agent that answers nothing keeps no frame of the editor waiting', async () => {
  const hanging = Promise.withResolvers<never>()
  const { agent, editor } = await editorWithAgent({
    'agentEditors.opened': () => hanging.promise,
    'agentConflicts.list': () => hanging.promise,
  })
  await editor.set({ edited: ['/Game/A', '/Game/B'] })
  await soon(() => agent.of('agentEditors.opened').length).toBeGreaterThan(2)
  agent.events.tell('import', report({}))
  await soon(async () => (await editor.look()).notices).toContain('Prop House: job 12, 1 of 3 files, 1.0 of 3.0 MiB')
  hanging.reject(new Error('over'))
})

test('a connection that was cut is taken up behind the last event; where some are lost, what is shown is asked for anew', async () => {
  const { agent, editor } = await editorWithAgent()
  const notices = async () => (await editor.look()).notices
  const arrived = async () => textsOf(await editor.look(), 'log').filter((text) => text.includes('has arrived'))
  agent.events.tell('import', report({ job_id: 20, state: 'done' }))
  await soon(arrived).toHaveLength(1)
  agent.cut()
  agent.events.tell('import', report({ job_id: 21, state: 'done' }))
  agent.events.tell('import', report({ job_id: 22 }))
  await soon(notices).toContain('Prop House: job 22, 1 of 3 files, 1.0 of 3.0 MiB')
  expect(await arrived()).toEqual([20, 21].map((job) => `Prop House: job ${job} has arrived, 3 files.`))
  const asked = () => ['agentImports.list', 'agentConflicts.list'].map((call) => agent.of(call).length)
  const [imports = 0, conflicts = 0] = asked()
  agent.cut()
  for (let at = 0; at < 2500; at++) agent.events.tell('file', {})
  await soon(asked).toEqual([imports + 1, conflicts + 1])
  await soon(notices).not.toContain('Prop House: job 22, 1 of 3 files, 1.0 of 3.0 MiB')
})

test.each([
  ['events are lost', (agent: DeclaredAgent) => void agent.cut()],
  ['another agent answers than before', (agent: DeclaredAgent) => agent.stop()],
])(
  'where %s, files that came meanwhile are read as after an import, and what is loaded of them is loaded anew',
  async (_, end) => {
    const { state, agent, editor } = await editorWithAgent()
    agent.events.tell('import', report({ job_id: 20, state: 'done' }))
    await soon(async () => textsOf(await editor.look(), 'log').join()).toContain('has arrived')
    const scans = async () => textsOf(await editor.look(), 'scan_paths_synchronous')
    expect(await scans()).toEqual([])
    await end(agent)
    editor.save('/Game/Props/SM_Barrel')
    editor.save('/Game/Props/M_Wood')
    editor.save('/Game/.PropHouse-Staging/SM_Half')
    await editor.set({ loaded: ['/Game/Props/SM_Barrel', '/Game/Props/M_Wood'], dirty: ['/Game/Props/M_Wood'] })
    for (let at = 0; at < 2500; at++) agent.events.tell('file', {})
    await startedAnew(state, agent)
    await soon(scans).toEqual(["['/Game/Props'] True"])
    const played = await editor.look()
    expect(textsOf(played, '_reloaded')).toEqual(["['/Game/Props/SM_Barrel'] ASSUME_POSITIVE"])
    expect(textsOf(played, 'log_warning')).toEqual([expect.stringContaining('/Game/Props/M_Wood has unsaved changes here')])
    expect(allOnGameThread(played)).toEqual([])
  },
)

test('only packages are read anew that were written or placed since then', () => {
  const project = temporaryFolder({
    'Content/SM_Barrel.uasset': '',
    'Content/Maps/Inn.umap': '',
    'Content/note.txt': '',
    'Out.uasset': '',
  })
  const script =
    'import json, sys; from prophouse.changed import changed_packages; print(json.dumps(changed_packages(sys.argv[1], float(sys.argv[2]))))'
  const PYTHONPATH = [join(pluginFolder, 'Content/Python'), join(import.meta.dirname, '../support/unreal-editor')].join(':')
  const changed = (since: number) =>
    JSON.parse(
      execFileSync(pythonProgram, ['-c', script, project, String(since)], {
        env: { ...process.env, PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1', PLAY_PROJECT: '' },
        encoding: 'utf8',
      }),
    )
  expect(changed(Date.now() / 1000)).toEqual(['/Game/Maps/Inn', '/Game/SM_Barrel'])
  expect(changed(Date.now() / 1000 + 3600)).toEqual([])
})

test('the note of an agent that was killed, at whose port another program listens now, leads to no agent and hides no new one', async () => {
  const state = temporaryFolder()
  const other = createServer((_request, response) => response.end('<html>'))
  await once(other.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const note = { pid: 1, host: hostname(), url: `http://127.0.0.1:${port}`, started_at: 'then', token: 'old' }
  mkdirSync(join(state, 'agent'))
  writeFileSync(join(state, 'agent', 'note.json'), JSON.stringify(note))
  const editor = startUnrealEditor(state)
  await soon(async () => textsOf(await editor.look(), 'log')).toEqual([expect.stringContaining('ph agent start')])
  const agent = await startDeclaredAgent(state)
  await editor.set({ dirty: ['/Game/A'] })
  await soon(() => agent.of('agentEditors.announce').length).toBeGreaterThan(0)
})

test('the agent itself knows the editor, tells of it, and hears its goodbye', async () => {
  const folders = findFolders({
    PH_STATE_DIR: temporaryFolder(),
    PH_CACHE_DIR: temporaryFolder(),
    PH_CONFIG_DIR: temporaryFolder(),
  })
  const { url, keys } = await server.addWorkspace()
  const running = await startAgent({ wire: { url, key: keys.mia, folders }, version: '1.2.3' })
  onTestFinished(() => running.stop())
  const editor = startUnrealEditor(folders.state)
  const { editors } = running.agent.projects
  await soon(() => editors.list()).toMatchObject([{ project_key: 'Tavern', root: editor.project, engine_version: '5.4.4' }])
  await editor.set({ edited: ['/Game/Props/SM_Barrel'] })
  await soon(() => editors.list()[0]?.open).toContain('/Game/Props/SM_Barrel')
  const played = await editor.quit()
  expect(textsOf(played, 'log_error')).toEqual([])
  expect(editors.list()).toEqual([])
})

test('every file is Python that the oldest editor of ours runs, 3.9', () => {
  const check =
    'import ast, pathlib, sys; [ast.parse(p.read_text(), str(p), feature_version=(3, 9)) for p in pathlib.Path(sys.argv[1]).rglob("*.py")]'
  execFileSync(pythonProgram, ['-c', check, pluginFolder])
})

test('the plugin says the version that its descriptor has, and needs nothing but the editor’s own plugins', () => {
  const { VersionName, Plugins } = JSON.parse(readFileSync(join(pluginFolder, 'PropHouse.uplugin'), 'utf8'))
  expect(VersionName).toBe(announced.plugin_version)
  expect(Plugins.map(({ Name }: { Name: string }) => Name)).toEqual(['PythonScriptPlugin', 'EditorScriptingUtilities'])
})
