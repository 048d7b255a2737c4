/** Jobs that are sent to the agent: brought without anybody typing, told as they go on, and reported exactly. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AgentOptions } from '../../agent/main.ts'
import { Journal } from '../../client/undo/journal.ts'
import { callAs } from '../support/api.ts'
import { agentFolders, jobAt, projectFor, sendToAgent, startImportingAgent } from '../support/importing-agent.ts'
import { ph, signedIn } from '../support/ph.ts'
import { startTestServer } from '../support/server.ts'
import { stockedLibrary } from '../support/stocked-library.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()

test('a job that was sent to the agent arrives byte for byte, and the library knows of every file', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const job = await sendToAgent(target, 'Inn', ['SM_Wall', 'SM_Chair'])
  const { data } = await agent.event('imported')
  await agent.event('import', ({ state }) => state === 'done')
  expect(project.files()).toEqual(wanted)
  expect(data).toMatchObject({ project_key: 'Inn', root: project.root, job_id: job, copies: [] })
  expect(data.packages.toSorted()).toEqual(['/Game/Town/SM_Chair', '/Game/Town/SM_Wall', '/Game/Town/T_Brick'])
  const { status, report_json, engine_version } = await jobAt(target, job)
  expect([status, engine_version]).toEqual(['done', '5.4.0'])
  expect(report_json.added).toHaveLength(3)
  const { imports, waiting } = await agent.api.agentImports.list()
  expect(imports).toMatchObject([{ job_id: job, state: 'done', files: 3, total_files: 3, bytes: imports[0]?.total_bytes }])
  expect(waiting).toEqual([])
})

/** A stool that the agent brought, whose prop is a seat in another folder by now. */
async function movedStool(link: { takes_away?: boolean } = {}) {
  const { target, source } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const folder = temporaryFolder()
  const { state, cache, config } = agentFolders(folder)
  const env = { ...signedIn(target.url, target.key), PH_STATE_DIR: state, PH_CACHE_DIR: cache, PH_CONFIG_DIR: config }
  const journal = new Journal(agentFolders(folder), { url: target.url, whose: `key ${target.key}` })
  const remember: AgentOptions['remember'] = (change) => journal.add({ ...change, at: new Date().toISOString() })
  const agent = await startImportingAgent(target, { folder, remember })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true, ...link })
  const guid = 'C'.repeat(32)
  await source.save({ 'Content/Town/SM_Stool.uasset': { payload: Buffer.from('v1'), guid } })
  await source.push(target)
  const done = (job: number) => agent.event('import', ({ state, job_id }) => state === 'done' && job_id === job)
  await done(await sendToAgent(target, 'Inn', ['SM_Stool']))
  rmSync(join(source.root, 'Content/Town/SM_Stool.uasset'))
  await source.save({ 'Content/Hall/SM_Seat.uasset': { payload: Buffer.from('v2'), guid } })
  await source.push(target)
  const bring = async () => (await done(await sendToAgent(target, 'Inn', ['SM_Seat']))).data
  const files = () => Object.keys(project.files())
  return { agent, project, bring, files, run: (line: string[]) => ph(line, { env, cwd: temporaryFolder() }) }
}
const [stool, seat] = ['Town/SM_Stool.uasset', 'Hall/SM_Seat.uasset'] as const

test('the old file of a prop that was moved stays where the agent brings the new one, and is named with the command that takes it away', async () => {
  const { bring, files, run, agent } = await movedStool()
  const data = await bring()
  expect(files()).toEqual([seat, stool])
  expect(data.message).toContain(`Content/${stool} is still here, and its prop is Content/${seat} now`)
  const [left] = data.not_taken_away
  expect(left).toMatchObject({ file: `Content/${stool}`, why: 'moved', to: `Content/${seat}`, reason: 'not_allowed' })
  expect(data.message).toContain(left.command)
  await agent.stop()
  const outcome = await run(left.command.split(' ').slice(1))
  expect([outcome.code, outcome.stdout]).toEqual([0, expect.stringContaining('1 taken away, with a backup')])
  expect(files()).toEqual([seat])
})

test('where its person allowed it the agent takes the old file away, into a backup from which ph undo brings it back', async () => {
  const { bring, files, run, project } = await movedStool({ takes_away: true })
  const before = () => project.files()[stool]
  const old = before()
  const { taken_away, not_taken_away, message } = await bring()
  expect([files(), not_taken_away, message]).toEqual([[seat], [], null])
  expect(taken_away).toMatchObject([{ file: `Content/${stool}`, backup: expect.stringContaining('taken away by pull') }])
  expect(readFileSync(join(project.root, taken_away[0].backup))).toEqual(old)
  expect(await run(['undo', '--yes'])).toMatchObject({ code: 0 })
  expect([files(), before()]).toEqual([[seat, stool], old])
})

test('a file that an editor has open, or that was changed here, is not taken away, allowed or not', async () => {
  const open = await movedStool({ takes_away: true })
  const editor = { session_id: 'editor-of-mia', project_key: 'Inn', root: open.project.root, accepts_imports: true }
  await open.agent.api.agentEditors.announce({ ...editor, open: ['/Game/Town/SM_Stool'] })
  expect((await open.bring()).not_taken_away).toMatchObject([{ file: `Content/${stool}`, reason: 'open' }])
  expect(open.files()).toEqual([seat, stool])
  const changed = await movedStool({ takes_away: true })
  writeFileSync(join(changed.project.root, 'Content', stool), 'mine')
  const [left] = (await changed.bring()).not_taken_away
  expect([left.reason, changed.files()]).toEqual(['modified', [seat, stool]])
  await changed.agent.stop()
  expect(await changed.run(left.command.split(' ').slice(1))).toMatchObject({ code: 0 })
  expect(changed.files()).toEqual([seat])
})

test('an import is told as it goes on: it runs, names its phases and its files, and ends once', async () => {
  const { target } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  await sendToAgent(target, 'Inn', ['SM_Wall'])
  await agent.event('import', ({ ended_at }) => ended_at !== null)
  const told = await agent.told('import')
  expect(told.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['order', 'compare', 'fetch', 'place', 'report']))
  expect(told.map(({ files }) => files)).toEqual(told.map(({ files }) => files).toSorted((a, b) => a - b))
  expect(told.filter(({ state }) => state === 'done')).toHaveLength(1)
  expect(told.at(-1)).toMatchObject({ files: 2, total_files: 2, phase: null, message: null })
})

test('a job that another person sent to a project of the same name is left to them', async () => {
  const { target, keys, wanted } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const theirs = await sendToAgent({ url: target.url, key: keys.max }, 'Inn', ['SM_Chair'])
  await sendToAgent(target, 'Inn', ['SM_Wall'])
  await agent.event('import', ({ state }) => state === 'done')
  expect((await jobAt(target, theirs)).status).toBe('queued')
  const { 'Town/SM_Chair.uasset': _chair, ...others } = wanted
  expect(project.files()).toEqual(others)
})

test('two projects get their jobs beside each other', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const [inn, mill] = [projectFor('Inn'), projectFor('Mill')]
  const agent = await startImportingAgent(target)
  for (const { root } of [inn, mill]) await agent.api.agentProjects.link({ path: root, accepts_imports: true })
  const jobs = await Promise.all([inn, mill].map(({ name }) => sendToAgent(target, name, ['SM_Wall', 'SM_Chair'])))
  for (const job of jobs) await agent.event('import', ({ state, job_id }) => state === 'done' && job_id === job)
  expect([inn.files(), mill.files()]).toEqual([wanted, wanted])
})

test('two projects at most are imported into at the same time, and the next one follows', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const held = Promise.withResolvers<void>()
  const wire = await startProxy(server.url, async (sent) => {
    if (sent.includes('GET /storage/')) await held.promise
    return undefined
  })
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  const projects = ['Inn', 'Mill', 'Barn'].map((name) => projectFor(name))
  const jobs = await Promise.all(projects.map(({ name }) => sendToAgent(target, name, ['SM_Wall', 'SM_Chair'])))
  for (const { root } of projects) await agent.api.agentProjects.link({ path: root, accepts_imports: true })
  const counted = async () => {
    const status = await agent.api.agent.status()
    const imports = status.projects.map((project) => project.imports)
    return [
      imports.filter(({ running }) => running?.phase === 'fetch').length,
      imports.filter(({ waiting }) => waiting > 0).length,
    ]
  }
  await expect.poll(counted).toEqual([2, 1])
  held.resolve()
  for (const job of jobs) await agent.event('import', ({ state, job_id }) => state === 'done' && job_id === job)
  expect(projects.map((project) => project.files())).toEqual([wanted, wanted, wanted])
})

test('projects that wait for an answer hold up no other one', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const agent = await startImportingAgent(target)
  const [inn, mill, barn] = [projectFor('Inn'), projectFor('Mill'), projectFor('Barn')]
  const mine = join('Content', 'Town', 'SM_Chair.uasset')
  for (const { root } of [inn, mill]) {
    mkdirSync(join(root, 'Content', 'Town'), { recursive: true })
    writeFileSync(join(root, mine), await packageAt(mine, { payload: Buffer.from('mine') }))
  }
  for (const { root } of [inn, mill, barn]) await agent.api.agentProjects.link({ path: root, accepts_imports: true })
  for (const { name } of [inn, mill]) {
    const job = await sendToAgent(target, name, ['SM_Chair'])
    await agent.event('import', ({ state, job_id }) => state === 'asking' && job_id === job)
  }
  const job = await sendToAgent(target, barn.name, ['SM_Wall', 'SM_Chair'])
  await agent.event('import', ({ state, job_id }) => state === 'done' && job_id === job)
  expect(barn.files()).toEqual(wanted)
  const { conflicts } = await agent.api.agentConflicts.list({})
  expect(conflicts.map(({ state }) => state)).toEqual(['asked', 'asked'])
})

test('a project that is unlinked gets what is under way, and nothing that waits', async () => {
  const { target } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const held = Promise.withResolvers<void>()
  const wire = await startProxy(server.url, async (sent) => {
    if (sent.includes('GET /storage/')) await held.promise
    return undefined
  })
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  const first = await sendToAgent(target, 'Inn', ['SM_Wall'])
  const second = await sendToAgent(target, 'Inn', ['SM_Chair'])
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  await expect.poll(async () => (await agent.api.agentImports.list()).waiting.map(({ id }) => id)).toEqual([second])
  await agent.api.agentProjects.unlink({ path: project.root })
  held.resolve()
  await agent.event('import', ({ state, job_id }) => state === 'done' && job_id === first)
  expect((await agent.api.agentImports.list()).waiting).toEqual([])
  expect((await jobAt(target, second)).status).toBe('queued')
})

test('a project that is unlinked while its heartbeat is on the way gets nothing of what that brings', async () => {
  const { target } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const [held, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const wire = await startProxy(server.url, async (sent) => {
    if (!sent.includes('/editor-sessions/heartbeat')) return undefined
    heard.resolve()
    await held.promise
    return undefined
  })
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  const job = await sendToAgent(target, 'Inn', ['SM_Chair'])
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  await heard.promise
  await agent.api.agentProjects.unlink({ path: project.root })
  held.resolve()
  const sessions = async () => (await callAs(target.url, target.key).get('/editor-sessions')).body.sessions
  await expect.poll(sessions).toMatchObject([{ online: false }])
  await agent.stop()
  expect([await agent.told('import'), (await jobAt(target, job)).status, project.files()]).toEqual([[], 'queued', {}])
})

test('a project that was given another name and is linked anew gets what is sent to it', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const first = await sendToAgent(target, 'Inn', ['SM_Wall'])
  await agent.event('import', ({ state, job_id }) => state === 'done' && job_id === first)
  renameSync(join(project.root, 'Inn.uproject'), join(project.root, 'Mill.uproject'))
  expect(await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })).toMatchObject({ project_key: 'Mill' })
  const second = await sendToAgent(target, 'Mill', ['SM_Chair'])
  await agent.event('import', ({ ended_at, job_id }) => ended_at !== null && job_id === second)
  expect(project.files()).toEqual(wanted)
})

test('a claim that someone else has by then is given up, and nothing is placed', async () => {
  const { target } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const wire = await startProxy(server.url, async (sent) => {
    if (!sent.includes('GET /storage/')) return undefined
    // The lease of an hour is over, and another program has the job.
    server.clock.advance(61 * 60_000)
    await callAs(target.url, target.key).post(`/pull-jobs/${job}/claim`, { project_key: 'Inn' })
    return 'cut'
  })
  const job = await sendToAgent(target, 'Inn', ['SM_Chair'])
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const { data } = await agent.event('import', ({ ended_at }) => ended_at !== null)
  expect(data).toMatchObject({ job_id: job, state: 'given_up' })
  expect(project.files()).toEqual({})
  expect((await jobAt(target, job)).status).toBe('claimed')
})

test('where the server has a live connection a job is heard of at once, not by the next heartbeat', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const hourly = { withEditorMs: 3_600_000, aloneMs: 3_600_000 }
  const agent = await startImportingAgent(target, { sessionTimes: hourly })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  await expect
    .poll(async () => (await agent.api.agent.status()).parts)
    .toContainEqual(expect.objectContaining({ name: 'live', message: 'connected' }))
  await sendToAgent(target, 'Inn', ['SM_Wall', 'SM_Chair'])
  await agent.event('import', ({ state }) => state === 'done')
  expect(project.files()).toEqual(wanted)
})

test('while imports are paused nothing is brought and the session says so; then it goes on', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await agent.api.agent.pause({})
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const job = await sendToAgent(target, 'Inn', ['SM_Wall', 'SM_Chair'])
  const session = async () => (await callAs(target.url, target.key).get('/editor-sessions')).body.sessions[0]
  await expect.poll(session).toMatchObject({ accepts_agent_imports: false })
  const seen = new Set<string>()
  // Each heartbeat could bring the job.
  await expect.poll(async () => seen.add((await session()).last_seen_at).size).toBeGreaterThan(3)
  expect((await jobAt(target, job)).status).toBe('queued')
  expect(project.files()).toEqual({})
  await agent.api.agent.resume()
  await agent.event('import', ({ state }) => state === 'done')
  expect(project.files()).toEqual(wanted)
})

test('the server goes away in the middle and comes back: the import waits, and goes on where it was', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const project = projectFor('Inn')
  let isAway = true
  const wire = await startProxy(server.url, async (sent) => (isAway && sent.includes('GET /storage/') ? 'cut' : undefined))
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const job = await sendToAgent(target, 'Inn', ['SM_Wall', 'SM_Chair'])
  await agent.event('import', ({ state }) => state === 'waiting')
  expect((await jobAt(target, job)).status).toBe('running')
  isAway = false
  await agent.event('import', ({ state }) => state === 'done')
  expect(project.files()).toEqual(wanted)
  expect((await jobAt(target, job)).status).toBe('done')
})

test('a key that is revoked is said, and what was sent stays where it is', async () => {
  const { target } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  await agent.event('server', ({ state }) => state === 'online')
  expect((await callAs(target.url, target.key).post('/auth/logout')).status).toBe(204)
  await agent.event('server', ({ state }) => state === 'signed_out')
  expect(await agent.api.agent.status()).toMatchObject({ state: 'signed_out' })
  expect(project.files()).toEqual({})
})

test('a file that lies in the way of a folder fails that job with its reason, and the next job is done', async () => {
  const { target } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const { writeFiles } = await import('../support/temporary-folder.ts')
  writeFiles(project.root, { 'Content/Town/SM_Chair.uasset/mine.txt': 'mine' })
  const agent = await startImportingAgent(target)
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const first = await sendToAgent(target, 'Inn', ['SM_Chair'])
  const second = await sendToAgent(target, 'Inn', ['SM_Wall'])
  const { data } = await agent.event('import', ({ job_id, ended_at }) => job_id === first && ended_at !== null)
  expect(data).toMatchObject({ state: 'failed', message: expect.stringContaining('SM_Chair.uasset is there and is not a file') })
  await agent.event('import', ({ job_id, state }) => job_id === second && state === 'done')
  expect(await jobAt(target, first)).toMatchObject({ status: 'failed', failure_reason: data.message })
  expect(project.files()['Town/SM_Chair.uasset/mine.txt']?.toString()).toBe('mine')
})

test('a job that the project is too old for waits with its reason, and is not claimed again at once', async () => {
  const { target } = await stockedLibrary(server)
  const project = projectFor('Inn', { engine: '4.27' })
  const agent = await startImportingAgent(target, { importTimes: { tellMs: 0, firstRetryMs: 600_000 } })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const job = await sendToAgent(target, 'Inn', ['SM_Chair'])
  const { data } = await agent.event('import', ({ state }) => state === 'waiting')
  expect(data.message).toContain('needs a newer engine than 4.27')
  expect(await jobAt(target, job)).toMatchObject({ status: 'queued' })
  const { imports, waiting } = await agent.api.agentImports.list()
  expect([imports.length, waiting.map(({ id }) => id)]).toEqual([1, [job]])
})

test('an agent that is stopped in the middle goes on after its next start', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const folder = temporaryFolder()
  const seen = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const wire = await startProxy(server.url, async (sent) => {
    if (sent.includes('GET /storage/')) {
      seen.resolve()
      await held.promise
    }
    return undefined
  })
  const through = { url: wire.url(target.url), key: target.key }
  const first = await startImportingAgent(through, { folder })
  await first.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const job = await sendToAgent(target, 'Inn', ['SM_Wall', 'SM_Chair'])
  await seen.promise
  await first.stop()
  held.resolve()
  expect((await jobAt(target, job)).status).toBe('running')
  const second = await startImportingAgent(through, { folder })
  await second.event('import', ({ state, job_id }) => state === 'done' && job_id === job)
  expect(project.files()).toEqual(wanted)
})
