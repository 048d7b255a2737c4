/** Files that an import would replace: asked, kept when nobody answers, taken later with a copy; never replaced silently. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import {
  type AgentSetting,
  agentFolders,
  jobAt,
  projectFor,
  quickTimes,
  sendToAgent,
  startImportingAgent,
} from '../support/importing-agent.ts'
import { ph, signedIn } from '../support/ph.ts'
import { emptyProject, entriesNamed } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { attachAll, makeProject, packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()
const barrel = 'Content/Inn/SM_Barrel.uasset'
const versionOf = (text: string) => packageAt(barrel, { payload: Buffer.from(text) })
const atOnce = { ...quickTimes, importTimes: { ...quickTimes.importTimes, answerMs: 30 } }

/** A project that has the first version of a barrel by the agent, and a second one in the library, beside a chair. */
async function begun(setting: AgentSetting = {}, wayTo = async (url: string) => url) {
  const { url, keys, workspaceId } = await server.addWorkspace()
  await server.database.sql`update members set display_name = 'Mia M' where workspace_id = ${workspaceId} and name = 'mia'`
  const target = { url, key: keys.mia }
  const source = await makeProject({
    [barrel]: { payload: Buffer.from('first') },
    'Content/Inn/SM_Chair.uasset': { payload: Buffer.from('chair') },
  })
  await source.push(target)
  const project = projectFor('Inn')
  const folder = setting.folder ?? temporaryFolder()
  const agent = await startImportingAgent({ ...target, url: await wayTo(target.url) }, { ...setting, folder })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const first = await sendToAgent(target, 'Inn', ['SM_Barrel'])
  await agent.event('import', ({ state, job_id }) => state === 'done' && job_id === first)
  await source.save({ [barrel]: { payload: Buffer.from('second') } })
  await source.push(target, { held: attachAll })
  const path = join(project.root, barrel)
  return {
    ...{ target, source, project, agent, folder, path },
    edit: async (text: string) => writeFileSync(path, await versionOf(text)),
    holds: async (text: string) => readFileSync(path).equals(await versionOf(text)),
    send: () => sendToAgent(target, 'Inn', ['SM_Barrel', 'SM_Chair']),
    done: (job: number) => agent.event('import', ({ state, job_id }) => state === 'done' && job_id === job),
  }
}

const openEditor = (root: string) => ({
  ...{ session_id: 'editor-of-mia', project_key: 'Inn', root, accepts_imports: true, engine_version: '5.4.4' },
  open: ['/Game/Inn/SM_Barrel'],
})

test('a file that was changed here is asked about, with both sides; everything else is in its place meanwhile', async () => {
  const { agent, edit, send, holds, project, path } = await begun()
  await edit('mine')
  const job = await send()
  const { data } = await agent.event('conflict', ({ state }) => state === 'asked')
  expect(await agent.api.agentConflicts.list({})).toEqual({ conflicts: [data] })
  expect(data).toMatchObject({
    ...{ job_id: job, project_key: 'Inn', file: barrel, path, package: '/Game/Inn/SM_Barrel', reason: 'modified', open: false },
    local: { by: 'mia', version: 'v1', size: expect.any(Number), at: expect.any(String), object_id: expect.any(Number) },
    incoming: { by: 'mia', version: 'v2', at: expect.any(String), object_id: expect.any(Number) },
    ...{ state: 'asked', answer: null },
  })
  expect(Object.keys(project.files())).toContain('Inn/SM_Chair.uasset')
  const { imports } = await agent.api.agentImports.list()
  expect(imports[0]).toMatchObject({ job_id: job, state: 'asking' })
  expect(await holds('mine')).toBe(true)
})

test('pictures of both sides lie in the folder of the agent, as PNG, and go with what they are of', async () => {
  const { agent, edit, send, folder, target, source } = await begun()
  const { readFile } = await import('node:fs/promises')
  const { pngOf } = await import('../support/media.ts')
  const api = callAs(target.url, target.key)
  const { body } = await api.get('/entries?name=SM_Barrel')
  const { id, object_id } = body.entries[0]
  expect((await api.put(`/entries/${id}/thumbnail?object_id=${object_id}`, await pngOf(64, 64))).status).toBe(200)
  await edit('mine')
  await send()
  const { data } = await agent.event('conflict')
  expect(data.incoming.picture).toContain(join(folder, 'state', 'agent', 'conflicts'))
  expect((await readFile(data.incoming.picture)).subarray(1, 4).toString()).toBe('PNG')
  const { state, cache, config } = agentFolders(folder)
  const env = { ...signedIn(target.url, target.key), PH_STATE_DIR: state, PH_CACHE_DIR: cache, PH_CONFIG_DIR: config }
  const seen = {
    columns: 80,
    env: { ...env, NO_COLOR: '', COLORTERM: 'truecolor', TERM: 'xterm-256color', PH_PICTURES: 'blocks' },
  }
  expect((await ph('agent conflicts', seen)).stdout).toMatch(/[\u2580-\u259f].*\d here: v1 +\d came: v2.*Answer within/s)
  expect((await ph('agent conflicts --no-pictures', seen)).stdout).not.toMatch(/[\u2580-\u259f]/)
  const stray = join(dirname(data.incoming.picture), 'incoming-of-an-agent-that-was-killed.png')
  writeFileSync(stray, 'PNG')
  await agent.stop()
  const again = await startImportingAgent(target, { folder })
  expect([existsSync(stray), existsSync(data.incoming.picture)]).toEqual([false, true])
  await source.save({ [barrel]: { payload: Buffer.from('third') } })
  await source.push(target, { held: attachAll })
  await sendToAgent(target, 'Inn', ['SM_Barrel'])
  const asked = await again.event('conflict', ({ state, job_id }) => state === 'asked' && job_id === data.job_id)
  await again.api.agentConflicts.answer({ conflict_id: asked.data.id, answer: 'keep_local' })
  await again.event('conflict', ({ state, job_id }) => state === 'asked' && job_id !== data.job_id)
  expect(existsSync(data.incoming.picture)).toBe(false)
  expect(source.root).not.toBe('')
})

test('ph agent conflicts names the project and both sides, and ph agent answer says where the own file is kept', async () => {
  const { agent, edit, send, done, folder, target, path } = await begun(atOnce)
  const { state, cache, config } = agentFolders(folder)
  const env = { ...signedIn(target.url, target.key), PH_STATE_DIR: state, PH_CACHE_DIR: cache, PH_CONFIG_DIR: config }
  await edit('mine')
  await done(await send())
  const { stdout } = await ph('agent conflicts', { env })
  expect(stdout).toMatch(new RegExp(`Inn: ${barrel}, changed here\\n +here: v1, mia, [^\\n]+\\n +came: v2, mia, `))
  for (const command of [['status'], ['conflicts'], ['why', path]])
    for (const line of stripVTControlCharacters((await ph(['agent', ...command], { env, columns: 40 })).stdout).split('\n'))
      if (!/[/`]/.test(line)) expect(line.length, line).toBeLessThanOrEqual(40)
  const [id] = (await agent.api.agentConflicts.list({})).conflicts.map((one) => one.id)
  const taken = await ph(['agent', 'answer', String(id), '--take'], { env })
  const [, copy = ''] = /kept as (.*)/.exec(taken.stdout) ?? []
  expect(readFileSync(copy).equals(await versionOf('mine'))).toBe(true)
  expect((await ph('agent conflicts', { env })).stdout).toContain('Nothing waits')
})

test('ph agent answer answers several at once or all; one that is not there is named, and the others are answered', async () => {
  const { agent, edit, send, done, folder, target, source, project } = await begun(atOnce)
  const { state, cache, config } = agentFolders(folder)
  const env = { ...signedIn(target.url, target.key), PH_STATE_DIR: state, PH_CACHE_DIR: cache, PH_CONFIG_DIR: config }
  await done(await send())
  const chair = 'Content/Inn/SM_Chair.uasset'
  await source.save({ [barrel]: { payload: Buffer.from('third') }, [chair]: { payload: Buffer.from('second chair') } })
  await source.push(target, { held: attachAll })
  await edit('mine')
  writeFileSync(join(project.root, chair), await packageAt(chair, { payload: Buffer.from('my chair') }))
  await done(await send())
  const listed = await ph('agent conflicts', { env })
  expect(listed.stdout).toContain('All 2 at once: ph agent answer --all --keep or --take')
  const [first] = (await agent.api.agentConflicts.list({})).conflicts
  const some = await ph(['agent', 'answer', String(first?.id), '999', '--keep', '--json'], { env })
  expect(some.code).toBe(5)
  expect(some.json()).toMatchObject({
    answered: [{ id: first?.id, answer: 'keep_local' }],
    failed: [{ id: 999, error: { code: 'NOT_FOUND' } }],
  })
  const all = await ph('agent answer --all --take', { env })
  expect(all).toMatchObject({ code: 0, stdout: expect.stringMatching(/the version that came is taken\.\nYour file is kept as /) })
  expect(await agent.api.agentConflicts.list({})).toEqual({ conflicts: [] })
  expect(await ph('agent answer --all --take', { env })).toMatchObject({ code: 0, stdout: 'Nothing waits for an answer.\n' })
  expect(await ph('agent answer --take', { env })).toMatchObject({ code: 2, stderr: expect.stringContaining('--all') })
})

test('what waits in one workspace is not answered by the jobs of another one, which have the same numbers', async () => {
  const { agent, edit, send, done, folder, target } = await begun(atOnce)
  await edit('mine')
  await done(await send())
  expect((await agent.api.agentConflicts.list({})).conflicts).toMatchObject([{ state: 'waiting' }])
  await agent.stop()
  const elsewhere = await server.addWorkspace()
  const other = await startImportingAgent({ url: elsewhere.url, key: elsewhere.keys.mia }, { ...atOnce, folder })
  expect((await other.api.agentConflicts.list({})).conflicts).toEqual([])
  await other.stop()
  const again = await startImportingAgent(target, { ...atOnce, folder })
  expect((await again.api.agentConflicts.list({})).conflicts).toMatchObject([{ state: 'waiting' }])
})

/** Runs commands as the agent advises them, from anywhere on the machine. */
async function advised(setting: AgentSetting) {
  const inn = await begun(setting)
  const { state, cache, config } = agentFolders(inn.folder)
  const env = { ...signedIn(inn.target.url, inn.target.key), PH_STATE_DIR: state, PH_CACHE_DIR: cache, PH_CONFIG_DIR: config }
  const run = (command: string) => ph(command.split(' ').slice(1), { env, cwd: temporaryFolder() })
  return { ...inn, run, waits: async () => (await inn.agent.api.agentConflicts.list({})).conflicts.length }
}

test('the command that the import tells takes the version that waits, with a backup, and nothing waits any more', async () => {
  const { agent, edit, send, done, holds, path, project, run, waits } = await advised(atOnce)
  await edit('mine')
  const { data } = await done(await send())
  const theirs = `ph pull ${path} --theirs`
  expect(data.message).toContain(`${barrel} was changed here and stays. \`${theirs}\` takes the library's version`)
  expect((await run('ph agent conflicts')).stdout.replaceAll(/\s+/g, ' ')).toContain(theirs)
  const why = await agent.api.agentFiles.why({ path })
  expect(why.reasons).toContainEqual(expect.objectContaining({ kind: 'conflict', command: theirs }))
  const outcome = await run(theirs)
  expect([outcome.code, await holds('second')]).toEqual([0, true])
  const backup = /^ {4}(Saved.*)$/m.exec(outcome.stdout)?.[1] ?? ''
  expect(readFileSync(join(project.root, backup)).equals(await versionOf('mine'))).toBe(true)
  expect(await waits()).toBe(0)
  expect(await agent.event('conflict', ({ state }) => state === 'answered')).toMatchObject({ data: { answer: 'take_incoming' } })
})

test('--mine settles what waits for good: the file stays, and the next push makes it the next version', async () => {
  const { agent, edit, send, done, holds, path, target, run, waits } = await advised(atOnce)
  await edit('mine')
  const { data } = await done(await send())
  const [, mine = ''] = /`(ph pull \S+ --mine)`/.exec(data.message) ?? []
  expect(await run(mine)).toMatchObject({ code: 0 })
  expect([await waits(), await holds('mine')]).toEqual([0, true])
  expect(await agent.event('conflict', ({ state }) => state === 'answered')).toMatchObject({ data: { answer: 'keep_local' } })
  expect(await run(`ph push ${path}`)).toMatchObject({ code: 0 })
  const found = (await callAs(target.url, target.key).get('/entries?name=SM_Barrel')).body.entries[0]
  const { objects } = (await callAs(target.url, target.key).get(`/lineages/${found.lineage_id}`)).body
  expect(objects.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1])
})

test('while the agent still asks, the same commands answer it, and the import goes on at once', async () => {
  for (const [side, is] of [
    ['--theirs', 'second'],
    ['--mine', 'mine'],
  ] as const) {
    const { agent, edit, send, done, holds, path, run, waits } = await advised({})
    await edit('mine')
    const job = await send()
    await agent.event('conflict', ({ state }) => state === 'asked')
    expect(await run(`ph pull ${path} ${side}`)).toMatchObject({ code: 0 })
    await done(job)
    expect([await holds(is), await waits()]).toEqual([true, 0])
  }
})

test('a file that waits only because it was open comes by the command that is told, once its editor is closed', async () => {
  const { agent, send, done, holds, path, project, run, waits } = await advised(atOnce)
  await agent.api.agentEditors.announce(openEditor(project.root))
  const { data } = await done(await send())
  expect(data.message).toContain(`${barrel} was open in the editor and stays. \`ph pull ${path} --theirs\` takes`)
  await agent.api.agentEditors.leave({ session_id: 'editor-of-mia' })
  expect(await run(`ph pull ${path} --theirs`)).toMatchObject({ code: 0 })
  expect([await holds('second'), await waits()]).toEqual([true, 0])
})

test('what waits is settled by the commands after a restart of the agent too, and by nothing else that is pulled', async () => {
  const { agent, edit, send, done, folder, target, holds, path, run } = await advised(atOnce)
  await edit('mine')
  await done(await send())
  await agent.stop()
  expect((await run(`ph pull SM_Chair --project Inn --into ${dirname(dirname(dirname(path)))}`)).code).toBe(0)
  const second = await startImportingAgent(target, { folder })
  expect((await second.api.agentConflicts.list({})).conflicts).toMatchObject([{ file: barrel, state: 'waiting' }])
  expect(await run(`ph pull ${path} --theirs`)).toMatchObject({ code: 0 })
  expect([await holds('second'), await second.api.agentConflicts.list({})]).toEqual([true, { conflicts: [] }])
})

test('keep_local keeps the file, the library hears it, and nothing waits', async () => {
  const { agent, edit, send, holds, done, target } = await begun()
  await edit('mine')
  const job = await send()
  const { data } = await agent.event('conflict')
  await agent.api.agentConflicts.answer({ conflict_id: data.id, answer: 'keep_local' })
  await done(job)
  expect(await holds('mine')).toBe(true)
  const { report_json } = await jobAt(target, job)
  expect(report_json.conflicts).toMatchObject([{ destination: '/Game/Inn/SM_Barrel', resolution: 'keep_local' }])
  expect(await agent.api.agentConflicts.list({})).toEqual({ conflicts: [] })
})

test('take_incoming replaces the file and keeps a copy outside of Content that says whose it is and when', async () => {
  const { agent, edit, send, holds, done, project } = await begun()
  await edit('mine')
  const job = await send()
  const { data } = await agent.event('conflict')
  await agent.api.agentConflicts.answer({ conflict_id: data.id, answer: 'take_incoming' })
  await done(job)
  expect(await holds('second')).toBe(true)
  const { data: told } = await agent.event('imported', ({ copies }) => copies.length > 0)
  const [{ file, copy }] = told.copies
  expect(file).toBe(barrel)
  expect(readFileSync(copy).equals(await versionOf('mine'))).toBe(true)
  const below = copy.slice(project.root.length)
  expect(below).toMatch(
    /^\/Saved\/PropHouse\/Backups\/\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d \S+, before pull \d+\/Content\/Inn\/SM_Barrel\.uasset$/,
  )
})

test('a file that is removed while it is asked about comes by take_incoming, and by keep_local stays away', async () => {
  for (const [answer, is] of [
    ['take_incoming', true],
    ['keep_local', false],
  ] as const) {
    const { agent, edit, send, holds, done, path } = await begun()
    await edit('mine')
    const job = await send()
    const { data } = await agent.event('conflict')
    rmSync(path)
    await agent.api.agentConflicts.answer({ conflict_id: data.id, answer })
    await done(job)
    expect(existsSync(path) && (await holds('second'))).toBe(is)
    expect(await agent.api.agentConflicts.list({})).toEqual({ conflicts: [] })
  }
})

test('without an answer the file is kept, and the version waits; taken later it comes, with a copy, and nothing else changes', async () => {
  const { agent, edit, send, holds, done, target, source, project } = await begun(atOnce)
  await edit('mine')
  const job = await send()
  await done(job)
  expect(await holds('mine')).toBe(true)
  expect((await jobAt(target, job)).report_json.conflicts).toMatchObject([{ resolution: 'keep_local' }])
  const { conflicts } = await agent.api.agentConflicts.list({ project_key: 'Inn' })
  expect(conflicts).toMatchObject([{ file: barrel, state: 'waiting', answer: null }])
  // The chair goes on meanwhile, and stays what it is.
  await source.save({ 'Content/Inn/SM_Chair.uasset': { payload: Buffer.from('newer chair') } })
  await source.push(target, { held: attachAll })
  const later = await sendToAgent(target, 'Inn', ['SM_Chair'])
  await done(later)
  const chair = project.files()['Inn/SM_Chair.uasset']
  const id = conflicts[0]?.id ?? 0
  const answered = await agent.api.agentConflicts.answer({ conflict_id: id, answer: 'take_incoming' })
  expect(answered).toMatchObject({ id, state: 'answered', answer: 'take_incoming' })
  expect(await holds('second')).toBe(true)
  expect(readFileSync(answered.copy ?? '').equals(await versionOf('mine'))).toBe(true)
  expect(project.files()['Inn/SM_Chair.uasset']).toEqual(chair)
  expect(await agent.api.agentConflicts.list({})).toEqual({ conflicts: [] })
})

test('a version that waits is known after a restart, and waits no more when the person keeps their file', async () => {
  const { agent, edit, send, done, folder, target, holds } = await begun(atOnce)
  await edit('mine')
  await done(await send())
  await agent.stop()
  const second = await startImportingAgent(target, { folder })
  const { conflicts } = await second.api.agentConflicts.list({})
  expect(conflicts).toMatchObject([{ file: barrel, state: 'waiting' }])
  await second.api.agentConflicts.answer({ conflict_id: conflicts[0]?.id ?? 0, answer: 'keep_local' })
  expect(await second.api.agentConflicts.list({})).toEqual({ conflicts: [] })
  expect(await holds('mine')).toBe(true)
})

test('an answer that was given before the agent stopped holds after its start', async () => {
  const { agent, edit, send, folder, target, holds } = await begun()
  await edit('mine')
  const job = await send()
  await agent.event('conflict')
  await agent.api.agent.pause({})
  const { conflicts } = await agent.api.agentConflicts.list({})
  await agent.api.agentConflicts.answer({ conflict_id: conflicts[0]?.id ?? 0, answer: 'take_incoming' })
  await agent.stop()
  const second = await startImportingAgent(target, { folder })
  await second.event('import', ({ state, job_id }) => state === 'done' && job_id === job)
  expect(await holds('second')).toBe(true)
})

test('a package that is open in the editor is replaced only after the answer, although nobody changed it', async () => {
  const { agent, send, holds, done, project } = await begun()
  await agent.api.agentEditors.announce(openEditor(project.root))
  const job = await send()
  const { data } = await agent.event('conflict')
  expect(data).toMatchObject({ reason: 'open', open: true, local: { version: 'v1' }, incoming: { version: 'v2' } })
  expect(await holds('first')).toBe(true)
  await agent.api.agentConflicts.answer({ conflict_id: data.id, answer: 'take_incoming' })
  await done(job)
  expect(await holds('second')).toBe(true)
})

test('a package that is open and about which nobody answers stays as it is, and its version waits', async () => {
  const { agent, send, holds, done, project } = await begun(atOnce)
  await agent.api.agentEditors.announce(openEditor(project.root))
  await done(await send())
  expect(await holds('first')).toBe(true)
  expect((await agent.api.agentConflicts.list({})).conflicts).toMatchObject([{ state: 'waiting', reason: 'open' }])
})

test('a package that is opened while its new version is fetched stays as it is, and the version waits', async () => {
  const onFetch: (() => Promise<unknown>)[] = []
  const { agent, send, holds, done, project } = await begun({}, (url) =>
    startProxy(server.url, async (sent) => {
      if (sent.includes('GET /storage/')) await onFetch.shift()?.()
      return undefined
    }).then((wire) => wire.url(url)),
  )
  onFetch.push(() => agent.api.agentEditors.announce(openEditor(project.root)))
  await done(await send())
  expect(await holds('first')).toBe(true)
  expect(Object.keys(project.files())).toContain('Inn/SM_Chair.uasset')
  expect((await agent.api.agentConflicts.list({})).conflicts).toMatchObject([{ state: 'waiting', reason: 'open', open: true }])
})

test('a file that is saved again after the answer stays, and its version waits', async () => {
  const { agent, edit, send, holds, done, target } = await begun()
  await edit('mine')
  const job = await send()
  const { data } = await agent.event('conflict')
  await edit('mine again')
  await agent.api.agentConflicts.answer({ conflict_id: data.id, answer: 'take_incoming' })
  await done(job)
  expect(await holds('mine again')).toBe(true)
  expect((await jobAt(target, job)).report_json.conflicts).toMatchObject([{ resolution: 'keep_local' }])
  expect((await agent.api.agentConflicts.list({})).conflicts).toMatchObject([{ file: barrel, state: 'waiting', answer: null }])
})

test('a version that came by another way waits no more', async () => {
  const { agent, edit, send, done, target, project } = await begun(atOnce)
  await edit('mine')
  await done(await send())
  expect((await agent.api.agentConflicts.list({})).conflicts).toHaveLength(1)
  writeFileSync(join(project.root, barrel), await versionOf('second'))
  await done(await sendToAgent(target, 'Inn', ['SM_Barrel']))
  expect(await agent.api.agentConflicts.list({})).toEqual({ conflicts: [] })
})

test('a conflict that is not there is NOT_FOUND, and another answer than the one that was given is CONFLICT', async () => {
  const { agent, edit, send } = await begun()
  const answer = agent.api.agentConflicts.answer
  await expect(answer({ conflict_id: 77, answer: 'keep_local' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await edit('mine')
  await send()
  const { data } = await agent.event('conflict')
  await agent.api.agent.pause({})
  await answer({ conflict_id: data.id, answer: 'keep_local' })
  await expect(answer({ conflict_id: data.id, answer: 'take_incoming' })).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('a version that waits is brought once, is not kept meanwhile, and not while imports are paused', async () => {
  const { agent, edit, send, done, holds } = await begun(atOnce)
  await edit('mine')
  await done(await send())
  const [id = 0] = (await agent.api.agentConflicts.list({})).conflicts.map((one) => one.id)
  await agent.api.agent.pause({})
  const { imports } = agent.running.agent
  await expect.poll(() => imports.isTaking).toBe(false)
  await expect(imports.answer(id, 'take_incoming')).rejects.toMatchObject({ message: expect.stringContaining('ph agent resume') })
  await agent.api.agent.resume()
  await expect.poll(() => imports.isTaking).toBe(true)
  const taken = [imports.answer(id, 'take_incoming'), imports.answer(id, 'take_incoming')]
  await expect(imports.answer(id, 'keep_local')).rejects.toMatchObject({ code: 'CONFLICT' })
  const [first, second] = await Promise.all(taken)
  expect([first, await holds('second')]).toEqual([second, true])
})

test('a version that was ordered as the newest of two is taken later like any other', async () => {
  const { url, keys } = await server.addWorkspace()
  const target = { url, key: keys.mia }
  const wall = { imports: ['/Game/Inn/SM_Barrel'], payload: Buffer.from('wall') }
  const source = await makeProject({ [barrel]: { payload: Buffer.from('first') }, 'Content/Inn/SM_Wall.uasset': wall })
  await source.push(target)
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target, atOnce)
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const done = (job: number) => agent.event('import', ({ state, job_id }) => state === 'done' && job_id === job)
  await done(await sendToAgent(target, 'Inn', ['SM_Wall']))
  await source.save({ [barrel]: { payload: Buffer.from('second') } })
  await source.push(target, { held: attachAll })
  const path = join(project.root, barrel)
  writeFileSync(path, await versionOf('mine'))
  // The wall needs the first version still.
  const entries = await entriesNamed(target, ['SM_Wall', 'SM_Barrel'])
  const order = { target_project: 'Inn', target_root: '/Game', delivery: 'agent', prefer: 'newest', entries }
  await done((await callAs(url, keys.mia).post('/pull-jobs', order)).body.id)
  const [id = 0] = (await agent.api.agentConflicts.list({})).conflicts.map((one) => one.id)
  await agent.api.agentConflicts.answer({ conflict_id: id, answer: 'take_incoming' })
  expect(readFileSync(path).equals(await versionOf('second'))).toBe(true)
})

test('a pull for one file that someone else goes on with keeps to that file', async () => {
  const { target, source } = await begun()
  const other = emptyProject('Mill')
  await other.pull(target, ['SM_Barrel', 'SM_Chair'])
  await source.save({
    [barrel]: { payload: Buffer.from('third') },
    'Content/Inn/SM_Chair.uasset': { payload: Buffer.from('new') },
  })
  await source.push(target, { held: attachAll })
  const chair = other.files()['Inn/SM_Chair.uasset']
  const stop = new AbortController()
  const options = { only: [barrel], signal: stop.signal }
  const ended = other.pull(target, ['SM_Barrel', 'SM_Chair'], {
    ...options,
    tell: (event) => event.kind === 'phase' && event.phase === 'fetch' && stop.abort(new Error('stopped')),
  })
  await expect(ended).rejects.toThrow('stopped')
  await other.pull(target)
  expect(other.files()['Inn/SM_Chair.uasset']).toEqual(chair)
  expect(readFileSync(join(other.root, barrel)).equals(await versionOf('third'))).toBe(true)
  expect(existsSync(join(other.root, 'Saved', 'PropHouse'))).toBe(false)
})
