// Deliveries to webhooks: when they are tried again, what a bad receiver costs, and several servers that share them (spec 3, 6).
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../server/database/open.ts'
import { openDeliveries } from '../../server/webhooks/deliveries.ts'
import { callAs, type Json } from '../support/api.ts'
import { ok } from '../support/check-out.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed } from '../support/push.ts'
import { never, startReceiver } from '../support/receiver.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({ webhookAllowPrivate: true }, byHand)
const minuteMs = 60_000

async function room() {
  const { url, slug, keys, workspaceId } = await server.addWorkspace()
  const [adam, mia] = [callAs(url, keys.adam), callAs(url, keys.mia)]
  const [entry] = await pushed(mia, [item()])
  const hook = async (address: string, over: Json = {}): Promise<Json> =>
    ok(await adam.post('/admin/webhooks', { url: address, events: ['comment.create'], ...over }), 201)
  const say = async (body = 'hello'): Promise<Json> => ok(await mia.post(`/entries/${entry?.entry_id}/comments`, { body }), 201)
  const deliveries = async (id: number): Promise<Json[]> =>
    ok(await adam.get(`/admin/webhooks/${id}/deliveries?limit=200`)).deliveries
  const row = async (id: number): Promise<Json> =>
    ok(await adam.get('/admin/webhooks')).webhooks.find((one: Json) => one.id === id)
  const test = async (id: number): Promise<Json> => ok(await adam.post(`/admin/webhooks/${id}/test`))
  return { adam, mia, hook, say, deliveries, row, test, workspaceId, slug }
}

test('a failed delivery is tried again 1, 5, 30 and 120 minutes after the first attempt, with the same id, then it is failed', async () => {
  const { hook, say, deliveries, row } = await room()
  const receiver = await startReceiver(() => 503)
  const { id } = await hook(`${receiver.url}/in`)
  await say()
  const attempts = [1, 2, 3, 4, 5]
  let firstMs = 0
  for (const attempt of attempts) {
    await expect.poll(async () => (await deliveries(id))[0]).toMatchObject({ attempt, last_error: 'It answered 503.' })
    await expect.poll(() => receiver.of('/in').length).toBe(attempt)
    const [delivery] = await deliveries(id)
    if (attempt === 1) firstMs = Date.parse(delivery?.next_attempt_at) - minuteMs
    const after = [1, 5, 30, 120][attempt - 1]
    if (after === undefined) break
    await expect.poll(async () => Date.parse((await deliveries(id))[0]?.next_attempt_at)).toBe(firstMs + after * minuteMs)
    server.clock.advance(firstMs + after * minuteMs - server.clock.now().getTime() - 5_000)
    await server.work.look()
    expect(receiver.of('/in'), 'not before its time').toHaveLength(attempt)
    server.clock.advance(5_000)
    await server.work.look()
  }
  await expect
    .poll(async () => (await deliveries(id))[0])
    .toMatchObject({ status: 'failed', next_attempt_at: null, delivered_at: null })
  expect((await row(id)).deliveries).toEqual({ pending: 0, delivered: 0, failed: 1 })
  const [delivery] = await deliveries(id)
  expect(receiver.of('/in').map(({ headers }) => headers['x-ph-delivery'])).toEqual(attempts.map((n) => `${delivery?.id}.${n}`))
  expect(new Set(receiver.ids('/in')).size).toBe(1)
})

test('a server that was away for hours does not send all attempts in one moment', async () => {
  const { hook, say, deliveries } = await room()
  const receiver = await startReceiver(() => 500)
  const { id } = await hook(`${receiver.url}/in`)
  await say()
  await expect.poll(async () => (await deliveries(id))[0]?.last_error).toBe('It answered 500.')
  server.clock.advance(180 * minuteMs)
  await server.work.look()
  await expect
    .poll(async () => Date.parse((await deliveries(id))[0]?.next_attempt_at))
    .toBeGreaterThan(server.clock.now().getTime() + 20_000)
  await server.work.look()
  expect(receiver.of('/in')).toHaveLength(2)
})

test('nothing goes out of a workspace that is suspended, retries neither, and everything when it is open again', async () => {
  const { hook, say, deliveries, row, slug } = await room()
  let status = 503
  const receiver = await startReceiver(() => status)
  const { id } = await hook(`${receiver.url}/in`)
  await say('before')
  await expect.poll(async () => (await deliveries(id))[0]?.last_error).toBe('It answered 503.')
  await say('just before')
  const errors = async () => (await deliveries(id)).map(({ last_error }) => last_error)
  await expect.poll(errors).toEqual(['It answered 503.', 'It answered 503.'])
  expect((await row(id)).deliveries.pending).toBe(2)
  expect(receiver.of('/in')).toHaveLength(2)
  await server.changeWorkspace(slug, { state: 'suspended' })
  status = 200
  server.clock.advance(45 * minuteMs)
  await server.work.look()
  await server.work.look()
  expect(receiver.of('/in')).toHaveLength(2)
  await server.changeWorkspace(slug, { state: 'active' })
  // Looks come a second apart at least.
  server.clock.advance(1_000)
  await server.work.look()
  await expect.poll(async () => (await row(id)).deliveries).toEqual({ pending: 0, delivered: 2, failed: 0 })
  expect((await deliveries(id)).map(({ attempt }) => attempt)).toEqual([2, 2])
  expect(receiver.ids('/in').toSorted()).toEqual([...new Set(receiver.ids('/in'))].flatMap((event) => [event, event]).toSorted())
})

test('a time that a wrong clock set is passed when the clock is put right', async () => {
  const { hook, say, deliveries, workspaceId } = await room()
  const receiver = await startReceiver()
  const { id } = await hook(`${receiver.url}/in`, { active: false })
  await say()
  const ahead = new Date(server.clock.now().getTime() + 30 * 24 * 60 * minuteMs).toISOString()
  const { sql } = server.database
  await sql`
    insert into webhook_deliveries (workspace_id, webhook_id, event_id, event_type, attempt, next_attempt_at, leased_until, created_at)
    values (${workspaceId}, ${id}, 2, 'comment.create', 1, ${ahead}, ${ahead}, ${ahead})`
  await sql`update webhooks set pending = 1, cursor = 2, active = true where workspace_id = ${workspaceId} and id = ${id}`
  server.clock.advance(1_000)
  await server.work.look()
  await expect.poll(async () => (await deliveries(id))[0]).toMatchObject({ attempt: 2, status: 'delivered' })
})

test('a receiver that never answers has four requests under way and holds up nobody; it is given up after ten seconds', async () => {
  const { hook, say, deliveries } = await room()
  const receiver = await startReceiver((path) => (path === '/hangs' ? never : 200))
  const { id } = await hook(`${receiver.url}/hangs`)
  await hook(`${receiver.url}/quick`)
  for (let n = 0; n < 6; n++) await say(`n ${n}`)
  await expect.poll(() => receiver.of('/quick').length).toBe(6)
  await expect.poll(() => receiver.open('/hangs')).toBe(4)
  await server.work.look()
  expect(receiver.open('/hangs')).toBe(4)
  await expect.poll(() => receiver.of('/hangs').length, { timeout: 20_000 }).toBe(6)
  await expect
    .poll(async () => (await deliveries(id)).filter((one) => one.last_error === 'It did not answer within 10 seconds.').length)
    .toBe(4)
})

test('what a receiver goes on to say is cut off: ten megabytes, endless trickles, and answers that are not HTTP', async () => {
  const { hook, test: call } = await room()
  const mega = Buffer.alloc(1024 * 1024, 'x')
  let written = 0
  const receiver = await startReceiver((path) => (response) => {
    if (path === '/garbage') response.socket?.end('what?\r\n\r\n')
    else if (path === '/cut') response.socket?.destroy()
    else {
      response.writeHead(200)
      const more = () => {
        while (written < 10 && !response.destroyed) {
          written++
          if (!response.write(mega)) return void response.once('drain', more)
        }
      }
      if (path === '/long') more()
      else response.write('x')
    }
  })
  expect(await call((await hook(`${receiver.url}/long`)).id)).toEqual({ delivered: true, status_code: 200 })
  expect(written, 'most of it was never asked for').toBeLessThan(10)
  expect(await call((await hook(`${receiver.url}/trickle`)).id)).toEqual({ delivered: true, status_code: 200 })
  expect(await call((await hook(`${receiver.url}/garbage`)).id)).toMatchObject({
    delivered: false,
    error: expect.stringContaining('not HTTP'),
  })
  expect(await call((await hook(`${receiver.url}/cut`)).id)).toMatchObject({
    delivered: false,
    error: expect.stringContaining('closed the connection'),
  })
  await expect.poll(() => receiver.open('/trickle')).toBe(0)
})

// PostgreSQL takes them all in one step.
test.runIf(!process.env.PH_TEST_DATABASE_URL)(
  'what others have waiting keeps no endpoint back: its event is among the next that are sent',
  async () => {
    const { mia, hook, say, workspaceId } = await room()
    const receiver = await startReceiver(() => never)
    const busy = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const name of busy) await hook(`${receiver.url}/${name}`, { events: ['push.commit'], active: false })
    await hook(`${receiver.url}/late`, { active: false })
    await pushed(
      mia,
      Array.from({ length: 5 }, () => item()),
    )
    await say()
    const { sql } = server.database
    await sql`update webhooks set active = true where workspace_id = ${workspaceId}`
    await server.work.look()
    await expect.poll(() => receiver.hits.length).toBe(4 * busy.length + 1)
    // The first of each endpoint comes before the second of any; requests that go out together may arrive in another order.
    expect(receiver.hits.findIndex(({ path }) => path === '/late')).toBeLessThan(8)
  },
)

test('a server that stops in the middle of many requests gives all of them back before it ends', async () => {
  const ending = await startTestServer({ webhookAllowPrivate: true }, byHand)
  const { url, keys, workspaceId } = await ending.addWorkspace()
  const [adam, mia] = [callAs(url, keys.adam), callAs(url, keys.mia)]
  const receiver = await startReceiver(() => never)
  const addresses = Array.from({ length: 5 }, (_, at) => `${receiver.url}/${at}`)
  for (const address of addresses) ok(await adam.post('/admin/webhooks', { url: address, events: ['comment.create'] }), 201)
  const [entry] = await pushed(mia, [item()])
  for (let n = 0; n < 6; n++) ok(await mia.post(`/entries/${entry?.entry_id}/comments`, { body: `n ${n}` }), 201)
  const underWay = () => addresses.reduce((sum, _, at) => sum + receiver.open(`/${at}`), 0)
  const rows = async ({ sql }: Pick<Database, 'sql'>) => {
    const [counted] = await sql<{ pending: number; leased: number }[]>`
      select count(*) as pending, count(leased_until) as leased from webhook_deliveries where workspace_id = ${workspaceId}`
    return { ...counted }
  }
  await expect.poll(underWay).toBe(20)
  // The comments after the first look are queued by the next one.
  await expect.poll(() => rows(ending.database)).toEqual({ pending: 30, leased: 20 })
  await ending.stop()
  const { databaseUrl, dataDir } = ending.settings
  const database = await openDatabase({ databaseUrl, embeddedDir: join(dataDir, 'database') })
  onTestFinished(() => database.close())
  expect(await rows(database)).toEqual({ pending: 30, leased: 0 })
})

test('a server that stops gives back what it was sending, and the next one sends it again under the same id', async () => {
  const { hook, say } = await room()
  let isBack = false
  const receiver = await startReceiver(() => (isBack ? 200 : never))
  const { id } = await hook(`${receiver.url}/in`)
  for (let n = 0; n < 3; n++) await say(`n ${n}`)
  await expect.poll(() => receiver.open('/in')).toBe(3)
  isBack = true
  await server.restart()
  await server.work.look()
  await expect.poll(() => receiver.of('/in').length).toBe(6)
  const sent = receiver.of('/in').map(({ headers }) => String(headers['x-ph-delivery']).split('.'))
  expect(
    sent
      .filter(([, attempt]) => attempt === '2')
      .map(([delivery]) => delivery)
      .sort(),
  ).toEqual(
    sent
      .filter(([, attempt]) => attempt === '1')
      .map(([delivery]) => delivery)
      .sort(),
  )
  expect(sent).toHaveLength(6)
  const { sql } = server.database
  await expect
    .poll(async () =>
      (await sql`select status, failures from webhook_deliveries where webhook_id = ${id}`).map((row) => ({ ...row })),
    )
    .toEqual(Array(3).fill({ status: 'delivered', failures: 0 }))
})

test.runIf(isPostgres)(
  'two servers share an endpoint: every event once, never more than four requests at once from both together',
  postgresOnly,
  async () => {
    const { hook, mia, row } = await room()
    let most = 0
    const receiver = await startReceiver(() => (response) => {
      most = Math.max(most, receiver.open('/in'))
      setTimeout(() => response.writeHead(200).end(), 5)
    })
    const database = await openDatabase({ databaseUrl: server.settings.databaseUrl, embeddedDir: '' })
    const other = await openDeliveries({ database, clock: server.clock, settings: server.settings })
    try {
      const { id } = await hook(`${receiver.url}/in`, { events: ['push.commit'] })
      const push = () =>
        pushed(
          mia,
          Array.from({ length: 100 }, () => item()),
        )
      await push()
      await push()
      await expect
        .poll(
          async () => {
            await Promise.all([other.look(), server.work.look()])
            return (await row(id)).deliveries
          },
          { timeout: 30_000 },
        )
        .toEqual({ pending: 0, delivered: 200, failed: 0 })
      expect(new Set(receiver.ids('/in')).size).toBe(200)
      expect(receiver.hits).toHaveLength(200)
      expect(most).toBeLessThanOrEqual(4)
    } finally {
      await other.stop()
      await database.close()
    }
  },
)
