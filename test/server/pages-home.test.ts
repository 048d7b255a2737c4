// The overview: which first steps a person has taken, and what waits for projects.
import { expect, test } from 'vitest'
import { approveSignIn } from '../../server/accounts/device-approval.ts'
import { migrate } from '../../server/database/migrate.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { ask, workspaceWithPasswords } from '../support/browser.ts'
import { signedInBrowser } from '../support/page-browser.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

test('pull jobs that wait show by project, with who sent them, until someone has them; a claim that ran out waits again', async () => {
  const acme = await workspaceWithPasswords(server)
  const [mia, max] = [callAs(acme.url, acme.keys.mia), callAs(acme.url, acme.keys.max)]
  const [{ entry_id } = {}] = await pushed(mia, [item()])
  const browser = await signedInBrowser(server.url, `/w/${acme.slug}`, acme.credentialsOf('olivia'))
  const overview = async () => (await browser.open(`/w/${acme.slug}/`)).text
  expect(await overview()).not.toContain('Waiting')
  const send = async (who: typeof mia, target_project: string, delivery = 'manual') =>
    (await who.post('/pull-jobs', { target_project, delivery, entries: [{ entry_id }] })).body
  const job = await send(mia, 'Tavern')
  await send(max, 'Tavern')
  await send(max, 'Inn <b>$(x)</b>')
  await send(max, 'Harbor', 'agent')
  expect(await overview()).toMatch(/Tavern 2 props in 2 jobs, \d+ bytes .* by max, mia ph pull --project Tavern/)
  expect(await overview()).toMatch(/Inn <b>\$\(x\)<\/b> 1 prop in 1 job, .* by max ph pull (?!--project)/)
  expect(await overview()).toMatch(/Harbor 1 prop .* the desktop agent/)
  await max.post(`/pull-jobs/${job.id}/claim`, { project_key: 'Tavern' })
  expect(await overview()).toMatch(/Tavern 1 prop in 1 job/)
  server.clock.advance(61 * 60_000)
  expect(await overview()).toMatch(/Tavern 2 props in 2 jobs/)
  for (let at = 0; at < 4; at++) await send(mia, `Other${at}`)
  expect(await overview()).toContain('ph jobs list --status queued')
})

const [signIn, push, pull] = ['Sign in from a terminal', 'Push a Content folder', 'Pull a prop into a project']

/** A workspace, and which steps its overview ticks for someone, by their headings. */
async function workspaceWithSteps() {
  const { slug, credentialsOf, ...acme } = await workspaceWithPasswords(server)
  async function ticksOf(name: string, at = slug): Promise<string[]> {
    const { html } = await (await signedInBrowser(server.url, `/w/${at}`, credentialsOf(name))).open(`/w/${at}/`)
    const steps = [...html.matchAll(/<li(?: class="(\w+)")?><h3>([^<]*)/g)]
    expect(steps.map(([, , step]) => step)).toEqual([signIn, push, pull])
    return steps.flatMap(([, look, step = '']) => (look === 'done' ? [step] : []))
  }
  return { ...acme, slug, ticksOf, emailOf: (name: string) => credentialsOf(name).email }
}

/** Claims the job, and ends it as one that brought everything. */
async function pullWith(caller: Caller, job: Json, until: 'running' | 'done'): Promise<void> {
  const { claim_token } = (await caller.post(`/pull-jobs/${job.id}/claim`, { project_key: job.target_project })).body
  expect((await caller.patch(`/pull-jobs/${job.id}`, { status: 'running', claim_token })).status).toBe(200)
  if (until === 'running') return
  const { objects } = (await caller.get(`/pull-jobs/${job.id}/closure`)).body
  const skipped_identical = objects.map(({ content_hash, lineage_id, asset_name }: Json) => {
    return { content_hash, lineage_id, asset_name, destination: `${asset_name}.uasset` }
  })
  const report_json = { added: [], skipped_identical, conflicts: [], failed: [] }
  const done = await caller.patch(`/pull-jobs/${job.id}`, { status: 'done', claim_token, report_json })
  expect(done.status, JSON.stringify(done.body)).toBe(200)
}

test('signing in is done as soon as a key of the person is used, and stays done when the key is revoked', async () => {
  const { slug, url, keys, idsOf, ticksOf } = await workspaceWithSteps()
  expect(await ticksOf('max')).toEqual([])
  await callAs(url, keys.max).get('/auth/me')
  expect([await ticksOf('mia'), await ticksOf('max')]).toEqual([[], [signIn]])
  const { workspaceId, personId } = idsOf('max')
  await server.database.sql`
    update api_keys set revoked_at = last_used_at where workspace_id = ${workspaceId} and member_id = ${personId}`
  expect(await ticksOf('max')).toEqual([signIn])
  // A server that runs remembers keys.
  await server.restart()
  expect((await callAs(`${server.url}/w/${slug}`, keys.max).get('/auth/me')).status).toBe(401)
})

test('signing in by a code is done as soon as its key is collected, for the person who approved it', async () => {
  const { url, idsOf, ticksOf } = await workspaceWithSteps()
  const { workspaceId, accountId } = idsOf('mia')
  const post = (path: string, body: Json) => ask(url, path, { method: 'POST', body })
  const asked = await post('/auth/device/code', { client_name: 'ph on builder', scopes: 'write' })
  const { user_code: userCode, device_code } = asked.body
  const { sql } = server.database
  await approveSignIn(sql, { userCode, accountId, workspaceId, scope: 'write', now: server.clock.now() })
  expect(await ticksOf('mia')).toEqual([])
  expect((await post('/auth/device/token', { device_code })).status).toBe(200)
  expect([await ticksOf('mia'), await ticksOf('max')]).toEqual([[signIn], []])
})

test('pushing is done with the first push, new versions and known files alike, and stays done when nothing of it is left', async () => {
  const { url, keys, slug, ticksOf, emailOf } = await workspaceWithSteps()
  const also = await server.addWorkspace({
    members: [{ email: emailOf('max'), name: 'max', display_name: 'Max', role: 'owner' }],
    keys: [],
  })
  const [mia, max, adam] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam)]
  const file = item()
  const [{ entry_id, lineage_id } = {}] = await pushed(mia, [file])
  expect([await ticksOf('mia'), await ticksOf('max'), await ticksOf('adam')]).toEqual([[signIn, push], [], []])
  await pushed(max, [item({ attach_to_lineage: lineage_id, asset_name: file.asset_name })])
  await pushed(adam, [file])
  expect([await ticksOf('max'), await ticksOf('adam'), await ticksOf('olivia')]).toEqual([[signIn, push], [signIn, push], []])
  expect(await ticksOf('max', also.slug)).toEqual([])
  const { sql } = server.database
  expect((await adam.del(`/entries/${entry_id}`)).status).toBe(204)
  await sql`delete from activity where workspace_id = (select id from workspaces where slug = ${slug})`
  expect([await ticksOf('mia'), await ticksOf('max')]).toEqual([
    [signIn, push],
    [signIn, push],
  ])
})

test('pulling is done when a pull of the person is, or a download; to order, to claim and to plan is not enough', async () => {
  const { url, keys, ticksOf } = await workspaceWithSteps()
  const [mia, max, adam] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam)]
  const [{ entry_id } = {}] = await pushed(callAs(url, keys.olivia), [item()])
  const order = { target_project: 'Tavern', entries: [{ entry_id }] }
  await mia.post('/pull-jobs/plan', order)
  const jobs = [await mia.post('/pull-jobs', order), await mia.post('/pull-jobs', order)].map(({ body }) => body)
  await pullWith(max, jobs[0], 'running')
  expect([await ticksOf('mia'), await ticksOf('max')]).toEqual([[signIn], [signIn]])
  await pullWith(max, jobs[1], 'done')
  expect([await ticksOf('mia'), await ticksOf('max'), await ticksOf('adam')]).toEqual([[signIn], [signIn, pull], []])
  expect((await adam.get(`/entries/${entry_id}/download`)).status).toBe(302)
  expect([await ticksOf('mia'), await ticksOf('adam')]).toEqual([[signIn], [signIn, pull]])
})

test('a library of before knows who has pushed, pulled and downloaded in it', async () => {
  const { url, keys, ticksOf } = await workspaceWithSteps()
  const [mia, max, adam] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam)]
  const [{ entry_id } = {}] = await pushed(mia, [item()])
  await pullWith(max, (await mia.post('/pull-jobs', { target_project: 'Tavern', entries: [{ entry_id }] })).body, 'done')
  await adam.get(`/entries/${entry_id}/download`)
  const people = ['mia', 'max', 'adam', 'olivia']
  const ticks = async () => Promise.all(people.map((name) => ticksOf(name)))
  expect(await ticks()).toEqual([[signIn, push], [signIn, pull], [signIn, pull], []])
  const { database, clock } = server
  await database.sql`alter table members drop column first_push_at, drop column first_pull_at`
  await database.sql`delete from schema_migrations where number = 17`
  expect(await migrate(database, clock.now())).toEqual([17])
  expect(await ticks()).toEqual([[signIn, push], [signIn, pull], [signIn, pull], []])
})
