/** Editor sessions at the server: kept for editors and for linked projects, said when they end, never in anybody's way. */
import { rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { type ImportingAgent, projectFor, sendToAgent, startImportingAgent } from '../support/importing-agent.ts'
import { startTestServer } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeProject } from '../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  const target = { url, key: keys.mia }
  return {
    target,
    keys,
    sessions: async (): Promise<Json[]> => (await callAs(url, keys.mia).get('/editor-sessions')).body.sessions,
  }
}

const editor = (root: string, over: object = {}) => ({
  ...{ session_id: 'editor-of-mia', project_key: 'Inn', root, accepts_imports: true, engine_version: '5.4.4' },
  ...{ plugin_version: '1.2', default_root: '/Game/Props' },
  ...over,
})

/** Asks until the sessions are such; the next heartbeat brings it. */
async function until<T>(ask: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await ask()
    if (isSo(value)) return value
  }
}

const link = (agent: ImportingAgent, path: string, accepts_imports = true) =>
  agent.api.agentProjects.link({ path, accepts_imports })

test('a linked project without an editor has a session of the agent, the same after a restart', async () => {
  const { target, sessions } = await workspace()
  const { root } = projectFor('Inn')
  const folder = temporaryFolder()
  const agent = await startImportingAgent(target, { folder })
  await link(agent, root)
  const [session] = await until(sessions, (list) => list.length === 1)
  expect(session).toMatchObject({
    ...{ project_key: 'Inn', engine_version: '5.4.0', plugin_version: null, machine: hostname(), accepts_agent_imports: true },
    ...{ transfer_mode: 'agent', desktop_agent: 'live', busy_job_id: null, last_error: null, online: true },
  })
  await agent.stop()
  expect((await sessions())[0].online).toBe(false)
  await startImportingAgent(target, { folder })
  const again = await until(sessions, ([one]) => one.online)
  expect(again.map(({ session_id }) => session_id)).toEqual([session.session_id])
})

test('an editor has its session with what it announced, and it ends when the editor leaves', async () => {
  const { target, sessions } = await workspace()
  const { root } = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await agent.api.agentEditors.announce(editor(root))
  const [session] = await until(sessions, (list) => list.length === 1)
  expect(session).toMatchObject({
    ...{ session_id: 'editor-of-mia', engine_version: '5.4.4', plugin_version: '1.2', default_root: '/Game/Props' },
    ...{ transfer_mode: 'agent', desktop_agent: 'live' },
  })
  await agent.api.agentEditors.leave({ session_id: 'editor-of-mia' })
  await until(sessions, ([one]) => !one.online)
})

test('the editor of a linked project stands in for the agent’s own session, which comes back when it leaves', async () => {
  const { target, sessions } = await workspace()
  const { root } = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await link(agent, root)
  const [own] = await until(sessions, (list) => list.length === 1)
  const online = async () => (await sessions()).filter((one) => one.online).map(({ session_id }) => session_id)
  await agent.api.agentEditors.announce(editor(root))
  await until(online, (ids) => ids.join() === 'editor-of-mia')
  await agent.api.agentEditors.leave({ session_id: 'editor-of-mia' })
  await until(online, (ids) => ids.join() === own.session_id)
})

test('a project that takes no imports and that nobody has open has no session, and unlinking ends the one that there is', async () => {
  const { target, sessions } = await workspace()
  const [inn, mill] = [projectFor('Inn'), projectFor('Mill')]
  const agent = await startImportingAgent(target)
  await link(agent, mill.root, false)
  await link(agent, inn.root)
  await until(sessions, (list) => list.length === 1)
  await agent.api.agentProjects.unlink({ path: inn.root })
  const list = await until(sessions, ([one]) => !one.online)
  expect(list.map(({ project_key }) => project_key)).toEqual(['Inn'])
})

test('sessions go on while imports are paused, and say that nothing is taken', async () => {
  const { target, sessions } = await workspace()
  const { root } = projectFor('Inn')
  const agent = await startImportingAgent(target)
  await link(agent, root)
  await until(sessions, ([one]) => one?.accepts_agent_imports === true)
  await agent.api.agent.pause({})
  const [paused] = await until(sessions, ([one]) => !one.accepts_agent_imports)
  expect(paused.online).toBe(true)
  await agent.api.agent.resume()
  await until(sessions, ([one]) => one.accepts_agent_imports)
})

test('the session says which job is brought, and what went wrong with the last one until one goes well', async () => {
  const { target, sessions } = await workspace()
  const source = await makeProject({ 'Content/Inn/SM_Chair.uasset': { payload: Buffer.alloc(4000) } })
  await source.push(target)
  const { root } = projectFor('Inn')
  const { writeFiles } = await import('../support/temporary-folder.ts')
  writeFiles(root, { 'Content/Inn': 'a file where the folder goes' })
  const held = Promise.withResolvers<void>()
  const wire = await startProxy(server.url, async (sent) => {
    if (sent.includes('GET /storage/')) await held.promise
    return undefined
  })
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  await link(agent, root)
  await sendToAgent(target, 'Inn', ['SM_Chair'])
  const [failed] = await until(sessions, ([one]) => one?.last_error != null)
  expect(failed.last_error).toContain('Content/Inn is there and is not a folder')
  rmSync(`${root}/Content`, { recursive: true })
  const job = await sendToAgent(target, 'Inn', ['SM_Chair'])
  await until(sessions, ([one]) => one.busy_job_id === job)
  held.resolve()
  await until(sessions, ([one]) => one.busy_job_id === null && one.last_error === null)
})

test('a session id that is another person’s is not asked for again and again', async () => {
  const { target, keys } = await workspace()
  const { root } = projectFor('Inn')
  const theirs = { session_id: 'editor-of-mia', project_key: 'Inn', accepts_agent_imports: true, heartbeat_interval_seconds: 60 }
  expect((await callAs(target.url, keys.max).post('/editor-sessions/heartbeat', theirs)).status).toBe(200)
  let asked = 0
  const wire = await startProxy(server.url, (sent) => {
    if (sent.includes('"editor-of-mia"')) asked++
    return undefined
  })
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  const mill = projectFor('Mill')
  await agent.api.agentEditors.announce(editor(root))
  await link(agent, mill.root)
  const own = async () => (await callAs(target.url, target.key).get('/editor-sessions')).body.sessions
  const first = await until(own, (list) => list.length === 1)
  // Ten more of the other session; the one that was refused waits for minutes.
  for (let beats = 0, seen = first[0].last_seen_at; beats < 10; beats++)
    seen = (await until(own, ([one]) => one.last_seen_at !== seen))[0].last_seen_at
  expect(asked).toBe(1)
  expect((await own()).map(({ project_key }: Json) => project_key)).toEqual(['Mill'])
  const { parts } = await agent.api.agent.status()
  expect(parts.find(({ name }) => name === 'sessions')).toMatchObject({ state: 'running' })
})

test('an id of the agent’s own that someone else has is exchanged for another one', async () => {
  const { target, keys, sessions } = await workspace()
  const { root } = projectFor('Inn')
  const folder = temporaryFolder()
  const max = await startImportingAgent({ url: target.url, key: keys.max }, { folder })
  await link(max, root)
  const theirs = async (): Promise<Json[]> => (await callAs(target.url, keys.max).get('/editor-sessions')).body.sessions
  const [before] = await until(theirs, (list) => list.length === 1)
  await max.stop()
  await startImportingAgent(target, { folder })
  const [mine] = await until(sessions, (list) => list.length === 1)
  expect(mine.session_id).not.toBe(before?.session_id)
})

test('what happens in one of many projects is said of that one, and the sessions of the others stay silent', async () => {
  const { target, sessions } = await workspace()
  const agent = await startImportingAgent(target, { sessionTimes: { aloneMs: 60_000 } })
  const [inn, ...others] = ['Inn', 'Tavern', 'Mill'].map((name) => projectFor(name).root)
  for (const root of [String(inn), ...others]) await link(agent, root)
  await until(sessions, (list) => list.length === 3)
  const beats = vi.spyOn(agent.running.agent.api.editorSessions, 'heartbeat')
  rmSync(join(String(inn), 'Inn.uproject'))
  writeFileSync(join(String(inn), 'Inn.uproject'), '{"EngineAssociation": "5.6"}')
  await link(agent, String(inn))
  await until(sessions, (list) => list.some(({ engine_version }) => engine_version === '5.6.0'))
  await agent.api.agentEditors.announce(editor(String(others[0]), { project_key: 'Tavern', session_id: 'editor-of-mill' }))
  await until(sessions, (list) => list.length === 4)
  expect(beats.mock.calls.map(([{ project_key }]) => project_key)).toEqual(['Inn', 'Tavern'])
})
