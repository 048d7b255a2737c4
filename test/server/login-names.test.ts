// Login names: one for each person of a workspace whatever its case, also when many come at once, and in databases of before.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { expect, test } from 'vitest'
import { invite } from '../../server/accounts/invitations.ts'
import { join } from '../../server/accounts/joining.ts'
import { addPerson, listPeople } from '../../server/accounts/people.ts'
import { migrate } from '../../server/database/migrate.ts'
import { openDatabase } from '../../server/database/open.ts'
import { provision } from '../../server/provision/provision.ts'
import { stranger, workspaceWithPasswords } from '../support/browser.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { sql } = server.database
const now = () => server.clock.now()
const times = <T>(count: number, call: (n: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => call(n)))
const namesIn = async (workspaceId: number) => (await listPeople(sql, workspaceId)).map(({ name }) => name)

test('of six who are added with one name at once one has it, and the others hear that it is taken', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId } = acme.idsOf('olivia')
  const added = await times(6, (n) =>
    addPerson(sql, {
      workspaceId,
      email: `twin${n}@${acme.slug}.test`,
      name: n % 2 ? 'Twin' : 'twin',
      displayName: 'T',
      role: 'member',
      now: now(),
    }),
  )
  const refused = added.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  expect(refused.map(({ reason }) => reason.code)).toEqual(Array(5).fill('CONFLICT'))
  expect((await namesIn(workspaceId)).filter((name) => name.toLowerCase() === 'twin')).toHaveLength(1)
})

test('six who accept at once, after the name of all was taken, have six names', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId, personId: id } = acme.idsOf('olivia')
  const asked: { code: string }[] = []
  for (let n = 0; n < 6; n++) {
    const made = {
      workspaceId,
      by: { id, role: 'owner' as const },
      email: `t${n}@${acme.slug}.test`,
      name: `t${n}`,
      displayName: 'T',
    }
    asked.push(await invite(sql, { ...made, role: 'member', now: now() }))
  }
  await sql`update invitations set name = 'Twin' where workspace_id = ${workspaceId}`
  const joined = await times(6, (n) =>
    join(sql, {
      code: asked[n]?.code ?? '',
      password: '',
      newPassword: 'correct horse',
      address: `198.18.7.${n}`,
      browser: stranger,
      now: now(),
    }),
  )
  expect(joined.map(({ status }) => status)).toEqual(Array(6).fill('fulfilled'))
  expect((await namesIn(workspaceId)).slice(4).sort()).toEqual(['Twin', 'Twin-2', 'Twin-3', 'Twin-4', 'Twin-5', 'Twin-6'])
})

test('the schema itself keeps two of one name apart', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId, personId } = acme.idsOf('mia')
  await expect(
    sql`update members set name = 'Max', name_key = 'max' where workspace_id = ${workspaceId} and id = ${personId}`,
  ).rejects.toMatchObject({ code: '23505', constraint_name: 'members_name' })
})

test('a file lets people change names with each other; who is called like someone else gets a number, each time the same', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId } = acme.idsOf('olivia')
  const member = (who: string, name: string) => ({ email: `${who}@${acme.slug}.test`, name, role: 'member' as const })
  const file = (...members: ReturnType<typeof member>[]) => ({ workspaces: [{ slug: acme.slug, name: acme.slug, members }] })
  const apply = async (...members: ReturnType<typeof member>[]) => {
    const { changes } = await provision(server.database, file(...members), now())
    return changes.filter(({ what, does }) => what === 'member' && does !== 'left').map(({ does, remark }) => [does, remark])
  }
  await apply(member('mia', 'max'), member('max', 'mia'))
  expect(await namesIn(workspaceId)).toEqual(['olivia', 'adam', 'max', 'mia'])
  const namesakes = [member('new', 'Adam'), member('newer', 'ADAM')]
  const because = [`adam@${acme.slug}.test has the name in the file`, `adam@${acme.slug}.test has the name in the file`]
  expect(await apply(...namesakes)).toEqual(because.map((remark) => ['created', remark]))
  expect(await apply(...namesakes)).toEqual(because.map((remark) => ['unchanged', remark]))
  expect((await namesIn(workspaceId)).slice(4)).toEqual(['Adam-2', 'ADAM-3'])
})

test('files that are applied and people who are added at once leave one name each', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId } = acme.idsOf('olivia')
  const person = (n: number) => ({ email: `p${n}@${acme.slug}.test`, name: 'pat', role: 'member' as const })
  await times(6, async (n) => {
    if (n % 2)
      return provision(server.database, { workspaces: [{ slug: acme.slug, name: acme.slug, members: [person(n)] }] }, now())
    return addPerson(sql, { workspaceId, ...person(n), displayName: 'P', now: now() })
  })
  const names = (await namesIn(workspaceId)).slice(4).map((name) => name.toLowerCase())
  expect([names.length > 0, new Set(names).size]).toEqual([true, names.length])
})

test('a database of before, in which several have one name, keeps them all: who came first keeps it, the others get a number', async () => {
  const dir = mkdtempSync(joinPath(tmpdir(), 'ph-before-'))
  const postgres = await freshPostgres()
  const database = await openDatabase({ databaseUrl: postgres?.url, embeddedDir: dir })
  try {
    const folder = new URL('../../server/database/migrations/', import.meta.url)
    const at = now().toISOString()
    await database.sql`create table schema_migrations (number integer primary key, name text not null, applied_at timestamptz not null)`
    for (const file of readdirSync(folder)
      .filter((name) => name < '011')
      .sort()) {
      await database.sql.unsafe(readFileSync(new URL(file, folder), 'utf8')).simple()
      await database.sql`insert into schema_migrations values (${Number(file.slice(0, 3))}, ${file}, ${at})`
    }
    const before = ['ada', 'Ada', 'ada-2', 'ADA', 'x'.repeat(80), 'X'.repeat(80)]
    await database.sql`insert into workspaces (slug, name, created_at) values ('acme', 'A', ${at}), ('beta', 'B', ${at})`
    await database.sql`
      insert into accounts (email, password_hash, created_at)
      select n || '@acme.test', case when n = 1 then null else 'hash' end, ${at} from generate_series(1, 6) n`
    await database.sql`
      insert into members (workspace_id, account_id, name, display_name, role, kind, status)
      select w.id, a.id, (${before}::text[])[a.id], 'x', 'member', 'person', 'active'
        from workspaces w cross join accounts a where w.slug = 'acme' or a.id = 1 order by w.id, a.id`
    await migrate(database, now())
    const names = await database.sql<{ name: string; name_key: string }[]>`select name, name_key from members order by id`
    const after = ['ada', 'Ada-3', 'ada-2', 'ADA-4', 'x'.repeat(80), `${'X'.repeat(78)}-2`, 'ada']
    expect(names.map(({ name }) => name)).toEqual(after)
    expect(names.map(({ name_key }) => name_key)).toEqual(after.map((name) => name.toLowerCase()))
    // Nobody knows of a password of before who chose it.
    const linked = await database.sql<{ is: boolean }[]>`select is_password_linked as is from accounts order by id`
    expect(linked.map((one) => one.is)).toEqual([false, true, true, true, true, true])
  } finally {
    await database.close()
    await postgres?.drop()
    rmSync(dir, { recursive: true, force: true })
  }
})
