/** Deletion: entries and packs that go for good, what stays because something needs it, and who may (spec 4.12; contract-gaps 5a). */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { type Item, item, plainFile, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, adam, reads] = [callAs(url, keys.mia), callAs(url, keys.adam), callAs(url, keys.miaReads)]

const needs = (...items: Item[]) => ({ dependencies: items.map(({ content_hash }) => ({ content_hash })) })
const inPack = (pack: string, over: Json = {}) => {
  const asset_name = uniqueName('SM')
  return { asset_name, origin_path: `/Game/${pack}/Props/${asset_name}`, ...over }
}
const ids = (results: Json[]) => results.map(({ entry_id }) => entry_id)
const head = async (): Promise<number> => (await reads.get('/catalog/changes?cursor=0&limit=1000')).body.next_cursor
async function since(cursor: number): Promise<string[]> {
  const { changes } = (await reads.get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body
  return changes.map(({ entity, entity_id, op }: Json) => `${entity} ${entity_id} ${op}`).sort()
}
const statusOf = async (path: string) => (await reads.get(path)).status
const packOf = async (entryId: number): Promise<number> => (await reads.get(`/entries/${entryId}`)).body.pack.id
const pull = (entry_id: number) => mia.post('/pull-jobs', { target_project: uniqueName('Proj'), entries: [{ entry_id }] })
/** Rows that name something which is gone. */
async function danglingRows(): Promise<Json[]> {
  const { sql } = server.database
  const gone = (table: string, column: string) => sql`
    select ${table}::text as found from ${sql(table)} t where not exists (
      select 1 from objects o where o.workspace_id = t.workspace_id and o.id = t.${sql(column)})`
  const lists = await Promise.all([
    gone('dependencies', 'object_id'),
    gone('dependencies', 'needs_object_id'),
    gone('awaited_imports', 'object_id'),
    gone('artifacts', 'object_id'),
    gone('lineages', 'face_object_id'),
    gone('pull_job_objects', 'object_id'),
    sql`select 'parent' as found from objects c where c.parent_object_id is not null and not exists (
          select 1 from objects o where o.workspace_id = c.workspace_id and o.id = c.parent_object_id)`,
    sql`select 'pack' as found from objects o where not exists (select 1 from packs p where p.workspace_id = o.workspace_id and p.id = o.pack_id)`,
    sql`select 'guid' as found from package_guids g where not exists (
          select 1 from lineages l where l.workspace_id = g.workspace_id and l.id = g.lineage_id)`,
    sql`select 'lock' as found from locks k where not exists (select 1 from lineages l where l.workspace_id = k.workspace_id and l.id = k.lineage_id)`,
    sql`select 'base' as found from locks k where k.base_object_id is not null and not exists (
          select 1 from objects o where o.workspace_id = k.workspace_id and o.id = k.base_object_id)`,
    sql`select 'tag' as found from entry_tags t where not exists (select 1 from entries e where e.workspace_id = t.workspace_id and e.id = t.entry_id)`,
    sql`select 'member' as found from collection_entries t where not exists (
          select 1 from entries e where e.workspace_id = t.workspace_id and e.id = t.entry_id)`,
    sql`select 'group' as found from variant_groups g where not exists (
          select 1 from entries e where e.workspace_id = g.workspace_id and e.variant_group_id = g.id)`,
  ])
  return lists.flat()
}

test('a deleted entry takes its whole history, media, tags and memberships with it, and mirrors hear of every record', async () => {
  const first = item({ package_guid: '0123456789ABCDEF0123456789ABCDEF' })
  const [made = {}] = await pushed(mia, [first])
  const stamp = { stamped_lineage_id: made.lineage_id, stamped_base_hash: first.content_hash, asset_name: first.asset_name }
  const [next = {}] = await pushed(mia, [item(stamp)])
  const [other = {}] = await pushed(mia, [item()])
  const at = `/entries/${made.entry_id}`
  await mia.put(`${at}/thumbnail?object_id=${next.object_id}`, await pngOf(4, 4))
  const tag = (await mia.post('/tags', { name: uniqueName('tag') })).body
  await mia.put(`${at}/tags/${tag.id}`, undefined)
  const collection = (await mia.post('/collections', { name: uniqueName('Col') })).body
  await mia.put(`/collections/${collection.id}/entries/${made.entry_id}`, undefined)
  await mia.post('/entries/variant-group/bulk', { entry_ids: ids([made, other]), action: 'group' })
  const cursor = await head()
  expect((await adam.del(at)).status).toBe(204)
  expect(await since(cursor)).toEqual(
    [
      `collection ${collection.id} upsert`,
      `entry ${made.entry_id} delete`,
      `entry ${other.entry_id} upsert`,
      `object ${made.object_id} delete`,
      `object ${next.object_id} delete`,
    ].sort(),
  )
  for (const path of [at, `/lineages/${made.lineage_id}`, `/blobs/${first.content_hash}`]) expect(await statusOf(path)).toBe(404)
  expect((await reads.get('/tags?limit=200')).body.tags.find(({ id }: Json) => id === tag.id).entry_count).toBe(0)
  expect((await reads.get(`/collections/${collection.id}`)).body).toMatchObject({ entry_count: 0, entries: [] })
  expect((await reads.get(`/entries/${other.entry_id}`)).body.variant_group.count).toBe(1)
  expect(await danglingRows()).toEqual([])
  const [again = {}] = await pushed(mia, [first])
  expect(again).toMatchObject({ status: 'new', entry_created: true, lineage_anchor: 'guid' })
  expect(again.lineage_id).not.toBe(made.lineage_id)
})

test('versions that something else needs stay, with what they need in turn; the rest of the history goes', async () => {
  const texture = item({ asset_class: 'Texture2D', entry: { entry_type: 'texture' } })
  const [made = {}] = await pushed(mia, [texture])
  const user = item(needs(texture))
  await pushed(mia, [user])
  const newer = item({
    asset_name: texture.asset_name,
    origin_path: texture.origin_path,
    asset_class: 'Texture2D',
    stamped_lineage_id: made.lineage_id,
    stamped_base_hash: texture.content_hash,
  })
  const [next = {}] = await pushed(mia, [newer])
  const cursor = await head()
  expect((await adam.del(`/entries/${made.entry_id}`)).status).toBe(204)
  const lineage = (await reads.get(`/lineages/${made.lineage_id}`)).body
  expect(lineage).toMatchObject({ entry_id: null, face_object_id: made.object_id })
  expect(lineage.objects.map(({ object_id }: Json) => object_id)).toEqual([made.object_id])
  expect(await since(cursor)).toEqual(
    [`entry ${made.entry_id} delete`, `object ${next.object_id} delete`, `object ${made.object_id} upsert`].sort(),
  )
  expect(await danglingRows()).toEqual([])
  const [entry = {}] = await pushed(mia, [texture])
  expect(entry).toMatchObject({ status: 'dedup', entry_created: true, object_id: made.object_id })
})

test('what was pulled or downloaded stays, and the error names it; members delete nothing', async () => {
  const [one = 0, two = 0, three = 0] = ids(await pushed(mia, [item(), item(), item()]))
  await pull(one)
  await reads.get(`/entries/${two}/download`)
  const cursor = await head()
  for (const id of [one, two]) {
    const answer = await adam.del(`/entries/${id}`)
    expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT'])
    expect(answer.body.error.details).toEqual({ pulled_entry_ids: [id] })
  }
  expect((await mia.del(`/entries/${three}`)).body.error.code).toBe('FORBIDDEN')
  expect((await adam.del('/entries/999999999')).body.error.code).toBe('ENTRY_NOT_FOUND')
  expect(await since(cursor)).toEqual([])
})

test('of a deletion and a pull or download at once, one succeeds and the other hears of it', async () => {
  for (let round = 0; round < 6; round++) {
    const [id = 0] = ids(await pushed(mia, [item()]))
    const use = round % 2 ? () => reads.get(`/entries/${id}/download`) : () => pull(id)
    const [deleted, used] = await Promise.all([adam.del(`/entries/${id}`), use()])
    if (deleted.status === 204) expect([used.status, used.body.error?.code]).toEqual([404, 'ENTRY_NOT_FOUND'])
    else expect([deleted.status, used.status]).toEqual([409, round % 2 ? 302 : 201])
  }
})

test('of a deletion and a push that needs the version at once, the version is there for the push, or missing to it', async () => {
  for (let round = 0; round < 5; round++) {
    const texture = item({ asset_class: 'Texture2D', entry: { entry_type: 'texture' } })
    const [made = {}] = await pushed(mia, [texture])
    const user = item(needs(texture))
    await mia.put(`/blobs/${user.content_hash}`, user.bytes)
    const { bytes: _bytes, ...row } = user
    const [deleted, commit] = await Promise.all([
      adam.del(`/entries/${made.entry_id}`),
      mia.post('/push/commit', { items: [row] }),
    ])
    expect(deleted.status).toBe(204)
    expect([200, 422]).toContain(commit.status)
    expect(await statusOf(`/lineages/${made.lineage_id}`)).toBe(commit.status === 200 ? 200 : 404)
    expect(await danglingRows()).toEqual([])
  }
})

test('a deleted pack takes its entries and files with it, leaves what others need in their packs, and says what it did', async () => {
  const [own, others] = [uniqueName('Pack'), uniqueName('Pack')]
  const base = plainFile(inPack(own))
  const shared = plainFile({ ...inPack(own), ...needs(base) })
  const lonely = plainFile(inPack(own))
  const [prop, deprecated] = [item({ ...inPack(own), ...needs(shared, lonely) }), item(inPack(own))]
  const results = await pushed(mia, [base, shared, lonely, prop, deprecated])
  const [baseRow = {}, sharedRow = {}, lonelyRow = {}, propRow = {}, deprecatedRow = {}] = results
  const user = item({ ...inPack(others), ...needs(shared) })
  const [userRow = {}] = await pushed(mia, [user])
  await adam.patch(`/entries/${deprecatedRow.entry_id}`, { status: 'deprecated' })
  const pack = await packOf(propRow.entry_id)
  const cursor = await head()
  const answer = await adam.del(`/packs/${pack}`)
  const bytes = [lonely, prop, deprecated].reduce((sum, { blob_size }) => sum + blob_size, 0)
  expect(answer.body).toEqual({
    pack_id: pack,
    name: own,
    deleted_entries: 2,
    deleted_objects: 3,
    kept_shared_objects: 2,
    storage: { unused_files: 3, unused_bytes: bytes },
  })
  expect(await since(cursor)).toEqual(
    [
      ...[propRow, deprecatedRow].map(({ entry_id }) => `entry ${entry_id} delete`),
      ...[propRow, deprecatedRow, lonelyRow].map(({ object_id }) => `object ${object_id} delete`),
    ].sort(),
  )
  expect(await statusOf(`/packs/${pack}`)).toBe(404)
  const closure = (await reads.get(`/entries/${userRow.entry_id}/closure`)).body.members
  expect(closure.map(({ object_id }: Json) => object_id)).toEqual([userRow, sharedRow, baseRow].map(({ object_id }) => object_id))
  expect((await reads.get(`/packs/${await packOf(userRow.entry_id)}`)).body).toMatchObject({ entry_count: 1, object_count: 3 })
  expect(await danglingRows()).toEqual([])
})

test('versions that came from a deleted pack stay in the history of an entry that moved on to another pack', async () => {
  const [own, others] = [uniqueName('Pack'), uniqueName('Pack')]
  const first = item(inPack(own))
  const [made = {}] = await pushed(mia, [first])
  const pack = await packOf(made.entry_id)
  const stamp = { stamped_lineage_id: made.lineage_id, stamped_base_hash: first.content_hash }
  const [moved = {}] = await pushed(mia, [item({ ...inPack(others, { asset_name: first.asset_name }), ...stamp })])
  expect((await adam.del(`/packs/${pack}`)).body).toMatchObject({
    deleted_entries: 0,
    deleted_objects: 0,
    kept_shared_objects: 1,
  })
  expect((await mia.post(`/entries/${made.entry_id}/restore`, { object_id: made.object_id })).body).toMatchObject({
    object_id: made.object_id,
    pack: { name: others },
  })
  expect((await reads.get(`/lineages/${made.lineage_id}`)).body.objects).toHaveLength(2)
  expect(moved.status).toBe('new')
  expect(await danglingRows()).toEqual([])
})

test('a pack of which anything was ever pulled stays whole', async () => {
  const own = uniqueName('Pack')
  const entries = ids(await pushed(mia, [item(inPack(own)), item(inPack(own))]))
  const [one = 0, two = 0] = entries
  const pack = await packOf(one)
  await pull(two)
  const cursor = await head()
  const answer = await adam.del(`/packs/${pack}`)
  expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([
    409,
    'CONFLICT',
    { pulled_entry_ids: [two] },
  ])
  expect((await reads.get(`/packs/${pack}`)).body).toMatchObject({ entry_count: 2, object_count: 2 })
  expect(await since(cursor)).toEqual([])
  expect((await mia.del(`/packs/${pack}`)).body.error.code).toBe('FORBIDDEN')
})

test('packs and collections that are deleted at once, while entries are tagged and moved about, leave nothing behind', async () => {
  for (let round = 0; round < 4; round++) {
    const own = uniqueName('Pack')
    const entries = ids(
      await pushed(
        mia,
        Array.from({ length: 6 }, () => item(inPack(own))),
      ),
    )
    const [one = 0, two = 0] = entries
    const collections = await Promise.all(
      [1, 2].map(async () => (await mia.post('/collections', { name: uniqueName('Col') })).body.id),
    )
    const { id: tag_id } = (await mia.post('/tags', { name: uniqueName('tag') })).body
    for (const id of collections) await mia.post(`/collections/${id}/entries/bulk`, { entry_ids: entries, action: 'add' })
    const pack = await packOf(one)
    const answers = await Promise.all([
      adam.del(`/packs/${pack}`),
      ...collections.map((id) => mia.del(`/collections/${id}`)),
      mia.post('/entries/tags/bulk', { tag_id, entry_ids: entries.toReversed(), action: 'add' }),
      mia.post('/entries/variant-group/bulk', { entry_ids: [two, one], action: 'group' }),
      mia.post('/entries/category/bulk', { entry_ids: entries, category: 'Walls' }),
      mia.patch(`/entries/${two}`, { name: 'Renamed' }),
      mia.patch(`/packs/${pack}`, { name: uniqueName('Pack') }),
    ])
    expect(answers[0].status).toBe(200)
    for (const { status, body } of answers) expect([200, 204, 404], JSON.stringify(body)).toContain(status)
    expect(await danglingRows()).toEqual([])
  }
})
