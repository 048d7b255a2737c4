// Members who are disabled while they have something checked out: it is named, can be released with it, and others hear whom to ask.
import { expect, test } from 'vitest'
import { provision } from '../../server/provision/provision.ts'
import { administered } from '../support/administered.ts'
import { callAs } from '../support/api.ts'
import { workspaceWithPasswords } from '../support/browser.ts'
import { eventsOf, headOf, lockChangesSince, lockIt, locksOf, newProp, nextOf, ok, refused } from '../support/check-out.ts'
import { formTo, signedInBrowser } from '../support/page-browser.ts'
import { ph, signedIn } from '../support/ph.ts'
import { pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'
import { requestOf } from '../support/team.ts'

const server = await startTestServer({}, byHand)
const { administer } = administered(server)

/** A workspace in which mia has checked out two props for a month; the first of them max wants to change. */
async function leaving() {
  const acme = await workspaceWithPasswords(server)
  const [mia, max, adam] = [acme.keys.mia, acme.keys.max, acme.keys.adam].map((key) => callAs(acme.url, key)) as [
    ReturnType<typeof callAs>,
    ReturnType<typeof callAs>,
    ReturnType<typeof callAs>,
  ]
  const [wanted, other] = [await newProp(mia), await newProp(mia)]
  const locks = [await lockIt(mia, wanted, { ttl_hours: 720 }), await lockIt(mia, other, { ttl_hours: 720 })]
  const miaId = acme.idsOf('mia').personId
  const olivia = () => signedInBrowser(server.url, `/w/${acme.slug}`, acme.credentialsOf('olivia'))
  const push = async () => (await pushed(max, [nextOf(wanted)]))[0]?.status
  return { ...acme, at: `/w/${acme.slug}/members/${miaId}`, miaId, mia, max, adam, wanted, other, locks, olivia, push }
}
type Leaving = Awaited<ReturnType<typeof leaving>>

const disable = ({ slug, miaId }: Leaving) =>
  server.database
    .sql`update members set status = 'disabled' where id = ${miaId} and workspace_id = (select id from workspaces where slug = ${slug})`

test('the page of a member names what they have, and disabling releases it where that is chosen', async () => {
  const all = await leaving()
  ok(await all.mia.post(...requestOf(all.other, [all.idsOf('max').personId])), 201)
  ok(await all.max.post(...requestOf(all.wanted, [all.miaId])), 201)
  const since = await headOf(all.max)
  const olivia = await all.olivia()
  const page = await olivia.open(all.at)
  for (const prop of [all.wanted, all.other]) expect(page.text).toContain(`${prop.item.asset_name} checked out until`)
  expect(page.text).toContain('1 open review waits for their answer')
  expect(page.text).toContain('1 open review that they asked for')
  expect(await all.push()).toBe('locked')
  const done = await olivia.send(page, `${all.at}/status`)
  expect(done.text).toContain('What they had checked out is released.')
  expect(done.text).not.toContain('checked out until')
  expect((await lockChangesSince(all.max, since)).length).toBe(2)
  const [event] = await eventsOf(all.max, all.wanted, 'lock.release')
  expect(event).toMatchObject({
    actor: { name: 'olivia' },
    payload: { lock_id: all.locks[0]?.id, holder_id: all.miaId, reason: 'mia was disabled.' },
  })
  expect(await all.push()).toBe('new')
})

test('where it is left checked out, the page of who was disabled names it and releases it later', async () => {
  const all = await leaving()
  const olivia = await all.olivia()
  const left = await olivia.send(await olivia.open(all.at), `${all.at}/status`, { check_outs: 'keep' })
  expect(left.text).toContain('They still have:')
  expect((await locksOf(all.max, all.wanted))[0]?.active).toBe(true)
  const released = await olivia.send(left, `${all.at}/release`)
  expect(released.text).toContain('Released: others can push versions')
  expect(released.forms.some(({ action }) => action === `${all.at}/release`)).toBe(false)
  expect(await all.push()).toBe('new')
})

test('nothing of someone who is not disabled is released on the page, and nobody but owners and admins may', async () => {
  const all = await leaving()
  const olivia = await all.olivia()
  const page = await olivia.open(all.at)
  const csrf_token = formTo(page, `${all.at}/status`).fields.csrf_token ?? ''
  const send = (browser: typeof olivia, token: string) =>
    browser.ask(`${all.at}/release`, {
      method: 'POST',
      body: new URLSearchParams({ csrf_token: token }),
      headers: { origin: server.url },
    })
  expect(await (await send(olivia, csrf_token)).text()).toContain(
    'Only what someone who is disabled has checked out is released here.',
  )
  const max = await signedInBrowser(server.url, `/w/${all.slug}`, all.credentialsOf('max'))
  expect((await send(max, 'x')).status).toBe(403)
  expect((await locksOf(all.max, all.wanted))[0]?.active).toBe(true)
})

test('a member who has nothing checked out is disabled without a choice', async () => {
  const acme = await workspaceWithPasswords(server)
  const olivia = await signedInBrowser(server.url, `/w/${acme.slug}`, acme.credentialsOf('olivia'))
  const at = `/w/${acme.slug}/members/${acme.idsOf('max').personId}`
  const page = await olivia.open(at)
  expect(formTo(page, `${at}/status`).names).toEqual(['csrf_token', 'status'])
})

test('every refusal because of someone who has left says so, and names who can release it', async () => {
  const all = await leaving()
  await pushed(all.mia, [nextOf(all.other)])
  await disable(all)
  const one = await all.max.post('/locks', { lineage_id: all.wanted.lineage_id })
  refused(one, 409, 'LOCKED')
  expect(one.body.error.message).toMatch(
    /^mia has left the workspace with this checked out until .*Z\. Ask an owner or admin to release it: olivia, adam\.$/,
  )
  expect(one.body.error.details.lock.holder_left).toBe(true)
  const many = await all.max.post('/locks/batch', { lineage_ids: [all.wanted.lineage_id, all.other.lineage_id] })
  expect(many.body.error.message).toMatch(
    /by mia, who has left\. None was checked out\. Ask an owner or admin to release it: olivia, adam\./,
  )
  const release = await all.max.del(`/locks/${all.locks[0]?.id}`)
  expect(release.body.error.message).toContain('has left the workspace. Ask an owner or admin to release it: olivia, adam.')
  const moved = await all.max.patch(`/entries/${all.other.entry_id}`, { object_id: all.other.object_id })
  expect(moved.body.error.message).toContain('mia has left the workspace')
  expect((await pushed(all.max, [nextOf(all.wanted)]))[0]?.lock.holder_left).toBe(true)
  const terminal = await ph(['checkout', all.wanted.item.asset_name], { env: signedIn(all.url, all.keys.max) })
  expect(terminal.code, terminal.stderr).toBe(5)
  expect(terminal.stderr).toContain('mia, who has left')
  expect(terminal.stderr).toContain('Ask an owner or admin of the workspace to release it.')
  ok(await all.adam.del(`/locks/${all.locks[0]?.id}`), 204)
  expect((await all.max.post('/locks', { lineage_id: all.wanted.lineage_id })).status).toBe(201)
})

test('a lock of someone who is there does not say that they have left', async () => {
  const all = await leaving()
  expect(Object.keys((await locksOf(all.max, all.wanted))[0] ?? {})).not.toContain('holder_left')
})

test('ph server user disable names what someone has, and --release gives it back, at once or later', async () => {
  const all = await leaving()
  const at = `--workspace ${all.slug}`
  const told = await administer(`user disable mia ${at}`)
  expect(told).toMatchObject({ code: 0 })
  for (const prop of [all.wanted, all.other]) expect(told.stdout).toContain(prop.item.asset_name)
  expect(told.stdout).toContain(`\`ph server user disable mia@${all.slug}.test --release --workspace ${all.slug}`)
  expect(await all.push()).toBe('locked')
  const released = await administer(`user disable mia --release ${at} --json`)
  expect(released.json()).toMatchObject({ released: 2, holds: null })
  const [event] = await eventsOf(all.max, all.wanted, 'lock.release')
  expect(event).toMatchObject({ actor: { name: 'mia' }, payload: { reason: 'mia was disabled.' } })
  expect(await all.push()).toBe('new')
})

test('a provisioning file that disables someone says what they have checked out and the command that releases it', async () => {
  const all = await leaving()
  const email = `mia@${all.slug}.test`
  const members = [{ email, name: 'mia', display_name: 'mia', role: 'member' as const, status: 'disabled' as const }]
  const file = { workspaces: [{ slug: all.slug, name: all.slug, members }] }
  const { warnings } = await provision(server.database, file, server.clock.now())
  expect(warnings).toHaveLength(1)
  for (const words of [all.wanted.item.asset_name, `\`ph server user disable ${email} --release --workspace ${all.slug}\``])
    expect(warnings[0]).toContain(words)
  await administer(`user disable mia --release --workspace ${all.slug}`)
  expect((await provision(server.database, file, server.clock.now())).warnings).toEqual([])
})
