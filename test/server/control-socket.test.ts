// The control socket of a server: who reaches it, what becomes of it when servers die, and that one process at a time has the database.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { phProcess } from '../support/ph-process.ts'
import { type ServerHouse, serverHouse } from '../support/server-house.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const onEmbedded = !process.env.PH_TEST_DATABASE_URL
const onUnix = process.platform !== 'win32'
const isRoot = process.getuid?.() === 0
/** A user who owns nothing. */
const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']

/** The status of what the socket answers to a bare request. */
function ask(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: path, path: '/', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on('error', reject).end()
  })
}

/** The log's lines on what administrators did. */
const auditLogIn = (log: string): { act: string; by: string; on: Record<string, unknown> }[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"administration"'))
    .map((line) => JSON.parse(line).administration)

/** Its workspace came by a command, while no server ran. */
async function provisionedHouse(data?: string): Promise<ServerHouse> {
  const house = await serverHouse(data)
  const file = join(temporaryFolder({ 'team.json': JSON.stringify({ workspaces: [house.workspace] }) }), 'team.json')
  expect(await house.administer(['provision', file])).toMatchObject({ code: 0 })
  return house
}

test('a command acts through the server that runs: its key works at the next request, and the log says who did what', async () => {
  const { start, administer, keys } = await provisionedHouse()
  const server = await start()
  const mia = () => callAs(server.url, keys.mia).get('/auth/me')
  expect((await mia()).status).toBe(200)
  const made = await administer(['key', 'create', 'max', '--name', 'nightly'])
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ph_live_\w{40}\n$/) })
  const key = made.stdout.trim()
  expect((await callAs(server.url, key).get('/auth/me')).status).toBe(200)
  await administer(['user', 'disable', 'mia'])
  expect((await mia()).status).toBe(401)
  await administer(['user', 'password', 'max@acme.test'], { stdin: 'battery staple' })
  const { stderr } = await server.stop()
  const lines = auditLogIn(stderr)
  expect(lines.map(({ act }) => act)).toEqual(['provision', 'key-create', 'user-status', 'user-password'])
  expect(lines[1]).toMatchObject({
    by: expect.stringMatching(/./),
    on: { user: 'max@acme.test', name: 'nightly', scope: 'read' },
  })
  expect(lines[2]?.on).toEqual({ workspace: 'acme', user: 'mia@acme.test', from: 'active', to: 'disabled' })
  expect(stderr).not.toContain(key)
  expect(stderr).not.toContain('battery staple')
})

test('after a server was killed commands work on its database, and the next server finds its own way and tells what was done', async () => {
  const { start, administer, data, keys } = await serverHouse()
  await (await start()).kill()
  expect(readdirSync(join(data, 'control')).filter((name) => name.startsWith('p-'))).toHaveLength(1)
  expect(await administer(['user', 'disable', 'mia'])).toMatchObject({ code: 0, stderr: '' })
  const server = await start()
  expect(readdirSync(join(data, 'control')).filter((name) => name.startsWith('p-'))).toHaveLength(1)
  expect((await callAs(server.url, keys.mia).get('/auth/me')).status).toBe(401)
  expect(await administer(['user', 'enable', 'mia'])).toMatchObject({ code: 0 })
  expect((await callAs(server.url, keys.mia).get('/auth/me')).status).toBe(200)
  const { stderr } = await server.stop()
  expect(auditLogIn(stderr).map(({ on }) => on.to)).toEqual(['disabled', 'active'])
  expect(existsSync(join(data, 'administration.jsonl'))).toBe(false)
  expect(readdirSync(join(data, 'control'))).toEqual([])
})

test('where no socket can be had a server starts without one, and its log says what that means', async () => {
  const { start, data } = await serverHouse()
  writeFileSync(join(data, 'control'), '')
  const server = await start()
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(await server.stop()).toMatchObject({ code: 0, stderr: expect.stringContaining('Administrative commands cannot reach') })
})

test('notes of the audit log that are damaged keep no server from starting, and the whole ones among them are told', async () => {
  const { start, administer, data } = await provisionedHouse()
  const notes = join(data, 'administration.jsonl')
  await administer(['user', 'disable', 'mia'])
  writeFileSync(notes, `${readFileSync(notes)}{"act":"user-status","at":"never"}\nnull\n{"act":"user-`)
  const first = await start()
  expect(auditLogIn((await first.stop()).stderr).map(({ act }) => act)).toEqual(['provision', 'user-status'])
  expect(existsSync(notes)).toBe(false)
  mkdirSync(notes)
  const second = await start()
  expect((await second.stop()).stderr).toContain(`is in ${notes}, and could not be read`)
})

test('what was done, and cannot be written down for the next server, is said by the command itself', async () => {
  const { administer, data } = await serverHouse()
  const notes = join(data, 'administration.jsonl')
  rmSync(notes, { force: true })
  mkdirSync(notes)
  const made = await administer(['key', 'create', 'mia'])
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ph_live_\w{40}\n$/) })
  expect(made.stderr).toContain('"act":"key-create"')
  expect(made.stderr).not.toContain(made.stdout.trim())
})

test('commands at one moment, while no server runs, take turns', async () => {
  const { administer } = await serverHouse()
  const names = ['nora', 'omar', 'pia']
  const added = await Promise.all(names.map((name) => administer(['user', 'add', `${name}@acme.test`])))
  expect(added.map(({ code }) => code)).toEqual([0, 0, 0])
  const { stdout } = await administer(['user', 'list'])
  for (const name of names) expect(stdout).toContain(`${name}@acme.test`)
})

test.runIf(isRoot && onUnix)(
  'another user of the machine is refused, whatever the rights of the folders above the socket',
  async () => {
    const { start, administer, controlFolder, data } = await serverHouse()
    const server = await start()
    const refused = () => administer(['key', 'create', 'mia'], { within: asNobody })
    for (const opened of [undefined, data, join(data, 'control')]) {
      if (opened) chmodSync(opened, 0o777)
      const { code, stdout, stderr } = await refused()
      expect({ code, stdout }, `with ${opened} open: ${stderr}`).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('belongs to')
    }
    expect(statSync(controlFolder()).mode & 0o777).toBe(0o700)
    expect(statSync(join(controlFolder(), 'note.json')).mode & 0o777).toBe(0o600)
    await server.kill()
    expect(await refused()).toMatchObject({ code: 1, stderr: expect.stringContaining('belongs to') })
  },
)

test.runIf(onUnix)(
  'the socket answers nobody without the token beside it, and what it answers is not on the network',
  async () => {
    const { start, controlFolder } = await serverHouse()
    const server = await start()
    const socket = join(controlFolder(), 's')
    const { token } = JSON.parse(readFileSync(join(controlFolder(), 'note.json'), 'utf8'))
    expect(await ask(socket)).toBe(401)
    expect(await ask(socket, { authorization: 'Bearer guessed' })).toBe(401)
    expect(await ask(socket, { authorization: `Bearer ${token}` })).toBe(200)
    const answer = await fetch(`${server.url}/operator/users`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBeGreaterThanOrEqual(400)
  },
)

test.runIf(onUnix)(
  'a data folder whose path is longer than that of a socket can be does as well, and leaves nothing elsewhere',
  async () => {
    const tmp = temporaryFolder()
    const { start, administer } = await provisionedHouse(join(temporaryFolder(), 'a'.repeat(120), 'data'))
    const server = await start([], { TMPDIR: tmp })
    expect(await administer(['user', 'list'], { env: { TMPDIR: tmp } })).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(tmp).filter((name) => !/^(ph-db-|node-compile-cache)/.test(name))).toEqual([])
    expect(auditLogIn(server.said()).map(({ act }) => act)).toEqual(['provision'])
  },
)

test.runIf(onEmbedded)('a second server on the folder is told who has it, and the first one goes on', async () => {
  const { start, data } = await serverHouse()
  const first = await start()
  const second = start().then(
    () => '',
    (error: Error) => error.message,
  )
  expect(await second).toMatch(
    new RegExp(`Another server is using ${join(data, 'database')} \\(process \\d+ on .+, at ${first.url}\\)`),
  )
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
})

test.runIf(onEmbedded)('commands on a copy of a data folder leave the original alone', async () => {
  const { start, administer, data } = await provisionedHouse()
  const server = await start()
  const copy = join(temporaryFolder(), 'copy')
  cpSync(data, copy, { recursive: true, filter: (path) => !statSync(path).isSocket() })
  const added = await phProcess(['server', 'user', 'add', 'nora@acme.test', '--data', copy])
  expect(added).toMatchObject({ code: 0 })
  expect((await administer(['user', 'list'])).stdout).not.toContain('nora@acme.test')
  expect(auditLogIn(server.said()).map(({ act }) => act)).toEqual(['provision'])
})
