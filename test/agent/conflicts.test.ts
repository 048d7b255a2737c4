/** Files that an import would replace: asked, kept when nobody answers, taken later with a copy; never replaced silently. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { type AgentSetting, jobAt, projectFor, quickTimes, sendToAgent, startImportingAgent } from '../support/importing-agent.ts'
import { emptyProject } from '../support/pull.ts'
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
  const { url, keys } = await server.addWorkspace()
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
    ...{ job_id: job, project_key: 'Inn', file: barrel, path, package: '/Game/Inn/SM_Barrel', reason: 'changed', open: false },
    local: { by: 'mia', version: 'v1', size: expect.any(Number), at: expect.any(String), object_id: expect.any(Number) },
    incoming: { by: 'mia', version: 'v2', at: expect.any(String), object_id: expect.any(Number) },
    ...{ state: 'asked', answer: null },
  })
  expect(Object.keys(project.files())).toContain('Inn/SM_Chair.uasset')
  const { imports } = await agent.api.agentImports.list()
  expect(imports[0]).toMatchObject({ job_id: job, state: 'asking' })
  expect(await holds('mine')).toBe(true)
})

test('pictures of both sides lie in the folder of the agent, as PNG', async () => {
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
  expect(source.root).not.toBe('')
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
