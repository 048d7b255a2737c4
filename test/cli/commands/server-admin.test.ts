// `ph server user`, `key` and `provision`, against a server that runs and against its database while none runs.
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { invite } from '../../../server/accounts/invitations.ts'
import { administered } from '../../support/administered.ts'
import { callAs } from '../../support/api.ts'
import { ph } from '../../support/ph.ts'
import { isPostgres, postgresOnly } from '../../support/postgres-only.ts'
import { newKey, startTestServer, type TestServer, workspaceOf } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../../support/terminal.ts'

let server: TestServer
let administer: ReturnType<typeof administered>['administer']

beforeAll(async () => {
  server = await startTestServer()
  administer = administered(server).administer
})

const me = async (slug: string, key: string) => callAs(`${server.url}/w/${slug}`, key).get('/auth/me')
const fileOf = (content: unknown): string => {
  const file = join(temporaryFolder(), 'team.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

test('a key that is made stands alone on stdout, works at the next request, and once revoked fails at the next one', async () => {
  const { slug } = await server.addWorkspace()
  const made = await administer(`key create mia@${slug}.test --name nightly --scope write --workspace ${slug}`)
  expect(made.code).toBe(0)
  expect(made.stdout).toMatch(/^ph_live_[0-9A-Za-z]{40}\n$/)
  expect(made.stderr).toContain('named "nightly"')
  const key = made.stdout.trim()
  expect((await me(slug, key)).body).toMatchObject({ name: 'nightly', scope: 'write', user: { email: `mia@${slug}.test` } })
  const listed = await administer(`key list --workspace ${slug}`)
  expect(listed.stdout).toContain(key.slice(0, 12))
  expect(listed.stdout).not.toContain(key)
  const revoked = await administer(`key revoke ${key.slice(0, 12)} --workspace ${slug}`)
  expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining('is revoked') })
  expect((await me(slug, key)).status).toBe(401)
  expect(await administer(`key revoke ${key.slice(0, 12)} --workspace ${slug}`)).toMatchObject({ code: 1 })
})

test('a whole key is not taken on the command line, where everybody could read it', async () => {
  const key = newKey()
  const { code, stderr } = await administer(['key', 'revoke', key])
  expect(code).toBe(2)
  expect(stderr).not.toContain(key)
})

test('someone who is added with a password from standard input can have keys, another role, and be shut out', async () => {
  const { slug } = await server.addWorkspace()
  const at = `--workspace ${slug}`
  const added = await administer(`user add Nora@${slug}.test --role admin --password ${at}`, { stdin: 'correct horse nora\n' })
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('as an admin') })
  expect(added.stdout + added.stderr).not.toContain('correct horse')
  const [stored] = await server.database.sql<{ password_hash: string }[]>`
    select password_hash from accounts where email = ${`nora@${slug}.test`}`
  expect(stored?.password_hash).toMatch(/^scrypt\$/)
  const key = (await administer(`key create nora ${at}`)).stdout.trim()
  expect((await me(slug, key)).body.user.role).toBe('admin')
  await administer(`user role nora member ${at}`)
  expect((await me(slug, key)).body.user.role).toBe('member')
  await administer(`user disable nora ${at}`)
  expect((await me(slug, key)).status).toBe(401)
  expect((await administer(`key create nora ${at}`)).code).toBe(5)
  await administer(`user enable nora@${slug}.test ${at}`)
  expect((await me(slug, key)).status).toBe(200)
  const listed = (await administer(`user list ${at} --json`)).json() as { users: { name: string; role: string }[] }
  expect(listed.users.map(({ name, role }) => `${name} ${role}`)).toContain('Nora member')
})

test('someone who is added without a password is given one next; a program needs none', async () => {
  const { slug } = await server.addWorkspace()
  const add = (rest: string) => administer(`user add ${rest} --workspace ${slug}`)
  const person = `paul@${slug}.test`
  expect((await add(person)).stdout).toContain(
    `cannot sign in before they have a password: \`ph server user password ${person} --workspace ${slug} --data `,
  )
  expect((await add(`build@${slug}.test --kind api`)).stdout).not.toContain('password')
})

test('commands that are printed as the next step work as they stand, also where the data folder and the workspace were named', async () => {
  const { slug } = await server.addWorkspace()
  const { databaseUrl } = server.settings
  const env: Record<string, string> = databaseUrl === undefined ? {} : { PH_DATABASE_URL: databaseUrl }
  const printed = async (line: string, stdin?: string) => {
    const { stdout, stderr } = await administer(`${line} --workspace ${slug}`)
    const commands = [...`${stdout} ${stderr}`.replaceAll(/\s+/g, ' ').matchAll(/`ph (server [^`]+)`/g)].map(
      ([, command = '']) => command,
    )
    const codes = commands.map(async (command) => (await ph(command, { env, ...(stdin ? { stdin } : {}) })).code)
    return Promise.all(codes)
  }
  expect(await printed(`user add paula@${slug}.test`, 'battery staple\n')).toEqual([0])
  expect(await printed('user disable nobody')).toEqual([0])
  expect(await printed('key revoke 99999999')).toEqual([0])
  expect(await printed('key revoke strange')).toEqual([0])
})

test('the list calls who was invited invited, and who has neither password nor key not active', async () => {
  const { slug } = await server.addWorkspace()
  const at = `--workspace ${slug}`
  const { sql } = server.database
  const [adam] = await sql<{ workspace_id: number; id: number }[]>`
    select m.workspace_id, m.id from members m join workspaces w on w.id = m.workspace_id where w.slug = ${slug} and m.name = 'adam'`
  const by = { id: Number(adam?.id), role: 'admin' as const }
  const asking = { workspaceId: Number(adam?.workspace_id), by, role: 'member' as const, now: new Date() }
  await invite(sql, { ...asking, email: `nick@${slug}.test`, name: 'nick', displayName: 'Nick New' })
  await administer(`user add nora@${slug}.test ${at}`)
  const rowOf = async (name: string) =>
    (await administer(`user list ${at}`)).stdout.split('\n').find((line) => line.includes(`${name}@`))
  expect(await rowOf('nick')).toMatch(/^-\tnick@.*\tinvited$/)
  expect(await rowOf('nora')).toMatch(/\tno sign-in yet$/)
  expect(await rowOf('mia')).toMatch(/\tactive$/)
  await administer(`key create nora ${at}`)
  expect(await rowOf('nora')).toMatch(/\tactive$/)
  const listed = (await administer(`user list ${at} --json`)).json() as { users: object[]; invited: object[] }
  expect(listed.invited).toMatchObject([{ email: `nick@${slug}.test`, status: 'invited', invited_by: 'adam' }])
  expect(listed.users).not.toContainEqual(expect.objectContaining({ name: 'nick' }))
})

test('a new password ends the sessions of the account, and is never an argument', async () => {
  const { slug } = await server.addWorkspace()
  const [before] = await server.database.sql<{ id: number }[]>`select id from accounts where email = ${`mia@${slug}.test`}`
  await server.database.sql`
    insert into sessions (id_hash, account_id, created_at, last_seen_at, expires_at)
    values (${slug}, ${Number(before?.id)}, ${new Date().toISOString()}, ${new Date().toISOString()}, ${new Date(Date.now() + 1e9).toISOString()})`
  expect((await administer(`user password mia@${slug}.test`, { stdin: 'battery staple\n' })).code).toBe(0)
  expect(await server.database.sql`select 1 from sessions where id_hash = ${slug}`).toHaveLength(0)
  expect((await administer(`user password mia@${slug}.test`, { stdin: 'short\n' })).code).toBe(2)
  expect((await administer(['user', 'password', `mia@${slug}.test`, 'in the clear'])).code).toBe(2)
})

test.runIf(hasTerminal)('a password that is typed is asked for twice, and never shown', async () => {
  const { slug } = await server.addWorkspace()
  const { databaseUrl } = server.settings
  const terminal = openTerminal({ columns: 120, rows: 20 }, databaseUrl === undefined ? {} : { PH_DATABASE_URL: databaseUrl })
  terminal.type(`ph server user password mia@${slug}.test --data ${server.dataDir}`, 'Enter')
  for (const [asked, answer] of [
    ['New password', 'battery-staple'],
    ['once more', 'batterie-staple'],
  ] as const) {
    await terminal.shows(asked)
    terminal.type(answer, 'Enter')
  }
  expect((await terminal.shows('The two passwords differ')).join()).not.toContain('staple')
})

test('the last owner stays one, and stays in', async () => {
  const { slug } = await server.addWorkspace()
  for (const act of ['role olivia member', 'disable olivia']) {
    const refused = await administer(`user ${act} --workspace ${slug}`)
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('last owner') })
  }
})

test('with several workspaces a command says that it has to be told which, and names them', async () => {
  await server.addWorkspace()
  const { code, stderr } = await administer('user list')
  expect(code).toBe(2)
  expect(stderr).toContain('first')
  expect(stderr).toContain('--workspace')
  expect(await administer('user list --workspace nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"nowhere"'),
  })
})

test('someone who is not there, and a word that is no role, are named', async () => {
  const { slug } = await server.addWorkspace()
  expect((await administer(`user disable nobody --workspace ${slug}`)).stderr).toContain('"nobody"')
  expect(await administer(`user role mia king --workspace ${slug}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('king'),
  })
  expect((await administer(`user add nobody --workspace ${slug}`)).code).toBe(2)
})

test('a check says what would change and changes nothing; applying it does it; a second time there is nothing left', async () => {
  const { workspace, keys } = workspaceOf(`p${Date.now()}`)
  const slug = workspace.slug
  const file = fileOf({ workspaces: [workspace] })
  const checked = await administer(['provision', file, '--check'])
  expect(checked.stdout).toContain(`+ workspace ${slug}: new`)
  expect(checked.stdout).toContain(`+ member mia@${slug}.test of ${slug}: new`)
  expect((await me(slug, keys.mia)).status).toBe(401)
  expect((await administer(['provision', file])).stdout).toContain('Done: 10 new')
  expect((await me(slug, keys.mia)).status).toBe(200)
  expect((await administer(['provision', file])).stdout).toContain('Nothing to change.')
})

test('what changed is told from and to, takes hold at the next request, and what the file lost stays and is named', async () => {
  const { workspace, keys } = workspaceOf(`q${Date.now()}`)
  const { slug } = workspace
  await administer(['provision', fileOf({ workspaces: [workspace] })])
  expect((await me(slug, keys.adam)).body.user.role).toBe('admin')
  const [olivia, adam] = workspace.members ?? []
  const changed = { slug, name: 'Renamed', state: 'read_only', members: [olivia, { ...adam, role: 'member' }] }
  const { stdout } = await administer(['provision', fileOf({ workspaces: [changed] })])
  expect(stdout).toContain(`name ${slug} -> Renamed, state active -> read_only`)
  expect(stdout).toContain(`~ member adam@${slug}.test of ${slug}: role admin -> member`)
  expect(stdout).toContain(`= member olivia@${slug}.test`)
  expect(stdout).toContain(`. member mia@${slug}.test of ${slug}: not in the file, stays`)
  expect(stdout).toContain('. workspace first: not in the file, stays')
  expect((await me(slug, keys.adam)).body).toMatchObject({ user: { role: 'member' }, org: { name: 'Renamed' } })
  expect((await me(slug, keys.mia)).status).toBe(200)
})

test('a key that was revoked, or is another one by now, stays as it is and is told of', async () => {
  const { workspace, keys } = workspaceOf(`r${Date.now()}`)
  const { slug } = workspace
  await administer(['provision', fileOf({ workspaces: [workspace] })])
  await callAs(`${server.url}/w/${slug}`, keys.mia).post('/auth/logout')
  const other = { ...workspace, keys: workspace.keys?.map((key) => (key.name === 'max' ? { ...key, scope: 'read' } : key)) }
  const { stdout } = await administer(['provision', fileOf({ workspaces: [other] })])
  expect(stdout).toContain(`= key mia of ${slug}: unchanged; it was revoked and stays so`)
  expect(stdout).toContain(`it stays "max", a write key of max@${slug}.test`)
  expect((await me(slug, keys.mia)).status).toBe(401)
  const taken = fileOf({
    workspaces: [{ ...workspaceOf(`s${Date.now()}`).workspace, members: workspace.members, keys: workspace.keys }],
  })
  const refused = await administer(['provision', taken])
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('workspaces.0.keys.0.key: is a key of the workspace'),
  })
})

test('a workspace that is left without an owner is warned of', async () => {
  const { workspace } = workspaceOf(`t${Date.now()}`)
  const { stdout } = await administer(['provision', fileOf({ workspaces: [{ ...workspace, members: [], keys: [] }] })])
  expect(stdout).toContain('has no active owner')
})

test('a file that is malformed, or contradicts itself, is refused by the place of the fault, and nothing of it is done', async () => {
  const { workspace } = workspaceOf(`u${Date.now()}`)
  const [first] = workspace.members ?? []
  const [key] = workspace.keys ?? []
  const wrong: [unknown, string][] = [
    ['{"workspaces": [{"password": "secret stuff', 'it is not JSON'],
    [{ workspaces: {} }, 'workspaces must be array'],
    [{ workspaces: [{ ...workspace, members: [{ ...first, email: undefined }] }] }, 'workspaces.0.members.0.email is required'],
    [
      { workspaces: [{ ...workspace, members: [{ ...first, role: 'king' }] }] },
      'workspaces.0.members.0.role must be one of owner',
    ],
    [{ workspaces: [{ ...workspace, slug: 'No Spaces' }] }, 'workspaces.0.slug must be up to 63 lower-case letters'],
    [{ workspaces: [{ ...workspace, name: 'two\nlines' }] }, 'workspaces.0.name must be one line of text'],
    [{ workspaces: [workspace, workspace] }, 'workspaces.1.slug'],
    [{ workspaces: [{ ...workspace, members: [first, first] }] }, 'workspaces.0.members.1.email'],
    [{ workspaces: [{ ...workspace, keys: [key, key] }] }, 'workspaces.0.keys.1.key'],
    [{ workspaces: [{ ...workspace, name: 'a\0b' }] }, 'NUL'],
    [JSON.stringify({ workspaces: [] }).padEnd(17 * 1024 * 1024), 'larger than 16 MiB'],
  ]
  for (const [content, named] of wrong) {
    const { code, stderr } = await administer(['provision', fileOf(content)])
    expect({ code, stderr }, named).toMatchObject({ code: 2, stderr: expect.stringContaining(named) })
    expect(stderr).not.toContain('secret stuff')
  }
  expect((await administer(['provision', '/nowhere/team.json'])).stderr).toContain('it is not there')
  expect(await server.database.sql`select 1 from workspaces where slug = ${workspace.slug}`).toHaveLength(0)
})

test.runIf(isPostgres)(
  'with PH_DATABASE_URL a command needs no data folder, and says itself what no log will tell',
  postgresOnly,
  async () => {
    const { slug } = await server.addWorkspace()
    const data = join(temporaryFolder(), 'none')
    const env = { PH_DATABASE_URL: server.settings.databaseUrl ?? '' }
    const words = ['server', 'user', 'disable', 'mia', '--workspace', slug, '--data', data]
    const { code, stderr } = await ph(words, { env })
    expect(code).toBe(0)
    expect(stderr).toContain('"act":"user-status"')
    expect(existsSync(data)).toBe(false)
  },
)

test('on a folder where nothing is, a command says so and makes nothing; provisioning makes a database there', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  const none = await ph(['server', 'user', 'list', '--data', data])
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining(`No server runs on ${data}`) })
  const { workspace } = workspaceOf('new')
  const file = fileOf({ workspaces: [workspace] })
  expect((await ph(['server', 'provision', file, '--check', '--data', data])).stdout).toContain('Would be: 10 new')
  expect(existsSync(data)).toBe(false)
  expect((await ph(['server', 'provision', file, '--data', data])).stdout).toContain('Done: 10 new')
  expect((await ph(['server', 'user', 'list', '--data', data])).stdout).toContain('mia@new.test')
  expect(statSync(data).mode & 0o777).toBe(0o700)
})
