// The owner of one workspace as an attacker: each way to an account, a session, a key, a role or an invitation, and what it opens elsewhere.
import { expect, test } from 'vitest'
import { approveSignIn } from '../../server/accounts/device-approval.ts'
import { invite, renewInvitation } from '../../server/accounts/invitations.ts'
import { join } from '../../server/accounts/joining.ts'
import { followPasswordLink, makePasswordLink } from '../../server/accounts/password-links.ts'
import { addPerson, changePerson, listPeople, membershipsOf, type Person } from '../../server/accounts/people.ts'
import { findSession } from '../../server/accounts/sessions.ts'
import { changePassword, setPassword, signIn } from '../../server/accounts/sign-in.ts'
import { provision } from '../../server/provision/provision.ts'
import { administered } from '../support/administered.ts'
import { callAs } from '../support/api.ts'
import { ask, openBrowser, stranger, workspaceWithPasswords } from '../support/browser.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer({ trustedProxies: 1 })
const { sql } = server.database
const now = () => server.clock.now()
let lastPlace = 0
/** Each request from an address of its own: nobody waits for anybody's failures. */
const address = () => `198.18.${Math.floor(++lastPlace / 200)}.${(lastPlace % 200) + 1}`
const evilPassword = 'chosen by evil'
const ownPassword = 'chosen by the victim'
type Workspace = Awaited<ReturnType<typeof workspaceWithPasswords>>

const ownerOf = (at: Workspace) => ({
  workspaceId: at.idsOf('olivia').workspaceId,
  by: { id: at.idsOf('olivia').personId, role: 'owner' as const },
})
const inviteTo = (at: Workspace, email: string) =>
  invite(sql, { ...ownerOf(at), email, name: 'victim', displayName: 'Victim', role: 'admin', now: now() })
const joinWith = (code: string, newPassword: string, password = '') =>
  join(sql, { code, password, newPassword, address: address(), browser: stranger, now: now() })
/** At the pages of a workspace. */
const browse = (base: string, email: string, password: string) =>
  openBrowser(base, { email, password }, { 'x-forwarded-for': address() })
const enter = async (email: string, password: string) => (await browse(server.url, email, password)).login.status
const personIn = async (at: Workspace, email: string): Promise<Person | undefined> =>
  (await listPeople(sql, at.idsOf('olivia').workspaceId)).find((one) => one.email === email)

/** The attacker asks `victim@…` into a workspace of theirs, accepts themselves, and so has the account with a password of their own. */
async function squatted() {
  const [evil, acme] = [await workspaceWithPasswords(server), await workspaceWithPasswords(server)]
  const email = `victim@${acme.slug}.test`
  const session = await joinWith((await inviteTo(evil, email)).code, evilPassword)
  const person = await personIn(evil, email)
  if (!person) throw new Error('nobody joined')
  const key = await browse(evil.url, email, evilPassword).then((browser) =>
    browser.change('POST', '/auth/tokens', { name: 'evil', scope: 'write' }),
  )
  return { evil, acme, email, person, session, token: String(key.body.token) }
}
type Squatted = Awaited<ReturnType<typeof squatted>>

/** What the attacker holds opens nothing of the other workspace: session, password, key, links, device approval. */
async function expectShut({ evil, acme, email, person, session, token }: Squatted): Promise<void> {
  expect(await membershipsOf(sql, session)).not.toContainEqual(
    expect.objectContaining({ workspace: expect.objectContaining({ slug: acme.slug }) }),
  )
  const cookie = { cookie: `ph_session=${session.id}`, 'x-csrf-token': session.csrfToken }
  expect([401, 403]).toContain((await ask(acme.url, '/auth/tokens', { headers: cookie })).status)
  expect([401, 403]).toContain((await callAs(acme.url, token).get('/auth/me')).status)
  const browser = await browse(acme.url, email, evilPassword)
  if (browser.login.status === 200) expect((await browser.get('/auth/tokens')).status).toBe(403)
  const elsewhere = (await personIn(acme, email)) !== undefined
  const linking = { ...ownerOf(evil), personId: person.id, now: now() }
  if (elsewhere) await expect(makePasswordLink(sql, linking)).rejects.toMatchObject({ code: 'FORBIDDEN' })
}

test('an invitation to another workspace opens nothing to who made the account, signed in or not, before the victim accepts', async () => {
  const held = await squatted()
  await inviteTo(held.acme, held.email)
  await expectShut(held)
  expect((await findSession(sql, held.session.id, now()))?.email).toBe(held.email)
  expect(JSON.stringify((await callAs(held.acme.url, held.acme.keys.olivia).get('/members')).body)).not.toContain('Victim')
  expect(await personIn(held.acme, held.email)).toBeUndefined()
})

test('the victim, who does not know the password, asks the administrator of the server; from then on the attacker is out', async () => {
  const held = await squatted()
  const { code } = await inviteTo(held.acme, held.email)
  await expect(joinWith(code, ownPassword)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await expect(joinWith(code, ownPassword, 'a guess')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  const link = await makePasswordLink(sql, { ...ownerOf(held.evil), personId: held.person.id, now: now() })
  await setPassword(sql, held.person.accountId, 'given by the operator')
  const follow = followPasswordLink(sql, { code: link, password: evilPassword, browser: stranger, now: now() })
  await expect(follow).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await joinWith(code, ownPassword, 'given by the operator')
  await expectShut(held)
  expect([await enter(held.email, evilPassword), await enter(held.email, ownPassword)]).toEqual([401, 200])
})

test('joining with the password that the attacker knows, the victim chooses a new one: password, session and links of before open nothing', async () => {
  const held = await squatted()
  const link = await makePasswordLink(sql, { ...ownerOf(held.evil), personId: held.person.id, now: now() })
  const { code } = await inviteTo(held.acme, held.email)
  await expect(joinWith(code, evilPassword, evilPassword)).rejects.toMatchObject({ code: 'VALIDATION' })
  await joinWith(code, ownPassword, evilPassword)
  await expectShut(held)
  expect(await findSession(sql, held.session.id, now())).toBeUndefined()
  const follow = followPasswordLink(sql, { code: link, password: evilPassword, browser: stranger, now: now() })
  await expect(follow).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect([await enter(held.email, evilPassword), await enter(held.email, ownPassword)]).toEqual([401, 200])
  // The key of before goes on to work where it was made, and nowhere else.
  expect((await callAs(held.evil.url, held.token).get('/auth/me')).status).toBe(200)
})

/** The database, where something happens just before the nth transaction begins. */
function interrupted(nth: number, happens: () => Promise<unknown>): typeof sql {
  let begun = 0
  const enter: typeof sql.writers.enter = async (writer) => {
    if (++begun === nth) await happens()
    return sql.writers.enter(writer)
  }
  return instead(sql, { writers: instead(sql.writers, { enter }) })
}

/** The same thing but for some of its members. */
const instead = <T extends object>(whole: T, others: Partial<T>): T =>
  new Proxy(whole, {
    get(target, name) {
      const found = Reflect.get(name in others ? others : target, name)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })

test('who was about to change the password, to follow a link or to sign in when the victim joined comes too late', async () => {
  const attacks: Record<string, (held: Squatted, link: string, joining: () => Promise<unknown>) => Promise<unknown>> = {
    // The password was right, and is counted so; then it is changed.
    changing: ({ person: { accountId } }, _link, joining) =>
      changePassword(interrupted(3, joining), {
        accountId,
        password: evilPassword,
        newPassword: 'changed by evil',
        address: address(),
        browser: stranger,
        now: now(),
      }),
    following: (_held, code, joining) =>
      followPasswordLink(interrupted(1, joining), { code, password: 'changed by evil', browser: stranger, now: now() }),
    // It is counted, and the session begins while it is.
    'signing in': ({ email }, _link, joining) =>
      signIn(interrupted(2, joining), { email, password: evilPassword, address: address(), browser: stranger, now: now() }),
  }
  for (const [name, attack] of Object.entries(attacks)) {
    const held = await squatted()
    const { code } = await inviteTo(held.acme, held.email)
    const link = await makePasswordLink(sql, { ...ownerOf(held.evil), personId: held.person.id, now: now() })
    const attacked = attack(held, link, () => joinWith(code, ownPassword, evilPassword))
    await expect(attacked, name).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect([name, (await personIn(held.acme, held.email))?.role]).toEqual([name, 'admin'])
    const logins = [ownPassword, evilPassword, 'changed by evil']
    expect(await Promise.all(logins.map((password) => enter(held.email, password)))).toEqual([200, 401, 401])
  }
})

test('who changed the password just before the victim joins has kept them out, and is in nothing', async () => {
  const held = await squatted()
  const { code } = await inviteTo(held.acme, held.email)
  const { accountId } = held.person
  const common = { address: address(), browser: stranger, now: now() }
  const change = { ...common, accountId, password: evilPassword, newPassword: 'changed by evil' }
  const joining = { ...common, code, password: evilPassword, newPassword: ownPassword }
  const joined = join(
    interrupted(3, () => changePassword(sql, change)),
    joining,
  )
  await expect(joined).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await personIn(held.acme, held.email)).toBeUndefined()
  expect((await joinWith(code, ownPassword, 'changed by evil')).email).toBe(held.email)
})

test('an approval of a terminal in the workspace that is joined meanwhile is refused to a session of before', async () => {
  const held = await squatted()
  const started = await ask(held.acme.url, '/auth/device/code', {
    method: 'POST',
    body: { client_name: 'evil', scopes: 'write' },
    headers: { 'x-forwarded-for': address() },
  })
  const approval = { userCode: started.body.user_code, accountId: held.person.accountId, scope: 'write' as const, now: now() }
  const { workspaceId } = ownerOf(held.acme)
  await expect(approveSignIn(sql, { ...approval, workspaceId })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await joinWith((await inviteTo(held.acme, held.email)).code, ownPassword, evilPassword)
  // What a request finds that had looked at its session before, and looks at its workspaces now.
  expect(await membershipsOf(sql, held.session)).toEqual([])
})

test('asked into the attacker’s workspace, an honest account stays as it is, and the attacker learns only that it has a password', async () => {
  const [evil, acme] = [await workspaceWithPasswords(server), await workspaceWithPasswords(server)]
  const { email, password } = acme.credentialsOf('mia')
  const mia = await browse(acme.url, email, password)
  const { code } = await inviteTo(evil, email)
  for (const tried of ['', 'a guess'])
    await expect(joinWith(code, evilPassword, tried)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect((await mia.get('/auth/tokens')).status).toBe(200)
  expect([await enter(email, password), await enter(email, evilPassword)]).toEqual([200, 401])
  // Having joined, she is nobody to whom the attacker could give a password, and what she is elsewhere is not told.
  await joinWith(code, ownPassword, password)
  const person = await personIn(evil, email)
  await expect(makePasswordLink(sql, { ...ownerOf(evil), personId: person?.id ?? 0, now: now() })).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: 'Only the administrator of the server can give Victim a new password.',
  })
  expect(JSON.stringify((await callAs(evil.url, evil.keys.olivia).get('/members')).body)).not.toContain(acme.slug)
})

test('guesses at the current password by way of an invitation count as failed sign-ins', async () => {
  const [evil, acme] = [await workspaceWithPasswords(server), await workspaceWithPasswords(server)]
  const { email, password } = acme.credentialsOf('max')
  const { code } = await inviteTo(evil, email)
  for (let n = 0; n < 10; n++)
    await expect(joinWith(code, evilPassword, `guess ${n}`)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await expect(joinWith(code, evilPassword, password)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

test('the administrator of the server adds the account to another workspace: the password that the attacker chose ends', async () => {
  for (const laundered of [false, true]) {
    const held = await squatted()
    if (laundered) {
      // Through a second workspace of the attacker's, and through the page of the account: it stays a password that others may know.
      const second = await workspaceWithPasswords(server)
      await joinWith((await inviteTo(second, held.email)).code, 'laundered once', evilPassword)
      const change = { accountId: held.person.accountId, password: 'laundered once', newPassword: evilPassword }
      held.session = await changePassword(sql, { ...change, address: address(), browser: stranger, now: now() })
    }
    const { stdout, code } = await administered(server).administer(
      `user add ${held.email} --workspace ${held.acme.slug} --name v`,
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining('it opens nothing any more')])
    expect((await personIn(held.acme, held.email))?.role).toBe('member')
    await expectShut(held)
    expect(await enter(held.email, evilPassword)).toBe(401)
  }
})

test('a password that the administrator of the server gave stays when they add the account elsewhere', async () => {
  const [acme, beta] = [await workspaceWithPasswords(server), await workspaceWithPasswords(server)]
  const { email, password } = acme.credentialsOf('mia')
  const { workspaceId } = ownerOf(beta)
  const added = await addPerson(sql, { workspaceId, email, name: 'guest', displayName: 'Mia', role: 'member', now: now() })
  expect([added.isKnown, added.password, await enter(email, password)]).toEqual([true, 'kept', 200])
})

test('a provisioning file that names the squatted account ends its password, gives its own, and says so once', async () => {
  const [one, two] = [await squatted(), await squatted()]
  const member = (email: string, password?: string) => ({
    email,
    name: 'v',
    role: 'admin' as const,
    ...(password && { password }),
  })
  const file = {
    workspaces: [
      { slug: one.acme.slug, name: one.acme.slug, members: [member(one.email), member(two.email, ownPassword)] },
      { slug: two.acme.slug, name: two.acme.slug, members: [member(two.email, ownPassword)] },
    ],
  }
  const { changes, warnings } = await provision(server.database, file, now())
  const passwords = changes.flatMap(({ name, fields }) =>
    fields.filter(({ field }) => field === 'password').map(({ to }) => [name, to]),
  )
  expect(passwords).toEqual([
    [one.email, 'ended'],
    [two.email, 'set'],
    [two.email, 'set'],
  ])
  expect(warnings.filter((one) => one.includes('has ended'))).toHaveLength(1)
  for (const held of [one, two]) await expectShut(held)
  expect([
    await enter(one.email, evilPassword),
    await enter(two.email, evilPassword),
    await enter(two.email, ownPassword),
  ]).toEqual([401, 401, 200])
  const again = await provision(server.database, file, now())
  expect([again.changes.filter(({ does }) => does === 'created' || does === 'changed'), again.warnings]).toEqual([[], []])
})

test('disabled and enabled again in one workspace, the account is still none that an owner of the other may give a password', async () => {
  const held = await squatted()
  await joinWith((await inviteTo(held.acme, held.email)).code, ownPassword, evilPassword)
  const { id: personId } = (await personIn(held.acme, held.email)) as Person
  const change = { workspaceId: ownerOf(held.acme).workspaceId, by: 'owner' as const, personId }
  await changePerson(sql, { ...change, status: 'disabled' })
  await expectShut(held)
  await changePerson(sql, { ...change, status: 'active' })
  await expectShut(held)
})

test('roles, states, keys and invitations of another workspace are nobody’s to change', async () => {
  const held = await squatted()
  const { id } = await inviteTo(held.acme, held.email)
  const evil = ownerOf(held.evil)
  const { personId } = held.acme.idsOf('mia')
  for (const over of [{ role: 'owner' }, { status: 'disabled' }] as const)
    await expect(changePerson(sql, { workspaceId: evil.workspaceId, by: 'owner', personId, ...over })).rejects.toMatchObject({
      code: 'USER_NOT_FOUND',
    })
  await expect(renewInvitation(sql, { ...evil, invitationId: id, now: now() })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
  await expect(makePasswordLink(sql, { ...evil, personId, now: now() })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
  const setup = await ask(server.url, '/setup', {
    method: 'POST',
    body: {
      setup_code: 'x',
      workspace: { slug: 'mine', name: 'Mine' },
      owner: { email: held.email, name: 'x', display_name: 'X', password: evilPassword },
    },
  })
  expect([setup.status, setup.body.error.code]).toEqual([409, 'SETUP_ALREADY_DONE'])
})
