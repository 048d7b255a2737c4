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
  expect(versions).toEqual([{ content_hash: one.content_hash, object_id, lineage_id }])
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
