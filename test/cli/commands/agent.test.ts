/** `ph agent`, as a person uses it: real processes, started in the background and ended. */
import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { isFolderLocked } from '../../../system/lock.ts'
import { newFolders, projectFolder } from '../../support/agent.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { phProcess, program, startPhProcess } from '../../support/ph-process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let connection: Record<string, string>
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  connection = signedIn(url, keys.mia)
})

function newPerson(): Record<string, string> {
  const { config, state, cache } = newFolders()
  const env = { ...connection, PH_CONFIG_DIR: config, PH_STATE_DIR: state, PH_CACHE_DIR: cache }
  onTestFinished(async () => void (await phProcess(['agent', 'stop'], { env })))
  return env
}

test('start, link, status, logs, restart, stop: what each says is true', async () => {
  const env = newPerson()
  expect(await ph('agent status', { env })).toMatchObject({ code: 3, stderr: expect.stringContaining('ph agent start') })
  const started = (await phProcess(['agent', 'start', '--json'], { env })).stdout
  const { pid, started: isNew } = JSON.parse(started)
  expect(isNew).toBe(true)
  expect(JSON.parse((await phProcess(['agent', 'start', '--json'], { env })).stdout)).toMatchObject({ pid, started: false })
  const root = projectFolder('Tavern')
  expect(await ph(['agent', 'link', '.', '--accept-imports'], { env, cwd: root })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('--to-agent'),
  })
  const status = await ph('agent status', { env })
  expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining(`Tavern  ${root}`) })
  expect((await ph('agent status --json', { env })).json()).toMatchObject({
    pid,
    server: connection.PH_URL,
    state: 'running',
    projects: [{ project_key: 'Tavern', root, editor: null, accepts_imports: true, watching: {}, imports: {} }],
    mirror: { state: expect.any(String), entries: 0 },
  })
  expect((await ph('agent logs', { env })).stdout).toContain(`process ${pid}`)
  const again = JSON.parse((await phProcess(['agent', 'restart', '--json'], { env })).stdout)
  expect(again.pid).not.toBe(pid)
  expect((await ph('agent status --json', { env })).json()).toMatchObject({
    pid: again.pid,
    projects: [{ project_key: 'Tavern' }],
  })
  expect((await ph('agent start', { env })).stdout).toMatch(/runs already: .*\. It looks after 1 project\.\n$/)
  expect((await ph('agent stop --json', { env })).json()).toEqual({ stopped: true })
  expect(isFolderLocked(join(String(env.PH_STATE_DIR), 'agent'))).toBe(false)
  expect((await ph('agent stop --json', { env })).json()).toEqual({ stopped: false })
})

test('it stays with its workspace whatever is signed in to later, and a command that names another one is refused', async () => {
  const { PH_API_KEY: _key, PH_URL: _url, ...env } = newPerson()
  const signIn = (profile: string, { url, key }: { url: string; key: string }) =>
    phProcess(['login', '--profile', profile, '--url', url, '--with-key', '--insecure-storage', '--json'], {
      env,
      stdin: `${key}\n`,
    })
  const other = await server.addWorkspace()
  await signIn('here', { url: String(connection.PH_URL), key: String(connection.PH_API_KEY) })
  await phProcess(['agent', 'start'], { env })
  await signIn('elsewhere', { url: other.url, key: other.keys.mia })
  const root = projectFolder('Tavern')
  const refused = { code: 5, stderr: expect.stringContaining('ph agent restart --profile elsewhere') }
  expect(await ph(['agent', 'link', root, '--profile', 'elsewhere'], { env })).toMatchObject(refused)
  expect(await ph('agent start --profile elsewhere', { env })).toMatchObject(refused)
  expect(await ph('agent start', { env })).toMatchObject({ code: 0, stderr: expect.stringContaining(`--url ${other.url}`) })
  expect(await ph(['agent', 'link', root], { env })).toMatchObject({ code: 0, stdout: expect.stringContaining(other.url) })
  const restarted = async (...more: string[]) =>
    JSON.parse((await phProcess(['agent', 'restart', '--json', ...more], { env })).stdout).server
  expect(await restarted()).toBe(connection.PH_URL)
  expect(await restarted('--profile', 'elsewhere')).toBe(other.url)
  await phProcess(['logout', '--profile', 'elsewhere', '--json'], { env })
  expect(await phProcess(['agent', 'restart'], { env })).toMatchObject({ code: 4 })
  expect((await ph('agent status --json', { env })).json()).toMatchObject({ server: other.url })
}, 60_000)

test('a second one is refused with exit 5, and names the first', async () => {
  const env = newPerson()
  const { pid } = JSON.parse((await phProcess(['agent', 'start', '--json'], { env })).stdout)
  expect(await phProcess(['agent', 'run'], { env })).toMatchObject({ code: 5, stderr: expect.stringContaining(`process ${pid}`) })
})

test('who is not signed in is told so, and nothing is left running', async () => {
  const { PH_URL: _url, PH_API_KEY: _key, ...env } = newPerson()
  expect(await phProcess(['agent', 'start'], { env })).toMatchObject({ code: 4, stderr: expect.stringContaining('ph login') })
  expect(await ph('agent status', { env })).toMatchObject({ code: 3 })
})

test('in the foreground it says what it does, and Ctrl-C ends it in order', async () => {
  const env = newPerson()
  const running = startPhProcess(['agent', 'run'], { env })
  await expect.poll(() => running.said(), { timeout: 20_000 }).toContain('server: online')
  running.signal('SIGTERM')
  const { code } = await running.ended
  expect(code).toBe(0)
  expect(await ph('agent status', { env })).toMatchObject({ code: 3 })
})

test('a killed agent leaves no trace that misleads: status says that none runs, and the next one starts', async () => {
  const env = newPerson()
  const { pid } = JSON.parse((await phProcess(['agent', 'start', '--json'], { env })).stdout)
  process.kill(pid, 'SIGKILL')
  await expect.poll(async () => (await ph('agent status', { env })).code).toBe(3)
  expect(JSON.parse((await phProcess(['agent', 'start', '--json'], { env })).stdout).pid).not.toBe(pid)
})

test('one that stands still is not said to be gone: it runs, and does not answer', async () => {
  const env = newPerson()
  const { pid } = JSON.parse((await phProcess(['agent', 'start', '--json'], { env })).stdout)
  process.kill(pid, 'SIGSTOP')
  try {
    const asked = await Promise.all([ph('agent status', { env }), ph('agent stop', { env }), ph('agent start', { env })])
    const silent = expect.stringMatching(/runs, but does not answer\.\n next: .*try again/)
    expect(asked).toMatchObject([
      { code: 3, stderr: silent },
      { code: 1, stderr: silent },
      { code: 1, stderr: expect.stringMatching(new RegExp(`with this state folder, process ${pid}\\.\n next: [^\n]+\n$`)) },
    ])
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  expect((await ph('agent status', { env })).code).toBe(0)
})

test('a pause ends by itself or by resume, and times are read as people write them', async () => {
  const env = newPerson()
  await phProcess(['agent', 'start'], { env })
  expect(await ph('agent pause --for 2h', { env })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/pauses until \d{4}-/),
  })
  expect((await ph('agent status --json', { env })).json()).toMatchObject({ state: 'paused', paused_until: expect.any(String) })
  // What nobody follows is not said to be as the library, and nothing is said to begin that waits.
  await expect.poll(async () => (await ph('agent status', { env })).stdout).toContain('The mirror rests')
  expect((await ph('mirror status --json', { env })).json()).toMatchObject({ state: 'offline' })
  const rebuilt = await ph('mirror rebuild', { env })
  expect([rebuilt.code, rebuilt.stdout]).toEqual([0, expect.stringContaining('ph agent status')])
  expect(rebuilt.stdout).not.toContain('now')
  expect((await ph('agent resume --json', { env })).json()).toMatchObject({ state: 'running', paused_until: null })
  await expect.poll(async () => (await ph('mirror status', { env })).stdout).toContain('as the library has them')
  expect(await ph('agent pause --for soon', { env })).toMatchObject({ code: 2, stderr: expect.stringContaining('--for 30m') })
})

test('logs --follow misses nothing of a file that is put aside between two looks', async () => {
  const env = newPerson()
  const dir = join(String(env.PH_STATE_DIR), 'agent')
  mkdirSync(dir, { recursive: true })
  const log = join(dir, 'agent.log')
  const line = (msg: string) => `${JSON.stringify({ level: 30, time: '2026-11-24T03:00:00.000Z', msg })}\n`
  writeFileSync(log, line('one'))
  const ending = new AbortController()
  const turns = [
    () => {
      appendFileSync(log, line('two'))
      renameSync(log, `${log}.1`)
      writeFileSync(log, line('three'))
    },
    () => ending.abort(),
  ]
  const pause = async () => {
    turns.shift()?.()
    ending.signal.throwIfAborted()
  }
  const { stdout } = await ph('agent logs --follow --json', { env, pause, signal: ending.signal })
  expect(stdout).toBe(['one', 'two', 'three'].map(line).join(''))
})

test('logs follow what the agent writes, also when the file is put aside', async () => {
  const env = newPerson()
  await phProcess(['agent', 'start'], { env })
  const following = startPhProcess(['agent', 'logs', '--follow', '--json', '--lines', '1'], { env })
  await expect.poll(() => following.printed()).toContain('\n')
  const told = following.printed().length
  await phProcess(['agent', 'restart'], { env })
  await expect.poll(() => following.printed().slice(told)).toContain('"msg":"server: online"')
  for (const line of following.printed().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('time')
})

test('the unit that install prints runs the agent with the person’s own sign-in; a key of the environment is no sign-in', async () => {
  const env = newPerson()
  const { PH_API_KEY: key = '', PH_URL: url = '', ...own } = env
  expect(await ph('agent install --print', { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('ph login') })
  const login = await phProcess(['login', '--url', url, '--with-key', '--insecure-storage', '--json'], {
    env: own,
    stdin: `${key}\n`,
  })
  for (const word of ['run', 'start', 'install'])
    expect((await ph(['help', 'agent', word], { env })).stdout).toContain('PH_AGENT_NOTICES')
  expect([login.code, login.stderr]).toEqual([0, expect.any(String)])
  const home = temporaryFolder()
  const printed = await phProcess(['agent', 'install', '--print', '--json'], {
    env: { ...own, HOME: home, XDG_CONFIG_HOME: '', PH_AGENT_NOTICES: 'off' },
  })
  const { path, content } = JSON.parse(printed.stdout) as { path: string; content: string }
  expect(path).toBe(join(home, '.config/systemd/user/prop-house-agent.service'))
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(content) ?? []
  expect(line).toContain(`"${program}" "agent" "run" "--profile"`)
  const variables = [...content.matchAll(/^Environment="(\w+)=(.*)"$/gm)].map(([, name = '', value = '']) => [name, value])
  expect(Object.fromEntries(variables)).toMatchObject({ PH_AGENT_NOTICES: 'off', PH_STATE_DIR: own.PH_STATE_DIR })
  // Its command line, run as it stands, in the surroundings that the unit gives.
  const surroundings = { PATH: process.env.PATH ?? '', HOME: home, ...Object.fromEntries(variables) }
  const child = spawn('sh', ['-c', `exec ${line}`], { env: surroundings, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const status = async () => (await phProcess(['agent', 'status', '--json'], { env: own })).stdout
  await expect.poll(status, { timeout: 30_000, interval: 500 }).toContain('"display_name"')
  expect(JSON.parse(await status())).toMatchObject({ server: url, pid: child.pid })
}, 60_000)
