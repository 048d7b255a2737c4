// Invitations: nobody belongs before they accept, and a link opens no more than the one who made it could open by then.
import { expect, test } from 'vitest'
import { type Inviting, invite, listInvited, renewInvitation, withdrawInvitation } from '../../server/accounts/invitations.ts'
import { findInvitation, join } from '../../server/accounts/joining.ts'
import { addPerson, changePerson, listPeople } from '../../server/accounts/people.ts'
import { setPassword } from '../../server/accounts/sign-in.ts'
import { administered } from '../support/administered.ts'
import { callAs } from '../support/api.ts'
import { openBrowser, stranger, workspaceWithPasswords } from '../support/browser.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { sql } = server.database
const dayMs = 24 * 3_600_000
let lastPlace = 0

/** A workspace, whose admin asks Nick to join. */
async function invited(over: Partial<Inviting> = {}) {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId, personId } = acme.idsOf('adam')
  const email = over.email ?? `nick@${acme.slug}.test`
  const by = { id: personId, role: 'admin' as const }
  const asking = {
    workspaceId,
    by,
    email,
    name: 'nick',
    displayName: 'Nick New',
    role: 'member' as const,
    now: server.clock.now(),
  }
  const { id, code } = await invite(sql, { ...asking, ...over })
  return { acme, workspaceId, email, asking, by, id, code }
}

/** Each from an address of its own, so that nobody waits for anybody's failures. */
const accept = (code: string, newPassword: string, password = '') =>
  join(sql, { code, password, newPassword, address: `198.18.9.${++lastPlace}`, browser: stranger, now: server.clock.now() })
const isOpen = async (code: string) => (await findInvitation(sql, code, server.clock.now())) !== undefined
const dead = { code: 'NOT_FOUND', message: expect.stringContaining('This link was used already') }

test('who is invited is nobody there: no member, no role, no reviewer, no holder of keys, no owner', async () => {
  const { acme, workspaceId, email } = await invited()
  await invite(sql, {
    workspaceId,
    by: { id: acme.idsOf('olivia').personId, role: 'owner' },
    email: `boss@${acme.slug}.test`,
    name: 'boss',
    displayName: 'Boss',
    role: 'owner',
    now: server.clock.now(),
  })
  const olivia = callAs(acme.url, acme.keys.olivia)
  const { members } = (await olivia.get('/members')).body
  expect(members.map(({ name }: { name: string }) => name)).toEqual(['olivia', 'adam', 'mia', 'max'])
  expect((await olivia.get(`/members/${Math.max(...members.map((one: { id: number }) => one.id)) + 1}`)).status).toBe(404)
  expect(await sql`select 1 from accounts where email = ${email}`).toEqual([])
  expect((await openBrowser(acme.url, { email, password: 'correct horse nick' })).login.status).toBe(401)
  // An owner who has not accepted keeps no workspace from being left without one.
  const last = { workspaceId, by: 'owner' as const, personId: acme.idsOf('olivia').personId }
  await expect(changePerson(sql, { ...last, role: 'admin' })).rejects.toMatchObject({ code: 'CONFLICT' })
  const { administer } = administered(server)
  for (const command of [`key create ${email} --name x`, `user role ${email} admin`, `user password ${email}`]) {
    const { code, stderr } = await administer(`${command} --workspace ${acme.slug}`, { stdin: 'correct horse\n' })
    expect([command, code === 0, stderr]).toEqual([command, false, expect.stringMatching(/Nobody/)])
  }
})

test('who accepts is a member with the role they were asked for, and a second time the link leads nowhere', async () => {
  const { acme, workspaceId, email, code } = await invited({ role: 'admin' })
  expect(await findInvitation(sql, code, server.clock.now())).toEqual({
    workspace: { id: workspaceId, slug: acme.slug, name: acme.slug },
    email,
    name: 'nick',
    displayName: 'Nick New',
    role: 'admin',
    invitedBy: 'adam',
    account: 'none',
    accountId: undefined,
  })
  const attempts = await Promise.allSettled([
    accept(code, 'first choice'),
    accept(code, 'second choice'),
    accept(code, 'third one'),
  ])
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  await expect(accept(code, 'fourth choice')).rejects.toMatchObject(dead)
  const nick = (await listPeople(sql, workspaceId)).at(-1)
  expect(nick).toMatchObject({ email, name: 'nick', displayName: 'Nick New', role: 'admin', kind: 'person', status: 'active' })
  expect(await listInvited(sql, workspaceId)).toEqual([])
  const logins = await Promise.all(
    ['first choice', 'second choice', 'third one'].map(
      async (password) => (await openBrowser(acme.url, { email, password })).login.status,
    ),
  )
  expect(logins.sort()).toEqual([200, 401, 401])
})

test('codes are kept as their hash, and end after seven days, with the next link, and when they are withdrawn', async () => {
  const { workspaceId, by, id, code } = await invited()
  expect(JSON.stringify(await sql`select * from invitations`)).not.toContain(code)
  const one = { workspaceId, by, invitationId: id }
  const renewed = await renewInvitation(sql, { ...one, now: server.clock.now() })
  expect([await isOpen(code), await isOpen(renewed.code)]).toEqual([false, true])
  server.clock.advance(7 * dayMs)
  await expect(accept(renewed.code, 'too late now')).rejects.toMatchObject(dead)
  expect((await listInvited(sql, workspaceId)).map(({ endsAt }) => endsAt <= server.clock.now())).toEqual([true])
  const third = await renewInvitation(sql, { ...one, now: server.clock.now() })
  expect(await isOpen(third.code)).toBe(true)
  await withdrawInvitation(sql, one)
  await expect(accept(third.code, 'not any more')).rejects.toMatchObject(dead)
  await expect(withdrawInvitation(sql, one)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
  await expect(renewInvitation(sql, { ...one, now: server.clock.now() })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
})

test('accepted and withdrawn, or renewed, at one moment: exactly one of the two happens', async () => {
  for (let round = 0; round < 4; round++) {
    const { workspaceId, by, id, code } = await invited()
    const one = { workspaceId, by, invitationId: id }
    const other = round % 2 ? withdrawInvitation(sql, one) : renewInvitation(sql, { ...one, now: server.clock.now() })
    const [joined, against] = await Promise.allSettled([accept(code, 'correct horse'), other])
    expect([joined.status, against.status].sort()).toEqual(['fulfilled', 'rejected'])
    const people = await listPeople(sql, workspaceId)
    expect(people).toHaveLength(joined.status === 'fulfilled' ? 5 : 4)
  }
})

test('a link opens no more than its maker could open by then: disabled or demoted, they ask nobody in', async () => {
  const { acme, workspaceId, by, id, code } = await invited()
  const change = (over: object, personId = by.id) => changePerson(sql, { workspaceId, by: 'owner', personId, ...over })
  for (const [out, back] of [
    [{ role: 'member' }, { role: 'admin' }],
    [{ status: 'disabled' }, { status: 'active' }],
  ] as const) {
    await change(out)
    await expect(accept(code, 'not now')).rejects.toMatchObject(dead)
    expect((await listInvited(sql, workspaceId)).map(({ mayStillInvite }) => mayStillInvite)).toEqual([false])
    await change(back)
    expect(await isOpen(code)).toBe(true)
  }
  const olivia = { id: acme.idsOf('olivia').personId, role: 'owner' as const }
  const boss = { workspaceId, by: olivia, email: `boss@${acme.slug}.test`, name: 'boss', displayName: 'Boss' }
  const asOwner = await invite(sql, { ...boss, role: 'owner', now: server.clock.now() })
  await change({ role: 'owner' })
  await change({ role: 'admin' }, olivia.id)
  expect([await isOpen(asOwner.code), await isOpen(code)]).toEqual([false, true])
  const asAdmin = { workspaceId, by: olivia, invitationId: id, now: server.clock.now() }
  expect((await renewInvitation(sql, { ...asAdmin, by: { ...olivia, role: 'admin' } })).code).toMatch(/^[\w-]{43}$/)
})

test('admins ask no owners in, nor touch their invitations; members ask nobody; nobody acts in another workspace', async () => {
  const { acme, workspaceId, asking, by, id } = await invited()
  const now = server.clock.now()
  const other = { email: `x@${acme.slug}.test`, name: 'x' }
  const mia = { id: acme.idsOf('mia').personId, role: 'member' as const }
  const olivia = { id: acme.idsOf('olivia').personId, role: 'owner' as const }
  const boss = await invite(sql, { ...asking, email: 'boss@x.test', name: 'boss', role: 'owner', by: olivia })
  const elsewhere = await workspaceWithPasswords(server)
  for (const refused of [
    () => invite(sql, { ...asking, ...other, role: 'owner' }),
    () => invite(sql, { ...asking, ...other, by: mia }),
    () => renewInvitation(sql, { workspaceId, by, invitationId: boss.id, now }),
    () => withdrawInvitation(sql, { workspaceId, by, invitationId: boss.id }),
    () => withdrawInvitation(sql, { workspaceId, by: mia, invitationId: id }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const there = { workspaceId: elsewhere.idsOf('olivia').workspaceId, by: olivia, invitationId: id }
  await expect(withdrawInvitation(sql, there)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
  await expect(renewInvitation(sql, { ...there, now })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
})

test('an address or a name that is there or invited is a conflict; a name that is taken by then gets a number', async () => {
  const { acme, workspaceId, asking, email, code } = await invited()
  for (const taken of [
    { email: email.toUpperCase(), name: 'other' },
    { email: 'y@y.test', name: 'NICK' },
    { email: acme.credentialsOf('mia').email, name: 'other' },
    { email: 'y@y.test', name: 'MIA' },
  ])
    await expect(invite(sql, { ...asking, ...taken })).rejects.toMatchObject({ code: 'CONFLICT' })
  const twice = Array.from({ length: 6 }, (_, n) => invite(sql, { ...asking, email: 'twice@x.test', name: `twice${n}` }))
  expect((await Promise.allSettled(twice)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const { now } = asking
  for (const name of ['Nick', 'nick-2'])
    await addPerson(sql, { workspaceId, email: `${name}@z.test`, name, displayName: name, role: 'member', now })
  await accept(code, 'correct horse')
  expect((await listPeople(sql, workspaceId)).find((one) => one.email === email)?.name).toBe('nick-3')
})

test('a thousand people who have not accepted are enough', async () => {
  const { workspaceId, asking } = await invited()
  const at = server.clock.now().toISOString()
  await sql`
    insert into invitations (workspace_id, email, name, display_name, role, code_hash, made_by, created_at, expires_at)
    select ${workspaceId}, n || '@many.test', 'many' || n, 'Many', 'member', 'many ' || n, ${asking.by.id}, ${at}, ${at}
      from generate_series(1, 999) n`
  const more = { ...asking, email: 'more@many.test', name: 'more' }
  await expect(invite(sql, more)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('1000') })
})

test('of two workspaces that ask one new address at once one makes the account; the other then needs its password', async () => {
  for (let round = 0; round < 3; round++) {
    const email = `shared${round}@new.test`
    const [one, two] = [await invited({ email }), await invited({ email })]
    const both = await Promise.allSettled([accept(one.code, 'password of one'), accept(two.code, 'password of two')])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [first, later] = both[0]?.status === 'fulfilled' ? (['one', two] as const) : (['two', one] as const)
    const lost = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(['CONFLICT', 'UNAUTHORIZED']).toContain(lost.reason.code)
    await expect(accept(later.code, 'another choice')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await accept(later.code, 'another choice', `password of ${first}`)
    expect((await openBrowser(later.acme.url, { email, password: 'another choice' })).login.status).toBe(200)
  }
})

test('an account without a password joins nothing until the administrator of the server has given it one', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId } = acme.idsOf('mia')
  const now = server.clock.now()
  const email = `robin@${acme.slug}.test`
  const { person } = await addPerson(sql, { workspaceId, email, name: 'robin', displayName: 'Robin', role: 'member', now })
  const { acme: other, code } = await invited({ email })
  await expect(accept(code, 'chosen by a link')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect((await findInvitation(sql, code, now))?.account).toBe('shut')
  await setPassword(sql, person.accountId, 'given by the operator')
  await accept(code, 'chosen by robin', 'given by the operator')
  expect((await openBrowser(other.url, { email, password: 'chosen by robin' })).login.status).toBe(200)
})

test('who is added by the administrator of the server needs no invitation: it is gone, and its link with it', async () => {
  const { workspaceId, email, code, asking } = await invited()
  const adding = { workspaceId, email, name: 'nick', displayName: 'Nick', role: 'member' as const, now: asking.now }
  const both = await Promise.allSettled([accept(code, 'correct horse'), addPerson(sql, adding)])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect([await isOpen(code), await listInvited(sql, workspaceId)]).toEqual([false, []])
  expect((await listPeople(sql, workspaceId)).filter((one) => one.email === email)).toHaveLength(1)
})
