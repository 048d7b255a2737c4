// The page of members: who sees it, adding, roles, disabling, links to choose a password, one's own password.
import { expect, test } from 'vitest'
import { addPerson } from '../../server/accounts/people.ts'
import { callAs } from '../support/api.ts'
import { workspaceWithPasswords } from '../support/browser.ts'
import { formTo, type Page, PageBrowser, signedInBrowser } from '../support/page-browser.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const newWorkspace = () => workspaceWithPasswords(server)
type Workspace = Awaited<ReturnType<typeof newWorkspace>>

const signedIn = (at: Workspace, name: string) => signedInBrowser(server.url, `/w/${at.slug}`, at.credentialsOf(name))

const linkOn = (page: Page): string => /<code class="secret">[^<]*?(\/w\/[^<]+)</.exec(page.html)?.[1] ?? ''
const memberPage = (at: Workspace, name: string) => `/w/${at.slug}/members/${at.idsOf(name).personId}`

test('members see who belongs; only owners and admins see e-mail addresses and what changes people', async () => {
  const acme = await newWorkspace()
  const mia = await signedIn(acme, 'mia')
  const seen = await mia.open(`/w/${acme.slug}/members`)
  expect(seen.text).toMatch(/olivia @olivia Owner ✓ active/)
  expect(seen.text).toMatch(/mia \(you\)/)
  expect(seen.html).not.toContain(acme.credentialsOf('adam').email)
  expect(seen.html).not.toContain('/members/add')
  const adam = await signedIn(acme, 'adam')
  expect((await adam.open(`/w/${acme.slug}/members`)).text).toContain(acme.credentialsOf('mia').email)
})

test('who was added without a way to sign in is not called active', async () => {
  const acme = await newWorkspace()
  const { workspaceId } = acme.idsOf('adam')
  const now = server.clock.now()
  await addPerson(server.database.sql, {
    workspaceId,
    email: `nora@${acme.slug}.test`,
    name: 'nora',
    displayName: 'Nora',
    role: 'member',
    now,
  })
  const adam = await signedIn(acme, 'adam')
  expect((await adam.open(`/w/${acme.slug}/members`)).text).toMatch(/Nora @nora \S+ \S+ Member – no sign-in yet/)
})

const invitee = (at: Workspace) => ({
  display_name: 'Nick <i>New</i>',
  name: 'nick',
  email: `Nick@${at.slug}.test`,
  role: 'member',
})

test('someone new gets a link, shown once, with which they choose a password once and belong', async () => {
  const acme = await newWorkspace()
  const base = `/w/${acme.slug}`
  const adam = await signedIn(acme, 'adam')
  const form = await adam.open(`${base}/members/add`)
  const made = await adam.send(form, `${base}/members`, invitee(acme))
  const link = linkOn(made)
  expect([made.status, made.text.includes('Nick <i>New</i> is invited'), made.html.includes('<i>New')]).toEqual([
    200,
    true,
    false,
  ])
  expect((await adam.send(form, `${base}/members`, invitee(acme))).text).toContain('is invited already')
  expect((await adam.open(`${base}/members`)).text).toMatch(/Invited .*Nick <i>New<\/i> @nick .* by adam, ends \d{4}-/)
  const nick = new PageBrowser(server.url)
  const asked = await nick.open(link)
  expect([asked.title, asked.forms[0]?.fields.username]).toEqual([`Join ${acme.slug} · Prop House`, `nick@${acme.slug}.test`])
  const short = await nick.send(asked, `${base}/invitation`, { new_password: 'short', repeated: 'short' })
  expect([short.status, short.text.includes('Choose a password of 8 to 200 characters.')]).toEqual([422, true])
  const differ = await nick.send(asked, `${base}/invitation`, { new_password: 'correct horse', repeated: 'correct house' })
  expect([differ.status, differ.text.includes('The passwords differ.')]).toEqual([422, true])
  const chosen = { new_password: 'correct horse', repeated: 'correct horse' }
  const inside = await nick.send(asked, `${base}/invitation`, chosen)
  expect([inside.path, inside.text.includes('You belong to this workspace now.')]).toEqual([`${base}/`, true])
  const late = await new PageBrowser(server.url).open(link)
  expect([late.status, late.text.includes('This link no longer works')]).toEqual([404, true])
  expect((await adam.open(`${base}/members`)).text).not.toContain('Invited')
})

test('who is invited gets a new link or none any more; members do not see them, admins do not touch those who are to be owners', async () => {
  const acme = await newWorkspace()
  const base = `/w/${acme.slug}`
  const [olivia, adam, mia] = await Promise.all(['olivia', 'adam', 'mia'].map((name) => signedIn(acme, name)))
  if (!olivia || !adam || !mia) throw new Error('someone is not in')
  const form = await olivia.open(`${base}/members/add`)
  const first = linkOn(await olivia.send(form, `${base}/members`, { ...invitee(acme), role: 'owner' }))
  const list = await olivia.open(`${base}/members`)
  const at = /href="([^"]+\/invitations\/\d+)"/.exec(list.html)?.[1] ?? ''
  expect((await mia.open(`${base}/members`)).text).not.toContain('Nick')
  expect((await mia.open(at)).status).toBe(403)
  const page = await olivia.open(at)
  const looked = await adam.open(at)
  expect([looked.text.includes('Only an owner may invite owners.'), looked.forms]).toEqual([true, []])
  for (const act of ['link', 'withdraw']) {
    const { csrf_token = '' } = formTo(await adam.open(`${base}/members/add`), `${base}/members`).fields
    const answer = await adam.ask(`${at}/${act}`, { method: 'POST', body: new URLSearchParams({ csrf_token }) })
    expect([act, answer.status]).toEqual([act, 403])
    const forged = await olivia.ask(`${at}/${act}`, { method: 'POST', body: new URLSearchParams({ csrf_token: 'x' }) })
    expect([act, forged.status]).toEqual([act, 403])
  }
  const second = linkOn(await olivia.send(page, `${at}/link`))
  const nick = new PageBrowser(server.url)
  expect([(await nick.open(first)).status, (await nick.open(second)).status]).toEqual([404, 200])
  const back = await olivia.send(page, `${at}/withdraw`)
  expect([back.path, back.text.includes('Withdrawn: the link no longer works.')]).toEqual([`${base}/members`, true])
  expect((await nick.open(second)).status).toBe(404)
  expect((await olivia.send(page, `${at}/withdraw`)).status).toBe(404)
})

test('a link ends after seven days, and when a newer one is made', async () => {
  const acme = await newWorkspace()
  const olivia = await signedIn(acme, 'olivia')
  const page = await olivia.open(memberPage(acme, 'mia'))
  const links = []
  for (let i = 0; i < 2; i++) links.push(linkOn(await olivia.send(page, `${memberPage(acme, 'mia')}/link`)))
  const anybody = new PageBrowser(server.url)
  expect((await anybody.open(links[0] ?? '')).status).toBe(404)
  expect((await anybody.open(links[1] ?? '')).status).toBe(200)
  server.clock.advance(7 * 86_400_000 + 1_000)
  expect((await anybody.open(links[1] ?? '')).status).toBe(404)
})

test('who has an account joins with its password and a new one; asking them says the same as asking anybody', async () => {
  const [acme, other] = [await newWorkspace(), await newWorkspace()]
  const base = `/w/${acme.slug}`
  const olivia = await signedIn(acme, 'olivia')
  const form = await olivia.open(`${base}/members/add`)
  const { email, password } = other.credentialsOf('max')
  const fields = { display_name: 'Max Other', name: 'max-other', email, role: 'admin' }
  const asked = await olivia.send(form, `${base}/members`, fields)
  const fresh = await olivia.send(form, `${base}/members`, { ...fields, email: 'new@new.test', name: 'new' })
  const plain = (page: Page) => page.html.replaceAll(/code=[\w-]+/g, 'code')
  expect([asked.status, plain(asked)]).toEqual([fresh.status, plain(fresh)])
  const before = await signedIn(other, 'max')
  const max = new PageBrowser(server.url)
  const page = await max.open(linkOn(asked))
  expect(page.text).toContain('has an account on this server already')
  const words = { new_password: 'another horse', repeated: 'another horse' }
  const wrong = await max.send(page, `${base}/invitation`, { ...words, password: 'not mine' })
  expect([wrong.status, wrong.text.includes('The current password is not right.')]).toEqual([401, true])
  const none = await max.send(page, `${base}/invitation`, words)
  expect([none.status, none.text.includes('Enter your current password.')]).toEqual([422, true])
  const same = await max.send(page, `${base}/invitation`, { password, new_password: password, repeated: password })
  expect([same.status, same.text.includes('Choose a new password: others may know the present one')]).toEqual([422, true])
  expect((await before.open(`${base}/`)).text).toContain('You do not belong')
  const inside = await max.send(page, `${base}/invitation`, { ...words, password })
  expect([inside.path, inside.text.includes('You belong to this workspace now.')]).toEqual([`${base}/`, true])
  expect((await before.open(`/w/${other.slug}/`)).title).toBe('Sign in · Prop House')
  expect((await max.open(`/w/${other.slug}/`)).status).toBe(200)
  const row = (await olivia.open(`${base}/members`)).html
  const href = /href="([^"]+)">Change<span class="unseen"> Max Other</.exec(row)?.[1] ?? ''
  const member = await olivia.open(href)
  expect([
    member.text.includes('Only the administrator of the server can give Max Other a new password.'),
    member.text.includes('workspaces'),
  ]).toEqual([true, false])
  const body = new URLSearchParams({ csrf_token: formTo(member, `${href}/role`).fields.csrf_token ?? '' })
  expect((await olivia.ask(`${href}/link`, { method: 'POST', body })).status).toBe(403)
})

test('roles and disabling count from the next request on, also for keys', async () => {
  const acme = await newWorkspace()
  const olivia = await signedIn(acme, 'olivia')
  const mia = await signedIn(acme, 'mia')
  const at = memberPage(acme, 'mia')
  const page = await olivia.open(at)
  expect((await callAs(acme.url, acme.keys.mia).get('/admin/denylist')).status).toBe(403)
  const promoted = await olivia.send(page, `${at}/role`, { role: 'admin' })
  expect([promoted.path, promoted.text.includes('The role is saved')]).toEqual([at, true])
  expect((await callAs(acme.url, acme.keys.mia).get('/admin/denylist')).status).toBe(200)
  const disabled = await olivia.send(promoted, `${at}/status`)
  expect(disabled.text).toContain('– disabled')
  expect((await callAs(acme.url, acme.keys.mia).get('/auth/me')).status).toBe(401)
  expect((await mia.open(`/w/${acme.slug}/keys`)).title).toBe('Sign in · Prop House')
  const csrf_token = formTo(disabled, `${at}/status`).fields.csrf_token ?? ''
  const wordless = await olivia.ask(`${at}/status`, { method: 'POST', body: new URLSearchParams({ csrf_token }) })
  expect([wordless.status, (await wordless.text()).includes('did not say what to do')]).toEqual([422, true])
  expect((await callAs(acme.url, acme.keys.mia).get('/auth/me')).status).toBe(401)
  await olivia.send(disabled, `${at}/status`)
  expect((await callAs(acme.url, acme.keys.mia).get('/auth/me')).status).toBe(200)
})

test('the last owner stays one; admins neither make nor change owners', async () => {
  const acme = await newWorkspace()
  const olivia = await signedIn(acme, 'olivia')
  const adam = await signedIn(acme, 'adam')
  const at = memberPage(acme, 'olivia')
  const page = await olivia.open(at)
  for (const [action, fields] of [
    [`${at}/role`, { role: 'member' }],
    [`${at}/status`, {}],
  ] as const) {
    const kept = await olivia.send(page, action, fields)
    expect([kept.status, kept.text.includes('is the last owner')]).toEqual([409, true])
  }
  expect((await adam.open(at)).text).toContain('Only an owner may change an owner.')
  const mias = memberPage(acme, 'mia')
  const form = await adam.open(mias)
  expect(form.html).not.toContain('value="owner"')
  const csrf_token = formTo(form, `${mias}/role`).fields.csrf_token ?? ''
  for (const [path, fields] of [
    [`${mias}/role`, { role: 'owner' }],
    [`${at}/role`, { role: 'member' }],
    [`${at}/status`, { status: 'disabled' }],
    [`${at}/link`, {}],
  ] as const) {
    const answer = await adam.ask(path, { method: 'POST', body: new URLSearchParams({ ...fields, csrf_token }) })
    expect([path, answer.status]).toEqual([path, 403])
  }
})

test('someone who is not right in the form is not added, and everything wrong is named', async () => {
  const acme = await newWorkspace()
  const base = `/w/${acme.slug}`
  const adam = await signedIn(acme, 'adam')
  const form = await adam.open(`${base}/members/add`)
  const wrong = await adam.send(form, `${base}/members`, { display_name: '', name: 'two words', email: 'nobody', role: 'owner' })
  for (const name of ['display_name', 'name', 'email']) expect(wrong.html).toContain(`id="${name}-wrong"`)
  const own = { display_name: 'X', name: 'x', email: `x@${acme.slug}.test` }
  const owner = await adam.send(form, `${base}/members`, { ...own, role: 'owner' })
  expect([owner.status, owner.text.includes('Only an owner may make or change owners.')]).toEqual([403, true])
  for (const [field, typed] of [
    ['name', { ...own, name: 'MIA' }],
    ['email', { ...own, email: acme.credentialsOf('mia').email.toUpperCase() }],
  ] as const) {
    const taken = await adam.send(form, `${base}/members`, { ...typed, role: 'member' })
    expect([field, taken.status, taken.html.includes(`id="${field}-wrong"`)]).toEqual([field, 409, true])
  }
})

test('one changes the own password knowing the present one; every other browser is out, this one stays', async () => {
  const acme = await newWorkspace()
  const here = await signedIn(acme, 'mia')
  const elsewhere = await signedIn(acme, 'mia')
  const form = await here.open(`/w/${acme.slug}/account`)
  const before = here.cookies.get('ph_session')
  const fields = { password: 'correct horse mia', new_password: 'another horse', repeated: 'another horse' }
  const wrong = await here.send(form, `/w/${acme.slug}/account`, { ...fields, password: 'not mine' })
  expect([wrong.status, wrong.text.includes('The current password is not right.')]).toEqual([401, true])
  const done = await here.send(form, `/w/${acme.slug}/account`, fields)
  expect([done.status, done.text.includes('Your password is changed.')]).toEqual([200, true])
  expect(here.cookies.get('ph_session')).not.toBe(before)
  expect((await elsewhere.open(`/w/${acme.slug}/account`)).title).toBe('Sign in · Prop House')
  const again = new PageBrowser(server.url)
  const signIn = await again.open(`/w/${acme.slug}/sign-in`)
  const { email } = acme.credentialsOf('mia')
  expect((await again.send(signIn, `/w/${acme.slug}/sign-in`, { email, password: 'correct horse mia' })).status).toBe(401)
  expect((await again.send(signIn, `/w/${acme.slug}/sign-in`, { email, password: 'another horse' })).status).toBe(200)
})
