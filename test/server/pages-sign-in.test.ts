// Signing in and out on the pages: sessions, lockouts, and where one goes afterwards.
import { expect, test } from 'vitest'
import { workspaceWithPasswords } from '../support/browser.ts'
import { PageBrowser } from '../support/page-browser.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const acme = await workspaceWithPasswords(server)
const base = `/w/${acme.slug}`

/** What someone types to sign in. */
const typed = (name: string) => ({ ...acme.credentialsOf(name) })

const browser = () => new PageBrowser(server.url)
const signedIn = async (name: string, next = `${base}/`) => {
  const one = browser()
  const page = await one.send(await one.open(next), `${base}/sign-in`, typed(name))
  return { one, page }
}

test('who has not signed in is asked to, and then comes to where they wanted to go', async () => {
  const one = browser()
  const asked = await one.open(`${base}/members`)
  expect([asked.status, asked.title, asked.path]).toEqual([
    200,
    'Sign in · Prop House',
    `${base}/sign-in?next=${encodeURIComponent(`${base}/members`)}`,
  ])
  const page = await one.send(asked, `${base}/sign-in`, typed('mia'))
  expect([page.status, page.path, page.title]).toEqual([200, `${base}/members`, `Members · ${acme.slug} · Prop House`])
  expect((await one.open(`${base}/sign-in`)).path).toBe(`${base}/`)
})

test('at the bare address, who belongs elsewhere only comes to their own workspace', async () => {
  const one = browser()
  const page = await one.send(await one.open('/'), '/sign-in', typed('mia'))
  expect([page.status, page.path]).toEqual([200, `${base}/`])
  expect((await one.open('/keys')).path).toBe(`${base}/keys`)
})

test('every sign-in makes a new session: the one that the browser came with is of no use afterwards', async () => {
  const { one } = await signedIn('max')
  const before = one.cookies.get('ph_session') ?? ''
  const again = browser()
  const form = await again.open(`${base}/sign-in`)
  again.cookies.set('ph_session', before)
  // The form was made for a browser that had not signed in; it still is taken, and ends the session that was planted.
  await again.send(form, `${base}/sign-in`, typed('mia'))
  expect(again.cookies.get('ph_session')).not.toBe(before)
  expect((await one.open(`${base}/keys`)).title).toBe('Sign in · Prop House')
  const planted = browser()
  planted.cookies.set('ph_session', 'x'.repeat(43))
  await planted.send(await planted.open(`${base}/sign-in`), `${base}/sign-in`, typed('mia'))
  expect(planted.cookies.get('ph_session')).not.toBe('x'.repeat(43))
})

test('the cookies are for this server only: HttpOnly, SameSite=Lax, for all its pages', async () => {
  const one = browser()
  const form = await one.ask(`${base}/sign-in`)
  const token = /name="csrf_token" value="([^"]+)"/.exec(await form.text())?.[1] ?? ''
  const body = new URLSearchParams({ ...typed('mia'), csrf_token: token })
  const signIn = await one.ask(`${base}/sign-in`, { method: 'POST', body })
  const lines = [form, signIn].flatMap(({ headers }) => headers.getSetCookie())
  expect(lines.map((line) => line.split('=')[0])).toEqual(['ph_form', 'ph_session', 'ph_device', 'ph_form'])
  for (const line of lines) for (const rule of ['Path=/', 'HttpOnly', 'SameSite=Lax']) expect(line.split('; ')).toContain(rule)
})

test('a wrong password and an unknown e-mail are told alike; an empty field is named; the password never comes back', async () => {
  const one = browser()
  const form = await one.open(`${base}/sign-in`)
  const wrong = await one.send(form, `${base}/sign-in`, { email: acme.credentialsOf('adam').email, password: 'secret guess' })
  const unknown = await one.send(form, `${base}/sign-in`, { email: 'ghost@nowhere.test', password: 'secret guess' })
  for (const page of [wrong, unknown]) {
    expect([page.status, page.title]).toEqual([401, 'Not yet: Sign in · Prop House'])
    expect(page.text).toContain('The e-mail address or the password is not right.')
    expect(page.html).not.toContain('secret guess')
    expect(page.html.split('is not right.')).toHaveLength(2)
  }
  expect(wrong.forms[0]?.fields.email).toBe(acme.credentialsOf('adam').email)
  const empty = await one.send(form, `${base}/sign-in`)
  expect(empty.status).toBe(422)
  for (const sentence of ['Enter your e-mail address.', 'Enter your password.'])
    expect(empty.html.split(sentence)).toHaveLength(2)
  expect(empty.html).toMatch(/<input[^>]*id="email"[^>]*aria-invalid="true"[^>]*aria-describedby="email-wrong"/)
})

test('after ten failures the page says how long to wait, also to the one who knows the password; then it lets them in', async () => {
  const one = browser()
  const form = await one.open(`${base}/sign-in`)
  const { email, password } = acme.credentialsOf('olivia')
  for (let i = 0; i < 10; i++) await one.send(form, `${base}/sign-in`, { email, password: `guess ${i}` })
  const locked = await one.send(form, `${base}/sign-in`, { email, password })
  expect(locked.status).toBe(429)
  expect(locked.text).toMatch(/Too many attempts\. Try again in 10 minutes\./)
  expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(500)
  server.clock.advance(10 * 60_000 + 1_000)
  expect((await one.send(form, `${base}/sign-in`, { email, password })).status).toBe(200)
})

test.each([
  'https://evil.test/',
  '//evil.test/',
  '///evil.test',
  '/\\evil.test',
  '\\/evil.test',
  '/x/..//evil.test',
  '/./%2e%2e//evil.test',
  '/%09/evil.test',
  '/\t/evil.test',
  'javascript:alert(1)',
  '/api/v1/auth/tokens',
  '/w/first/api/v1/auth/me',
  '/sign-out',
  `/${'x'.repeat(3_000)}`,
  'keys',
])('after signing in nobody is sent to %s', async (next) => {
  const one = browser()
  const form = await one.open(`${base}/sign-in?next=${encodeURIComponent(next)}`)
  expect(form.forms[0]?.fields.next ?? '').toSatisfy((kept: string) => kept === '' || kept.startsWith('/%09/'))
  const token = form.forms[0]?.fields.csrf_token ?? ''
  const body = new URLSearchParams({ ...acme.credentialsOf('mia'), next, csrf_token: token })
  const answer = await one.ask(`${base}/sign-in`, { method: 'POST', body })
  const location = answer.headers.get('location') ?? ''
  expect(answer.status).toBe(303)
  expect(new URL(location, server.url).origin).toBe(server.url)
  expect(location).toMatch(/^\/(w\/[^/]+\/|%09\/evil\.test)$/)
})

test('signing out takes a form: a link signs nobody out; afterwards the session is nobody', async () => {
  const { one } = await signedIn('mia')
  const session = one.cookies.get('ph_session') ?? ''
  const asked = await one.open(`${base}/sign-out`)
  expect(asked.title).toMatch(/^Sign out/)
  expect((await one.open(`${base}/keys`)).title).toMatch(/^Keys/)
  const out = await one.send(asked, `${base}/sign-out`)
  expect(out.path).toBe(`${base}/sign-in`)
  expect(one.cookies.has('ph_session')).toBe(false)
  one.cookies.set('ph_session', session)
  expect((await one.open(`${base}/keys`)).title).toBe('Sign in · Prop House')
})

test('someone who is disabled is out at once', async () => {
  const { one } = await signedIn('max')
  const { workspaceId, personId } = acme.idsOf('max')
  await server.database.sql`update members set status = 'disabled' where workspace_id = ${workspaceId} and id = ${personId}`
  expect((await one.open(`${base}/keys`)).title).toBe('Sign in · Prop House')
})

test.each(['suspended', 'preparing', 'read_only'])(
  'in a workspace that is %s people still sign in, look and sign out',
  async (state) => {
    const other = await workspaceWithPasswords(server)
    await server.database.sql`update workspaces set state = ${state} where slug = ${other.slug}`
    const one = browser()
    const page = await one.send(await one.open(`/w/${other.slug}/`), `/w/${other.slug}/sign-in`, {
      ...other.credentialsOf('mia'),
    })
    expect([page.status, page.path]).toEqual([200, `/w/${other.slug}/`])
    expect((await one.open(`/w/${other.slug}/workspace`)).text).toMatch(/Status [⚠✕] /)
    expect((await one.send(await one.open(`/w/${other.slug}/sign-out`), `/w/${other.slug}/sign-out`)).status).toBe(200)
  },
)
