// Starting the server: settings, provisioning, migrations, and the locks that keep two servers apart (contract-gaps 2; design 8).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSettings, SettingError } from '../../server/config.ts'
import { startServer } from '../../server/main.ts'
import { readProvisionFile } from '../../server/provision/file.ts'
import { provision } from '../../server/provision/provision.ts'
import { callAs } from '../support/api.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer, workspaceOf } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer()

test('a setting that cannot be used stops the start and is named', () => {
  const wrong: [string, string][] = [
    ['PH_RATE_LIMIT_REQUESTS', 'many'],
    ['PH_DIRECT_UPLOAD', 'perhaps'],
    ['PH_DATABASE_URL', 'mysql://x'],
    ['PH_PUBLIC_URL', 'props.example'],
    ['PH_EMBEDDER', 'magic'],
    ['PH_METRICS', 'everyone'],
  ]
  for (const [name, value] of wrong) {
    const read = () => readSettings({}, { [name]: value }, '/nowhere')
    expect(read, name).toThrow(SettingError)
    expect(read, name).toThrow(name)
  }
  expect(() => readSettings({ port: '70000' }, {}, '/nowhere')).toThrow('--port')
})

test('an object storage that cannot be used stops the start, and is named', async () => {
  const settings = { ...server.settings, dataDir: temporaryFolder(), storageUrl: 's3://props?endpoint=http://127.0.0.1:9' }
  await expect(startServer({ settings, log: 'none' })).rejects.toThrow('PH_STORAGE_URL')
})

test('a malformed provisioning file stops the start with the path of the offending field', () => {
  const { workspace } = workspaceOf('acme')
  const [first, ...others] = workspace.members ?? []
  const files: [unknown, string][] = [
    ['no json', 'cannot be read'],
    [{}, 'workspaces'],
    [{ workspaces: [{ ...workspace, slug: 'No Spaces' }] }, 'workspaces.0.slug'],
    [{ workspaces: [{ ...workspace, members: [{ ...first, role: 'king' }, ...others] }] }, 'workspaces.0.members.0.role'],
    [
      { workspaces: [{ ...workspace, keys: [{ ...workspace.keys?.[0], key: 'short' }] }] },
      'workspaces.0.keys.0.key must be "ph_live_" and 40 letters or digits',
    ],
    [
      { workspaces: [{ ...workspace, keys: [{ ...workspace.keys?.[0], member: 'nobody@acme.test' }] }] },
      'workspaces.0.keys.0.member',
    ],
    [{ workspaces: [{ ...workspace, state: 'asleep' }] }, 'workspaces.0.state'],
  ]
  for (const [content, named] of files) {
    const file = join(temporaryFolder(), 'team.json')
    writeFileSync(file, content === 'no json' ? '{' : JSON.stringify(content))
    expect(() => readProvisionFile(file), named).toThrow(named)
  }
})

test('provisioning again changes roles and names, adds what is missing and deletes nothing', async () => {
  const { workspace, keys } = workspaceOf('again')
  await provision(server.database, { workspaces: [workspace] }, server.clock.now())
  const [olivia, adam] = workspace.members ?? []
  if (!olivia || !adam) throw new Error('nobody is there')
  const changed = {
    ...workspace,
    name: 'Renamed',
    members: [olivia, { ...adam, role: 'member' as const, display_name: 'Adam A' }],
    keys: [],
  }
  await provision(server.database, { workspaces: [changed] }, server.clock.now())
  const base = `${server.url}/w/again`
  expect((await callAs(base, keys.adam).get('/auth/me')).body).toMatchObject({
    org: { name: 'Renamed' },
    user: { role: 'member', display_name: 'Adam A' },
  })
  expect((await callAs(base, keys.mia).get('/members')).body.members).toHaveLength(4)
})

test('what was pushed and every address given out is good after a restart', async () => {
  const { slug, keys } = await server.addWorkspace()
  const one = item()
  const [result] = await pushed(callAs(`${server.url}/w/${slug}`, keys.mia), [one])
  const before = await callAs(`${server.url}/w/${slug}`, keys.mia).get(`/blobs/${one.content_hash}/url`)
  const address = new URL(before.body.url)
  await server.restart()
  const mia = callAs(`${server.url}/w/${slug}`, keys.mia)
  expect((await mia.get(`/entries/${result.entry_id}`)).body.content_hash).toBe(one.content_hash)
  const response = await fetch(`${server.url}${address.pathname}${address.search}`)
  expect(Buffer.from(await response.arrayBuffer()).equals(one.bytes)).toBe(true)
})

test.runIf(!process.env.PH_TEST_DATABASE_URL)(
  'a second server on the same data folder is refused by the name of the folder',
  async () => {
    const second = startServer({ settings: { ...server.settings, port: 0 }, log: 'none' })
    await expect(second).rejects.toThrow(`Another server is using ${join(server.dataDir, 'database')}`)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  },
)

test.runIf(isPostgres)(
  'servers that start on one new database at once migrate it one after the other',
  postgresOnly,
  async () => {
    const { sql } = server.database
    const name = `${new URL(server.settings.databaseUrl ?? '').pathname.slice(1)}_fresh`
    await sql`create database ${sql(name)}`
    const url = new URL(server.settings.databaseUrl ?? '')
    url.pathname = `/${name}`
    const { workspace } = workspaceOf('shared')
    const start = () =>
      startServer({
        settings: { ...server.settings, databaseUrl: url.href, dataDir: temporaryFolder(), port: 0 },
        log: 'none',
        provisioning: { workspaces: [workspace] },
      })
    const started = await Promise.all([start(), start(), start()])
    for (const one of started) expect((await fetch(`${one.url}/readyz`)).status).toBe(200)
    const [first] = started
    const [{ count } = { count: 0 }] = first
      ? await first.database.sql<{ count: number }[]>`select count(*)::int as count from workspaces`
      : []
    expect(count).toBe(1)
    await Promise.all(started.map((one) => one.stop()))
    await sql`drop database ${sql(name)} with (force)`
  },
)

test('a database of a newer program is refused', async () => {
  const { sql } = server.database
  await sql`insert into schema_migrations (number, name, applied_at) values (999, '999-future.sql', ${new Date().toISOString()})`
  const { migrate } = await import('../../server/database/migrate.ts')
  await expect(migrate(server.database, new Date())).rejects.toThrow('newer Prop House (migration 999')
  await sql`delete from schema_migrations where number = 999`
})
