// Links with which a member chooses a new password: once, for seven days, and no further than their maker could go by then.
import { expect, test } from 'vitest'
import {
  findPasswordLink,
  followPasswordLink,
  type Linking,
  linkObstacle,
  makePasswordLink,
} from '../../server/accounts/password-links.ts'
import { addPerson, changePerson } from '../../server/accounts/people.ts'
import { openBrowser, stranger, workspaceWithPasswords } from '../support/browser.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { sql } = server.database
const dayMs = 24 * 3_600_000

const newcomer = { name: 'nick', displayName: 'Nick New', role: 'member' as const }

async function linked() {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId } = acme.idsOf('olivia')
  const email = `nick@${acme.slug}.test`
  const { person } = await addPerson(sql, { ...newcomer, workspaceId, email, now: server.clock.now() })
  const linking = (over: Partial<Linking> = {}): Linking => ({
    workspaceId,
    by: { id: acme.idsOf('adam').personId, role: 'admin' },
    personId: person.id,
    now: server.clock.now(),
    ...over,
  })
  const accept = (code: string, password: string) =>
    followPasswordLink(sql, { code, password, browser: stranger, now: server.clock.now() })
  return { acme, workspaceId, email, person, linking, accept }
}

test('a link lets its person choose a password once, and signs them in', async () => {
  const { acme, email, person, linking, accept } = await linked()
  const code = await makePasswordLink(sql, linking())
  expect(await findPasswordLink(sql, code, server.clock.now())).toEqual({
    accountId: person.accountId,
    email,
    displayName: 'Nick New',
    workspace: { slug: acme.slug, name: acme.slug },
  })
  const attempts = await Promise.allSettled([accept(code, 'first choice'), accept(code, 'second choice')])
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(accept(code, 'third choice')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  const passwords = ['first choice', 'second choice', 'third choice']
  const logins = await Promise.all(
    passwords.map(async (password) => (await openBrowser(acme.url, { email, password })).login.status),
  )
  expect(logins.sort()).toEqual([200, 401, 401])
  expect(JSON.stringify(await sql`select * from password_links`)).not.toContain(code)
})

test('a link is replaced by the next, ends after seven days, with the membership, and with another password', async () => {
  const { acme, workspaceId, person, linking, accept } = await linked()
  const first = await makePasswordLink(sql, linking())
  const second = await makePasswordLink(sql, linking())
  expect(await findPasswordLink(sql, first, server.clock.now())).toBeUndefined()
  server.clock.advance(7 * dayMs)
  await expect(accept(second, 'too late now')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  const third = await makePasswordLink(sql, linking())
  await changePerson(sql, { workspaceId, by: 'owner', personId: person.id, status: 'disabled' })
  await expect(accept(third, 'not any more')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  const mia = acme.idsOf('mia')
  const [old, used] = [
    await makePasswordLink(sql, linking({ personId: mia.personId })),
    await openBrowser(acme.url, acme.credentialsOf('mia')),
  ]
  expect((await used.get('/auth/tokens')).status).toBe(200)
  await accept(old, 'chosen by a link')
  expect((await used.get('/auth/tokens')).status).toBe(401)
})

test('an admin makes no link for owners, nor for who belongs to other workspaces: that would take their account over', async () => {
  const { acme, workspaceId, linking } = await linked()
  const olivia = { id: acme.idsOf('olivia').personId, role: 'owner' as const }
  await expect(makePasswordLink(sql, linking({ personId: acme.idsOf('olivia').personId }))).rejects.toMatchObject({
    code: 'FORBIDDEN',
  })
  const elsewhere = await workspaceWithPasswords(server)
  const { email } = elsewhere.credentialsOf('mia')
  const { person } = await addPerson(sql, { ...newcomer, workspaceId, email, name: 'guest', now: server.clock.now() })
  const obstacle = await linkObstacle(sql, { workspaceId, by: olivia }, person)
  expect(obstacle).toBe('Only the administrator of the server can give Nick New a new password.')
  await expect(makePasswordLink(sql, linking({ by: olivia, personId: person.id }))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(makePasswordLink(sql, linking({ by: { id: acme.idsOf('mia').personId, role: 'member' } }))).rejects.toMatchObject({
    code: 'FORBIDDEN',
  })
  await expect(makePasswordLink(sql, linking({ personId: elsewhere.idsOf('mia').personId }))).rejects.toMatchObject({
    code: 'USER_NOT_FOUND',
  })
})

test('nobody makes a link for themselves: who got hold of a session would choose the password with it', async () => {
  const { acme, linking } = await linked()
  for (const [name, role] of [
    ['olivia', 'owner'],
    ['adam', 'admin'],
  ] as const) {
    const { personId } = acme.idsOf(name)
    const own = linking({ by: { id: personId, role }, personId })
    await expect(makePasswordLink(sql, own)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('your account'),
    })
  }
})

test('a program and someone who is disabled get no link: neither could sign in by it', async () => {
  const { workspaceId, person, linking } = await linked()
  const { person: robot } = await addPerson(sql, {
    ...newcomer,
    workspaceId,
    email: 'robot@nick.test',
    name: 'robot',
    kind: 'api',
    now: server.clock.now(),
  })
  await expect(makePasswordLink(sql, linking({ personId: robot.id }))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await changePerson(sql, { workspaceId, by: 'owner', personId: person.id, status: 'disabled' })
  await expect(makePasswordLink(sql, linking())).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

test('a link opens no more than its maker could open by then', async () => {
  const { acme, workspaceId, email, person, linking } = await linked()
  const leadsIn = async (code: string) => (await findPasswordLink(sql, code, server.clock.now())) !== undefined
  const code = await makePasswordLink(sql, linking())
  const change = (personId: number, over: object) => changePerson(sql, { workspaceId, by: 'owner', personId, ...over })
  await change(person.id, { role: 'owner' })
  expect(await leadsIn(code)).toBe(false)
  await change(person.id, { role: 'member' })
  expect(await leadsIn(code)).toBe(true)
  const { personId: adam } = acme.idsOf('adam')
  await change(adam, { status: 'disabled' })
  expect(await leadsIn(code)).toBe(false)
  await change(adam, { status: 'active' })
  const elsewhere = await workspaceWithPasswords(server)
  await addPerson(sql, { ...newcomer, workspaceId: elsewhere.idsOf('mia').workspaceId, email, now: server.clock.now() })
  expect(await leadsIn(code)).toBe(false)
})
