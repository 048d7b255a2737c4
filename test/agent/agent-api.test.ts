/** The agent's local API: who may ask it, over which ways, and what it remembers. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { findAgent } from '../../client/desktop/agent.ts'
import type { AgentStatus } from '../../contract/agent.ts'
import type { LocalNote } from '../../serving/local-note.ts'
import { newFolders, projectFolder, startTestAgent, type TestAgent } from '../support/agent.ts'
import { callAs } from '../support/api.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let server: TestServer
let place: { url: string; key: string }
beforeAll(async () => {
  server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  place = { url, key: keys.mia }
})

const noteOf = ({ dir }: TestAgent): LocalNote => JSON.parse(readFileSync(join(dir, 'note.json'), 'utf8'))

interface Asked {
  path?: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** As an editor's plugin asks: over the loopback port. */
function loopback(
  agent: TestAgent,
  { path = '/agent/v1/status', method = 'GET', headers, body }: Asked = {},
): Promise<{ status: number; json: unknown }> {
  const { url, token } = noteOf(agent)
  return new Promise((resolve, reject) => {
    const all = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    }
    request(new URL(path, url), { method, headers: all, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, json: text === '' ? undefined : JSON.parse(text) })
    })
      .on('error', reject)
      .end(body)
  })
}

test('the socket and the port answer the same, to who has the token of a file that only its owner reads', async () => {
  const agent = await startTestAgent(place)
  await expect.poll(async () => (await agent.api.agent.status()).person?.name).toBe('mia')
  const status = await agent.api.agent.status()
  expect(status).toMatchObject({ pid: process.pid, server: place.url, state: 'running', projects: [] })
  const over = await loopback(agent)
  expect(over.status).toBe(200)
  expect((over.json as AgentStatus).started_at).toBe(status.started_at)
  expect(statSync(join(agent.dir, 'note.json')).mode & 0o777).toBe(0o600)
  expect(statSync(join(agent.dir, 's')).mode & 0o777).toBe(0o600)
  expect(statSync(agent.dir).mode & 0o777).toBe(0o700)
  const { url } = noteOf(agent)
  expect(new URL(url).hostname).toBe('127.0.0.1')
})

const askBy = (port: string, token: string) =>
  `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`

/** A connection that stays, and the status that it hears where something was said over it. */
async function connection(agent: TestAgent): Promise<{ socket: Socket; ask(token?: string): Promise<string> }> {
  const { url, token: own } = noteOf(agent)
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const ask = async (token = own) => {
    socket.write(askBy(port, token))
    return String(await once(socket, 'data')).slice(9, 12)
  }
  return { socket, ask }
}

test('connections of others, over which nothing or a wrong token is said, keep nobody out; those of the person stay', async () => {
  const agent = await startTestAgent(place)
  const own = await connection(agent)
  expect(await own.ask()).toBe('200')
  const others = await Promise.all(Array.from({ length: 300 }, () => connection(agent)))
  expect(await others.at(-1)?.ask('wrong')).toBe('401')
  expect((await loopback(agent)).status).toBe(200)
  expect(await own.ask()).toBe('200')
  await expect.poll(() => others.filter(({ socket }) => socket.closed).length).toBeGreaterThanOrEqual(300 - 256)
})

test('more connections of the person than an agent takes are refused in words, and there is room again when one closes', async () => {
  const agent = await startTestAgent(place)
  const held = await Promise.all(Array.from({ length: 32 }, () => connection(agent)))
  expect(new Set(await Promise.all(held.map(({ ask }) => ask())))).toEqual(new Set(['200']))
  expect(await loopback(agent)).toMatchObject({
    status: 503,
    json: { error: expect.stringMatching(/^More than 32 connections/) },
  })
  held[0]?.socket.destroy()
  await expect.poll(async () => (await loopback(agent)).status).toBe(200)
})

test.each([
  ['a wrong token', { authorization: 'Bearer wrong' }, 401],
  ['no token', { authorization: '' }, 401],
  ['the name of a page', { host: 'evil.example:80' }, 403],
  ['the page of another origin', { origin: 'https://evil.example' }, 403],
  ['the page of a file', { origin: 'null' }, 403],
])('%s gets nothing at the port', async (_who, headers, status) => {
  const agent = await startTestAgent(place)
  const answer = await loopback(agent, { headers })
  expect(answer).toMatchObject({ status, json: { error: expect.any(String) } })
})

/** What comes back before the connection is closed. */
function answerTo(port: number, said: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(said, 'latin1'))
    socket.on('data', (chunk) => (answer += chunk))
    // Cut while more is sent than is read.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}

test('a plugin that talks nonsense is told so, and the agent runs on', async () => {
  const agent = await startTestAgent(place)
  const nonsense: Asked[] = [
    { path: '/agent/v1/nowhere' },
    { path: '/agent/v1/editors/x', method: 'PUT', body: '{}' },
    { path: '/agent/v1/editors/12345678', method: 'PUT', body: '{"project_key":' },
    { path: '/agent/v1/editors/12345678', method: 'PUT', body: '[]' },
    { path: '/agent/v1/editors/12345678', method: 'PUT', body: `{"project_key":"${'x'.repeat(2_000_000)}"}` },
    { path: '/agent/v1/projects', method: 'PUT', body: '{"path":"/nowhere","accepts_imports":true}' },
    { path: '/agent/v1/conflicts/1', method: 'POST', body: '{"answer":"burn"}' },
    { path: '/agent/v1/events?since=-1' },
  ]
  for (const asked of nonsense) {
    const { status, json } = await loopback(agent, asked)
    expect([asked, status >= 400 && status < 500]).toEqual([asked, true])
    expect(json).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } })
  }
  const { port } = new URL(noteOf(agent).url)
  const noRequests = ['\0\x01\xff'.repeat(5000), 'GET\r\n\r\n', `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`]
  for (const said of noRequests) expect(await answerTo(Number(port), said)).toMatch(/^HTTP\/1.1 4\d\d /)
  // Some say nothing at all, and stay.
  const silent = Array.from({ length: 10 }, () => connect(Number(port), '127.0.0.1'))
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  onTestFinished(() => {
    for (const socket of silent) socket.destroy()
  })
  expect((await loopback(agent)).status).toBe(200)
  expect((await agent.api.agent.status()).state).toBe('running')
})

test('a second agent with the same folders is refused, one with others is not', async () => {
  const agent = await startTestAgent(place)
  await expect(startTestAgent({ ...place, folders: agent.folders })).rejects.toMatchObject({
    code: 'AGENT_RUNS',
    message: expect.stringContaining(String(process.pid)),
  })
  await startTestAgent(place)
})

test('linked projects are there again after a restart, with the choices made last', async () => {
  const folders = newFolders()
  const first = await startTestAgent({ ...place, folders })
  const root = projectFolder('Tavern')
  await first.api.agentProjects.link({ path: root, accepts_imports: false })
  const linked = await first.api.agentProjects.link({
    path: join(root, 'Tavern.uproject'),
    accepts_imports: true,
    auto_checkout: true,
  })
  expect(linked).toMatchObject({
    project_key: 'Tavern',
    root,
    accepts_imports: true,
    auto_checkout: true,
    engine_version: '5.4.0',
    linked: true,
  })
  await first.running.stop()
  expect(await findAgent(folders)).toBeUndefined()
  const second = await startTestAgent({ ...place, folders })
  expect((await second.api.agent.status()).projects).toMatchObject([
    { project_key: 'Tavern', root, accepts_imports: true, auto_checkout: true },
  ])
  await second.api.agentProjects.unlink({ path: root })
  expect((await second.api.agent.status()).projects).toEqual([])
  await expect(second.api.agentProjects.unlink({ path: root })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('an agent of another workspace leaves the projects of this one alone, and they are there again with this one', async () => {
  const folders = newFolders()
  const root = projectFolder('Tavern')
  const first = await startTestAgent({ ...place, folders })
  await first.api.agentProjects.link({ path: root, accepts_imports: true })
  await first.running.stop()
  const { url, keys } = await server.addWorkspace()
  const other = await startTestAgent({ url, key: keys.mia, folders })
  expect((await other.api.agent.status()).projects).toEqual([])
  await other.api.agentProjects.link({ path: root, accepts_imports: false })
  await other.running.stop()
  const again = await startTestAgent({ ...place, folders })
  expect((await again.api.agent.status()).projects).toMatchObject([{ root, accepts_imports: true }])
})

test('two folders of one project are not linked at once, and a folder that is none is refused with what to do', async () => {
  const { api } = await startTestAgent(place)
  const root = projectFolder('Tavern')
  await api.agentProjects.link({ path: root, accepts_imports: true })
  await expect(api.agentProjects.link({ path: projectFolder('Tavern'), accepts_imports: true })).rejects.toMatchObject({
    code: 'PROJECT_LINKED',
    message: expect.stringContaining(root),
    next: expect.stringContaining(`ph agent unlink ${root}`),
  })
  await expect(api.agentProjects.link({ path: '/nowhere', accepts_imports: true })).rejects.toMatchObject({
    code: 'PATH_NOT_FOUND',
  })
})

test('a folder in a project names the project, a .uproject names its own, and what is none is refused with what to do', async () => {
  const { api } = await startTestAgent(place)
  const link = (path: string) => api.agentProjects.link({ path, accepts_imports: false })
  const root = projectFolder('Tavern')
  expect(await link(join(root, 'Content'))).toMatchObject({ project_key: 'Tavern', root })
  copyFileSync(join(root, 'Tavern.uproject'), join(root, 'Second.uproject'))
  await api.agentProjects.unlink({ path: join(root, 'Content') })
  expect(await link(join(root, 'Second.uproject'))).toMatchObject({ project_key: 'Second', root })
  await expect(link(root)).rejects.toMatchObject({ code: 'SEVERAL_PROJECTS', next: expect.stringContaining('.uproject') })
  await expect(link(join(root, 'Third.uproject'))).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' })
  for (const path of [temporaryFolder(), join(root, 'Content', 'readme.txt')])
    await expect(link(path)).rejects.toMatchObject({ code: 'NO_PROJECT', next: expect.not.stringContaining('--into') })
})

test('a project whose folder is gone is unlinked like any other', async () => {
  const { api } = await startTestAgent(place)
  const root = projectFolder('Tavern')
  await api.agentProjects.link({ path: root, accepts_imports: true })
  rmSync(root, { recursive: true })
  expect(await api.agentProjects.unlink({ path: join(root, 'Tavern.uproject') })).toEqual({ root })
  expect((await api.agent.status()).projects).toEqual([])
})

test('what was remembered and is damaged is begun anew, and said', async () => {
  const damaged = 'no database at all, but long enough to look like one'.repeat(100)
  const folders = newFolders()
  const first = await startTestAgent({ ...place, folders })
  await first.api.agentProjects.link({ path: projectFolder('Tavern'), accepts_imports: true })
  await first.running.stop()
  for (const name of ['projects', 'conflicts', 'senders', 'sessions']) {
    for (const end of ['-wal', '-shm']) rmSync(join(first.dir, `${name}.sqlite${end}`), { force: true })
    writeFileSync(join(first.dir, `${name}.sqlite`), damaged)
  }
  writeFileSync(join(first.dir, 'note.json'), damaged)
  const second = await startTestAgent({ ...place, folders })
  expect((await second.api.agent.status()).projects).toEqual([])
  expect(second.logLines.join('')).toMatch(/projects was damaged.*Link them again/)
  expect(second.logLines.join('')).toMatch(/conflicts was damaged/)
  expect(second.logLines.join('')).toMatch(/senders was damaged.*Allow them again/)
  const root = projectFolder('Tavern')
  await second.api.agentProjects.link({ path: root, accepts_imports: true })
  const sessions = async () => (await callAs(place.url, place.key).get('/editor-sessions')).body.sessions
  await expect.poll(sessions).toContainEqual(expect.objectContaining({ project_key: 'Tavern', desktop_agent: 'live' }))
})

test('an editor that announces itself is followed by events, its project is looked after, and it is gone when it says so', async () => {
  const agent = await startTestAgent(place)
  await expect.poll(async () => (await agent.api.agent.status()).person?.name).toBe('mia')
  const root = projectFolder('Tavern')
  const said = { project_key: 'Tavern', root, accepts_imports: true, engine_version: '5.4.4' }
  const body = JSON.stringify(said)
  const announced = await loopback(agent, { path: '/agent/v1/editors/editor-0001', method: 'PUT', body })
  expect(announced).toMatchObject({
    status: 200,
    json: { editor: { session_id: 'editor-0001', open: [] }, desktop_agent: 'live', server: place.url },
  })
  const { since } = announced.json as { since: number }
  await agent.api.agentEditors.announce({ session_id: 'editor-0001', ...said, open: ['/Game/Inn/SM_Barrel'] })
  expect((await agent.api.agent.status()).projects).toMatchObject([
    {
      project_key: 'Tavern',
      linked: false,
      editor: { session_id: 'editor-0001', open: ['/Game/Inn/SM_Barrel'] },
      engine_version: '5.4.4',
    },
  ])
  await agent.api.agentEditors.leave({ session_id: 'editor-0001' })
  const events: string[] = []
  const stopping = new AbortController()
  const following = agent.api.agent.events({ since, project_key: 'Tavern' }, { signal: stopping.signal })
  for await (const { event } of following) {
    if (event.startsWith('editor.')) events.push(event)
    if (event === 'editor.gone') break
  }
  stopping.abort()
  expect(events).toEqual(['editor.announced', 'editor.announced', 'editor.gone'])
  expect((await agent.api.agent.status()).projects).toEqual([])
})

test('who follows from an event that is not kept any more, or was another agent’s, is told of the gap', async () => {
  const { api, running } = await startTestAgent(place)
  const first = async (since: number) => {
    for await (const event of api.agent.events({ since })) return event
    return undefined
  }
  const { events } = running.agent
  for (let at = 0; at < 2100; at++) events.tell('file', { at })
  expect(await first(events.last - 10)).toMatchObject({ event: 'file', data: { at: expect.any(Number) } })
  const before = events.last
  const gap = await first(before - 2050)
  expect(gap).toMatchObject({ event: 'gap', data: { since: before - 2050, next: expect.any(Number) } })
  expect(await first(events.last + 5)).toMatchObject({ event: 'gap' })
})

test('the agent starts and answers while the server is away, and says so', async () => {
  const away = await startTestServer()
  const { url, keys } = await away.addWorkspace()
  await away.stop()
  const { api, logLines } = await startTestAgent({ url, key: keys.mia })
  await expect.poll(async () => (await api.agent.status()).state, { timeout: 20_000 }).toBe('offline')
  // What it does meanwhile does not drive out of the log what it did before.
  const known = logLines.length
  await expect.poll(() => logLines.slice(known).join(''), { timeout: 20_000 }).toMatch(/live failed[\s\S]*live failed/)
  expect(logLines.slice(known).join('')).not.toContain('waiting for the server')
})

test('a key that is revoked shows in its state', async () => {
  const { api } = await startTestAgent({ ...place, key: `ph_live_${'0'.repeat(40)}` })
  await expect.poll(async () => (await api.agent.status()).state).toBe('signed_out')
})

const execute = promisify(execFile)
const isRoot = process.getuid?.() === 0
const nobody = 65_534

/** Run as another user: what of the agent can be had. */
const attempts = `
  const { readFileSync, readdirSync } = require('node:fs')
  const { connect } = require('node:net')
  const [dir, port] = process.argv.slice(1)
  const tried = (work) => { try { work(); return 'open' } catch ({ code }) { return code } }
  const socket = connect(dir + '/s').on('error', ({ code }) => tell(code)).on('connect', () => tell('open'))
  async function tell(found) {
    const { status } = await fetch('http://127.0.0.1:' + port + '/agent/v1/status')
    console.log(JSON.stringify([found, tried(() => readFileSync(dir + '/note.json')), tried(() => readdirSync(dir)), status]))
    process.exit()
  }`

test.skipIf(!isRoot)('another user of the machine is refused at the socket, at the note and at the port', async () => {
  const agent = await startTestAgent(place)
  chmodSync(agent.folders.state, 0o755)
  const { port } = new URL(noteOf(agent).url)
  const node = copyOfNode()
  const { stdout } = await execute(node, ['-e', attempts, agent.dir, port], { uid: nobody, gid: nobody, cwd: '/' })
  expect(JSON.parse(stdout)).toEqual(['EACCES', 'EACCES', 'EACCES', 401])
})

/** Where everybody may run it. */
function copyOfNode(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  const node = join(folder, 'node')
  copyFileSync(process.execPath, node)
  return node
}
