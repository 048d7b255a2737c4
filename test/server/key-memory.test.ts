// What the front door remembers of keys: requests go past the database, changes count from the next request on, and uses are written down.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { byHand, newKey, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const isEmbedded = server.database.kind === 'embedded'

test.runIf(isEmbedded)('a request with a key that was used before asks the database nothing', async () => {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const elsewhere = [callAs(`${server.url}/w/nobody`, keys.mia), callAs(server.url, keys.mia)]
  for (const caller of [mia, ...elsewhere]) await caller.get('/auth/me')
  // The embedded database has one connection: while this transaction is open, every other statement waits.
  await server.database.sql.begin(async (sql) => {
    await sql`select 1`
    expect((await mia.get('/auth/me')).status).toBe(200)
    expect((await mia.get('/push/limits')).status).toBe(200)
    expect(await Promise.all(elsewhere.map(async (caller) => (await caller.get('/auth/me')).status))).toEqual([404, 403])
  })
})

test('a new role, state, name, and the loss of membership count from the next request on', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const person = { email: `mia@${slug}.test`, name: 'mia', role: 'member' } as const
  expect((await mia.get('/admin/denylist')).status).toBe(403)
  await server.changeWorkspace(slug, { members: [{ ...person, role: 'admin' }] })
  expect((await mia.get('/admin/denylist')).status).toBe(200)
  expect((await mia.get('/auth/me')).body.user.role).toBe('admin')
  await server.changeWorkspace(slug, { name: 'Renamed', state: 'suspended' })
  expect((await mia.get('/auth/me')).status).toBe(402)
  await server.changeWorkspace(slug, { name: 'Renamed', state: 'active' })
  expect((await mia.get('/auth/me')).body.org.name).toBe('Renamed')
  await server.changeWorkspace(slug, { members: [{ ...person, status: 'disabled' }] })
  expect((await mia.get('/auth/me')).status).toBe(401)
  expect((await callAs(url, keys.max).get('/auth/me')).status).toBe(200)
})

test('a key that was refused as unknown is let in once it exists', async () => {
  const { url, slug } = await server.addWorkspace()
  const key = newKey()
  expect((await callAs(url, key).get('/auth/me')).status).toBe(401)
  await server.changeWorkspace(slug, {
    members: [{ email: `new@${slug}.test`, name: 'new', role: 'member' }],
    keys: [{ name: 'late', member: `new@${slug}.test`, scope: 'read', key }],
  })
  expect((await callAs(url, key).get('/auth/me')).status).toBe(200)
})

test('requests at the moment of a revocation are let in or refused, and every one after it is refused', async () => {
  for (let round = 0; round < 10; round++) {
    const { url, keys } = await server.addWorkspace()
    const mia = callAs(url, keys.mia)
    const racing = Array.from({ length: 20 }, () => mia.get('/auth/me'))
    expect([204, 401]).toContain((await mia.post('/auth/logout')).status)
    const after = await Promise.all(Array.from({ length: 5 }, () => mia.get('/auth/me')))
    for (const answer of await Promise.all(racing)) expect([200, 401]).toContain(answer.status)
    expect(after.map((answer) => answer.status)).toEqual([401, 401, 401, 401, 401])
  }
})

test.runIf(isEmbedded)('unknown keys leave nothing behind', async () => {
  const { url } = await server.addWorkspace()
  const remembered = async () => /^ph_remembered_keys (\d+)$/m.exec(await (await fetch(server.app.metrics.url ?? '')).text())?.[1]
  const before = await remembered()
  expect(before).toBeDefined()
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 50 }, () => callAs(url, newKey()).get('/auth/me')))
  expect(await remembered()).toBe(before)
})

test('when a key was last used and by which program is written down together, not by every request', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const uses = () => server.database.sql<{ name: string; last_used_at: Date | null; last_client: string | null }[]>`
    select k.name, k.last_used_at, k.last_client from api_keys k join workspaces w on w.id = k.workspace_id
     where w.slug = ${slug} and k.name in ('mia', 'max', 'adam') order by k.name`
  const as = (key: string, client: string) =>
    fetch(`${url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${key}`, 'x-ph-client': client } })
  await as(keys.mia, 'ph/1.2.3')
  await as(keys.mia, 'nonsense\tin\tit')
  await as(keys.max, `${'x'.repeat(100)}/1`)
  expect((await uses()).map((row) => row.last_used_at)).toEqual([null, null, null])
  const used = server.clock.now().getTime()
  await server.restart()
  const [adam, max, mia] = await uses()
  expect(adam).toMatchObject({ last_used_at: null, last_client: null })
  expect(max).toMatchObject({ last_client: null })
  expect(mia).toMatchObject({ last_client: 'ph/1.2.3' })
  for (const row of [max, mia]) expect(Math.abs(Number(row?.last_used_at) - used)).toBeLessThan(60_000)
})

test('the log names key and program of a request, each as it is', async () => {
  const { url, keys } = await server.addWorkspace()
  server.logLines.length = 0
  await fetch(`${url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${keys.mia}`, 'x-ph-client': 'Unreal Plugin/5.4' } })
  await fetch(`${url}/api/v1/packs`, { headers: { authorization: `Bearer ${keys.mia}`, 'x-ph-client': '{"level":60}' } })
  await expect.poll(() => server.logLines.length).toBe(2)
  const [first, second] = server.logLines.map((line) => JSON.parse(line))
  expect(first).toMatchObject({
    client: 'Unreal Plugin/5.4',
    key: expect.any(Number),
    req: { path: '/api/v1/auth/me' },
    res: { status: 200 },
  })
  expect([second.client, second.level]).toEqual([undefined, 30])
  expect(server.logLines.join('')).not.toContain(keys.mia)
})
