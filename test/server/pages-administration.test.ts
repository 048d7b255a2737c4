// The page of owners and admins: storage, sweeps with their dry run, the denylist, webhooks with their deliveries.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { workspaceWithPasswords } from '../support/browser.ts'
import { formTo, signedInBrowser } from '../support/page-browser.ts'
import { item, pushed, upload } from '../support/push.ts'
import { startReceiver } from '../support/receiver.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({ webhookAllowPrivate: true }, byHand)
const dayMs = 24 * 3_600_000

async function room() {
  const at = await workspaceWithPasswords(server)
  const base = `/w/${at.slug}`
  const adam = await signedInBrowser(server.url, base, at.credentialsOf('adam'))
  const page = `${base}/administration`
  return {
    at,
    base,
    page,
    adam,
    open: () => adam.open(page),
    mia: callAs(`${server.url}${base}`, at.keys.mia),
    as: callAs(`${server.url}${base}`, at.keys.adam),
  }
}

test('storage is told by kind, pack and month; only owners and admins find the page in their menu', async () => {
  const { at, base, mia, open } = await room()
  await pushed(mia, [item({ bytes: Buffer.alloc(2048, 'x'), origin_path: '/Game/Tavern/SM_A' })])
  const { text, html } = await open()
  expect(text).toMatch(/2\.0 KiB stored\. No limit is set\./)
  expect(text).toMatch(/Versions of props\s+2\.0 KiB\s+1/)
  expect(text).toMatch(/Tavern\s+2\.0 KiB\s+1/)
  expect(html).toContain(`href="${base}/administration"`)
  expect((await (await signedInBrowser(server.url, base, at.credentialsOf('mia'))).open(`${base}/workspace`)).html).not.toContain(
    '/administration',
  )
})

test('a sweep is looked at first and carried out after that; without the look, and later, nothing is removed', async () => {
  const { page, adam, open, mia, at } = await room()
  const left = [item(), item()]
  await upload(mia, left)
  await server.ledger.written(at.idsOf('adam').workspaceId)
  server.clock.advance(dayMs + 60_000)
  const first = await open()
  expect(first.text).toMatch(/not looked yet/)
  const send = (form: typeof first, button: string) => adam.send(form, `${page}/sweeps`, { button })
  /** As a form that is not on the page. */
  const forced = async (act: string) => {
    const body = new URLSearchParams({ ...formTo(first, `${page}/sweeps`).fields, act })
    const answer = await adam.ask(`${page}/sweeps`, { method: 'POST', headers: { origin: server.url }, body })
    return { status: answer.status, text: await answer.text() }
  }
  expect(await forced('remove')).toMatchObject({ status: 409, text: expect.stringContaining('no dry run') })
  const looked = await send(first, 'Look what would go (Files)')
  expect(looked.text).toContain('nothing was removed')
  expect(looked.text).toMatch(/2 files, \d+ bytes looked just now/)
  expect(looked.text).toContain('Remove 2 files')
  const swept = await send(looked, 'Remove 2 files')
  expect(swept.text).toMatch(/Removed\..*nothing looked just now/s)
  const { missing_hashes } = (await mia.post('/push/negotiate', { items: left.map(({ bytes: _bytes, ...one }) => one) })).body
  expect(missing_hashes).toHaveLength(2)
  expect((await forced('everything')).status).toBe(422)
})

test('what is denied is listed with its reason and warned of where it is stored; what is wrong is said beside its field', async () => {
  const { page, adam, open, mia } = await room()
  const file = item({ asset_name: 'SM_Stolen' })
  await pushed(mia, [file])
  const form = await open()
  const add = (value: string, note = '') => adam.send(form, `${page}/denylist`, { value, note })
  expect(await add('SM_Stolen')).toMatchObject({ status: 422, text: expect.stringContaining('Enter the SHA-256') })
  const denied = await add(file.content_hash.toUpperCase(), 'licence <b>ended</b>')
  expect(denied.text).toMatch(/a file: licence <b>ended<\/b>/)
  expect(denied.html).not.toContain('<b>ended')
  expect(denied.text).toMatch(/1 file on the denylist is stored, \d+ bytes: SM_Stolen\./)
  expect(await add(file.content_hash)).toMatchObject({ status: 409, text: expect.stringContaining('is on the denylist already') })
  const [, remove = ''] = /action="([^"]+\/denylist\/\d+\/remove)"/.exec(denied.html) ?? []
  const allowed = await adam.send(denied, remove)
  expect(allowed.text).toContain('it can be pushed again')
})

test('a read-only workspace shows everything and changes nothing', async () => {
  const { at, page, adam, open } = await room()
  await server.changeWorkspace(at.slug, { state: 'read_only' })
  const form = await open()
  expect(form.status).toBe(200)
  for (const [path, fields] of [
    ['sweeps', {}],
    ['denylist', { value: item().content_hash, note: '' }],
  ] as const)
    expect(await adam.send(form, `${page}/${path}`, fields)).toMatchObject({
      status: 403,
      text: expect.stringContaining('read-only'),
    })
})

test('webhooks are shown with how they go, and one of them with its last deliveries', async () => {
  const { base, adam, open, as, mia } = await room()
  const receiver = await startReceiver(() => 503)
  const { id } = (await as.post('/admin/webhooks', { url: `${receiver.url}/in` })).body
  await pushed(mia, [item()])
  await server.work.look()
  await expect.poll(() => receiver.of('/in').length).toBe(1)
  await expect
    .poll(async () => (await open()).text)
    .toMatch(/✓ active 1 waiting, 0 failed … waits just now It answered 503\. Tried 1 time\./)
  const one = await adam.open(`${base}/administration/webhooks/${id}`)
  expect(one.text).toMatch(/push\.commit event \d+ 1 … waits/)
  expect(one.html).not.toContain('whsec_')
  expect((await adam.open(`${base}/administration/webhooks/999`)).status).toBe(404)
})
