// The operator's routes: on the control socket and in this process alike, never on the network, each change in the audit log.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { addresses } from '../../contract/addresses.ts'
import { apiPage, openApi } from '../../contract/docs.ts'
import { allRoutes } from '../../contract/index.ts'
import { operatorRoutes } from '../../contract/operator.ts'
import { routes } from '../../contract/route.ts'
import type { AuditRecord } from '../../server/administration/audit-log.ts'
import { findServers, operatorApiOf } from '../../server/administration/control-client.ts'
import { type Controlled, openControlSocket } from '../../server/administration/control-socket.ts'
import { type OperatorParts, operatorApiOn, operatorSocket } from '../../server/administration/operator.ts'
import type { OperatorApi } from '../../server/administration/operator-api.ts'
import { openLog } from '../../server/monitoring/log.ts'
import { withHandlers } from '../../serving/mount.ts'
import { type SocketAnswer, socketRequest } from '../support/control-socket.ts'
import { ph } from '../support/ph.ts'
import { newKey, startTestServer, type TestServer, workspaceOf } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let server: TestServer
const password = 'correct horse battery'

beforeAll(async () => {
  server = await startTestServer()
})

/** Through the socket of the running server. */
async function remote(by = 'ada'): Promise<OperatorApi> {
  const [found] = (await findServers(server.dataDir)).servers
  if (!found) throw new Error('no server was found')
  return operatorApiOf(found, { by, signal: () => AbortSignal.timeout(60_000) })
}

/** In this process, on the same database. */
function local(by = 'ada'): { api: OperatorApi; records: AuditRecord[] } {
  const records: AuditRecord[] = []
  const { database, settings, clock } = server
  const parts: OperatorParts = {
    database,
    settings,
    clock,
    isServer: true,
    files: async () => server.storage,
    record: (record) => records.push(record),
  }
  return { api: operatorApiOn(parts, by), records }
}

const audited = (): AuditRecord[] =>
  server.logLines.filter((line) => line.includes('"administration"')).map((line) => JSON.parse(line).administration)

/** Every route with an input that it takes, in an order in which each finds what it needs. */
async function askAll(api: OperatorApi, workspace: string): Promise<Record<string, unknown>> {
  const email = `nora@${workspace}.test`
  const of = { workspace, user: email }
  const added = { workspace, email, name: 'nora', role: 'member', kind: 'person', password } as const
  const { workspace: file } = workspaceOf(`${workspace}-more`)
  const asked: Record<string, unknown> = {
    'user.list': await api.user.list({ workspace }),
    'user.add': await api.user.add(added),
    'user.role': await api.user.role({ ...of, role: 'admin' }),
    'user.status': await api.user.status({ ...of, status: 'active' }),
    'user.password': await api.user.password({ ...of, password }),
    'key.create': await api.key.create({ ...of, name: 'nightly', scope: 'read' }),
  }
  const { id } = asked['key.create'] as { id: number }
  const begun = await api.backup.begin()
  return {
    ...asked,
    'key.list': await api.key.list({ workspace }),
    'key.revoke': await api.key.revoke({ workspace, key: String(id) }),
    'provisioning.apply': await api.provisioning.apply({ file: { workspaces: [file] }, check: true }),
    'doctor.examine': await api.doctor.examine(),
    'file.list': await api.file.list(),
    'file.count': await api.file.count(),
    'file.addresses': await api.file.addresses({ keys: ['1/media/0/1'] }),
    'file.name': await api.file.name({ damaged: [{ key: '1/media/0/1', damage: 'missing' }] }),
    'file.judge': await api.file.judge({
      damaged: [{ key: '1/media/0/1', damage: 'missing' }],
      whole: ['1/media/0/2'],
      sums: [],
    }),
    'file.references': await api.file.references(),
    'file.executables': await api.file.executables(),
    'backup.begin': begun,
    'backup.keep': await api.backup.keep({ id: begun.id }),
    'backup.end': await api.backup.end({ id: begun.id }),
  }
}

test('every operator route answers on the socket and in process as the contract says, and leaves nothing out', async () => {
  const ajv = new Ajv({ strict: false })
  for (const api of [await remote(), local().api]) {
    const { slug } = await server.addWorkspace()
    const answers = await askAll(api, slug)
    expect(Object.keys(answers).sort()).toEqual(operatorRoutes.map(([noun, verb]) => `${noun}.${verb}`).sort())
    for (const [noun, verb, { output }] of operatorRoutes) {
      const closed = JSON.parse(JSON.stringify(output), (_key, value) =>
        value?.properties && !('additionalProperties' in value) ? { ...value, additionalProperties: false } : value,
      )
      ajv.validate(closed, answers[`${noun}.${verb}`])
      expect(ajv.errors, `${noun}.${verb}`).toBeNull()
    }
  }
})

test('what reads answers the same on the socket and in process', async () => {
  const { slug: workspace } = await server.addWorkspace()
  const [through, here] = [await remote(), local().api]
  expect(await through.user.list({ workspace })).toEqual(await here.user.list({ workspace }))
  expect(await through.key.list({ workspace })).toEqual(await here.key.list({ workspace }))
  const file = { workspaces: [{ ...workspaceOf(workspace).workspace, name: 'other', storage_limit_bytes: 5 }] }
  const check = { file, check: true }
  expect(await through.provisioning.apply(check)).toEqual(await here.provisioning.apply(check))
})

test('each change is one line of the audit log, on the socket and in process: who asked, what, on whom, and no secret', async () => {
  const acts = ['user-add', 'user-role', 'user-status', 'user-password', 'key-create', 'key-revoke', 'provision']
  const by = 'Zoë O’Neil (sudo of 佐藤)'
  const { api, records } = local(by)
  const [first, second] = [await server.addWorkspace(), await server.addWorkspace()]
  const before = audited().length
  const answers = [await askAll(await remote(by), first.slug), await askAll(api, second.slug)]
  for (const lines of [audited().slice(before), records]) {
    expect(lines.map(({ act }) => act)).toEqual(acts)
    expect(new Set(lines.map((line) => line.by))).toEqual(new Set([by]))
    expect(lines[0]?.on).toMatchObject({ user: expect.stringMatching(/^nora@/), role: 'member', kind: 'person', password: 'set' })
  }
  const told = JSON.stringify([server.logLines, records])
  expect(told).not.toContain(password)
  for (const answer of answers) expect(told).not.toContain((answer['key.create'] as { key: string }).key)
})

test('input that breaks the contract is refused in the same words on the socket and in process, and nothing is done', async () => {
  const { api, records } = local()
  const before = audited().length
  for (const asked of [await remote(), api]) {
    const add = asked.user.add as (input: object) => Promise<unknown>
    const refused = await add({ workspace: 'first', email: 'nobody', name: 'a\nb', role: 'king' }).catch(
      (error: unknown) => error,
    )
    expect(refused).toMatchObject({ code: 'VALIDATION', message: 'kind: is required', details: { errors: [{ path: 'kind' }] } })
    await expect(asked.user.list({ workspace: 'No Slug' })).rejects.toMatchObject({ code: 'VALIDATION' })
    await expect(asked.key.list({ user: '' })).rejects.toMatchObject({ code: 'VALIDATION' })
  }
  expect([records.length, audited().length]).toEqual([0, before])
})

test('no operator route is on the network: each is 404 there, whoever asks, and nothing that clients are given names one', async () => {
  const { url, keys } = await server.addWorkspace()
  for (const [, , { method, path }] of operatorRoutes)
    for (const base of [server.url, url, `${url}/api/v1`]) {
      const headers = { authorization: `Bearer ${keys.olivia}`, 'x-ph-api': '1', 'content-type': 'application/json' }
      const body = method === 'GET' ? undefined : '{}'
      const { status } = await fetch(`${base}${path}`, { method, headers, body })
      expect([method, base, path, status]).toEqual([method, base, path, 404])
    }
  expect(allRoutes.filter(([, , { scope }]) => scope === 'operator')).toEqual([])
  expect(JSON.stringify([openApi(), apiPage(), addresses])).not.toContain('/operator/')
})

test('a large provisioning file is taken through the socket, one that is larger than a file may be is not', async () => {
  const slug = `big-${newKey().slice(8, 16)}`
  const members = Array.from({ length: 20_000 }, (_, at) => ({
    email: `someone${at}@${slug}.test`,
    name: `n${at}`,
    role: at === 0 ? 'owner' : 'member',
  }))
  const { provisioning } = await remote()
  const { changes } = await provisioning.apply({ file: { workspaces: [{ slug, name: slug, members }] }, check: true })
  expect(changes.filter(({ does }) => does === 'created')).toHaveLength(20_001)
  const long = { file: { workspaces: [], filler: 'x'.repeat(17 * 1024 * 1024) }, check: true }
  await expect(provisioning.apply(long)).rejects.toMatchObject({ code: 'VALIDATION' })
})

const anotherVersion = 'The running server is of another version than this command. Restart it, then try again.'

test('a command of an older version is told so by the server, whatever it sends and however long it is', async () => {
  const body = JSON.stringify({ by: 'ada', input: { file: 'x'.repeat(2 * 1024 * 1024) } })
  const answers = [
    await socketRequest(server.dataDir, { method: 'POST', path: '/acts/provision', body }),
    await socketRequest(server.dataDir, { method: 'PUT', path: '/operator/of-tomorrow', body: '{}' }),
  ]
  for (const { status, json } of answers) {
    expect(status).toBe(404)
    expect(json).toMatchObject({ error: { code: 'NOT_FOUND', message: anotherVersion } })
  }
})

/** A socket on a data folder of its own, with another table of routes. */
async function openSocket(table: Controlled['table']): Promise<string> {
  const dataDir = join(temporaryFolder(), 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const { database, clock, url } = server
  const parts = {
    database,
    clock,
    settings: { ...server.settings, dataDir },
    isServer: true,
    files: async () => server.storage,
    record: () => {},
  }
  const log = openLog({ write: () => {} })
  const socket = await openControlSocket({ ...operatorSocket(parts, url), table, log })
  onTestFinished(() => socket.close())
  return dataDir
}

test('a command that a running server does not know yet says so, and does nothing itself', async () => {
  const dataDir = await openSocket({ routes: [], contextOf: () => ({}) })
  const { code, stdout, stderr } = await ph(['server', 'user', 'list', '--data', dataDir])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(anotherVersion)
})

test('any table of routes can be put on a socket, checked and answered as every route is, for who has the token', async () => {
  const table = routes({
    greet: {
      method: 'POST',
      path: '/editor/greetings',
      scope: 'operator',
      summary: 'Greet someone.',
      input: Type.Object({ name: Type.String({ maxLength: 5 }) }),
      output: Type.Object({ said: Type.String() }),
      status: 201,
    },
  })
  const greet = ({ input, place }: { input: { name: string }; place: string }) => ({ said: `${input.name} in ${place}`, more: 1 })
  const answered = withHandlers([['editor', 'greet', table.greet]], { editor: { greet } })
  const dataDir = await openSocket({ routes: answered, contextOf: () => ({ place: 'Oslo' }) })
  const ask = (body: unknown, token?: string): Promise<SocketAnswer> =>
    socketRequest(dataDir, { method: 'POST', path: '/editor/greetings', body: JSON.stringify(body), token })
  expect(await ask({ name: 'Mia' })).toEqual({ status: 201, json: { said: 'Mia in Oslo' } })
  expect(await ask({ name: 'Maximilian' })).toMatchObject({ status: 422, json: { error: { code: 'VALIDATION' } } })
  expect(await ask({ name: 'Mia' }, 'guessed')).toMatchObject({ status: 401 })
})
