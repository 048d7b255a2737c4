// Approving a terminal on the page /device: what is shown, what decides, and what is said afterwards.
import { expect, test } from 'vitest'
import { provision } from '../../server/provision/provision.ts'
import { ask, workspaceWithPasswords } from '../support/browser.ts'
import { PageBrowser, signedInBrowser } from '../support/page-browser.ts'
import { startTestServer, workspaceOf } from '../support/server.ts'

const server = await startTestServer()
const acme = await workspaceWithPasswords(server)
const base = `/w/${acme.slug}`

const signedIn = (name: string) => signedInBrowser(server.url, base, acme.credentialsOf(name))

async function started(client_name = 'ph on ada-laptop', scopes = 'write') {
  // Ten a network in ten minutes are let through; these tests ask more often.
  server.clock.advance(61_000)
  const { body } = await ask(acme.url, '/auth/device/code', { method: 'POST', body: { client_name, scopes } })
  return { userCode: String(body.user_code), deviceCode: String(body.device_code) }
}

const poll = (device_code: string) => ask(acme.url, '/auth/device/token', { method: 'POST', body: { device_code } })
const codePage = (code: string) => `${base}/device?code=${encodeURIComponent(code)}`

test('the page shows who asks, from where, since when, for what and where; looking decides nothing', async () => {
  const mia = await signedIn('mia')
  const { userCode, deviceCode } = await started('ph on <img src=x onerror=alert(1)>')
  const page = await mia.open(codePage(userCode))
  expect(page.status).toBe(200)
  for (const words of [userCode, 'ph on <img src=x onerror=alert(1)>', '127.0.0.1', 'just now', 'Read and write', acme.slug])
    expect(page.text).toContain(words)
  expect(page.html).not.toContain('<img')
  expect((await poll(deviceCode)).body.error.code).toBe('DEVICE_PENDING')
})

test('approving by the button gives the terminal its key; the page says what to do, and again when it is collected', async () => {
  const mia = await signedIn('mia')
  const { userCode, deviceCode } = await started()
  const done = await mia.send(await mia.open(codePage(userCode)), `${base}/device`, { button: 'Approve' })
  expect([done.status, done.path]).toEqual([200, codePage(userCode)])
  expect(done.text).toContain('Go back to the terminal')
  server.clock.advance(6_000)
  const { status, body } = await poll(deviceCode)
  expect([status, body.scope]).toEqual([200, 'write'])
  expect((await mia.open(codePage(userCode))).text).toContain('The terminal is signed in')
  const keys = await mia.open(`${base}/keys`)
  expect(keys.text).toContain('ph on ada-laptop')
})

test('denying is as easy, and final', async () => {
  const mia = await signedIn('mia')
  const max = await signedIn('max')
  const { userCode, deviceCode } = await started()
  const form = await mia.open(codePage(userCode))
  const lateForm = await max.open(codePage(userCode))
  expect((await mia.send(form, `${base}/device`, { button: 'Deny' })).text).toContain('was refused')
  const late = await max.send(lateForm, `${base}/device`, { button: 'Approve' })
  expect([late.status, late.text.includes('was refused')]).toEqual([200, true])
  expect((await poll(deviceCode)).body.error.code).toBe('DEVICE_DENIED')
})

test('a code that someone else approved is only called used', async () => {
  const [mia, max] = [await signedIn('mia'), await signedIn('max')]
  const { userCode } = await started('ph on the build machine')
  await mia.send(await mia.open(codePage(userCode)), `${base}/device`, { button: 'Approve' })
  const page = await max.open(codePage(userCode))
  expect(page.text).toContain('This code has been used')
  expect(page.text).not.toContain('mia')
})

test('a code is read without regard to case and dash; unknown and expired ones are explained', async () => {
  const mia = await signedIn('mia')
  const { userCode } = await started()
  const form = await mia.open(`${base}/device`)
  const found = await mia.send(form, `${base}/device`, { code: ` ${userCode.toLowerCase().replace('-', '')} ` })
  expect(found.text).toContain(userCode)
  const unknown = await mia.send(form, `${base}/device`, { code: 'BBBB-BBBB' })
  expect([unknown.status, unknown.text.includes('No sign-in waits under this code')]).toEqual([404, true])
  expect(unknown.forms[0]?.fields.code).toBe('BBBB-BBBB')
  server.clock.advance(901_000)
  expect((await mia.open(codePage(userCode))).text).toContain('This code has expired')
})

test('who guesses codes has to wait', async () => {
  const adam = await signedIn('adam')
  for (let i = 0; i < 10; i++) expect((await adam.open(codePage(`BBBB-BBB${'BCDFGHJKLM'[i]}`))).status).toBe(404)
  const { userCode } = await started()
  const locked = await adam.open(codePage(userCode))
  expect(locked.status).toBe(429)
  expect(locked.text).toMatch(/Try again in \d+ (minutes|seconds)/)
})

test('who has not signed in signs in first, and then sees the code they were sent for', async () => {
  const { userCode } = await started()
  const one = new PageBrowser(server.url)
  const asked = await one.open(codePage(userCode))
  expect(asked.title).toBe('Sign in · Prop House')
  expect(asked.text).toContain('which terminal asks')
  const page = await one.send(asked, `${base}/sign-in`, { ...acme.credentialsOf('mia') })
  expect([page.path, page.text.includes(userCode)]).toEqual([codePage(userCode), true])
})

test('an address by itself, a form without its token, and one that says more than was asked for approve nothing', async () => {
  const mia = await signedIn('mia')
  const { userCode, deviceCode } = await started('a reader', 'read')
  const decision = { code: userCode, decision: 'approve', scope: 'write', workspace: acme.slug }
  await mia.open(`${base}/device?${new URLSearchParams(decision)}`)
  const forged = await mia.ask(`${base}/device`, { method: 'POST', body: new URLSearchParams(decision) })
  expect(forged.status).toBe(403)
  const form = await mia.open(codePage(userCode))
  const undecided = await mia.ask(`${base}/device`, {
    method: 'POST',
    body: new URLSearchParams({ code: userCode, workspace: acme.slug, csrf_token: form.forms[0]?.fields.csrf_token ?? '' }),
  })
  expect([undecided.status, (await undecided.text()).includes('Nothing is decided yet')]).toEqual([422, true])
  const greedy = await mia.ask(`${base}/device`, {
    method: 'POST',
    body: new URLSearchParams({ ...decision, csrf_token: form.forms[0]?.fields.csrf_token ?? '' }),
  })
  expect(greedy.status).toBe(403)
  expect((await poll(deviceCode)).body.error.code).toBe('DEVICE_PENDING')
})

test('who belongs to several workspaces chooses one, the one that was asked for first; never one of others', async () => {
  const other = await workspaceWithPasswords(server)
  const second = workspaceOf(`second-${acme.slug}`).workspace
  const members = [{ email: acme.credentialsOf('mia').email, name: 'mia', role: 'member' as const }]
  await provision(server.database, { workspaces: [{ ...second, members, keys: [] }] }, server.clock.now())
  const mia = await signedIn('mia')
  const { userCode, deviceCode } = await started()
  const form = await mia.open(codePage(userCode))
  expect(form.forms[0]?.fields.workspace).toBe(acme.slug)
  const none = await mia.send(form, `${base}/device`, { workspace: other.slug, button: 'Approve' })
  expect([none.status, none.text.includes('Choose the workspace it may sign in to.')]).toEqual([422, true])
  await mia.send(none, `${base}/device`, { workspace: second.slug, button: 'Approve' })
  server.clock.advance(6_000)
  expect((await poll(deviceCode)).body.gateway_url).toContain(`/w/${second.slug}`)
})
