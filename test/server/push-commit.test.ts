// Commit: what becomes of pushed files, and that a commit is all or nothing (spec 4.9).
import { beforeAll, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { commitOf, item, manifestOf, plainFile, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

let mia: Caller
let max: Caller
let adam: Caller

beforeAll(async () => {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
  max = callAs(url, keys.max)
  adam = callAs(url, keys.adam)
})

const detailOf = async (id: number) => (await mia.get(`/entries/${id}`)).body
const head = async () => {
  let cursor = 0
  for (;;) {
    const { body } = await mia.get(`/catalog/changes?cursor=${cursor}&limit=1000`)
    if (body.changes.length === 0) return cursor
    cursor = body.next_cursor
  }
}

test('a new file with an entry block becomes an entry with its first version', async () => {
  const one = item({ origin_path: '/Game/Medieval/Props/SM_Barrel_1', entry: { metadata: { tri_count: 12, bounds_x: 2 } } })
  const [result] = await pushed(mia, [one])
  expect(result).toMatchObject({
    status: 'new',
    entry_created: true,
    parent_object_id: null,
    variant: false,
    lineage_anchor: 'minted',
  })
  const entry = await detailOf(result.entry_id)
  expect(entry).toMatchObject({
    name: one.asset_name,
    category: 'Props',
    pack: { name: 'Medieval' },
    content_hash: one.content_hash,
    object_id: result.object_id,
    face: { published_by: { name: 'mia' }, package_guid: null },
    ever_pulled: false,
  })
  expect(entry.metadata).toMatchObject({ tri_count: 12, vert_count: null, bounds: { x: 2, y: null, z: null } })
})

test('a file without an entry block is registered and is no entry', async () => {
  const [result] = await pushed(mia, [plainFile()])
  expect(result).toMatchObject({ status: 'new', entry_id: null, entry_created: false })
  const lineage = (await mia.get(`/lineages/${result.lineage_id}`)).body
  expect(lineage).toMatchObject({ entry_id: null, face_object_id: result.object_id })
})

test('the same manifest again is dedup and changes nothing', async () => {
  const items = [item(), plainFile()]
  await pushed(mia, items)
  const before = await head()
  const results = await pushed(max, items)
  expect(results.map((result) => result.status)).toEqual(['dedup', 'dedup'])
  expect(results[0]).toMatchObject({ entry_created: false, has_thumbnail: false })
  expect(await head()).toBe(before)
})

test('known bytes with an entry block make the entry that their lineage lacks, and no version', async () => {
  const file = plainFile()
  const [first] = await pushed(mia, [file])
  const answer = await commitOf(mia, [{ ...file, entry: { entry_type: 'texture', name: 'T_Late' } }])
  expect(answer.body.summary).toMatchObject({ new: 0, dedup: 1, entries_created: 1 })
  expect(answer.body.results[0]).toMatchObject({ status: 'dedup', object_id: first.object_id, entry_created: true })
  expect((await detailOf(answer.body.results[0].entry_id)).name).toBe('T_Late')
})

test('a stamped file becomes the next version and the current one; the category follows unless it is locked', async () => {
  const one = item({ origin_path: '/Game/P/Props/SM_Moves' })
  const [first] = await pushed(mia, [one])
  const two = item({
    asset_name: one.asset_name,
    origin_path: '/Game/P/Weapons/SM_Moves',
    stamped_lineage_id: first.lineage_id,
    stamped_base_hash: one.content_hash,
    expected_face_object_id: first.object_id,
  })
  const [second] = await pushed(max, [two])
  expect(second).toMatchObject({
    status: 'new',
    lineage_id: first.lineage_id,
    lineage_anchor: 'stamp',
    parent_object_id: first.object_id,
    entry_id: first.entry_id,
    entry_created: false,
  })
  expect(await detailOf(first.entry_id)).toMatchObject({ object_id: second.object_id, category: 'Weapons' })
  const { objects } = (await mia.get(`/lineages/${first.lineage_id}`)).body
  expect(objects.map((o: { object_id: number; is_face: boolean }) => [o.object_id, o.is_face])).toEqual([
    [second.object_id, true],
    [first.object_id, false],
  ])
})

test('make_face false registers a version that is not current', async () => {
  const one = item()
  const [first] = await pushed(mia, [one])
  const two = item({ stamped_lineage_id: first.lineage_id, entry: { make_face: false } })
  const [second] = await pushed(mia, [two])
  expect(second.status).toBe('new')
  expect((await detailOf(first.entry_id)).object_id).toBe(first.object_id)
})

test('a current version that someone replaced meanwhile is STALE_FACE, and nothing of the batch is registered', async () => {
  const [first] = await pushed(mia, [item()])
  await pushed(max, [item({ stamped_lineage_id: first.lineage_id })])
  const before = await head()
  const bystander = item({ pack_ref: 'p' })
  const late = item({ stamped_lineage_id: first.lineage_id, expected_face_object_id: first.object_id })
  const answer = await commitOf(mia, [bystander, late], { packs: [{ ref: 'p', name: uniqueName('Rolled') }] })
  expect([answer.status, answer.body.error.code]).toEqual([409, 'STALE_FACE'])
  expect(answer.body.error.details).toMatchObject({
    lineage_id: first.lineage_id,
    expected_face_object_id: first.object_id,
    content_hash: late.content_hash,
  })
  expect(await head()).toBe(before)
  expect((await mia.get(`/entries?name=${bystander.asset_name}`)).body.entries).toEqual([])
})

test('bytes that are not there are BLOB_MISSING and name their hashes', async () => {
  const gone = item()
  const answer = await mia.post('/push/commit', manifestOf([gone]))
  expect([answer.status, answer.body.error.code, answer.body.error.details.missing]).toEqual([
    409,
    'BLOB_MISSING',
    [gone.content_hash],
  ])
})

test('a declared size that is not the size of the bytes is HASH_MISMATCH, for new and for known bytes', async () => {
  const known = item()
  await pushed(mia, [known])
  const fresh = item()
  const answer = await commitOf(mia, [
    { ...known, blob_size: 1 },
    { ...fresh, blob_size: 2 },
  ])
  expect([answer.status, answer.body.error.code]).toEqual([409, 'HASH_MISMATCH'])
  expect(answer.body.error.details.contradicted).toEqual([known.content_hash, fresh.content_hash])
})

test('two files of one new place or GUID: the first registers, the others are held without a candidate', async () => {
  const path = `/Game/Twins/${uniqueName('SM')}`
  const [a, b, c] = [
    item({ origin_path: path }),
    item({ origin_path: path.toUpperCase().replace('/GAME', '/Game') }),
    item({ origin_path: path, asset_class: 'Texture2D' }),
  ]
  const results = await pushed(mia, [a, b, c])
  expect(results.map((result) => result.status)).toEqual(['new', 'held', 'new'])
  expect(results[1]).toMatchObject({ reason: 'probable_lost_stamp', probable_lost_stamp: true, candidate_lineage_id: null })
})

test('a redirector never continues a lineage by its GUID and never becomes an entry', async () => {
  const guid = `${'A'.repeat(31)}1`
  const [first] = await pushed(mia, [item({ package_guid: guid })])
  const redirector = item({ package_guid: guid, asset_class: 'ObjectRedirector' })
  const [result] = await pushed(mia, [redirector])
  expect(result).toMatchObject({ status: 'new', entry_id: null, lineage_anchor: 'minted' })
  expect(result.lineage_id).not.toBe(first.lineage_id)
})

test('a GUID stays with the lineage that first had it, also when a stamped version brought it', async () => {
  const guid = `${'B'.repeat(31)}2`
  const [first] = await pushed(mia, [item()])
  await pushed(mia, [item({ stamped_lineage_id: first.lineage_id, package_guid: guid })])
  const [forced] = await pushed(mia, [item({ package_guid: guid, force_new_lineage: true })])
  expect(forced.lineage_id).not.toBe(first.lineage_id)
  const [next] = await pushed(mia, [item({ package_guid: guid.toLowerCase() })])
  expect(next).toMatchObject({ lineage_id: first.lineage_id, lineage_anchor: 'guid' })
})

test('known bytes that say more than before fill what was missing, and the entry is told as changed', async () => {
  const file = item({ asset_name: undefined, origin_path: undefined, engine_version: undefined, entry: { name: 'Bare' } })
  const [first] = await pushed(mia, [file])
  const before = await head()
  const [again] = await pushed(max, [{ ...file, asset_name: 'SM_Now', origin_path: '/Game/Now/SM_Now' }])
  expect(again).toMatchObject({ status: 'dedup', enriched: ['asset_name', 'origin_path'] })
  const changes = (await mia.get(`/catalog/changes?cursor=${before}`)).body.changes
  expect(changes.map((change: { entity: string; entity_id: number }) => [change.entity, change.entity_id])).toEqual([
    ['object', first.object_id],
    ['entry', first.entry_id],
  ])
  const events = (await mia.get(`/activity?entry_id=${first.entry_id}`)).body.events
  expect(events[0]).toMatchObject({
    event_type: 'push.enrich',
    payload: { fields: ['asset_name', 'origin_path'] },
    actor: { name: 'max' },
  })
})

test('denied files and what needs them stay out; the rest goes through', async () => {
  const [bad, top, free] = [plainFile(), item(), item()]
  top.dependencies = [{ content_hash: bad.content_hash }]
  expect((await adam.post('/admin/denylist', { kind: 'content_hash', value: bad.content_hash })).status).toBe(201)
  const { body } = await mia.post('/push/negotiate', manifestOf([bad, top, free]))
  expect(body.items.map((one: { action: string }) => one.action)).toEqual(['denied', 'denied', 'register'])
  expect(body.items[1]).toMatchObject({ reason: 'depends_on_denied', denied_dependencies: [bad.content_hash] })
  expect(body.missing_hashes).toEqual([free.content_hash])
})

test('variant groups: made once, joined by id, and two groups at once are a CONFLICT', async () => {
  const [a, b] = [item({ entry: { variant_group_ref: 'g', variant_label: 'red' } }), item({ entry: { variant_group_ref: 'g' } })]
  const first = await commitOf(mia, [a, b], { variant_groups: [{ ref: 'g', label: 'Crates' }] })
  const id = first.body.variant_groups.g
  expect(
    first.body.results.map((result: { variant_group_id: number; variant: boolean }) => [result.variant_group_id, result.variant]),
  ).toEqual([
    [id, true],
    [id, true],
  ])
  const c = item({ entry: { variant_group_ref: 'h' } })
  const second = await commitOf(mia, [c], { variant_groups: [{ ref: 'h', id }] })
  expect((await detailOf(second.body.results[0].entry_id)).variant_group).toEqual({ id, label: 'Crates', count: 3 })
  const other = await commitOf(mia, [item({ entry: { variant_group_ref: 'x' } })], { variant_groups: [{ ref: 'x' }] })
  const otherId = other.body.variant_groups.x
  const clash = await commitOf(mia, [{ ...a, entry: { ...a.entry, variant_group_ref: 'z' } }], {
    variant_groups: [{ ref: 'z', id: otherId }],
  })
  expect([clash.status, clash.body.error.details.existing_group_ids]).toEqual([409, [id, otherId]])
  const unknown = await mia.post('/push/negotiate', manifestOf([item()], { variant_groups: [{ ref: 'u', id: 999_999 }] }))
  expect([unknown.status, unknown.body.error.code]).toEqual([422, 'VALIDATION'])
})

test('two refs may mean one variant group, and every member learns of who joins and of the name', async () => {
  const { body: made } = await commitOf(mia, [item({ entry: { variant_group_ref: 'g' } })], { variant_groups: [{ ref: 'g' }] })
  const [id, first] = [made.variant_groups.g, made.results[0].entry_id]
  const before = await head()
  const joining = [item({ entry: { variant_group_ref: 'a' } }), item({ entry: { variant_group_ref: 'b' } })]
  const { body } = await commitOf(mia, joining, {
    variant_groups: [
      { ref: 'a', id },
      { ref: 'b', id, label: 'Barrels' },
    ],
  })
  expect(body.variant_groups).toEqual({ a: id, b: id })
  expect((await detailOf(first)).variant_group).toEqual({ id, label: 'Barrels', count: 3 })
  const changesAfter = async (cursor: number) => (await mia.get(`/catalog/changes?cursor=${cursor}`)).body
  const told = await changesAfter(before)
  expect(told.changes.filter((one: Json) => one.entity === 'entry').map((one: Json) => one.entity_id)).toContain(first)
  await commitOf(mia, joining, {
    variant_groups: [
      { ref: 'a', id },
      { ref: 'b', label: 'Casks' },
    ],
  })
  expect((await changesAfter(told.next_cursor)).changes).toEqual([])
})

test('an unknown pack is PACK_NOT_FOUND; inline packs are made or linked, filling only what is empty', async () => {
  expect((await mia.post('/push/negotiate', manifestOf([item()], { pack_id: 999_999 }))).body.error.code).toBe('PACK_NOT_FOUND')
  const name = uniqueName('Pack')
  const first = await commitOf(mia, [item({ pack_ref: 'a' })], { packs: [{ ref: 'a', name, product_url: 'https://one.test' }] })
  const second = await commitOf(mia, [item({ pack_ref: 'b' })], {
    packs: [{ ref: 'b', name, product_url: 'https://two.test', source_path: 'D:/x' }],
  })
  expect(second.body.packs.b).toBe(first.body.packs.a)
  expect((await mia.get(`/packs/${first.body.packs.a}`)).body).toMatchObject({
    product_url: 'https://one.test',
    source_path: 'D:/x',
    entry_count: 2,
    object_count: 2,
  })
})
