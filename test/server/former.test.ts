// What is kept for a year of what was: who deleted a prop, what its files are known by, and what entries were called.
import { beforeAll, expect, test } from 'vitest'
import { migrate } from '../../server/database/migrate.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { type Item, item, manifestOf, plainFile, pushed, uniqueName } from '../support/push.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'

const dayMs = 86_400_000
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({}, byHand)
})

async function freshLibrary(): Promise<{ mia: Caller; adam: Caller; workspaceId: number }> {
  const { url, keys, workspaceId } = await server.addWorkspace()
  return { mia: callAs(url, keys.mia), adam: callAs(url, keys.adam), workspaceId }
}
const serialGuid = (n: number): string => n.toString(16).toUpperCase().padStart(32, '0')
const deletedBy = async (who: Caller, question: Json): Promise<Json[]> =>
  (await who.post('/lineages/find', question)).body.deleted
const negotiated = async (who: Caller, one: Item): Promise<Json> =>
  (await who.post('/push/negotiate', manifestOf([one]))).body.items[0]
const foundAs = async (who: Caller, name: string): Promise<string[]> =>
  (await who.get(`/entries?known_as=${encodeURIComponent(name)}`)).body.entries.map((entry: Json) => entry.name)

test('a deleted prop is found by any version, its GUID, its place and its name, each as it was asked; its lineage says who did it', async () => {
  const { mia, adam } = await freshLibrary()
  const guid = serialGuid(1)
  const first = item({ package_guid: guid })
  const [made = {}] = await pushed(mia, [first])
  const next = item({ stamped_lineage_id: made.lineage_id, asset_name: first.asset_name })
  await pushed(mia, [next])
  server.clock.advance(1000)
  await adam.del(`/entries/${made.entry_id}`)
  const who = { lineage_id: made.lineage_id, name: first.asset_name, by: { name: 'adam' }, at: expect.stringMatching(/^20\d\d-/) }
  const path = String(first.origin_path)
  for (const [question, marks] of [
    [{ lineage_ids: [made.lineage_id] }, {}],
    [{ content_hashes: [first.content_hash] }, { content_hashes: [first.content_hash] }],
    [{ content_hashes: [next.content_hash] }, { content_hashes: [next.content_hash] }],
    [{ package_guids: [guid] }, { package_guids: [guid] }],
    [{ origin_paths: [path] }, { origin_paths: [{ origin_path: path.toLowerCase(), source_ext: null }] }],
    [{ names: [String(first.asset_name).toUpperCase()] }, {}],
  ])
    expect(await deletedBy(mia, question as Json), JSON.stringify(question)).toMatchObject([{ ...who, ...marks }])
  const { status, body } = await mia.get(`/lineages/${made.lineage_id}`)
  const { name, by, at } = who
  expect([status, body.error.code, body.error.details.deleted]).toMatchObject([404, 'LINEAGE_NOT_FOUND', { name, by, at }])
  expect((await mia.get('/lineages/lin_never')).body.error.details).not.toHaveProperty('deleted')
})

test('negotiate says of what would be brought back: same bytes, same GUID, and the same place where there is no GUID', async () => {
  const { mia, adam } = await freshLibrary()
  const [withGuid, without, source] = [
    item({ package_guid: serialGuid(2) }),
    item(),
    item({ source_ext: 'fbx', engine_version: undefined }),
  ]
  for (const { entry_id } of await pushed(mia, [withGuid, without, source])) await adam.del(`/entries/${entry_id}`)
  const at = ({ origin_path, asset_name }: Item) => ({ origin_path, asset_name })
  for (const one of [
    withGuid,
    without,
    item({ package_guid: serialGuid(2) }),
    item(at(without)),
    item({ ...at(source), source_ext: 'fbx', engine_version: undefined }),
  ])
    expect(await negotiated(mia, one)).toMatchObject({ action: 'register', deleted: { by: { name: 'adam' } } })
  for (const one of [
    item(),
    item({ ...at(without), package_guid: serialGuid(3) }),
    item({ ...at(source), source_ext: 'obj', engine_version: undefined }),
    item({ package_guid: serialGuid(2), force_new_lineage: true }),
  ])
    expect(await negotiated(mia, one)).not.toHaveProperty('deleted')
})

test('what another prop has by now is deleted no longer, nor is a prop whose kept lineage is an entry again', async () => {
  const { mia, adam } = await freshLibrary()
  const gone = item({ package_guid: serialGuid(4) })
  const [one = {}] = await pushed(mia, [gone])
  await adam.del(`/entries/${one.entry_id}`)
  await pushed(mia, [gone])
  const everything = { content_hashes: [gone.content_hash], package_guids: [serialGuid(4)], origin_paths: [gone.origin_path] }
  expect(await deletedBy(mia, everything)).toEqual([])
  const needed = item()
  const [kept = {}] = await pushed(mia, [needed, plainFile({ dependencies: [{ content_hash: needed.content_hash }] })])
  await adam.del(`/entries/${kept.entry_id}`)
  const { body } = await mia.post('/lineages/find', { lineage_ids: [kept.lineage_id] })
  expect(body).toMatchObject({ lineages: [{ entry_id: null }], deleted: [{ lineage_id: kept.lineage_id }] })
  expect(await negotiated(mia, needed)).toMatchObject({ action: 'dedup', deleted: { name: needed.asset_name } })
  await pushed(mia, [needed])
  expect(await deletedBy(mia, { lineage_ids: [kept.lineage_id] })).toEqual([])
  expect(await negotiated(mia, needed)).not.toHaveProperty('deleted')
})

test('an entry is known by its own name, by that of its file, and by those it had: by no other workspace, and not by words of others', async () => {
  const { mia } = await freshLibrary()
  const [oak, cask, barrel] = [uniqueName('SM_Oak'), uniqueName('SM_Cask'), uniqueName('Barrel')]
  const [made = {}] = await pushed(mia, [item({ asset_name: oak })])
  const at = `/entries/${made.entry_id}`
  await mia.patch(at, { name: barrel })
  expect((await mia.get(at)).body.other_names).toEqual([oak])
  await pushed(mia, [item({ asset_name: cask, stamped_lineage_id: made.lineage_id })])
  expect((await mia.get(at)).body.other_names).toEqual([cask, oak])
  for (const name of [oak, cask, barrel, oak.toLowerCase()]) {
    expect(await foundAs(mia, name), name).toEqual([barrel])
    expect((await mia.get(`/entries?q=${name}`)).body.entries, name).toMatchObject([{ name: barrel, matched: ['name'] }])
  }
  expect(await foundAs(mia, 'SM')).toEqual([])
  expect(await foundAs((await freshLibrary()).mia, oak)).toEqual([])
  await mia.post(`${at}/restore`, { object_id: made.object_id })
  expect((await mia.get(at)).body.other_names).toEqual([oak, cask])
  await mia.patch(at, { name: oak })
  expect((await mia.get(at)).body.other_names.toSorted()).toEqual([cask, barrel].toSorted())
})

test('a library of before learns the names of the files that its entries have and had', async () => {
  const { mia, workspaceId } = await freshLibrary()
  const [oak, cask] = [uniqueName('SM_Oak'), uniqueName('SM_Cask')]
  const [made = {}] = await pushed(mia, [item({ asset_name: oak, entry: { name: 'Barrel' } })])
  await pushed(mia, [item({ asset_name: cask, stamped_lineage_id: made.lineage_id })])
  const names = () =>
    server.database.sql`select name, until is null as is_now from entry_names where workspace_id = ${workspaceId} order by name`
  const before = await names()
  expect(before).toEqual([
    { name: cask, is_now: true },
    { name: oak, is_now: false },
  ])
  const { sql } = server.database
  await sql`drop table entry_names, deleted_lineages, deleted_marks`
  await sql`delete from schema_migrations where number = 37`
  expect(await migrate(server.database, server.clock.now())).toEqual([37])
  expect(await names()).toEqual(before)
})

test('after a year both are swept, and not a day before', async () => {
  const { mia, adam, workspaceId } = await freshLibrary()
  const [named = {}, gone = {}] = await pushed(mia, [item(), item()])
  const { name } = (await mia.get(`/entries/${named.entry_id}`)).body
  await mia.patch(`/entries/${named.entry_id}`, { name: 'First' })
  await mia.patch(`/entries/${named.entry_id}`, { name: 'Second' })
  await adam.del(`/entries/${gone.entry_id}`)
  server.clock.advance(364 * dayMs)
  await server.work.look()
  expect(await foundAs(mia, 'First')).toEqual(['Second'])
  expect(await deletedBy(mia, { lineage_ids: [gone.lineage_id] })).toHaveLength(1)
  server.clock.advance(2 * dayMs)
  await server.work.look()
  expect(await foundAs(mia, 'First')).toEqual([])
  expect(await foundAs(mia, name), 'its file is still called so').toEqual(['Second'])
  expect(await deletedBy(mia, { lineage_ids: [gone.lineage_id], content_hashes: [gone.content_hash] })).toEqual([])
  expect(await server.database.sql`select 1 from deleted_marks where workspace_id = ${workspaceId}`).toHaveLength(0)
})
