// What every page keeps to: headers, forged forms, other people's pages and workspaces, hostile texts, failures as pages.
import { expect, test } from 'vitest'
import { pageAddresses } from '../../server/dashboard/site.ts'
import { provision } from '../../server/provision/provision.ts'
import { callAs } from '../support/api.ts'
import { ask, workspaceWithPasswords } from '../support/browser.ts'
import { PageBrowser, signedInBrowser } from '../support/page-browser.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const acme = await workspaceWithPasswords(server)
const other = await workspaceWithPasswords(server)
const base = `/w/${acme.slug}`

const signedIn = (name: string) => signedInBrowser(server.url, base, acme.credentialsOf(name))

const addresses = pageAddresses.map(({ address, rank }) => {
  const [method = '', path = ''] = address.replace(':id', String(acme.idsOf('max').personId)).split(' ')
  return { address, rank, method, path: base + path }
})
const pages = addresses.filter(({ method }) => method === 'GET')
const forms = addresses.filter(({ method }) => method === 'POST')

const policy =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

test('every page, redirect and failure says what browsers may do with it, and holds no script, style or address of others', async () => {
  const olivia = await signedIn('olivia')
  for (const who of [olivia, new PageBrowser(server.url)])
    for (const { path } of [...pages, { path: '/nothing-here' }, { path: '/w/nobody/keys' }]) {
      const { headers, status, ...answer } = await who
        .ask(path)
        .then(async (one) => ({ headers: one.headers, status: one.status, html: await one.text() }))
      expect([path, headers.get('content-security-policy')]).toEqual([path, policy])
      expect([path, headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual([path, 'nosniff', 'no-store'])
      expect([path, headers.get('referrer-policy'), headers.get('cross-origin-opener-policy')]).toEqual([
        path,
        'same-origin',
        'same-origin',
      ])
      if (status === 303) continue
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.html).toMatch(/^<!doctype html><html lang="en">/)
      expect(answer.html).not.toMatch(/<script|<style|\sstyle=|\son\w+=|https?:\/\/(?!127\.0\.0\.1|www\.w3\.org\/2000\/svg)/)
      expect(answer.html.match(/<h1\b/g)).toHaveLength(1)
    }
})

test('the heading font is ours, and its address in the stylesheet changes with it', async () => {
  const one = new PageBrowser(server.url)
  const css = await (await one.ask('/pages.css')).text()
  const fonts = [...css.matchAll(/url\("([^"]+)"\)/g)].map(([, address = '']) => address)
  expect(fonts).toHaveLength(2)
  for (const address of fonts) {
    expect(address).toMatch(/^fonts\/[\w-]+\.woff2\?[0-9a-f]{12}$/)
    const answer = await one.ask(`/${address}`)
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'font/woff2',
      'public, max-age=31536000, immutable',
    ])
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe('wOF2')
  }
})

test('stylesheet and mark are ours and typed; what may be kept for good has an address that changes with it', async () => {
  const one = new PageBrowser(server.url)
  const { html } = await one.open(`${base}/sign-in`)
  for (const [pattern, type, kept] of [
    [/<link rel="stylesheet" href="([^"]+\?[0-9a-f]{12})"/, 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    [/<link rel="icon"[^>]* href="([^"]+)"/, 'image/svg+xml', 'public, max-age=86400'],
  ] as const) {
    const answer = await one.ask(pattern.exec(html)?.[1] ?? '/missing')
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual([
      200,
      type,
      'nosniff',
    ])
    expect(answer.headers.get('cache-control')).toBe(kept)
  }
})

test('no form is taken without its token, with a wrong one, with one of another session, or from another site', async () => {
  const [olivia, adam] = [await signedIn('olivia'), await signedIn('adam')]
  const tokenOf = async (who: PageBrowser) => (await who.open(`${base}/keys/new`)).forms[0]?.fields.csrf_token ?? ''
  const [own, foreign] = [await tokenOf(olivia), await tokenOf(adam)]
  for (const { path } of forms) {
    const send = (csrf_token: string | undefined, headers: Record<string, string> = {}) =>
      olivia.ask(path, { method: 'POST', headers, body: new URLSearchParams(csrf_token === undefined ? {} : { csrf_token }) })
    for (const [answer, why] of [
      [await send(undefined), 'none'],
      [await send(''), 'empty'],
      [await send('x'.repeat(own.length)), 'wrong'],
      [await send(foreign), 'of another session'],
      [await send(own, { origin: 'https://evil.test' }), 'from elsewhere'],
      [await send(own, { origin: 'null' }), 'from nowhere'],
    ] as const)
      expect([path, why, answer.status]).toEqual([path, why, 403])
  }
  expect((await olivia.open(`${base}/keys`)).title).toMatch(/^Keys/)
  expect((await olivia.open(`${base}/members`)).text.match(/✓ active/g)).toHaveLength(4)
})

test('before there is a session a form needs the secret of its own browser', async () => {
  const [one, two] = [new PageBrowser(server.url), new PageBrowser(server.url)]
  const token = (await one.open(`${base}/sign-in`)).forms[0]?.fields.csrf_token ?? ''
  await two.open(`${base}/sign-in`)
  const body = () => new URLSearchParams({ ...acme.credentialsOf('mia'), csrf_token: token })
  const bare = new PageBrowser(server.url)
  for (const who of [two, bare]) {
    expect((await who.ask(`${base}/sign-in`, { method: 'POST', body: body() })).status).toBe(403)
    expect(who.cookies.has('ph_session')).toBe(false)
  }
  expect((await one.ask(`${base}/sign-in`, { method: 'POST', body: body() })).status).toBe(303)
})

test('the secret of a browser from before its session opens no form behind the door', async () => {
  const mia = await signedIn('mia')
  const stranger = new PageBrowser(server.url)
  const token = (await stranger.open(`${base}/sign-in`)).forms[0]?.fields.csrf_token ?? ''
  mia.cookies.set('ph_form', stranger.cookies.get('ph_form') ?? '')
  const body = new URLSearchParams({ csrf_token: token, name: 'planted', scope: 'write' })
  expect((await mia.ask(`${base}/keys`, { method: 'POST', body })).status).toBe(403)
})

test('without a session every page but those before the door asks to sign in, and every form does nothing', async () => {
  for (const { path, rank } of addresses.filter((one) => one.rank !== 'anybody')) {
    const one = new PageBrowser(server.url)
    const method = forms.some((form) => form.path === path) ? 'POST' : 'GET'
    const answer = await one.ask(path, { method, ...(method === 'POST' ? { body: new URLSearchParams({ name: 'x' }) } : {}) })
    expect([path, rank, answer.status]).toEqual([path, rank, 303])
    expect(answer.headers.get('location')).toMatch(/\/sign-in/)
  }
})

test('a member is refused on every page for owners and admins', async () => {
  const mia = await signedIn('mia')
  const csrf_token = (await mia.open(`${base}/keys/new`)).forms[0]?.fields.csrf_token ?? ''
  const guarded = addresses.filter(({ rank }) => rank === 'admin')
  expect(guarded.length).toBeGreaterThan(4)
  for (const { method, path } of guarded) {
    const form = { display_name: 'X', name: 'x', email: 'x@x.test', role: 'admin', status: 'disabled', csrf_token }
    const answer = await mia.ask(path, { method, ...(method === 'POST' ? { body: new URLSearchParams(form) } : {}) })
    expect([path, answer.status]).toEqual([path, 403])
    expect(await answer.text()).toContain('Only an owner or admin')
  }
  expect((await mia.open(`${base}/members`)).text.match(/✓ active/g)).toHaveLength(4)
})

test('who belongs elsewhere sees nothing of a workspace, and an unknown one is not there', async () => {
  const mia = await signedIn('mia')
  for (const { rank, path } of pages.filter((one) => one.rank === 'member' || one.rank === 'admin')) {
    const answer = await mia.open(path.replace(base, `/w/${other.slug}`))
    expect([path, rank, answer.status]).toEqual([path, rank, 403])
    expect(answer.text).not.toContain('olivia')
    expect((await mia.open(path.replace(base, '/w/nobody'))).status).toBe(404)
  }
})

test('an unknown address is a page for a browser and JSON for a program; addresses of the API are always JSON', async () => {
  const one = new PageBrowser(server.url)
  const page = await one.open('/nothing-here')
  expect([page.status, page.title]).toEqual([404, 'Page not found · Prop House'])
  const program = await one.ask('/nothing-here', { headers: { accept: '*/*' } })
  expect([program.status, program.headers.get('content-type')]).toEqual([404, 'application/json'])
  const api = await one.ask('/api/v1/nothing-here')
  expect([api.status, api.headers.get('content-type')]).toEqual([401, 'application/json'])
})

test('a form that is too long, or no form, is a page that says so', async () => {
  const mia = await signedIn('mia')
  const long = await mia.ask(`${base}/keys`, { method: 'POST', body: new URLSearchParams({ name: 'x'.repeat(40_000) }) })
  expect([long.status, (await long.text()).includes('<h1>')]).toEqual([422, true])
  const json = await fetch(`${server.url}${base}/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect([json.status, (await json.text()).includes('<h1>')]).toEqual([422, true])
})

test('whatever people and programs call themselves and their things is shown as text', async () => {
  const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;{{7*7}}`
  const slug = `evil-${acme.slug}`
  const member = {
    email: `eve@${slug}.test`,
    name: 'eve',
    display_name: evil,
    role: 'owner' as const,
    password: 'correct horse eve',
  }
  await provision(server.database, { workspaces: [{ slug, name: evil, members: [member] }] }, server.clock.now())
  const eve = new PageBrowser(server.url)
  await eve.send(await eve.open(`/w/${slug}/sign-in`), `/w/${slug}/sign-in`, { email: member.email, password: member.password })
  const made = await eve.send(await eve.open(`/w/${slug}/keys/new`), `/w/${slug}/keys`, { name: evil, scope: 'write' })
  const key = /ph_live_\w{40}/.exec(made.html)?.[0] ?? ''
  await pushed(callAs(`${server.url}/w/${slug}`, key), [item({ asset_name: 'SM_x', entry: { entry_type: 'mesh', name: evil } })])
  const { body } = await ask(`${server.url}/w/${slug}`, '/auth/device/code', {
    method: 'POST',
    body: { client_name: evil.slice(0, 80), scopes: 'read' },
  })
  const keyHref = /href="([^"]+\/revoke)"/.exec((await eve.open(`/w/${slug}/keys`)).html)?.[1] ?? ''
  const memberHref = /href="([^"]+\/members\/\d+)"/.exec((await eve.open(`/w/${slug}/members`)).html)?.[1] ?? ''
  const paths = [
    '/',
    '/keys',
    '/members',
    '/workspace',
    '/account',
    `/device?code=${body.user_code}`,
    `/device?code=${encodeURIComponent(evil)}`,
  ]
  for (const path of [...paths.map((one) => `/w/${slug}${one}`), keyHref, memberHref, `/w/${slug}/sign-out`]) {
    const page = await eve.open(path)
    expect([path, page.html.includes('<script'), page.html.includes('<img'), /="[^"]*"><(script|img)/.test(page.html)]).toEqual([
      path,
      false,
      false,
      false,
    ])
    expect([path, page.html.includes('&lt;script&gt;')]).toEqual([path, true])
  }
})
