// People: adding, roles, disabling. A workspace always keeps an owner.
import { expect, test } from 'vitest'
import { invite } from '../../server/accounts/invitations.ts'
import { addPerson, changePerson, listPeople, type NewPerson } from '../../server/accounts/people.ts'
import { callAs } from '../support/api.ts'
import { openBrowser, workspaceWithPasswords } from '../support/browser.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { sql } = server.database

const newcomer = (over: Partial<NewPerson> & { workspaceId: number }): NewPerson => ({
  email: 'Nick@New.test',
  name: 'nick',
  displayName: 'Nick New',
  role: 'member',
  now: server.clock.now(),
  ...over,
})

test('someone who is added is a member with an account, and signs in with the password that was given', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId } = acme.idsOf('olivia')
  const email = `nick@${acme.slug}.test`
  const { person, isKnown } = await addPerson(
    sql,
    newcomer({ workspaceId, email: ` ${email.toUpperCase()}`, password: 'correct horse nick' }),
  )
  expect([isKnown, person]).toEqual([
    false,
    expect.objectContaining({ email, name: 'nick', displayName: 'Nick New', role: 'member', kind: 'person', status: 'active' }),
  ])
  expect((await listPeople(sql, workspaceId)).map(({ name }) => name)).toEqual(['olivia', 'adam', 'mia', 'max', 'nick'])
  const nick = await openBrowser(acme.url, { email, password: 'correct horse nick' })
  expect((await nick.get('/auth/tokens')).status).toBe(200)
})

test('who belongs elsewhere already keeps their password: adding someone takes over no account', async () => {
  const [acme, beta] = [await workspaceWithPasswords(server), await workspaceWithPasswords(server)]
  const { email } = acme.credentialsOf('mia')
  const { workspaceId } = beta.idsOf('olivia')
  const { isKnown } = await addPerson(sql, newcomer({ workspaceId, email, password: 'taken over' }))
  expect(isKnown).toBe(true)
  expect((await openBrowser(beta.url, { email, password: 'taken over' })).login.status).toBe(401)
  expect((await openBrowser(beta.url, acme.credentialsOf('mia'))).login.status).toBe(200)
})

test('an e-mail or a name that is taken in the workspace is a conflict, and of two who add the same person at once one does', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId } = acme.idsOf('olivia')
  const { email } = acme.credentialsOf('mia')
  await expect(addPerson(sql, newcomer({ workspaceId, email, name: 'other' }))).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(addPerson(sql, newcomer({ workspaceId, email: 'x@y.test', name: 'MIA' }))).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  expect(await sql`select 1 from accounts where email = 'x@y.test'`).toEqual([])
  const twice = ['nick', 'nicky'].map((name) => addPerson(sql, newcomer({ workspaceId, email: `twice@${acme.slug}.test`, name })))
  expect((await Promise.allSettled(twice)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('admins do everything but to make or change owners; members do nothing', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId, personId: olivia } = acme.idsOf('olivia')
  const { personId: mia } = acme.idsOf('mia')
  const change = (by: 'owner' | 'admin' | 'member', personId: number, over: { role?: 'owner' | 'admin'; status?: 'disabled' }) =>
    changePerson(sql, { workspaceId, by, personId, ...over })
  const add = (by: 'admin' | 'member', role: 'owner' | 'member') =>
    invite(sql, {
      ...newcomer({ workspaceId, role, email: 'n@n.test' }),
      role,
      by: { id: acme.idsOf('adam').personId, role: by },
    })
  for (const refused of [
    () => change('member', mia, { role: 'admin' }),
    () => change('admin', mia, { role: 'owner' }),
    () => change('admin', olivia, { role: 'admin' }),
    () => change('admin', olivia, { status: 'disabled' }),
    () => add('admin', 'owner'),
    () => add('member', 'member'),
  ])
    await expect(refused()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(await change('admin', mia, { role: 'admin' })).toMatchObject({ id: mia, role: 'admin', status: 'active' })
  expect(await change('owner', mia, { role: 'owner' })).toMatchObject({ role: 'owner' })
  await expect(change('owner', 987_654_321, { role: 'admin' })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
})

test('nobody changes a person of another workspace', async () => {
  const [acme, beta] = [await workspaceWithPasswords(server), await workspaceWithPasswords(server)]
  const change = { workspaceId: acme.idsOf('olivia').workspaceId, by: 'owner', personId: beta.idsOf('mia').personId } as const
  await expect(changePerson(sql, { ...change, status: 'disabled' })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
  expect((await callAs(beta.url, beta.keys.mia).get('/auth/me')).status).toBe(200)
})

test('the last owner can be neither demoted nor disabled, by nobody; one of two can', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId, personId: olivia } = acme.idsOf('olivia')
  for (const by of ['owner', undefined] as const)
    for (const over of [{ role: 'admin' }, { role: 'member' }, { status: 'disabled' }] as const)
      await expect(changePerson(sql, { workspaceId, by, personId: olivia, ...over })).rejects.toMatchObject({ code: 'CONFLICT' })
  const { personId: adam } = acme.idsOf('adam')
  await changePerson(sql, { workspaceId, by: 'owner', personId: adam, role: 'owner' })
  await changePerson(sql, { workspaceId, by: 'owner', personId: adam, status: 'disabled' })
  await expect(changePerson(sql, { workspaceId, by: 'owner', personId: olivia, role: 'member' })).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  await changePerson(sql, { workspaceId, by: 'owner', personId: adam, status: 'active' })
  expect(await changePerson(sql, { workspaceId, by: 'owner', personId: olivia, role: 'member' })).toMatchObject({
    role: 'member',
  })
})

test('of owners who demote and disable each other at one moment one stays', async () => {
  const names = ['olivia', 'adam', 'mia', 'max']
  for (let round = 0; round < 5; round++) {
    const acme = await workspaceWithPasswords(server)
    const { workspaceId } = acme.idsOf('olivia')
    const ids = names.map((name) => acme.idsOf(name).personId)
    for (const personId of ids) await changePerson(sql, { workspaceId, by: 'owner', personId, role: 'owner' })
    const attempts = ids.map((personId, n) =>
      changePerson(sql, {
        workspaceId,
        by: 'owner',
        personId,
        ...(n % 2 ? { role: 'member' as const } : { status: 'disabled' as const }),
      }),
    )
    expect((await Promise.allSettled(attempts)).filter(({ status }) => status === 'rejected')).toHaveLength(1)
    const owners = (await listPeople(sql, workspaceId)).filter(({ role, status }) => role === 'owner' && status === 'active')
    expect(owners).toHaveLength(1)
  }
})

test('a role, and being disabled, count from the next request on', async () => {
  const acme = await workspaceWithPasswords(server)
  const { workspaceId, personId } = acme.idsOf('adam')
  const adam = callAs(acme.url, acme.keys.adam)
  const change = async (over: { role?: 'admin' | 'member'; status?: 'active' | 'disabled' }) => {
    await changePerson(sql, { workspaceId, by: 'owner', personId, ...over })
  }
  expect((await adam.get('/admin/denylist')).status).toBe(200)
  await change({ role: 'member' })
  expect((await adam.get('/admin/denylist')).status).toBe(403)
  await change({ status: 'disabled' })
  expect((await adam.get('/auth/me')).status).toBe(401)
  await change({ status: 'active' })
  expect((await adam.get('/auth/me')).body.user.role).toBe('member')
})
