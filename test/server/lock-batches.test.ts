// Many check-outs at once: all of them or none, given back the same way, and taken from others by admins (contract-gaps 9).
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { eventsOf, headOf, lockChangesSince, lockIt, locksOf, newProp, ok, refused } from '../support/check-out.ts'
import { item, plainFile, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const { url, keys } = await server.addWorkspace()
const [mia, max, adam, olivia] = [keys.mia, keys.max, keys.adam, keys.olivia].map((key) => callAs(url, key)) as [
  ReturnType<typeof callAs>,
  ReturnType<typeof callAs>,
  ReturnType<typeof callAs>,
  ReturnType<typeof callAs>,
]
const reads = callAs(url, keys.miaReads)
const elsewhere = await server.addWorkspace()
const stranger = callAs(elsewhere.url, elsewhere.keys.mia)

const many = async (count: number): Promise<Json[]> =>
  pushed(
    mia,
    Array.from({ length: count }, () => item()),
  )
const idsOf = (props: readonly Json[]) => props.map(({ lineage_id }) => lineage_id)
const activeOf = async (prop: Json): Promise<Json[]> => locksOf(reads, prop as { lineage_id: string }, '&active=true')

test('a batch answers lock and check-out of each lineage in its order, named twice or not, and shows as one in the activity', async () => {
  const props = (await many(3)).toReversed()
  const cursor = await headOf(reads)
  const body = { lineage_ids: [...idsOf(props), props[0]?.lineage_id], note: 'all', ttl_hours: 5 }
  const { locks } = ok(await mia.post('/locks/batch', body), 201)
  expect(locks.map(({ lock }: Json) => lock.lineage_id)).toEqual(idsOf(props))
  for (const [index, { lock, checkout }] of locks.entries()) {
    expect(lock).toMatchObject({ note: 'all', active: true, base_object_id: props[index]?.object_id, holder: { name: 'mia' } })
    expect(checkout).toMatchObject({ entry_id: props[index]?.entry_id, content_hash: props[index]?.content_hash })
    expect(await activeOf(props[index] as Json)).toEqual([lock])
  }
  expect(await lockChangesSince(reads, cursor)).toHaveLength(3)
  const [newest] = ok(await reads.get('/activity?limit=10')).events
  expect(newest).toMatchObject({ event_type: 'lock.acquire', count: 3, actor: { name: 'mia' } })
})

test('a batch extends what the asker has already', async () => {
  const props = await many(2)
  const own = await lockIt(mia, props[0] as { lineage_id: string }, { note: 'old', ttl_hours: 1 })
  const { locks } = ok(await mia.post('/locks/batch', { lineage_ids: idsOf(props), ttl_hours: 3 }), 201)
  expect(locks[0].lock).toMatchObject({ id: own.id, note: 'old' })
  expect(Date.parse(locks[0].lock.expires_at)).toBeGreaterThan(Date.parse(own.expires_at))
  expect(locks[1].lock).toMatchObject({ note: null })
})

test('where others have some of them nothing is taken, and all of those are named', async () => {
  const props = await many(4)
  const [a, b] = [await lockIt(max, props[1] as { lineage_id: string }), await lockIt(adam, props[3] as { lineage_id: string })]
  const own = await lockIt(mia, props[0] as { lineage_id: string }, { note: 'kept' })
  const cursor = await headOf(reads)
  const details = refused(await mia.post('/locks/batch', { lineage_ids: idsOf(props), note: 'lost' }), 409, 'LOCKED')
  expect(details).toEqual({ locked: [a, b].map((lock) => ({ lineage_id: lock.lineage_id, holder: lock.holder, lock })) })
  expect(await activeOf(props[0] as Json)).toEqual([own])
  expect(await activeOf(props[2] as Json)).toEqual([])
  expect(await lockChangesSince(reads, cursor)).toEqual([])
})

test('lineages that are nowhere, or in another workspace, are all named, and nothing is taken', async () => {
  const [prop = {}] = await many(1)
  const theirs = await newProp(stranger)
  const missing = ['lin_nobody', theirs.lineage_id]
  const answer = await mia.post('/locks/batch', { lineage_ids: [missing[0], prop.lineage_id, missing[1]] })
  expect(refused(answer, 404, 'LINEAGE_NOT_FOUND')).toEqual({ missing })
  expect(await activeOf(prop)).toEqual([])
})

test('a thousand lineages go in one batch, a thousand and one do not', async () => {
  const props = await pushed(
    mia,
    Array.from({ length: 1000 }, () => plainFile()),
  )
  const [one = {}] = await many(1)
  const tooMany = { lineage_ids: [...idsOf(props), one.lineage_id] }
  refused(await mia.post('/locks/batch', tooMany), 422, 'VALIDATION')
  refused(await mia.post('/locks/radar', tooMany), 422, 'VALIDATION')
  const { locks } = ok(await mia.post('/locks/batch', { lineage_ids: idsOf(props) }), 201)
  expect(new Set(locks.map(({ lock }: Json) => lock.id)).size).toBe(1000)
  const lock_ids = locks.map(({ lock }: Json) => lock.id)
  refused(await mia.post('/locks/release', { lock_ids: [...lock_ids, 1] }), 422, 'VALIDATION')
  expect(ok(await mia.post('/locks/release', { lock_ids }))).toEqual({ released: 1000 })
})

test.each([
  ['/locks/batch', { lineage_ids: [] }],
  ['/locks/batch', {}],
  ['/locks/batch', { lineage_ids: ['lin_a'], ttl_hours: 721 }],
  ['/locks/batch', { lineage_ids: ['lin_a'], note: 'n'.repeat(1001) }],
  ['/locks/batch', { lineage_ids: ['lin_a'], steal: {} }],
  ['/locks/batch', { lineage_ids: ['lin_a'], steal: { reason: ' ' } }],
  ['/locks/batch', { lineage_ids: ['lin_a'], steal: { reason: 'r'.repeat(1001) } }],
  ['/locks/release', { lock_ids: [] }],
  ['/locks/release', { lock_ids: ['1'] }],
  ['/locks/release', {}],
  ['/locks/radar', { lineage_ids: [] }],
])('%s refuses %j', async (path, body) => {
  refused(await adam.post(path, body), 422, 'VALIDATION')
})

test('many locks are given back at once: each counts once, and those that were over do not', async () => {
  const props = await many(3)
  const { locks } = ok(await mia.post('/locks/batch', { lineage_ids: idsOf(props) }), 201)
  const lock_ids = locks.map(({ lock }: Json) => lock.id)
  ok(await mia.del(`/locks/${lock_ids[0]}`), 204)
  expect(ok(await mia.post('/locks/release', { lock_ids: [...lock_ids, lock_ids[1]] }))).toEqual({ released: 2 })
  expect(ok(await mia.post('/locks/release', { lock_ids }))).toEqual({ released: 0 })
  for (const prop of props) expect(await activeOf(prop)).toEqual([])
  expect(ok(await reads.get('/activity?limit=10')).events[0]).toMatchObject({ event_type: 'lock.release', count: 2 })
})

test('one lock that is unknown, of another workspace, or of someone else, and none is given back; an admin gives back any', async () => {
  const [prop = {}] = await many(1)
  const own = await lockIt(mia, prop as { lineage_id: string })
  const other = await lockIt(max, await newProp(mia))
  const theirs = await lockIt(stranger, await newProp(stranger))
  const missing = [987_654_321, theirs.id]
  expect(refused(await mia.post('/locks/release', { lock_ids: [own.id, ...missing] }), 404, 'NOT_FOUND')).toEqual({ missing })
  refused(await mia.post('/locks/release', { lock_ids: [own.id, other.id] }), 403, 'FORBIDDEN')
  expect(await activeOf(prop)).toEqual([own])
  expect(ok(await adam.post('/locks/release', { lock_ids: [own.id, other.id] }))).toEqual({ released: 2 })
})

test('an admin takes over what others have, with a reason that the activity keeps; a member may not, whoever has it', async () => {
  const props = await many(3)
  const taken = await lockIt(max, props[0] as { lineage_id: string })
  const own = await lockIt(adam, props[1] as { lineage_id: string }, { note: 'mine' })
  const body = { lineage_ids: idsOf(props), steal: { reason: 'Max is on leave' } }
  for (const lineage_ids of [idsOf(props), idsOf(props.slice(2))])
    refused(await mia.post('/locks/batch', { ...body, lineage_ids }), 403, 'FORBIDDEN')
  const { locks } = ok(await adam.post('/locks/batch', body), 201)
  expect(locks.map(({ lock }: Json) => [lock.holder.name, lock.active])).toEqual(props.map(() => ['adam', true]))
  expect([locks[0].lock.id === taken.id, locks[1].lock.id === own.id, locks[1].lock.note]).toEqual([false, true, 'mine'])
  const [released] = await locksOf(reads, props[0] as { lineage_id: string }, '&active=false')
  expect(released).toMatchObject({ id: taken.id, released_at: expect.any(String) })
  const [event] = await eventsOf(reads, props[0] as { lineage_id: string }, 'lock.release')
  expect(event).toMatchObject({
    actor: { name: 'adam' },
    payload: { reason: 'Max is on leave', lock_id: taken.id, holder_id: taken.holder.id },
  })
  refused(await olivia.post('/locks/batch', { ...body, steal: null }), 409, 'LOCKED')
  ok(await olivia.post('/locks/batch', body), 201)
})
