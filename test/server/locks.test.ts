// Check-outs of one lineage: taking, extending and giving them back, and what is told of that (spec 3 and 4.4).
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { eventsOf, headOf, lockChangesSince, lockIt, locksOf, newProp, nextOf, ok, refused } from '../support/check-out.ts'
import { pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const hourMs = 3_600_000
const server = await startTestServer({}, byHand)
const home = await server.addWorkspace()
const callers = ({ url, keys }: typeof home) =>
  [keys.mia, keys.max, keys.adam, keys.miaReads].map((key) => callAs(url, key)) as [Caller, Caller, Caller, Caller]
const [mia, max, adam, reads] = callers(home)

const hoursOf = ({ created_at, expires_at }: Json) => (Date.parse(expires_at) - Date.parse(created_at)) / hourMs

test('a check-out answers the lock and the current version, with an address that leads to its bytes', async () => {
  const prop = await newProp(mia)
  const [next = {}] = await pushed(mia, [nextOf(prop)])
  const { lock, checkout, created } = ok(await mia.post('/locks', { lineage_id: prop.lineage_id, note: 'Griff\t🪑' }), 201)
  const { id: holderId } = ok(await mia.get('/members/me'))
  expect(lock).toEqual({
    id: expect.any(Number),
    lineage_id: prop.lineage_id,
    holder: { id: holderId, name: 'mia', display_name: 'mia' },
    note: 'Griff\t🪑',
    base_object_id: next.object_id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    expires_at: expect.any(String),
    released_at: null,
    active: true,
  })
  expect([hoursOf(lock), created]).toEqual([72, true])
  expect(checkout).toEqual({
    entry_id: prop.entry_id,
    object_id: next.object_id,
    content_hash: next.content_hash,
    blob_url: `/w/${home.slug}/api/v1/blobs/${next.content_hash}`,
    suggested_filename: `${prop.item.asset_name}.uasset`,
  })
  const { status } = await fetch(`${server.url}${checkout.blob_url}`, {
    redirect: 'manual',
    headers: { authorization: `Bearer ${home.keys.mia}` },
  })
  expect(status).toBe(302)
  expect(await locksOf(reads, prop)).toEqual([lock])
})

test('the first workspace is reached without its name, and so are the bytes of a check-out', async () => {
  const first = callAs(server.url, await keyOfFirst())
  const prop = await newProp(first)
  const { checkout } = ok(await first.post('/locks', { lineage_id: prop.lineage_id }), 201)
  expect(checkout.blob_url).toBe(`/api/v1/blobs/${prop.content_hash}`)
})

/** A key of the workspace that the server was set up with. */
async function keyOfFirst(): Promise<string> {
  const key = `ph_live_${'k'.repeat(40)}`
  await server.changeWorkspace('first', {
    members: [{ email: 'kim@first.test', name: 'kim', display_name: 'kim', role: 'member' }],
    keys: [{ name: 'kim', member: 'kim@first.test', scope: 'write', key }],
  })
  return key
}

test('a file that is no entry is checked out without one, and a source file keeps its extension', async () => {
  const file = await newProp(mia, { asset_class: 'SourceMesh', source_ext: 'fbx', entry: null })
  const { checkout } = ok(await mia.post('/locks', { lineage_id: file.lineage_id }), 201)
  expect(checkout).toMatchObject({ entry_id: null, suggested_filename: `${file.item.asset_name}.fbx` })
})

test.each([
  [1, 1],
  [720, 720],
  [null, 72],
])('a lock of %s hours ends after %s', async (ttl_hours, hours) => {
  expect(hoursOf(await lockIt(mia, await newProp(mia), { ttl_hours }))).toBe(hours)
})

test.each([
  { ttl_hours: 0 },
  { ttl_hours: 721 },
  { ttl_hours: 1.5 },
  { ttl_hours: '5' },
  { note: 'n'.repeat(1001) },
  { note: '🪑'.repeat(1001) },
  { note: 7 },
  { lineage_id: null },
  { lineage_id: 7 },
  { lineage_id: '' },
])('%j is refused and nothing is locked', async (wrong) => {
  const prop = await newProp(mia)
  refused(await mia.post('/locks', { lineage_id: prop.lineage_id, ...wrong }), 422, 'VALIDATION')
  expect(await locksOf(reads, prop)).toEqual([])
})

test('a note may have a thousand characters, whatever they are, and is stored as it was sent', async () => {
  for (const note of ['🪑'.repeat(1000), '\u001b[2J\u202e\u200b\r\n', ''])
    expect((await lockIt(mia, await newProp(mia), { note })).note).toBe(note)
})

test('a lineage that is nowhere, or in another workspace, cannot be checked out', async () => {
  const [stranger] = callers(await server.addWorkspace())
  const theirs = await newProp(stranger)
  for (const lineage_id of ['lin_nobody', theirs.lineage_id])
    expect(refused(await mia.post('/locks', { lineage_id }), 404, 'LINEAGE_NOT_FOUND')).toEqual({ missing: [lineage_id] })
})

test('the holder who asks again extends the lock: same id and base, new end, note only when one is sent', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop, { note: 'first', ttl_hours: 10 })
  await pushed(mia, [nextOf(prop, { entry: { name: 'x', make_face: false } })])
  const base = (await locksOf(reads, prop))[0]?.base_object_id
  server.clock.advance(hourMs)
  const ask = async (more: Json) => ok(await mia.post('/locks', { lineage_id: prop.lineage_id, ...more }))
  const again = await ask({ ttl_hours: 5 })
  expect(again).toMatchObject({ created: false, lock: { id: lock.id, note: 'first', base_object_id: base, active: true } })
  expect(hoursOf(again.lock)).toBeCloseTo(6, 2)
  expect(again.lock.created_at).toBe(lock.created_at)
  expect((await ask({ note: 'second' })).lock).toMatchObject({ note: 'second' })
  expect((await ask({ note: null })).lock).toMatchObject({ note: null })
  refused(await mia.post('/locks', { lineage_id: prop.lineage_id, ttl_hours: 721, note: 'third' }), 422, 'VALIDATION')
  expect(await locksOf(reads, prop)).toMatchObject([{ id: lock.id, note: null }])
  expect(await eventsOf(reads, prop, 'lock.acquire')).toHaveLength(1)
})

test('someone else, an admin too, is told who has it, and until when', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop)
  for (const who of [max, adam])
    expect(refused(await who.post('/locks', { lineage_id: prop.lineage_id }), 409, 'LOCKED')).toEqual({
      holder: lock.holder,
      lock,
    })
})

test('the holder and admins release a lock, others do not; what is released stays as it was', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop)
  refused(await max.del(`/locks/${lock.id}`), 403, 'FORBIDDEN')
  expect(await locksOf(reads, prop)).toEqual([lock])
  ok(await adam.del(`/locks/${lock.id}`), 204)
  const [released = {}] = await locksOf(reads, prop)
  expect(released).toEqual({ ...lock, active: false, released_at: expect.any(String) })
  server.clock.advance(60_000)
  const next = await lockIt(max, prop)
  for (const who of [mia, adam]) ok(await who.del(`/locks/${lock.id}`), 204)
  expect(await locksOf(reads, prop)).toEqual([next, released])
  const [event] = await eventsOf(reads, prop, 'lock.release')
  expect(await eventsOf(reads, prop, 'lock.release')).toHaveLength(1)
  expect(event).toMatchObject({ actor: { name: 'adam' }, entry_id: prop.entry_id, payload: { lock_id: lock.id } })
  expect(event?.payload).not.toHaveProperty('reason')
})

test('a lock that is nowhere, or in another workspace, is not found', async () => {
  const [stranger] = callers(await server.addWorkspace())
  const theirs = await lockIt(stranger, await newProp(stranger))
  for (const id of [theirs.id, 987_654_321]) refused(await adam.del(`/locks/${id}`), 404, 'NOT_FOUND')
  refused(await adam.del('/locks/0'), 404, 'NOT_FOUND')
  expect((await stranger.get(`/locks?lineage_id=${theirs.lineage_id}`)).body.locks).toEqual([theirs])
})

test('who locks again after a release gets a new lock, from the version that is current by then, without the old note', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop, { note: 'first' })
  ok(await mia.del(`/locks/${lock.id}`), 204)
  const [next = {}] = await pushed(max, [nextOf(prop)])
  const again = await lockIt(mia, prop)
  expect(again).toMatchObject({ note: null, base_object_id: next.object_id })
  expect(again.id).toBeGreaterThan(lock.id)
})

test('both feeds tell of every change of a lock, and expand=true brings the lock', async () => {
  const prop = await newProp(mia)
  let cursor = await headOf(reads)
  const since = async () => {
    const found = await lockChangesSince(reads, cursor)
    cursor = await headOf(reads)
    return found
  }
  const lock = await lockIt(mia, prop, { note: 'why' })
  const said = `${lock.id} upsert ${prop.lineage_id}`
  const { changes } = ok(await reads.get(`/catalog/changes?cursor=${cursor}&expand=true`))
  expect(changes.map(({ record }: Json) => record)).toEqual([lock])
  expect(await since()).toEqual([said])
  expect(await eventsOf(reads, prop, 'lock.acquire')).toMatchObject([
    { actor: { name: 'mia' }, entry_id: prop.entry_id, object_id: prop.object_id, payload: { lock_id: lock.id, note: 'why' } },
  ])
  ok(await mia.post('/locks', { lineage_id: prop.lineage_id }))
  expect(await since()).toEqual([said])
  await pushed(mia, [nextOf(prop)])
  expect(await since()).toEqual([said])
  ok(await mia.del(`/locks/${lock.id}`), 204)
  expect(await since()).toEqual([said])
  ok(await mia.del(`/locks/${lock.id}`), 204)
  expect(await since()).toEqual([])
})

test('locks are listed newest first, by lineage, holder and whether they are active, and by pages', async () => {
  const own = await server.addWorkspace()
  const [ann, bob, admin, reader] = callers(own)
  const [one, two] = [await newProp(ann), await newProp(ann)]
  const made: Json[] = []
  for (const [who, prop] of [
    [ann, one],
    [bob, two],
    [bob, one],
    [ann, one],
  ] as const) {
    if (prop === one && made[0]) ok(await admin.post('/locks/release', { lock_ids: made.map(({ id }) => id) }))
    made.push(await lockIt(who, prop))
  }
  const ids = made.map(({ id }) => id).reverse()
  const list = async (query: string) => ok(await reader.get(`/locks?${query}`))
  const idsOf = async (query: string) => (await list(query)).locks.map(({ id }: Json) => id)
  expect(await idsOf('')).toEqual(ids)
  expect(await idsOf('active=true')).toEqual([ids[0]])
  expect(await idsOf('active=false')).toEqual(ids.slice(1))
  expect(await idsOf(`lineage_id=${two.lineage_id}`)).toEqual([ids[2]])
  expect(await idsOf(`holder=${made[1]?.holder.id}`)).toEqual([ids[1], ids[2]])
  expect(await idsOf(`holder=${made[1]?.holder.id}&lineage_id=${one.lineage_id}&active=false`)).toEqual([ids[1]])
  expect(await idsOf('lineage_id=lin_nobody')).toEqual([])
  const page = await list('limit=3')
  expect([page.locks.length, page.next_cursor]).toEqual([3, ids[2]])
  expect(await list(`limit=3&cursor=${page.next_cursor}`)).toMatchObject({ locks: [{ id: ids[3] }], next_cursor: null })
  expect(await list('limit=4')).toMatchObject({ next_cursor: null })
  for (const query of ['limit=0', 'limit=201', 'active=perhaps', 'holder=x', 'cursor=x', 'cursor=0'])
    refused(await reader.get(`/locks?${query}`), 422, 'VALIDATION')
})
