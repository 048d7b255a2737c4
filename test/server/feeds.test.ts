// The feeds: every committed record is seen by the one who pages by cursor, however transactions overlap (spec 4.6).
import { beforeAll, expect, test } from 'vitest'
import { Feed } from '../../server/feed.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { oneWaitsFor, someoneWaits } from '../support/lock-waits.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { commitOf, item, pushed, upload } from '../support/push.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let mia: Caller
let base: string
const epoch = { id: expect.stringMatching(/./), began_at: expect.stringMatching(/Z$/) }

beforeAll(async () => {
  server = await startTestServer({}, byHand)
  const { url, keys } = await server.addWorkspace()
  base = url
  mia = callAs(url, keys.mia)
})

/** Pages the feed until it is empty; gives the raw sequence numbers it saw. */
async function readChanges(caller: Caller, cursor: number, limit: number): Promise<{ seen: Json[]; cursor: number }> {
  const seen: Json[] = []
  for (;;) {
    const { body } = await caller.get(`/catalog/changes?cursor=${cursor}&limit=${limit}`)
    if (body.changes.length === 0) return { seen, cursor }
    seen.push(...body.changes)
    cursor = body.next_cursor
  }
}

test('a reader who pages while many write misses no entry and no version', async () => {
  const { url, keys } = await server.addWorkspace()
  const writers = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam), callAs(url, keys.olivia)]
  const reader = callAs(url, keys.miaReads)
  const batches = Array.from({ length: 24 }, (_, n) => Array.from({ length: n % 4 === 0 ? 60 : 1 }, () => item()))
  await Promise.all(batches.map((batch, n) => upload(writers[n % 4] as Caller, batch)))
  let writing = true
  const seen = new Map<string, number>()
  const reading = (async () => {
    let cursor = 0
    for (let last = false; !last; ) {
      last = !writing
      const page = await readChanges(reader, cursor, 7)
      for (const change of page.seen) seen.set(`${change.entity} ${change.entity_id}`, change.seq)
      cursor = page.cursor
    }
  })()
  const answers = await Promise.all(batches.map((batch, n) => commitOf(writers[n % 4] as Caller, batch)))
  writing = false
  await reading
  const results = answers.flatMap((answer) => answer.body.results as Json[])
  const missed = results.filter((result) => !seen.has(`entry ${result.entry_id}`) || !seen.has(`object ${result.object_id}`))
  expect(missed).toEqual([])
})

// The embedded database has one session: there transactions never overlap.
test.runIf(isPostgres)(
  'nobody can take a number while another transaction that took one is still open',
  postgresOnly,
  async () => {
    const { sql } = server.database
    const [workspace] = await sql<{ id: number }[]>`select id from workspaces order by id limit 1`
    const by = { workspaceId: Number(workspace?.id), actorId: 1, now: new Date() }
    const one = (entityId: number) => {
      const feed = new Feed()
      feed.changed({ entity: 'entry', entityId, lineageId: null, op: 'upsert' })
      return feed
    }
    const open = Promise.withResolvers<void>()
    const wrote = Promise.withResolvers<void>()
    const first = sql.begin(async (inside) => {
      await one(910_001).write(inside, by)
      wrote.resolve()
      await open.promise
    })
    await wrote.promise
    let secondDone = false
    const second = sql.begin((inside) => one(910_002).write(inside, by)).then(() => (secondDone = true))
    await someoneWaits(sql)
    expect(secondDone).toBe(false)
    open.resolve()
    await Promise.all([first, second])
    const rows = await sql<
      { entity_id: number }[]
    >`select entity_id from changes where workspace_id = ${by.workspaceId} and entity_id >= 910001 order by seq`
    expect(rows.map((row) => row.entity_id)).toEqual([910_001, 910_002])
  },
)

test('a page holds each record once, with its last change; the cursor moves past the earlier ones', async () => {
  const [first] = await pushed(mia, [item()])
  const { cursor } = await readChanges(mia, 0, 1000)
  for (let n = 0; n < 3; n++) await pushed(mia, [item({ stamped_lineage_id: first.lineage_id })])
  const { body } = await mia.get(`/catalog/changes?cursor=${cursor}`)
  const ofEntry = body.changes.filter((change: Json) => change.entity === 'entry')
  expect(ofEntry).toHaveLength(1)
  expect(body.next_cursor).toBe(ofEntry[0].seq)
  expect(body.changes.filter((change: Json) => change.entity === 'object')).toHaveLength(3)
})

test('expand=true brings what the refresh addresses answer', async () => {
  const { cursor } = await readChanges(mia, 0, 1000)
  const [made] = await pushed(mia, [item()])
  const { body } = await mia.get(`/catalog/changes?cursor=${cursor}&expand=true`)
  const [object, entry] = body.changes
  expect(object.record).toEqual((await mia.get(`/lineages/${made.lineage_id}`)).body)
  const listed = (await mia.get(`/entries?name=${entry.record.name}`)).body.entries[0]
  expect(entry.record).toEqual({ ...listed, tags: [] })
})

test('a cursor older than what is kept is told to start over', async () => {
  const { url, keys } = await server.addWorkspace()
  const caller = callAs(url, keys.mia)
  await pushed(caller, [item(), item()])
  const { sql } = server.database
  await sql`update feed_heads set changes_floor = 2 where workspace_id = (select max(id) from workspaces)`
  await sql`delete from changes where workspace_id = (select max(id) from workspaces) and seq <= 2`
  expect((await caller.get('/catalog/changes')).body).toEqual({ changes: [], next_cursor: 4, reset: true, library_epoch: epoch })
  expect((await caller.get('/catalog/changes?cursor=2')).body).toMatchObject({ reset: false, next_cursor: 4 })
})

test('a reader whom retention overtakes in mid-answer is told to start over, not given a feed with a gap', async () => {
  const { url, keys } = await server.addWorkspace()
  const caller = callAs(url, keys.mia)
  await pushed(caller, [item(), item()])
  const { sql, kind } = server.database
  const [workspace] = await sql<{ id: number }[]>`select max(id) as id from workspaces`
  const id = Number(workspace?.id)
  let reading: ReturnType<Caller['get']> | undefined
  await sql.begin(async (inside) => {
    await inside`lock table changes in access exclusive mode`
    reading = caller.get('/catalog/changes')
    // The embedded database has one session: there the reader waits outside for the whole of this.
    if (kind === 'postgresql') await oneWaitsFor(sql, { table: 'changes' })
    await inside`delete from changes where workspace_id = ${id} and seq <= 2`
    await inside`update feed_heads set changes_floor = 2 where workspace_id = ${id}`
  })
  expect((await reading)?.body).toEqual({ changes: [], next_cursor: 4, reset: true, library_epoch: epoch })
})

test('the export begins with cursor and total, holds every entry, and ends with the number of them', async () => {
  const { url, keys } = await server.addWorkspace()
  const caller = callAs(url, keys.mia)
  const made = await pushed(caller, [item(), item(), item()])
  const response = await fetch(`${url}/api/v1/catalog/export`, { headers: { authorization: `Bearer ${keys.miaReads}` } })
  expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
  const [first, ...lines] = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [rows, last] = [lines.slice(0, -1), lines.at(-1)]
  expect(first).toEqual({ cursor: 6, total: 3, ends: true, library_epoch: epoch })
  expect(last).toEqual({ end: true, entries: 3 })
  expect(rows.map((row) => row.id)).toEqual(made.map((result) => result.entry_id))
  expect(rows[0].tags).toEqual([])
})

test('activity pages by id show every event once, and a batch split over pages adds up', async () => {
  await pushed(
    mia,
    Array.from({ length: 7 }, () => item()),
  )
  for (const limit of [1, 3, 200]) {
    let cursor: number | null = null
    let count = 0
    do {
      const page: Json = (await mia.get(`/activity?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`)).body
      count += page.events.reduce((sum: number, event: Json) => sum + event.count, 0)
      cursor = page.next_cursor
    } while (cursor !== null)
    const [total] = await server.database.sql<{ n: number }[]>`
      select count(*)::int as n from activity a join workspaces w on w.id = a.workspace_id where w.slug = ${base.split('/w/')[1] ?? ''}`
    expect(count, `limit ${limit}`).toBe(total?.n)
  }
})
