// Signing in, pushing and pulling as people do it, with what goes wrong on the way; afterwards no secret is found anywhere but where it belongs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ask } from '../support/browser.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { PageBrowser } from '../support/page-browser.ts'
import { type ProcessEnding, phProcess, type RunningPh, startPhProcess } from '../support/ph-process.ts'
import { contentsOf, Secrets, watchCommandLines } from '../support/secret-watch.ts'
import { newKey } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeProject } from '../support/unreal-project.ts'

const owner = { email: 'nora@studio.test', password: 'correct horse/ñora 7!' }
const workspace = { workspace_name: 'Studio', slug: 'studio', display_name: 'Nora N', name: 'nora' }
const secondPassword = 'battery+staple & more'

const limits = { timeout: 720_000 }

interface House {
  data: string
  env: Record<string, string>
  secrets: Secrets
  server: ServerProcess
  /** The server's address, past which everything goes that a secret may be in. */
  url: string
  /** What was said by programs, and answered by the server when it refused something. */
  said: { by: string; text: string }[]
  person: { PH_CONFIG_DIR: string; PH_STATE_DIR: string; PH_CACHE_DIR: string }
}

async function house(): Promise<House> {
  const data = temporaryFolder()
  const database = await freshPostgres()
  const env: Record<string, string> = database ? { PH_DATABASE_URL: database.url } : {}
  const server = await startServerProcess(['--data', data], { env })
  const secrets = new Secrets()
  const wire = await startProxy(server.url, secrets.gather)
  const person = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  return { data, env, secrets, server, url: wire.url(server.url), said: [], person }
}

/** Runs `ph` as the person, and keeps what it says. */
async function run({ said, person }: House, line: readonly string[], setting: Parameters<typeof phProcess>[1] = {}) {
  const ending = await phProcess(line, { ...setting, env: { ...person, PH_DEBUG: '1', ...setting.env } })
  keep(said, line, ending)
  return ending
}

const keep = (said: House['said'], line: readonly string[], { stdout, stderr }: ProcessEnding) =>
  said.push({ by: `ph ${line.slice(0, 3).join(' ')}`, text: stdout + stderr })

async function until<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find()
    if (found !== undefined) return found
    await sleep(50)
  }
}

/** The first workspace by its page, with the code out of the log; wrong tries before and after. */
async function setUp({ server, secrets, said, url }: House): Promise<PageBrowser> {
  const code = await until(() => /\/setup\?code=([\w-]+)/.exec(server.said())?.[1])
  secrets.add('setup_code', code)
  for (const password of [owner.password, secondPassword]) secrets.add('password', password)
  const setup = { setup_code: newKey(), workspace: { slug: 'studio', name: 'S' }, owner: { ...workspace, ...owner } }
  for (const wrong of [setup, { setup_code: code }, 'x'])
    said.push({ by: 'setup', text: JSON.stringify((await ask(url, '/setup', { method: 'POST', body: wrong })).body) })
  const nora = new PageBrowser(url)
  const form = await nora.open(`/setup?code=${code}`)
  expect((await nora.send(form, '/setup', { ...workspace, ...owner })).path).toBe('/')
  return nora
}

/** A terminal that is approved in the browser. */
async function signIn(here: House, nora: PageBrowser): Promise<void> {
  const { said, secrets, url, person } = here
  for (const body of [{ ...owner, password: 'wrong horse nora' }, { email: owner.email }, `{"password":"${owner.password}`]) {
    const answer = await ask(url, '/auth/login', { method: 'POST', body })
    said.push({ by: 'sign-in', text: JSON.stringify(answer.body) })
  }
  const line = ['login', '--url', url, '--no-browser', '--insecure-storage']
  const login: RunningPh = startPhProcess(line, { env: { ...person, PH_DEBUG: '1' } })
  const code = await until(() => /code=([A-Z]{4}-[A-Z]{4})/.exec(login.said())?.[1])
  await nora.send(await nora.open(`/device?code=${code}`), '/device', { button: 'Approve' })
  const ending = await login.ended
  expect(ending).toMatchObject({ code: 0 })
  secrets.add('user_code', code)
  said.push({ by: 'ph login', text: (ending.stdout + ending.stderr).replaceAll(code, '') })
}

async function pushAndPull(here: House): Promise<void> {
  const project = await makeProject({ 'Content/Props/SM_Barrel.uasset': {}, 'Content/Props/M_Wood.uasset': {} })
  expect(await run(here, ['push', join(project.root, 'Content')])).toMatchObject({ code: 0 })
  expect(await run(here, ['pull', 'SM_Barrel', '--project', 'Inn', '--into', join(temporaryFolder(), 'Inn')])).toMatchObject({
    code: 0,
  })
  expect(await run(here, ['whoami'])).toMatchObject({ code: 0 })
  expect(await run(here, ['download', 'SM_Barrel', '--output', join(temporaryFolder(), 'barrel')])).toMatchObject({ code: 0 })
  await run(here, ['api', 'GET', '/entries?limit=none'])
  const wrong = newKey()
  here.secrets.add('key', wrong)
  const env = { PH_URL: here.url, PH_API_KEY: wrong, PH_CONFIG_DIR: temporaryFolder() }
  expect(await run(here, ['search'], { env })).toMatchObject({ code: 4 })
}

/** Presigned addresses that were tampered with, a key that is ended, what administrators do. */
async function goWrong(here: House, nora: PageBrowser): Promise<void> {
  const { data, env, said, secrets, url } = here
  const made = await phProcess(['server', 'key', 'create', 'nora', '--data', data], { env })
  secrets.add('key', made.stdout.trim())
  said.push({ by: 'ph server key create', text: made.stderr })
  const blobs = await fetch(`${url}/api/v1/entries`, { headers: { authorization: `Bearer ${made.stdout.trim()}` } })
  const { entries } = (await blobs.json()) as { entries: { content_hash: string }[] }
  const address = await fetch(`${url}/api/v1/blobs/${entries[0]?.content_hash}/url`, {
    headers: { authorization: `Bearer ${made.stdout.trim()}` },
  })
  const signed = ((await address.json()) as { url: string }).url
  for (const tampered of [signed.replace('expires=1', 'expires=2'), `${signed}x`])
    said.push({ by: 'storage', text: await (await fetch(tampered)).text() })
  const control = join(data, 'control')
  const [name = ''] = readdirSync(control)
  secrets.add('control_token', JSON.parse(readFileSync(join(control, name, 'note.json'), 'utf8')).token)
  await run(here, ['server', 'user', 'password', owner.email, '--data', data], { env, stdin: secondPassword })
  await run(here, ['server', 'doctor', '--data', data], { env })
  await run(here, ['logout'])
  expect(await run(here, ['whoami'])).toMatchObject({ code: expect.any(Number) })
  expect((await nora.open('/')).path).toContain('sign-in')
}

test.runIf(process.platform === 'linux')(
  'no key, password, session, code or signature is found in logs, errors, process lists or files',
  limits,
  async () => {
    const commandLines = watchCommandLines()
    const here = await house()
    const { secrets, server, said, data, person } = here
    const nora = await setUp(here)
    await signIn(here, nora)
    await pushAndPull(here)
    await goWrong(here, nora)
    const { stderr } = await server.stop()
    // Who starts the server is shown the setup address, once, and not as a line of the log.
    const [before = '', after = '', ...more] = stderr.split(/^ {2}http\S+\/setup\?code=\S+$/m)
    expect(more).toEqual([])
    said.push({ by: 'the server', text: before + after }, { by: 'process lists', text: commandLines() })
    for (const folder of [data, person.PH_STATE_DIR, person.PH_CACHE_DIR])
      said.push(...contentsOf(folder).map(({ path, text }) => ({ by: path, text })))
    const kinds = [
      'control_token',
      'csrf',
      'device',
      'device_code',
      'key',
      'password',
      'session',
      'setup_code',
      'signature',
      'user_code',
    ]
    expect(secrets.kinds()).toEqual(kinds)
    expect(said.map(({ by, text }) => ({ by, holds: secrets.in(text) })).filter(({ holds }) => holds.length > 0)).toEqual([])
    expect(stderr).toContain('"path":"/api/v1/push/commit"')
  },
)
