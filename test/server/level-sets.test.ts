// Sets of the parts of levels: changes merged by path, closures, events, lists, restore, deletion (contract-gaps 9).
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { commitOf, type Item, item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
let mia: Caller
let max: Caller
let adam: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
  max = callAs(url, keys.max)
  adam = callAs(url, keys.adam)
})

const at = (name: string) => `/Game/__ExternalActors__/Maps/L_Town/0/1A/${name}`
const newLevel = (more: Json = {}) =>
  item({
    asset_class: 'World',
    asset_name: 'L_Town',
    origin_path: '/Game/Maps/L_Town',
    entry: { entry_type: 'level', name: 'L_Town' },
    ...more,
  })
const actor = (name: string, more: Json = {}): Item =>
  item({
    asset_class: 'StaticMeshActor',
    asset_name: name,
    origin_path: at(name),
    package_guid: 'A'.repeat(32),
    entry: null,
    ...more,
  })

interface Change {
  base?: number | null
  put?: Item[]
  remove?: string[]
  /** `Town` where it is left out. */
  project?: string
}
const changed = (level: Item, { base = null, put = [], remove = [] }: Change): Item => ({
  ...level,
  parts: { base, put: put.map(({ origin_path: path, content_hash }) => ({ path, content_hash })), remove: remove.map(at) },
})

/** Pushes a change of a level with the parts that it puts; gives what became of the level and of its parts. */
async function pushParts(caller: Caller, level: Item, change: Change): Promise<Json> {
  const { project = 'Town' } = change
  const [first] = await pushed(caller, [changed(level, change), ...(change.put ?? [])], { project })
  return first ?? {}
}

const closureOf = async (level: Json, query = 'dependencies=current&project=Town') =>
  (await mia.get(`/entries/${level.entry_id}/closure?${query}`)).body.members as Json[]
const partsIn = (members: Json[]) =>
  members
    .filter(({ depth }) => depth > 0)
    .map(({ content_hash }) => content_hash)
    .sort()
const hashes = (...items: Item[]) => items.map(({ content_hash }) => content_hash).sort()

test('a set holds what the pushes before left and what this one changed; closures bring the newest, or the one of that version', async () => {
  const level = newLevel()
  const [a, b] = [actor('AAA'), actor('BBB')]
  const first = await pushParts(mia, level, { put: [a, b] })
  expect(first.parts).toMatchObject({ number: 1, before: null, added: 2, changed: 0, removed: 0, kept: [] })
  expect(partsIn(await closureOf(first))).toEqual(hashes(a, b))
  const [moved, c] = [actor('AAA'), actor('CCC')]
  const base = first.parts.set
  const second = await pushParts(mia, level, { base, put: [moved, c], remove: ['BBB'] })
  expect(second).toMatchObject({ status: 'dedup', parts: { number: 2, base, before: base, added: 1, changed: 1, removed: 1 } })
  const members = await closureOf(second)
  expect(partsIn(members)).toEqual(hashes(moved, c))
  expect(members[0]).toMatchObject({ set: second.parts.set })
  const [next] = await pushed(mia, [newLevel({ stamped_lineage_id: second.lineage_id })], { project: 'Town' })
  await pushParts(mia, newLevel({ stamped_lineage_id: next?.lineage_id }), { base: second.parts.set, remove: ['CCC'] })
  expect(partsIn(await closureOf(second))).toEqual(hashes(moved))
  expect(partsIn(await closureOf(second, `object_id=${second.object_id}`))).toEqual(hashes(moved, c))
  const { body } = await mia.post('/pull-jobs', {
    target_project: 'Inn',
    dependencies: 'current',
    project: 'Town',
    entries: [{ entry_id: first.entry_id }],
  })
  const { body: job } = await mia.get(`/pull-jobs/${body.id}/closure`)
  expect(job.objects.map((one: Json) => [one.asset_class, one.set ?? null])).toEqual([
    ['StaticMeshActor', null],
    ['World', (await mia.get(`/lineages/${first.lineage_id}/parts`)).body.sets[0].id],
  ])
})

test('the same change again makes no set, and what two people changed at different paths is merged', async () => {
  const level = newLevel()
  const [a, b] = [actor('AAA'), actor('BBB')]
  const { parts: first } = await pushParts(mia, level, { put: [a, b] })
  const moved = { base: first.set, put: [actor('AAA')] }
  const { parts: second } = await pushParts(mia, level, moved)
  expect((await pushParts(mia, level, moved)).parts).toMatchObject({ set: second.set, added: 0, changed: 0, removed: 0 })
  const c = actor('CCC')
  const merged = await pushParts(max, level, { base: first.set, put: [c], remove: ['BBB'] })
  expect(merged.parts).toMatchObject({ number: 3, base: first.set, before: second.set, added: 1, removed: 1, kept: [] })
  expect(partsIn(await closureOf(merged))).toEqual(hashes(...moved.put, c))
  const { body } = await mia.get(`/lineages/${merged.lineage_id}/parts?limit=2&project=town`)
  expect(body.sets.map((one: Json) => [one.number, one.author.name, one.parts, one.added, one.changed, one.removed])).toEqual([
    [3, 'max', 2, 1, 0, 1],
    [2, 'mia', 2, 0, 1, 0],
  ])
  const { body: rest } = await mia.get(`/lineages/${merged.lineage_id}/parts?limit=2&project=town&cursor=${body.next_cursor}`)
  expect(rest.sets.map(({ number }: Json) => number)).toEqual([1])
})

test('one path changed on both sides is held, changed and removed too, and the rest goes', async () => {
  const level = newLevel()
  const all = ['AAA', 'BBB', 'CCC'].map((name) => actor(name))
  const { parts: first } = await pushParts(mia, level, { put: all })
  const [mias, theirs, d] = [actor('AAA'), actor('AAA'), actor('DDD')]
  await pushParts(mia, level, { base: first.set, put: [mias, actor('BBB')], remove: ['CCC'] })
  const change = { base: first.set, put: [theirs, actor('CCC'), d], remove: ['BBB'] }
  const asked = await max.post('/push/negotiate', {
    items: [changed(level, change), ...change.put].map(({ bytes: _bytes, ...one }) => one),
    project: 'Town',
  })
  expect(asked.body.items.map(({ action, reason }: Json) => [action, reason])).toEqual([
    ['dedup', undefined],
    ['hold', 'parts_conflict'],
    ['hold', 'parts_conflict'],
    ['register', undefined],
  ])
  const results = await pushed(max, [changed(level, change), ...change.put], { project: 'Town' })
  expect(results.map(({ status }) => status)).toEqual(['dedup', 'held', 'held', 'new'])
  expect(results[0]?.parts.kept.map(({ path, reason }: Json) => [path, reason])).toEqual(
    ['AAA', 'CCC', 'BBB'].map((name) => [at(name), 'parts_conflict']),
  )
  const members = await closureOf(results[0] ?? {})
  expect(members.map(({ asset_name }) => asset_name).sort()).toEqual(['AAA', 'BBB', 'DDD', 'L_Town'])
  expect(partsIn(members)).toContain(mias.content_hash)
})

test('without a base nothing goes, and what an earlier set had at its path changes nothing; an older client is read so', async () => {
  const level = newLevel()
  const [a, b] = [actor('AAA'), actor('BBB')]
  const { parts: first } = await pushParts(mia, level, { put: [a, b] })
  const moved = actor('AAA')
  await pushParts(mia, level, { base: first.set, put: [moved], remove: ['BBB'] })
  const c = actor('CCC')
  const stale = await pushParts(max, level, { put: [b, c], remove: ['AAA'] })
  expect(stale.parts).toMatchObject({ base: null, added: 1, changed: 0, removed: 0 })
  expect(partsIn(await closureOf(stale))).toEqual(hashes(moved, c))
  const d = actor('DDD')
  const dependencies = [a, b, c, d].map(({ content_hash }) => ({ content_hash, hard: false }))
  const [older] = await pushed(max, [d, { ...level, dependencies }], { project: 'Town' }).then((all) => all.toReversed())
  expect(partsIn(await closureOf(older ?? {}))).toEqual(hashes(moved, c, d))
})

test('what is checked out by someone else, or denied, keeps the file of the set before; a check-out of the level covers its own file', async () => {
  const level = newLevel()
  const [a, b] = [actor('AAA'), actor('BBB')]
  const results = await pushed(mia, [changed(level, { put: [a, b] }), a, b], { project: 'Town' })
  const [first] = results
  for (const { lineage_id } of results.slice(0, 2)) await max.post('/locks', { lineage_id })
  const change = { base: first?.parts.set, put: [actor('AAA')], remove: ['BBB'] }
  const second = await pushParts(mia, level, change)
  expect(second.parts).toMatchObject({ removed: 1, kept: [{ path: at('AAA'), reason: 'locked' }] })
  expect(partsIn(await closureOf(second))).toEqual(hashes(a))
  const third = await pushParts(mia, level, { base: second.parts.set, remove: ['AAA'] })
  expect(third.parts).toMatchObject({ removed: 0, kept: [{ path: at('AAA'), content_hash: null, reason: 'part_locked' }] })
})

test('a project that goes on from a set of another has its own sets from then on', async () => {
  const level = newLevel()
  const [a, b] = [actor('AAA'), actor('BBB')]
  const first = await pushParts(mia, level, { put: [a, b] })
  const c = actor('CCC')
  const inInn = await pushParts(max, level, { base: first.parts.set, put: [c], remove: ['BBB'], project: 'Inn' })
  expect(inInn.parts).toMatchObject({ number: 1, added: 1, removed: 1 })
  expect(partsIn(await closureOf(first, 'dependencies=current&project=Inn'))).toEqual(hashes(a, c))
  expect(partsIn(await closureOf(first))).toEqual(hashes(a, b))
})

test('a new set is an event, an upsert of its entry, and a user of its parts', async () => {
  const level = newLevel()
  const a = actor('AAA')
  const first = await pushParts(mia, level, { put: [a] })
  const { body: before } = await mia.get('/catalog/changes')
  const second = await pushParts(mia, level, { base: first.parts.set, put: [actor('BBB')] })
  const { body: after } = await mia.get(`/catalog/changes?since=${before.cursor}`)
  expect(after.changes).toContainEqual(expect.objectContaining({ entity: 'entry', entity_id: first.entry_id, op: 'upsert' }))
  const { body: activity } = await mia.get('/activity?collapse=false')
  const { set } = second.parts
  expect(activity.events.find(({ entry_id }: Json) => entry_id === first.entry_id)).toMatchObject({
    event_type: 'push.commit',
    payload: { name: 'L_Town', parts: { set, number: 2, added: 1, changed: 0, removed: 0 } },
  })
  const stone = item()
  await pushed(mia, [stone, actor('CCC', { dependencies: [{ content_hash: stone.content_hash }] })], { project: 'Town' })
  const placed = actor('DDD', { dependencies: [{ content_hash: stone.content_hash }] })
  await pushParts(mia, level, { base: set, put: [placed] })
  const { body: found } = await mia.get(`/entries?name=${stone.asset_name}`)
  const { body: users } = await mia.get(`/entries/${found.entries[0].id}/dependents`)
  expect(users.members.map(({ asset_name, depth }: Json) => [asset_name, depth])).toContainEqual(['L_Town', 2])
})

test('restoring a set, or a version with its set, records a new one that is equal to it', async () => {
  const level = newLevel()
  const [a, b] = [actor('AAA'), actor('BBB')]
  const first = await pushParts(mia, level, { put: [a, b] })
  const newer = newLevel({ stamped_lineage_id: first.lineage_id })
  const second = await pushParts(mia, newer, { base: first.parts.set, put: [actor('AAA')], remove: ['BBB'] })
  const restored = await mia.post(`/entries/${first.entry_id}/restore`, { set: first.parts.set })
  expect([restored.status, restored.body.object_id]).toEqual([200, second.object_id])
  expect(partsIn(await closureOf(first))).toEqual(hashes(a, b))
  await pushParts(mia, newer, { base: null, put: [actor('CCC')] })
  await mia.post(`/entries/${first.entry_id}/restore`, { object_id: first.object_id })
  expect(partsIn(await closureOf(first))).toEqual(hashes(a, b))
  const { body } = await mia.get(`/lineages/${first.lineage_id}/parts`)
  expect(body.sets.map(({ number, object_id, parts }: Json) => [number, object_id, parts])).toEqual([
    [5, first.object_id, 2],
    [4, second.object_id, 3],
    [3, second.object_id, 2],
    [2, second.object_id, 1],
    [1, first.object_id, 2],
  ])
  expect((await mia.post(`/entries/${first.entry_id}/restore`, { set: 999_999 })).status).toBe(404)
})

test('a level that is deleted takes its parts along, but for those of another level', async () => {
  const level = newLevel()
  const [a, stone] = [actor('AAA'), item()]
  const results = await pushed(mia, [changed(level, { put: [a] }), a, stone], { project: 'Town' })
  expect((await adam.del(`/entries/${results[0]?.entry_id}`)).status).toBe(204)
  expect((await mia.get(`/blobs/${a.content_hash}/url`)).status).toBe(404)
  expect((await mia.get(`/blobs/${stone.content_hash}/url`)).status).toBe(200)
  const anew = await pushParts(mia, level, { put: [a] })
  expect(anew).toMatchObject({ status: 'new', parts: { number: 1, added: 1 } })
})

test('a change that names what is no part of its level, or twice, or nowhere, is refused by name', async () => {
  const level = newLevel()
  const stray = { path: '/Game/__ExternalActors__/Maps/L_Other/0/1A/AAA', content_hash: 'a'.repeat(64) }
  const parts = { base: null, put: [stray], remove: [at('BBB'), at('bbb')] }
  const { status, body } = await commitOf(mia, [{ ...level, parts }])
  expect(status).toBe(422)
  expect(body.error.details.errors.map(({ path }: Json) => path)).toEqual([
    'items.0.parts.put.0',
    'items.0.parts.put.0',
    'items.0.parts.remove.1',
  ])
})

test('a part that no set names goes after a month, and one that an older set names stays', async () => {
  const level = newLevel()
  const [a, b] = [actor('AAA'), actor('BBB')]
  const { parts } = await pushParts(mia, level, { put: [a] })
  await pushParts(mia, level, { base: parts.set, put: [b], remove: ['AAA'] })
  const stray = actor('CCC')
  await pushed(mia, [stray], { project: 'Town' })
  const isThere = async ({ content_hash }: Json) => (await mia.get(`/blobs/${content_hash}/url`)).status === 200
  server.clock.advance(31 * 24 * 3_600_000)
  await server.work.look()
  expect(await Promise.all([a, b, stray].map(isThere))).toEqual([true, true, false])
})

test('a push that is taken back leaves the level as it was, and what others changed since as they have it', async () => {
  const level = newLevel()
  const [a, b, c] = [actor('A'), actor('B'), actor('C')]
  const first = await pushParts(mia, level, { put: [a, b, c] })
  const [a2, d] = [actor('A'), actor('D')]
  const sent = await commitOf(mia, [changed(level, { base: first.parts.set, put: [a2, d], remove: ['B'] }), a2, d], {
    project: 'Town',
  })
  const made = sent.body.results[0].parts
  expect(partsIn(await closureOf(first))).toEqual(hashes(a2, c, d))
  const own = await pushParts(mia, level, { base: made.set, remove: ['C'] })
  expect((await mia.post('/push/undo', { batch_keys: [sent.body.batch_key] })).status).toBe(200)
  expect(partsIn(await closureOf(first))).toEqual(hashes(a, b))
  const sets = (await mia.get(`/lineages/${first.lineage_id}/parts`)).body.sets as Json[]
  expect(sets[0]).toMatchObject({ number: own.parts.number + 1, added: 1, changed: 1, removed: 1 })
})

test('the first set of a project goes with the push that made it', async () => {
  const level = newLevel()
  const first = await pushParts(mia, level, { put: [actor('A')] })
  const before = partsIn(await closureOf(first, 'dependencies=current&project=Copy'))
  const b = actor('B')
  const sent = await commitOf(mia, [changed(level, { put: [b] }), b], { project: 'Copy' })
  expect((await mia.post('/push/undo', { batch_keys: [sent.body.batch_key] })).status).toBe(200)
  expect(partsIn(await closureOf(first, 'dependencies=current&project=Copy'))).toEqual(before)
})

test('a level that moves leaves the parts of its old path; who still has it there brings nothing back, and is told of what is new', async () => {
  const level = newLevel()
  const [a, b] = [actor('AAA'), actor('BBB')]
  const first = await pushParts(mia, level, { put: [a, b] })
  const to = (name: string) => actor(name, { origin_path: at(name).replace('L_Town', 'L_City') })
  const [a2, b2] = [to('AAA'), to('BBB')]
  const city = { origin_path: '/Game/Maps/L_City', stamped_lineage_id: first.lineage_id }
  const moved = await pushParts(mia, newLevel(city), { put: [a2, b2] })
  expect(moved.parts).toMatchObject({ number: 2, added: 2, changed: 0, removed: 2, parts: 2, kept: [] })
  expect(partsIn(await closureOf(first))).toEqual(hashes(a2, b2))
  expect(partsIn(await closureOf(first, `object_id=${first.object_id}`))).toEqual(hashes(a, b))
  // A fresh clone of before, and somebody who placed another actor in it meanwhile.
  expect((await pushParts(max, level, { put: [a, b] })).parts).toMatchObject({ set: moved.parts.set, stale: 2, kept: [] })
  const late = actor('CCC')
  const { parts } = await pushParts(max, level, { base: first.parts.set, put: [late, actor('AAA')], remove: ['BBB'] })
  expect(parts).toMatchObject({ set: moved.parts.set, added: 0, changed: 0, removed: 0 })
  expect(parts.kept.map(({ path, reason }: Json) => [path, reason])).toEqual([
    [at('CCC'), 'parts_conflict'],
    [at('AAA'), 'parts_conflict'],
  ])
  // Another game has it where it was.
  const { parts: other } = await pushParts(max, level, { base: first.parts.set, put: [late], project: 'Village' })
  expect(other).toMatchObject({ number: 1, added: 1, parts: 3, kept: [] })
})
