// Locks end by the clock: they bind nobody from that moment on, and that is recorded once, by whichever server is there (spec 3).
import { expect, test } from 'vitest'
import { recordExpiries, selectWhereExpired } from '../../server/check-out/expiry.ts'
import { usualWaits } from '../../server/database/waits.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import {
  eventsOf,
  headOf,
  lockChangesSince,
  lockIt,
  locksOf,
  newProp,
  nextOf,
  ok,
  type Prop,
  refused,
} from '../support/check-out.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { commitOf, item, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const hourMs = 3_600_000
const server = await startTestServer({}, byHand)
const { url, keys } = await server.addWorkspace()
const [mia, max] = [callAs(url, keys.mia), callAs(url, keys.max)]

test('a lock is active until the very end of its time, and no longer, before anybody has recorded it', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop, { ttl_hours: 1 })
  const leftMs = () => Date.parse(lock.expires_at) - server.clock.now().getTime()
  server.clock.advance(leftMs() - 60_000)
  refused(await max.post('/locks', { lineage_id: prop.lineage_id }), 409, 'LOCKED')
  server.clock.advance(leftMs())
  expect(await locksOf(max, prop, '&active=true')).toEqual([])
  expect(await locksOf(max, prop)).toEqual([{ ...lock, active: false }])
  expect(await lockIt(max, prop)).toMatchObject({ active: true })
})

test('an expiry is recorded once, with the holder as its actor, and as a change of the lock', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop, { ttl_hours: 1 })
  await server.work.look()
  expect(await eventsOf(max, prop, 'lock.expire'), 'not before its time').toEqual([])
  server.clock.advance(hourMs)
  const cursor = await headOf(max)
  await server.work.look()
  server.clock.advance(60_000)
  await server.work.look()
  expect(await eventsOf(max, prop, 'lock.expire')).toMatchObject([
    { actor: { name: 'mia' }, entry_id: prop.entry_id, payload: { lock_id: lock.id, holder_id: lock.holder.id } },
  ])
  expect(await lockChangesSince(max, cursor)).toEqual([`${lock.id} upsert ${prop.lineage_id}`])
  expect(await locksOf(max, prop)).toEqual([{ ...lock, active: false }])
  for (const who of [mia, callAs(url, keys.adam)]) ok(await who.del(`/locks/${lock.id}`), 204)
  expect(await eventsOf(max, prop, 'lock.release')).toEqual([])
})

test('who locks the lineage before that records it on the way, and nobody does it again', async () => {
  const prop = await newProp(mia)
  await lockIt(mia, prop, { ttl_hours: 1, note: 'old' })
  server.clock.advance(hourMs)
  expect(await lockIt(mia, prop), 'also the former holder gets a new one').toMatchObject({ note: null })
  await server.work.look()
  expect(await eventsOf(max, prop, 'lock.expire')).toMatchObject([{ actor: { name: 'mia' } }])
  const types = ok(await max.get(`/activity?lineage_id=${prop.lineage_id}`)).events.map((event: Json) => event.event_type)
  expect(types.slice(0, 3)).toEqual(['lock.acquire', 'lock.expire', 'lock.acquire'])
})

test('extending moves the end, and the first end is none any more', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop, { ttl_hours: 1 })
  ok(await mia.post('/locks', { lineage_id: prop.lineage_id, ttl_hours: 3 }))
  server.clock.advance(2 * hourMs)
  await server.work.look()
  expect(await locksOf(max, prop, '&active=true')).toMatchObject([{ id: lock.id }])
  expect(await eventsOf(max, prop, 'lock.expire')).toEqual([])
})

test('several servers that look at once record hundreds of expiries once each, in every workspace', async () => {
  const other = await server.addWorkspace()
  const homes = [callAs(url, keys.mia), callAs(other.url, other.keys.mia)]
  const heads: number[] = []
  const batches: Json[][] = []
  for (const who of homes) {
    const props = await pushed(
      who,
      Array.from({ length: 250 }, () => item({ entry: null })),
    )
    const lineage_ids = props.map(({ lineage_id }) => lineage_id)
    batches.push(ok(await who.post('/locks/batch', { lineage_ids, ttl_hours: 1 }), 201).locks)
    heads.push(await newestEvent(who))
  }
  server.clock.advance(hourMs)
  const { database, clock } = server
  const looks = Array.from({ length: 4 }, async () => {
    for (const workspaceId of await selectWhereExpired(database, clock)) await recordExpiries(database, { clock, workspaceId })
  })
  await Promise.all(looks)
  for (const [at, who] of homes.entries()) {
    const wanted = new Set(batches[at]?.map(({ lock }) => lock.id))
    const ids = (await expiriesAfter(who, heads[at] ?? 0)).map(({ payload }) => payload.lock_id).filter((id) => wanted.has(id))
    expect(ids.toSorted((a, b) => a - b)).toEqual([...wanted].sort((a, b) => a - b))
  }
})

const newestEvent = async (who: Caller): Promise<number> => ok(await who.get('/activity?limit=1')).events[0].id

async function expiriesAfter(who: Caller, id: number): Promise<Json[]> {
  const found: Json[] = []
  let cursor: number | null = null
  do {
    const page: Json = ok(await who.get(`/activity?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`))
    found.push(...page.events.filter((event: Json) => event.id > id && event.event_type === 'lock.expire'))
    cursor = page.events.at(-1)?.id > id ? page.next_cursor : null
  } while (cursor !== null)
  return found
}

// The embedded database has one session: there nobody holds a row while others work.
test.runIf(isPostgres)(
  'a workspace in which someone holds the lineage keeps no other waiting, and comes when it is free',
  postgresOnly,
  async () => {
    const short = await startTestServer({}, { ...byHand, waits: { ...usualWaits, lockMs: 500 } })
    const homes = await Promise.all([short.addWorkspace(), short.addWorkspace()])
    const callers = homes.map((home) => callAs(home.url, home.keys.mia))
    const props = await Promise.all(callers.map((who) => newProp(who)))
    for (const [at, who] of callers.entries()) await lockIt(who, props[at] as Prop, { ttl_hours: 1 })
    short.clock.advance(hourMs)
    const expiries = () =>
      Promise.all(callers.map(async (who, at) => (await eventsOf(who, props[at] as Prop, 'lock.expire')).length))
    await short.database.sql.begin(async (sql) => {
      await sql`select 1 from lineages where id = ${String(props[0]?.lineage_id)} for update`
      await short.work.look()
      expect(await expiries()).toEqual([0, 1])
    })
    short.clock.advance(60_000)
    await short.work.look()
    expect(await expiries()).toEqual([1, 1])
  },
)

test('what a clock that ran ahead has ended stays ended; what it has not comes back with the right time', async () => {
  const [ended, open] = [await newProp(mia), await newProp(mia)]
  const first = await lockIt(mia, ended, { ttl_hours: 1 })
  const second = await lockIt(mia, open, { ttl_hours: 3 })
  server.clock.advance(2 * hourMs)
  await server.work.look()
  server.clock.advance(2 * hourMs)
  expect(await locksOf(max, open)).toMatchObject([{ active: false }])
  server.clock.advance(-4 * hourMs)
  expect(await locksOf(max, ended)).toEqual([{ ...first, active: false }])
  expect(await locksOf(max, open)).toEqual([second])
  refused(await max.post('/locks', { lineage_id: open.lineage_id }), 409, 'LOCKED')
  const again = await lockIt(max, ended)
  expect(ok(await commitOf(mia, [nextOf(ended)])).results).toMatchObject([{ status: 'locked' }])
  await server.work.look()
  expect(await locksOf(max, ended)).toEqual([again, { ...first, active: false }])
  server.clock.advance(4 * hourMs)
  await server.work.look()
  await server.work.look()
  expect(await eventsOf(max, ended, 'lock.expire')).toHaveLength(1)
  expect(await eventsOf(max, open, 'lock.expire')).toHaveLength(1)
})
