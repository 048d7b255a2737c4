// How long things are kept: activity a year, the change feed 30 days (spec 4.6, 6, 8).
import { beforeAll, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'

const dayMs = 86_400_000
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({}, byHand)
})

async function freshLibrary() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  return { mia: callAs(url, keys.mia), workspaceId }
}
const changesFrom = async (mia: Caller, cursor: number): Promise<Json> =>
  (await mia.get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body
const eventsOf = async (mia: Caller): Promise<Json[]> => (await mia.get('/activity?limit=200')).body.events
const headOf = async (mia: Caller): Promise<number> => (await changesFrom(mia, 0)).next_cursor

test('changes older than 30 days go: a cursor before them is told to start over, and one after them misses nothing', async () => {
  const { mia } = await freshLibrary()
  await pushed(mia, [item(), item()])
  const before = await headOf(mia)
  server.clock.advance(10 * dayMs)
  await pushed(mia, [item()])
  const head = await headOf(mia)
  server.clock.advance(20 * dayMs - 60_000)
  await server.work.look()
  expect(await changesFrom(mia, 0), 'not a minute too soon').toMatchObject({ reset: false, next_cursor: head })
  server.clock.advance(3_700_000)
  await server.work.look()
  for (const cursor of [0, before - 1])
    expect(await changesFrom(mia, cursor)).toMatchObject({ changes: [], next_cursor: head, reset: true })
  const after = await changesFrom(mia, before)
  expect(after).toMatchObject({ reset: false, next_cursor: head })
  expect(after.changes.length).toBeGreaterThan(0)
  expect(await changesFrom(mia, head)).toMatchObject({ changes: [], next_cursor: head, reset: false })
  await pushed(mia, [item()])
  expect((await changesFrom(mia, head)).changes.length).toBeGreaterThan(0)
})

test('a library in which nothing was removed never says reset, and one that rests for long begins over only for those who lag', async () => {
  const { mia } = await freshLibrary()
  await server.work.look()
  expect(await changesFrom(mia, 0)).toMatchObject({ changes: [], next_cursor: 0, reset: false })
  await pushed(mia, [item()])
  const head = await headOf(mia)
  server.clock.advance(100 * dayMs)
  await server.work.look()
  expect(await changesFrom(mia, head)).toMatchObject({ changes: [], next_cursor: head, reset: false })
  expect(await changesFrom(mia, head - 1)).toMatchObject({ changes: [], next_cursor: head, reset: true })
})

test('many old records go in one look, in steps; lists and searches are as before', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const [made = {}] = await pushed(mia, [item()])
  const { sql } = server.database
  const old = new Date(server.clock.now().getTime() - 31 * dayMs).toISOString()
  const [head] = await sql<{ change_seq: number }[]>`
    update feed_heads set change_seq = change_seq + 2500 where workspace_id = ${workspaceId} returning change_seq - 2500 as change_seq`
  await sql`update changes set created_at = ${old} where workspace_id = ${workspaceId}`
  await sql`
    insert into changes (workspace_id, seq, entity, entity_id, op, created_at)
    select ${workspaceId}, ${head?.change_seq ?? 0} + n, 'entry', ${made.entry_id}, 'upsert', ${old} from generate_series(1, 2500) n`
  expect((await mia.get('/entries')).body.entries).toHaveLength(1)
  server.clock.advance(3_700_000)
  await server.work.look()
  expect(await sql`select 1 from changes where workspace_id = ${workspaceId}`).toHaveLength(0)
  await mia.patch(`/entries/${made.entry_id}`, { name: 'After' })
  expect((await mia.get('/entries')).body.entries).toMatchObject([{ name: 'After' }])
})

test('a change that waits behind an older number for its time to come leaves no gap before it', async () => {
  const { mia, workspaceId } = await freshLibrary()
  await pushed(mia, [item()])
  const first = await headOf(mia)
  await pushed(mia, [item()])
  const { sql } = server.database
  // As where a transaction began before another and ended after it: its time is older, its number higher.
  const old = new Date(server.clock.now().getTime() - 31 * dayMs).toISOString()
  await sql`update changes set created_at = ${old} where workspace_id = ${workspaceId} and seq > ${first}`
  server.clock.advance(3_700_000)
  await server.work.look()
  expect(await changesFrom(mia, first)).toMatchObject({ reset: false })
  expect((await changesFrom(mia, first)).changes.length).toBeGreaterThan(0)
})

test('activity is kept for a year and goes then, in steps; newer events stay', async () => {
  const { mia, workspaceId } = await freshLibrary()
  await pushed(mia, [item()])
  const { sql } = server.database
  const events = await eventsOf(mia)
  expect(events.length).toBeGreaterThan(0)
  const [head] = await sql<{ activity_id: number }[]>`
    update feed_heads set activity_id = activity_id + 1500 where workspace_id = ${workspaceId} returning activity_id - 1500 as activity_id`
  const at = server.clock.now().toISOString()
  await sql`
    insert into activity (workspace_id, id, event_type, created_at)
    select ${workspaceId}, ${head?.activity_id ?? 0} + n, 'push.commit', ${at} from generate_series(1, 1500) n`
  server.clock.advance(300 * dayMs)
  await pushed(mia, [item()])
  server.clock.advance(64 * dayMs)
  await server.work.look()
  expect(await sql`select 1 from activity where workspace_id = ${workspaceId}`).not.toHaveLength(0)
  expect((await eventsOf(mia)).length, 'not a day too soon').toBe(200)
  server.clock.advance(2 * dayMs + 3_700_000)
  await server.work.look()
  const left = await eventsOf(mia)
  expect(left.length).toBeGreaterThan(0)
  expect(left.length).toBeLessThan(10)
  await pushed(mia, [item()])
  expect((await eventsOf(mia)).length, 'numbers go on').toBeGreaterThan(left.length)
})

test('plans that assistants carried out are forgotten in steps, an hour after their tokens are too old', async () => {
  const { workspaceId } = await freshLibrary()
  const { sql } = server.database
  const before = (ms: number) => new Date(server.clock.now().getTime() - ms).toISOString()
  await sql`
    insert into spent_plans (workspace_id, plan_id, expires_at)
    select ${workspaceId}::bigint, 'old ' || n, ${before(3_700_000)}::timestamptz from generate_series(1, 1500) n
    union all select ${workspaceId}::bigint, 'fresh', ${before(60_000)}::timestamptz`
  await server.work.look()
  expect(await sql`select plan_id from spent_plans where workspace_id = ${workspaceId}`).toEqual([{ plan_id: 'fresh' }])
})
