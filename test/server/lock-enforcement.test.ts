// What a check-out stops, for whom, and which version its holder works from (spec 3, 4.4, 4.9; contract-gaps 5 and 9).
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { headOf, lockChangesSince, lockIt, locksOf, newProp, nextOf, ok, type Prop, refused } from '../support/check-out.ts'
import { commitOf, type Item, item, manifestOf, plainFile, pushed, uniqueName, upload } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const { url, keys } = await server.addWorkspace()
const [mia, max, adam] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam)]

const needs = (...items: Item[]) => ({ dependencies: items.map(({ content_hash }) => ({ content_hash })) })
const commit = async (who: Caller, ...items: Item[]): Promise<Json> => ok(await commitOf(who, items))
const negotiate = async (who: Caller, ...items: Item[]): Promise<Json> => ok(await who.post('/push/negotiate', manifestOf(items)))
const faceOf = async ({ entry_id }: Prop): Promise<number> => ok(await mia.get(`/entries/${entry_id}`)).object_id

test.each(['max', 'adam'] as const)(
  'a new version by %s of what mia has checked out is locked, the rest of the push goes through',
  async (name) => {
    const who = callAs(url, keys[name])
    const prop = await newProp(mia)
    const lock = await lockIt(mia, prop, { note: 'mine' })
    const [next, other] = [nextOf(prop, { expected_face_object_id: 987_654 }), item()]
    const { results, summary } = await commit(who, next, other)
    expect(results[0]).toEqual({
      content_hash: next.content_hash,
      status: 'locked',
      reason: 'lineage_locked',
      lock,
      object_id: null,
      lineage_id: prop.lineage_id,
      lineage_anchor: null,
      parent_object_id: null,
      variant: false,
      entry_id: null,
      entry_created: false,
    })
    expect(results[1]).toMatchObject({ status: 'new' })
    expect(summary).toMatchObject({ new: 1, locked: 1, entries_created: 1 })
    expect(await faceOf(prop)).toBe(prop.object_id)
    expect(ok(await mia.get(`/lineages/${prop.lineage_id}`)).objects).toHaveLength(1)
  },
)

test.each([
  ['its package GUID', (prop: Prop) => ({ stamped_lineage_id: null, package_guid: prop.item.package_guid })],
  ['an answer', (prop: Prop) => ({ stamped_lineage_id: null, stamped_base_hash: null, attach_to_lineage: prop.lineage_id })],
])('a version that belongs to a checked-out lineage by %s is locked too', async (_how, over) => {
  const prop = await newProp(mia, { package_guid: uniqueName('guid') })
  await lockIt(mia, prop)
  const { results } = await commit(max, nextOf(prop, over(prop)))
  expect(results).toMatchObject([{ status: 'locked', reason: 'lineage_locked' }])
})

test('what needs a locked item is locked with it, through however many steps; what is denied or held stays that', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop)
  const next = nextOf(prop)
  const near = item(needs(next))
  const far = plainFile(needs(near))
  const barred = item(needs(next))
  ok(await adam.post('/admin/denylist', { kind: 'content_hash', value: barred.content_hash }), 201)
  const lost = item({ origin_path: (await newProp(mia)).item.origin_path, ...needs(next) })
  const free = item()
  const items = [far, near, next, barred, lost, free]
  await upload(
    max,
    items.filter((one) => one !== barred),
  )
  const { results, summary } = ok(await max.post('/push/commit', manifestOf(items)))
  expect(results.map(({ status, reason }: Json) => [status, reason])).toEqual([
    ['locked', 'depends_on_locked'],
    ['locked', 'depends_on_locked'],
    ['locked', 'lineage_locked'],
    ['denied', 'denylisted'],
    ['held', 'probable_lost_stamp'],
    ['new', undefined],
  ])
  expect(results[1]).toMatchObject({ locked_dependencies: [next.content_hash], lineage_id: null })
  expect(results[1]).not.toHaveProperty('lock')
  expect(summary).toMatchObject({ new: 1, locked: 3, denied: 1, held: 1 })
  ok(await mia.del(`/locks/${lock.id}`), 204)
  const again = await commit(max, far, near, next)
  expect(again.summary).toMatchObject({ new: 3, locked: 0 })
})

test('negotiate tells of it: the item would be registered but for the lock, and its bytes are not asked for', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop)
  const next = nextOf(prop)
  const user = item(needs(next))
  const answer = await negotiate(max, next, user)
  expect(answer.missing_hashes).toEqual([])
  expect(answer.missing ?? []).toEqual([])
  expect(answer.items).toMatchObject([
    {
      action: 'register',
      reason: 'lineage_locked',
      lock,
      lineage_id: prop.lineage_id,
      parent_object_id: prop.object_id,
      face_object_id: prop.object_id,
    },
    { action: 'register', reason: 'depends_on_locked', locked_dependencies: [next.content_hash], lineage_id: null },
  ])
  const own = await negotiate(mia, next, user)
  expect(own.missing_hashes.sort()).toEqual([next.content_hash, user.content_hash].sort())
  for (const one of own.items) expect(one).not.toHaveProperty('reason')
})

test('a locked item needs no bytes, and one whose lock goes meanwhile is told that they are missing', async () => {
  const prop = await newProp(mia)
  const lock = await lockIt(mia, prop)
  const manifest = manifestOf([nextOf(prop)])
  expect(ok(await max.post('/push/commit', manifest)).results).toMatchObject([{ status: 'locked' }])
  ok(await mia.del(`/locks/${lock.id}`), 204)
  refused(await max.post('/push/commit', manifest), 409, 'BLOB_MISSING')
})

test('a lock stops no bytes that are known, no other lineage at its path, and no downloads, pulls, tags or pictures', async () => {
  const prop = await newProp(mia)
  await lockIt(mia, prop)
  expect((await commit(max, prop.item)).results).toMatchObject([{ status: 'dedup' }])
  expect((await commit(max, item({ origin_path: prop.item.origin_path, force_new_lineage: true }))).results).toMatchObject([
    { status: 'new' },
  ])
  ok(await max.get(`/entries/${prop.entry_id}/download`), 302)
  ok(await max.post('/pull-jobs', { target_project: uniqueName('Proj'), entries: [{ entry_id: prop.entry_id }] }), 201)
  ok(await max.patch(`/entries/${prop.entry_id}`, { name: 'Renamed', category: 'Props' }))
})

/** A prop with two versions of mia's, the newer one current, checked out by her. */
async function checkedOut() {
  const prop = await newProp(mia)
  const [next = {}] = await pushed(mia, [nextOf(prop)])
  return { prop, next, lock: await lockIt(mia, prop) }
}

test.each([
  ['restore', (who: Caller, id: number, object_id: number) => who.post(`/entries/${id}/restore`, { object_id })],
  ['PATCH object_id', (who: Caller, id: number, object_id: number) => who.patch(`/entries/${id}`, { object_id, name: 'New' })],
])('%s by others is refused while someone has it checked out; by an admin it works, and the base stays', async (_how, move) => {
  const { prop, next, lock } = await checkedOut()
  expect(refused(await move(max, prop.entry_id, prop.object_id), 409, 'LOCKED')).toEqual({ holder: lock.holder, lock })
  expect(ok(await mia.get(`/entries/${prop.entry_id}`))).toMatchObject({ object_id: next.object_id, name: prop.item.asset_name })
  ok(await move(max, prop.entry_id, next.object_id))
  ok(await move(adam, prop.entry_id, prop.object_id))
  expect(await faceOf(prop)).toBe(prop.object_id)
  expect(await locksOf(mia, prop)).toMatchObject([{ base_object_id: next.object_id }])
})

test('the base moves with what the holder pushes, restores and makes current', async () => {
  const { prop, next, lock } = await checkedOut()
  const base = async () => (await locksOf(mia, prop))[0]?.base_object_id
  expect(await base()).toBe(next.object_id)
  const cursor = await headOf(mia)
  ok(await mia.post(`/entries/${prop.entry_id}/restore`, { object_id: prop.object_id }))
  expect(await base()).toBe(prop.object_id)
  expect(await lockChangesSince(mia, cursor)).toEqual([`${lock.id} upsert ${prop.lineage_id}`])
  ok(await mia.patch(`/entries/${prop.entry_id}`, { object_id: next.object_id }))
  expect(await base()).toBe(next.object_id)
  const [aside = {}] = await pushed(mia, [nextOf(prop, { entry: { make_face: false } })])
  expect([await base(), await faceOf(prop)]).toEqual([aside.object_id, next.object_id])
  const versions = await pushed(mia, [nextOf(prop), nextOf(prop)])
  expect(await base()).toBe(versions[1]?.object_id)
})

test('of the holder who released, or whose time is over, no base moves and nobody is stopped', async () => {
  const { prop, next, lock } = await checkedOut()
  ok(await mia.del(`/locks/${lock.id}`), 204)
  await pushed(mia, [nextOf(prop)])
  const short = await lockIt(mia, prop, { ttl_hours: 1 })
  server.clock.advance(3_600_000)
  ok(await mia.post(`/entries/${prop.entry_id}/restore`, { object_id: prop.object_id }))
  expect(await locksOf(mia, prop)).toMatchObject([
    { id: short.id, base_object_id: short.base_object_id, active: false, released_at: null },
    { id: lock.id, base_object_id: next.object_id, active: false },
  ])
  expect((await commit(max, nextOf(prop))).results).toMatchObject([{ status: 'new' }])
  ok(await max.post(`/entries/${prop.entry_id}/restore`, { object_id: next.object_id }))
})

test('an active lock shows on its lineage, among many lineages, and in closures of entries, jobs and plans', async () => {
  const texture = plainFile()
  const user = item(needs(texture))
  const results = await pushed(mia, [texture, user])
  const [part, root] = results as [Json, Json]
  const lock = await lockIt(max, part as { lineage_id: string })
  const order = { target_project: uniqueName('Proj'), entries: [{ entry_id: root.entry_id }] }
  const job = ok(await mia.post('/pull-jobs', order), 201)
  const read = async () => {
    const found = ok(await mia.post('/lineages/find', { lineage_ids: [part.lineage_id, root.lineage_id] })).lineages
    const lists = [
      ok(await mia.get(`/entries/${root.entry_id}/closure`)).members,
      ok(await mia.get(`/entries/${root.entry_id}/closure?urls=true`)).members,
      ok(await mia.get(`/pull-jobs/${job.id}/closure`)).objects,
      ok(await mia.get(`/pull-jobs/${job.id}/closure?urls=true`)).objects,
      ok(await mia.post('/pull-jobs/plan', order)).closure.objects,
      found.map(({ id, lock }: Json) => ({ lineage_id: id, lock })),
    ]
    const single = await Promise.all([part, root].map(async (one) => ok(await mia.get(`/lineages/${one.lineage_id}`)).lock))
    return [
      single,
      ...lists.map((list) => [part, root].map((one) => list.find((m: Json) => m.lineage_id === one.lineage_id)?.lock)),
    ]
  }
  for (const shown of await read()) expect(shown).toEqual([lock, null])
  ok(await max.del(`/locks/${lock.id}`), 204)
  for (const shown of await read()) expect(shown).toEqual([null, null])
})

test('a lock whose time is over shows nowhere, before anybody has recorded that', async () => {
  const prop = await newProp(mia)
  await lockIt(mia, prop, { ttl_hours: 1 })
  server.clock.advance(3_600_000)
  expect(ok(await mia.get(`/lineages/${prop.lineage_id}`)).lock).toBeNull()
  expect(ok(await mia.get(`/entries/${prop.entry_id}/closure`)).members).toMatchObject([{ lock: null }])
})

test('a deleted entry takes the locks of its lineage with it, and mirrors hear of them', async () => {
  const { prop, lock } = await checkedOut()
  ok(await mia.del(`/locks/${lock.id}`), 204)
  const open = await lockIt(max, prop)
  const cursor = await headOf(mia)
  ok(await adam.del(`/entries/${prop.entry_id}`), 204)
  expect((await lockChangesSince(mia, cursor)).sort()).toEqual(
    [lock, open].map(({ id }) => `${id} delete ${prop.lineage_id}`).sort(),
  )
  expect(await locksOf(mia, prop)).toEqual([])
  refused(await max.del(`/locks/${open.id}`), 404, 'NOT_FOUND')
})

test('a lineage that stays when its pack is deleted stays checked out, without the version that is gone as its base', async () => {
  const [stays, goes] = [uniqueName('Pack'), uniqueName('Pack')]
  const first = plainFile({ origin_path: `/Game/${stays}/T` })
  const [made = {}] = await pushed(mia, [first])
  const [next = {}] = await pushed(mia, [
    plainFile({ origin_path: `/Game/${goes}/T`, stamped_lineage_id: made.lineage_id, stamped_base_hash: first.content_hash }),
  ])
  const lock = await lockIt(mia, made as { lineage_id: string })
  expect(lock.base_object_id).toBe(next.object_id)
  const packs = ok(await mia.get('/packs?limit=200')).packs
  const cursor = await headOf(mia)
  ok(await adam.del(`/packs/${packs.find(({ name }: Json) => name === goes).id}`))
  expect(await locksOf(mia, made as { lineage_id: string })).toEqual([{ ...lock, base_object_id: null }])
  expect(await lockChangesSince(mia, cursor)).toEqual([`${lock.id} upsert ${made.lineage_id}`])
})
