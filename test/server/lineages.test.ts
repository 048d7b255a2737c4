/** Lineages: which version is current of many at once (contract-gaps 9). */
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { item, plainFile, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

async function library() {
  const { url, keys } = await server.addWorkspace()
  return { mia: callAs(url, keys.mia), adam: callAs(url, keys.adam), reads: callAs(url, keys.miaReads) }
}

test('the current version of a lineage is found by its id, by the bytes of an old version, and by its path in any case', async () => {
  const { mia, reads } = await library()
  const [first, texture] = [item(), plainFile()]
  const [texturePush, { lineage_id, object_id, entry_id } = {}] = (await pushed(mia, [texture, first])) as Json[]
  const second = item({ asset_name: first.asset_name, stamped_lineage_id: lineage_id, stamped_base_hash: first.content_hash })
  const [{ object_id: newest } = {}] = (await pushed(mia, [second])) as Json[]
  const face = { id: lineage_id, entry_id, face_object_id: newest, face_content_hash: second.content_hash, source_ext: null }
  const find = async (question: Json) => (await reads.post('/lineages/find', question)).body
  expect((await find({ lineage_ids: [lineage_id, 'nothing'] })).lineages).toMatchObject([face])
  expect(await find({ content_hashes: [first.content_hash, 'f'.repeat(64)] })).toMatchObject({
    lineages: [face],
    versions: [{ content_hash: first.content_hash, object_id, lineage_id }],
  })
  expect((await find({ origin_paths: [first.origin_path.toUpperCase()] })).lineages).toMatchObject([face])
  expect((await find({ lineage_ids: [texturePush?.lineage_id] })).lineages).toMatchObject([{ entry_id: null }])
})

test('who pushed the current version is said by their id', async () => {
  const { mia, adam, reads } = await library()
  const first = item()
  const [{ lineage_id } = {}] = (await pushed(mia, [first])) as Json[]
  const publisher = async () => (await reads.post('/lineages/find', { lineage_ids: [lineage_id] })).body.lineages[0]
  const idOf = async (caller: Caller) => (await caller.get('/members/me')).body.id
  expect(await publisher()).toMatchObject({ face_version: 1, face_published_by: await idOf(mia) })
  await pushed(adam, [item({ stamped_lineage_id: lineage_id, stamped_base_hash: first.content_hash })])
  expect(await publisher()).toMatchObject({ face_version: 2, face_published_by: await idOf(adam) })
})

test('the answer says where the change feed stood before, and what came later is found by following it', async () => {
  const { mia, reads } = await library()
  await pushed(mia, [item()])
  const { cursor } = (await reads.post('/lineages/find', {})).body
  expect((await reads.get(`/catalog/changes?cursor=${cursor}`)).body.changes).toEqual([])
  await pushed(mia, [item()])
  expect((await reads.get(`/catalog/changes?cursor=${cursor}`)).body.changes).not.toEqual([])
})

test('whatever is named twice is found once', async () => {
  const { mia, reads } = await library()
  const one = item()
  const [{ lineage_id, object_id } = {}] = (await pushed(mia, [one])) as Json[]
  const twice = <T>(value: T) => [value, value]
  const question = {
    lineage_ids: twice(lineage_id),
    content_hashes: twice(one.content_hash),
    origin_paths: [one.origin_path, one.origin_path.toUpperCase()],
  }
  const { lineages, versions } = (await reads.post('/lineages/find', question)).body
  expect(lineages.map(({ id }: Json) => id)).toEqual([lineage_id])
  expect(versions).toEqual([
    { content_hash: one.content_hash, object_id, lineage_id, origin_path: one.origin_path, source_ext: null },
  ])
})

test('another workspace’s lineages and bytes are not there', async () => {
  const [one, other] = [await library(), await library()]
  const mine = item()
  const [{ lineage_id } = {}] = (await pushed(one.mia, [mine])) as Json[]
  const question = { lineage_ids: [lineage_id], content_hashes: [mine.content_hash], origin_paths: [mine.origin_path] }
  expect((await other.reads.post('/lineages/find', question)).body).toMatchObject({ lineages: [], versions: [] })
})

test('a list of more than 5,000 is refused', async () => {
  const { reads } = await library()
  const answer = await reads.post('/lineages/find', { lineage_ids: Array.from({ length: 5001 }, (_, i) => `L${i}`) })
  expect(answer.body.error.code).toBe('VALIDATION')
})

test('one version, current or not, is shown with its measures, its pictures and what it needs directly', async () => {
  const { mia, reads } = await library()
  const [deep, texture, late] = [plainFile(), plainFile(), plainFile()]
  const needs = (...of: Json[]) => of.map(({ content_hash }) => ({ content_hash }))
  const middle = item({ dependencies: needs(deep) })
  const first = item({ dependencies: needs(texture, middle), entry: { metadata: { tri_count: 120, bounds_x: 2 } } })
  const results = await pushed(mia, [deep, texture, late, middle, first])
  const { lineage_id, object_id, entry_id } = results.at(-1) as Json
  const second = item({
    ...{ asset_name: first.asset_name, origin_path: first.origin_path },
    ...{ stamped_lineage_id: lineage_id, stamped_base_hash: first.content_hash },
    dependencies: [{ content_hash: late.content_hash, hard: false }],
    entry: { metadata: { tri_count: 240 } },
  })
  const [newer] = await pushed(mia, [second], { note: 'Twice as fine' })
  const at = async (id: number) => (await reads.get(`/lineages/${lineage_id}/versions/${id}`)).body
  const before = await at(object_id)
  expect(before).toMatchObject({ lineage_id, entry_id, object_id, version: 1, is_face: false, published_by: { name: 'mia' } })
  expect(before.metadata).toMatchObject({ tri_count: 120, vert_count: null, bounds: { x: 2, y: null, z: null } })
  expect(before).toMatchObject({ thumbnail_artifact_id: null, preview_artifact_id: null, preview_kind: null })
  const named = (one: Json) => ({ origin_path: one.origin_path, hard: true })
  expect(new Set(before.needs.map(({ origin_path, hard }: Json) => ({ origin_path, hard })))).toEqual(
    new Set([named(texture), named(middle)]),
  )
  const after = await at(newer?.object_id)
  expect(after).toMatchObject({ version: 2, is_face: true, push_note: 'Twice as fine', metadata: { tri_count: 240 } })
  expect(after.needs).toMatchObject([{ origin_path: late.origin_path, entry_id: null, version: 1, hard: false }])
})

test('a version of another prop, and one of another workspace, is not there', async () => {
  const { mia } = await library()
  const [one, other] = (await pushed(mia, [item(), item()])) as [Json, Json]
  const stranger = (await library()).mia
  const ask = async (who: Caller, lineage: Json, version: Json) =>
    (await who.get(`/lineages/${lineage.lineage_id}/versions/${version.object_id}`)).body.error?.code
  expect(await ask(mia, one, other)).toBe('OBJECT_NOT_FOUND')
  expect(await ask(stranger, one, one)).toBe('LINEAGE_NOT_FOUND')
})

test('what lies in a project is listed by its pushes, at some paths or page by page; what moved away has left its place', async () => {
  const { mia, reads } = await library()
  const [first, other] = [item(), item()]
  const [one, two] = (await pushed(mia, [first, other], { project: 'Inn' })) as [Json, Json]
  await pushed(mia, [item()], { project: 'Mill' })
  const places = async (more: Json = {}) =>
    (await reads.post('/lineages/find', { places: { project: 'inn', ...more } })).body as Json
  const at = (of: Json, { lineage_id }: Json) => ({ path: of.origin_path.toLowerCase(), lineage_id })
  expect(await places()).toMatchObject({ places: [at(first, one), at(other, two)], places_next: null })
  expect((await places()).lineages.map(({ entry_id }: Json) => entry_id).sort()).toEqual([one.entry_id, two.entry_id].sort())
  const moved = item({ stamped_lineage_id: one.lineage_id, stamped_base_hash: first.content_hash })
  await pushed(mia, [moved], { project: 'Inn' })
  expect((await places()).places).toEqual([at(other, two), at(moved, one)])
  expect((await places({ paths: [first.origin_path, `${other.origin_path}.uasset`] })).places).toEqual([at(other, two)])
  expect(await places({ project: 'Tavern' })).toMatchObject({ places: [], places_next: null })
  expect((await reads.post('/lineages/find', {})).body.places).toBeUndefined()
})

test('since when a version is current, by whom and how, is that of its push, of a restore after it, and of the next push', async () => {
  const { mia, adam, reads } = await library()
  const first = item()
  const [one] = (await pushed(mia, [first])) as [Json]
  const since = async () => (await reads.post('/lineages/find', { lineage_ids: [one.lineage_id] })).body.lineages[0].current_since
  const byMia = await since()
  expect(byMia).toMatchObject({ by: { name: 'mia' }, how: 'push' })
  const next = (base: Json) => item({ stamped_lineage_id: one.lineage_id, stamped_base_hash: base.content_hash })
  const second = next(first)
  await pushed(mia, [second])
  await adam.post(`/entries/${one.entry_id}/restore`, { object_id: one.object_id })
  const restored = await since()
  expect(restored).toMatchObject({ by: { name: 'adam' }, how: 'restore' })
  expect(Date.parse(restored.at)).toBeGreaterThanOrEqual(Date.parse(byMia.at))
  await pushed(adam, [next(first)])
  expect(await since()).toMatchObject({ by: { name: 'adam' }, how: 'push' })
})
