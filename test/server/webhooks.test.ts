// Webhook endpoints: who sees and changes them, what their addresses may be, what they are told from when on (spec 4.10, 6).
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { ok, refused } from '../support/check-out.ts'
import { item, pushed } from '../support/push.ts'
import { startReceiver } from '../support/receiver.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({ webhookAllowPrivate: true }, byHand)

/** A workspace with an entry that people talk about. */
async function room() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const [adam, mia] = [callAs(url, keys.adam), callAs(url, keys.mia)]
  const [entry] = await pushed(mia, [item({ asset_name: 'SM_Barrel' })])
  const hook = async (body: Json): Promise<Json> => ok(await adam.post('/admin/webhooks', body), 201)
  const say = async (body: string): Promise<Json> => ok(await mia.post(`/entries/${entry?.entry_id}/comments`, { body }), 201)
  const row = async (id: number): Promise<Json> =>
    ok(await adam.get('/admin/webhooks')).webhooks.find((one: Json) => one.id === id)
  const deliveries = async (id: number): Promise<Json[]> => ok(await adam.get(`/admin/webhooks/${id}/deliveries`)).deliveries
  return { adam, mia, entry, hook, say, row, deliveries, workspaceId }
}

test('a secret is shown when it is made and when it is replaced, and nowhere else', async () => {
  const { adam, hook, row } = await room()
  const made = await hook({ url: 'https://8.8.8.8/in', active: false })
  expect(made.secret).toMatch(/^whsec_.{40,}$/)
  expect(await row(made.id)).not.toHaveProperty('secret')
  const changed = ok(await adam.patch(`/admin/webhooks/${made.id}`, { format: 'slack' }))
  expect(changed).not.toHaveProperty('secret')
  expect(changed).toMatchObject({ format: 'slack', created_by: { name: 'adam' }, last_delivery: null })
  expect(changed.deliveries).toEqual({ pending: 0, delivered: 0, failed: 0 })
  expect(ok(await adam.patch(`/admin/webhooks/${made.id}`, { secret: 'another secret' })).secret).toBe('another secret')
  expect(JSON.stringify([await row(made.id), server.logLines])).not.toContain('another secret')
})

test('only admins see webhooks, those of their own workspace', async () => {
  const [{ hook, mia }, other] = [await room(), await room()]
  const { id } = await hook({ url: 'https://8.8.8.8/in', active: false })
  refused(await mia.get('/admin/webhooks'), 403, 'FORBIDDEN')
  for (const answer of [
    await other.adam.patch(`/admin/webhooks/${id}`, { active: true }),
    await other.adam.del(`/admin/webhooks/${id}`),
    await other.adam.post(`/admin/webhooks/${id}/test`),
    await other.adam.post(`/admin/webhooks/${id}/replay`, { since: '2026-01-01' }),
    await other.adam.get(`/admin/webhooks/${id}/deliveries`),
  ])
    refused(answer, 404, 'WEBHOOK_NOT_FOUND')
})

test('types that nobody knows, no types at all and short secrets are refused; a type twice is that type', async () => {
  const { adam, hook } = await room()
  const url = 'https://8.8.8.8/in'
  for (const body of [
    { events: ['comment.sing'] },
    { events: [] },
    { secret: 'short' },
    { format: 'xml' },
    { secret: 'line\nbreak here' },
  ])
    refused(await adam.post('/admin/webhooks', { url, ...body }), 422, 'VALIDATION')
  expect((await hook({ url, active: false, events: ['push.commit', 'push.commit'] })).events).toEqual(['push.commit'])
})

test('an endpoint is told of events since it is there, of the types that it wants, signed over the bytes that are sent', async () => {
  const { hook, say, mia, entry, row, deliveries } = await room()
  const receiver = await startReceiver()
  await say('before')
  const made = await hook({ url: `${receiver.url}/in`, events: ['comment.create'] })
  await mia.post('/locks', { lineage_id: entry?.lineage_id })
  const { id: commentId } = await say('grüße <b>')
  await expect.poll(() => receiver.of('/in').length).toBe(1)
  const [hit] = receiver.of('/in')
  expect(hit?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'prop-house-webhooks/1',
    'x-ph-event': 'comment.create',
  })
  expect(hit?.headers).not.toHaveProperty('authorization')
  expect(Object.keys(hit?.json)).toEqual([
    'id',
    'type',
    'actor',
    'entry_id',
    'lineage_id',
    'object_id',
    'batch_key',
    'payload',
    'created_at',
  ])
  expect(hit?.json).toMatchObject({
    type: 'comment.create',
    actor: { name: 'mia' },
    entry_id: entry?.entry_id,
    payload: { comment_id: commentId },
  })
  const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(hit?.headers['x-ph-signature'])) ?? []
  expect(digest).toBe(
    createHmac('sha256', made.secret)
      .update(`${seconds}.`)
      .update(hit?.bytes ?? '')
      .digest('hex'),
  )
  await expect.poll(async () => (await row(made.id)).deliveries).toEqual({ pending: 0, delivered: 1, failed: 0 })
  const [delivery] = await deliveries(made.id)
  expect(hit?.headers['x-ph-delivery']).toBe(`${delivery?.id}.1`)
  expect(delivery).toMatchObject({
    event_id: hit?.json.id,
    event_type: 'comment.create',
    attempt: 1,
    status: 'delivered',
    next_attempt_at: null,
    last_error: null,
  })
  expect((await row(made.id)).last_delivery).toEqual(delivery)
})

test('chat programs get a line that says who did what, in which nothing is markup', async () => {
  const { hook, say, adam } = await room()
  const receiver = await startReceiver()
  const { id } = await hook({ url: `${receiver.url}/chat`, format: 'slack' })
  await say('hello')
  await expect
    .poll(() => receiver.of('/chat').map(({ json }) => json))
    .toEqual([{ text: 'Prop House: mia commented on SM_Barrel' }])
  ok(await adam.post(`/admin/webhooks/${id}/test`))
  expect(receiver.of('/chat')[1]?.json.text).toMatch(/^Prop House: adam sent a test/)
})

test('a pause sends and queues nothing, and loses nothing; the cursor tells how far it is', async () => {
  const { adam, hook, say, row, deliveries } = await room()
  const receiver = await startReceiver()
  const { id, cursor } = await hook({ url: `${receiver.url}/in`, events: ['comment.create'], active: false })
  await say('one')
  await say('two')
  await server.work.look()
  expect(await deliveries(id)).toEqual([])
  expect((await row(id)).cursor).toBe(cursor)
  ok(await adam.post(`/admin/webhooks/${id}/test`))
  expect(
    receiver.of('/in').map(({ json }) => json.type),
    'a test goes out all the same',
  ).toEqual(['webhook.test'])
  ok(await adam.patch(`/admin/webhooks/${id}`, { active: true }))
  await expect.poll(() => receiver.of('/in').length).toBe(3)
  expect((await deliveries(id)).map((one) => one.event_id)).toEqual([cursor + 2, cursor + 1])
})

test('deleted, it is gone at once with its history, and what is left of it goes in the background', async () => {
  const { adam, hook, say, workspaceId } = await room()
  const receiver = await startReceiver()
  const { id } = await hook({ url: `${receiver.url}/in`, events: ['comment.create'] })
  await say('one')
  await expect.poll(() => receiver.of('/in').length).toBe(1)
  expect((await adam.del(`/admin/webhooks/${id}`)).status).toBe(204)
  refused(await adam.get(`/admin/webhooks/${id}/deliveries`), 404, 'WEBHOOK_NOT_FOUND')
  refused(await adam.del(`/admin/webhooks/${id}`), 404, 'WEBHOOK_NOT_FOUND')
  await say('two')
  await server.work.look()
  server.clock.advance(3_600_000)
  await server.work.look()
  const { sql } = server.database
  expect(await sql`select id from webhook_deliveries where workspace_id = ${workspaceId}`).toEqual([])
  expect(await sql`select id from webhooks where workspace_id = ${workspaceId}`).toEqual([])
  expect(receiver.of('/in')).toHaveLength(1)
})

test('deliveries are kept for 30 days; what waits for a paused endpoint is kept longer', async () => {
  const { adam, hook, say, row, deliveries } = await room()
  const receiver = await startReceiver((path) => (path === '/in' ? 200 : 500))
  const { id } = await hook({ url: `${receiver.url}/in`, events: ['comment.create'] })
  const waiting = await hook({ url: `${receiver.url}/failing`, events: ['comment.create'] })
  await say('one')
  await expect.poll(async () => (await row(id)).deliveries.delivered).toBe(1)
  await expect.poll(async () => (await deliveries(waiting.id))[0]?.last_error).toBe('It answered 500.')
  ok(await adam.patch(`/admin/webhooks/${waiting.id}`, { active: false }))
  server.clock.advance(29 * 24 * 3_600_000)
  await server.work.look()
  expect(await deliveries(id)).toHaveLength(1)
  server.clock.advance(2 * 24 * 3_600_000)
  await server.work.look()
  expect(await deliveries(id)).toEqual([])
  expect(await row(id)).toMatchObject({ deliveries: { pending: 0, delivered: 0, failed: 0 }, last_delivery: null })
  expect(await deliveries(waiting.id)).toMatchObject([{ status: 'pending' }])
})

test('a replay queues the events since a moment once more, under their own ids, with deliveries of their own', async () => {
  const { adam, hook, say, row, deliveries } = await room()
  const receiver = await startReceiver()
  await say('long ago')
  server.clock.advance(7_200_000)
  await say('an hour ago')
  server.clock.advance(3_600_000)
  const { id } = await hook({ url: `${receiver.url}/in`, events: ['comment.create'] })
  const { cursor } = await row(id)
  const since = (hours: number) => new Date(server.clock.now().getTime() - hours * 3_600_000).toISOString()
  expect(ok(await adam.post(`/admin/webhooks/${id}/replay`, { since: since(2) }))).toEqual({ queued: 1 })
  await expect.poll(() => receiver.ids('/in')).toEqual([cursor])
  expect(ok(await adam.post(`/admin/webhooks/${id}/replay`, { since: since(100) }))).toEqual({ queued: 2 })
  await expect.poll(() => receiver.ids('/in').length).toBe(3)
  expect(new Set(receiver.ids('/in'))).toEqual(new Set([cursor, cursor - 1]))
  expect(new Set((await deliveries(id)).map((one) => one.id)).size).toBe(3)
  expect(ok(await adam.post(`/admin/webhooks/${id}/replay`, { since: since(-1) }))).toEqual({ queued: 0 })
  for (const wrong of ['yesterday', '2026-13-45', ''])
    refused(await adam.post(`/admin/webhooks/${id}/replay`, { since: wrong }), 422, 'VALIDATION')
})

test('a workspace has at most so many', async () => {
  const { adam, workspaceId } = await room()
  await server.database.sql`
    insert into webhooks (workspace_id, url, secret, format, active, cursor, created_by, created_at)
    select ${workspaceId}, 'https://8.8.8.8/', 'x', 'json', false, 0, 0, ${new Date().toISOString()} from generate_series(1, 200)`
  refused(await adam.post('/admin/webhooks', { url: 'https://8.8.8.8/in' }), 409, 'CONFLICT')
})
