// Tokens: the keys of the one who is signed in; keys never make keys (contract-gaps 3).
import { expect, test } from 'vitest'
import { mintKey } from '../../server/accounts/keys.ts'
import { addPerson } from '../../server/accounts/people.ts'
import { callAs, type Json } from '../support/api.ts'
import { ask, openBrowser, workspaceWithPasswords } from '../support/browser.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const acme = await workspaceWithPasswords(server)
const mia = await openBrowser(acme.url, acme.credentialsOf('mia'))
const make = async (name: string, scope = 'write') => (await mia.change('POST', '/auth/tokens', { name, scope })).body
const listed = async (): Promise<Json[]> => (await mia.get('/auth/tokens')).body.tokens

test('a person lists their own keys, newest first, and of each no more than its beginning', async () => {
  const { token, id } = await make('laptop')
  const tokens = await listed()
  expect(tokens.map(({ name }) => name)).toEqual(['laptop', 'mia-reads', 'mia'])
  expect(tokens[0]).toEqual({
    id,
    name: 'laptop',
    prefix: token.slice(0, 12),
    scope: 'write',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    last_used_at: null,
  })
  expect(JSON.stringify(tokens)).not.toContain(token)
  expect(JSON.stringify(await server.database.sql`select * from api_keys`)).not.toContain(token)
})

test('a new key is shown once, works at once, and may what its scope says', async () => {
  const answer = await mia.change('POST', '/auth/tokens', { name: 'reader', scope: 'read' })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store'])
  expect(answer.body.token).toMatch(/^ph_live_[0-9A-Za-z]{40}$/)
  const reader = callAs(acme.url, answer.body.token)
  expect((await reader.get('/auth/me')).body).toMatchObject({ user: { name: 'mia' }, name: 'reader', scope: 'read' })
  expect((await reader.post('/push/negotiate', {})).status).toBe(403)
  expect((await callAs(acme.url, (await make('writer')).token).post('/push/negotiate', {})).status).toBe(422)
})

test('a revoked key is refused from the next request on, and cannot be revoked again', async () => {
  const { token, id } = await make('short')
  const short = callAs(acme.url, token)
  expect((await short.get('/auth/me')).status).toBe(200)
  expect((await mia.change('DELETE', `/auth/tokens/${id}`)).status).toBe(204)
  expect((await short.get('/auth/me')).status).toBe(401)
  expect((await listed()).map((one) => one.id)).not.toContain(id)
  const again = await mia.change('DELETE', `/auth/tokens/${id}`)
  expect([again.status, again.body.error.code]).toEqual([404, 'TOKEN_NOT_FOUND'])
})

test('while the workspace is read-only keys are neither made nor revoked by the API, but a key gives itself up', async () => {
  const { token, id } = await make('given up')
  await server.changeWorkspace(acme.slug, { state: 'read_only' })
  for (const answer of [
    await mia.change('DELETE', `/auth/tokens/${id}`),
    await mia.change('POST', '/auth/tokens', { name: 'late', scope: 'read' }),
  ])
    expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([
      403,
      'FORBIDDEN',
      { reason: 'read_only' },
    ])
  const own = callAs(acme.url, token)
  expect((await own.get('/auth/me')).status).toBe(200)
  expect((await own.post('/auth/logout')).status).toBe(204)
  expect((await own.get('/auth/me')).status).toBe(401)
  await server.changeWorkspace(acme.slug, { state: 'active' })
})

test('nobody revokes a key of someone else, of another workspace, or that never was', async () => {
  const guest = await workspaceWithPasswords(server)
  const strangers = await server.database.sql<{ id: number; name: string }[]>`
    select id, name from api_keys where name in ('max', 'olivia') and workspace_id in (${acme.idsOf('max').workspaceId}, ${guest.idsOf('max').workspaceId})`
  expect(strangers).toHaveLength(4)
  for (const id of [...strangers.map((one) => String(one.id)), '987654321', '0', '99999999999999999999']) {
    const answer = await mia.change('DELETE', `/auth/tokens/${id}`)
    expect([id, answer.status, answer.body.error.code]).toEqual([id, 404, 'TOKEN_NOT_FOUND'])
  }
  expect((await callAs(guest.url, guest.keys.max).get('/auth/me')).status).toBe(200)
})

test('keys neither make, list nor revoke keys; a read key is refused its write by the front door first', async () => {
  const [{ id }] = (await listed()) as [Json]
  for (const [method, path, body] of [
    ['GET', '/auth/tokens', undefined],
    ['POST', '/auth/tokens', { name: 'x', scope: 'read' }],
    ['DELETE', `/auth/tokens/${id}`, undefined],
  ] as const) {
    // Also with the cookie of a session beside the key.
    const headers = { authorization: `Bearer ${acme.keys.mia}`, cookie: `ph_session=${mia.sessionId}`, 'x-csrf-token': mia.csrf }
    const answer = await ask(acme.url, path, { method, body, headers })
    expect([method, answer.status, answer.body.error.code]).toEqual([method, 403, 'FORBIDDEN'])
    const reader = await ask(acme.url, path, { method, body, headers: { authorization: `Bearer ${acme.keys.miaReads}` } })
    expect([method, reader.status, typeof reader.body.error]).toEqual([method, 403, method === 'GET' ? 'object' : 'string'])
  }
})

test('a name is one line of at most 120 characters, and a scope is read or write', async () => {
  for (const body of [
    {},
    { name: 'x' },
    { name: '', scope: 'read' },
    { name: ' ', scope: 'read' },
    { name: 'a\nb', scope: 'read' },
    { name: 'x'.repeat(121), scope: 'read' },
    { name: 'x', scope: 'admin' },
  ]) {
    const answer = await mia.change('POST', '/auth/tokens', body)
    expect([body, answer.status, answer.body.error.code]).toEqual([body, 422, 'VALIDATION'])
  }
})

test('a session is good in the workspaces of its person only, each with its own keys', async () => {
  const guest = await workspaceWithPasswords(server)
  const there = (path: string) => ask(guest.url, path, { headers: { cookie: `ph_session=${mia.sessionId}` } })
  const refused = await there('/auth/tokens')
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining(`/w/${acme.slug}`)])
  const { workspaceId } = guest.idsOf('olivia')
  const { email } = acme.credentialsOf('mia')
  const added = { email, name: 'mia of acme', displayName: 'Mia', role: 'member' as const, now: server.clock.now() }
  expect((await addPerson(server.database.sql, { ...added, workspaceId })).isKnown).toBe(true)
  expect((await there('/auth/tokens')).body).toEqual({ tokens: [] })
  const unknown = await ask(`${server.url}/w/nowhere`, '/auth/tokens', { headers: { cookie: `ph_session=${mia.sessionId}` } })
  expect(unknown.status).toBe(404)
})

test('who has a thousand keys must revoke one before the next', async () => {
  const { workspaceId, personId } = acme.idsOf('adam')
  await server.database.sql`
    insert into api_keys (workspace_id, member_id, name, prefix, key_hash, scope, created_at)
    select ${workspaceId}, ${personId}, 'many', 'ph_live_many', 'hash of ' || n, 'read', ${server.clock.now().toISOString()}
      from generate_series(1, 999) n`
  const adam = await openBrowser(acme.url, acme.credentialsOf('adam'))
  const refused = await adam.change('POST', '/auth/tokens', { name: 'one more', scope: 'read' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
  const [{ id }] = (await adam.get('/auth/tokens')).body.tokens
  expect((await adam.change('DELETE', `/auth/tokens/${id}`)).status).toBe(204)
  expect((await adam.change('POST', '/auth/tokens', { name: 'one more', scope: 'read' })).status).toBe(201)
})

test('of many keys that are made at once no more than a thousand are there', async () => {
  const { sql } = server.database
  const { workspaceId, personId: memberId } = acme.idsOf('max')
  const now = server.clock.now()
  await sql`
    insert into api_keys (workspace_id, member_id, name, prefix, key_hash, scope, created_at)
    select ${workspaceId}, ${memberId}, 'many', 'ph_live_many', 'limit ' || n, 'read', ${now.toISOString()} from generate_series(1, 997) n`
  const making = Array.from({ length: 8 }, (_, n) => mintKey(sql, { workspaceId, memberId, name: `k${n}`, scope: 'read', now }))
  expect((await Promise.allSettled(making)).filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  const [count] = await sql<{ n: number }[]>`
    select count(*)::int as n from api_keys where workspace_id = ${workspaceId} and member_id = ${memberId}`
  expect(count?.n).toBe(1000)
})
