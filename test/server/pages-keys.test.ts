// The page of keys: what is listed, a new key shown once, revoking.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { workspaceWithPasswords } from '../support/browser.ts'
import { signedInBrowser } from '../support/page-browser.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const acme = await workspaceWithPasswords(server)
const base = `/w/${acme.slug}`

const signedIn = (name: string) => signedInBrowser(server.url, base, acme.credentialsOf(name))

test('a person sees their own keys by name and prefix, never whole ones and never those of others', async () => {
  const mia = await signedIn('mia')
  const page = await mia.open(`${base}/keys`)
  expect(page.text).toMatch(/mia-reads ph_live_\w{4}… read only/)
  expect(page.text).not.toContain('adam')
  for (const key of Object.values(acme.keys)) expect(page.html).not.toContain(key)
})

test('a key says when it was last used, and by which program', async () => {
  const { workspaceId, personId } = acme.idsOf('adam')
  const at = new Date(server.clock.now().getTime() - 2 * 3_600_000).toISOString()
  await server.database.sql`
    update api_keys set last_used_at = ${at}, last_client = 'blender-addon/2.1'
     where workspace_id = ${workspaceId} and member_id = ${personId}`
  const adam = await signedIn('adam')
  expect((await adam.open(`${base}/keys`)).text).toContain('2 hours ago by blender-addon/2.1')
})

test('a new key is shown once, works at once, and sending the form again makes no second one', async () => {
  const max = await signedIn('max')
  const form = await max.open(`${base}/keys/new`)
  const made = await max.send(form, `${base}/keys`, { name: 'build <b>machine</b>', scope: 'read' })
  const key = /ph_live_[0-9A-Za-z]{40}/.exec(made.html)?.[0] ?? ''
  expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect((await callAs(acme.url, key).get('/auth/me')).body).toMatchObject({ scope: 'read', name: 'build <b>machine</b>' })
  const again = await max.send(form, `${base}/keys`, { name: 'build <b>machine</b>', scope: 'read' })
  expect([again.status, again.html.includes(key), /ph_live_[0-9A-Za-z]{40}/.test(again.html)]).toEqual([422, false, false])
  expect(again.text).toContain('You have a key named “build <b>machine</b>” already')
  const list = await max.open(`${base}/keys`)
  expect([list.html.includes(key), list.text.split('build <b>machine</b>').length - 1]).toEqual([false, 2])
  expect(server.logLines.some((line) => line.includes(key))).toBe(false)
})

test('a key without a name, with one that is too long, or of no scope is not made', async () => {
  const max = await signedIn('max')
  const form = await max.open(`${base}/keys/new`)
  for (const [fields, named] of [
    [{ name: ' ', scope: 'read' }, 'name'],
    [{ name: 'x'.repeat(121), scope: 'read' }, 'name'],
    [{ name: 'x', scope: 'admin' }, 'scope'],
  ] as const) {
    const page = await max.send(form, `${base}/keys`, fields)
    expect([page.status, page.html.includes(`id="${named}-wrong"`), page.html.includes('class="secret"')]).toEqual([
      422,
      true,
      false,
    ])
  }
})

test('revoking asks first, and counts from the next request on', async () => {
  const max = await signedIn('max')
  expect((await callAs(acme.url, acme.keys.max).get('/auth/me')).status).toBe(200)
  const list = await max.open(`${base}/keys`)
  const href = /href="([^"]+\/revoke)">Revoke<span class="unseen"> max</.exec(list.html)?.[1] ?? ''
  const asked = await max.open(href)
  expect((await callAs(acme.url, acme.keys.max).get('/auth/me')).status).toBe(200)
  const done = await max.send(asked, href)
  expect([done.path, done.text.includes('The key is revoked')]).toEqual([`${base}/keys`, true])
  expect((await callAs(acme.url, acme.keys.max).get('/auth/me')).status).toBe(401)
  expect((await max.open(href)).status).toBe(404)
})

test.each(['read_only', 'suspended', 'preparing'] as const)('a key is revoked also while the workspace is %s', async (state) => {
  const other = await workspaceWithPasswords(server)
  const mia = await signedInBrowser(server.url, `/w/${other.slug}`, other.credentialsOf('mia'))
  await server.changeWorkspace(other.slug, { state })
  const list = await mia.open(`/w/${other.slug}/keys`)
  const href = /href="([^"]+\/revoke)">Revoke<span class="unseen"> mia</.exec(list.html)?.[1] ?? ''
  expect((await mia.send(await mia.open(href), href)).text).toContain('The key is revoked')
  expect((await callAs(other.url, other.keys.mia).get('/auth/me')).status).toBe(401)
})

test("nobody revokes or sees another person's key, an admin neither, nor one of another workspace", async () => {
  const other = await workspaceWithPasswords(server)
  const adam = await signedIn('adam')
  const rows = await server.database.sql<{ id: number }[]>`
    select k.id from api_keys k join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
     where (m.name = 'mia' and k.workspace_id = ${acme.idsOf('mia').workspaceId}) or k.workspace_id = ${other.idsOf('mia').workspaceId}`
  const token = (await adam.open(`${base}/keys/new`)).forms[0]?.fields.csrf_token ?? ''
  for (const { id } of rows) {
    expect((await adam.open(`${base}/keys/${id}/revoke`)).status).toBe(404)
    const body = new URLSearchParams({ csrf_token: token })
    expect((await adam.ask(`${base}/keys/${id}/revoke`, { method: 'POST', body })).status).toBe(404)
  }
  for (const key of [acme.keys.mia, acme.keys.miaReads]) expect((await callAs(acme.url, key).get('/auth/me')).status).toBe(200)
})
