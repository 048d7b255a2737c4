// What is kept of versions besides their bytes: numbers, notes, missing dependencies, plugins, where they came from (contract-gaps 9).
import { beforeAll, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { commitOf, type Item, item, plainFile, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

let mia: Caller
let olivia: Caller
let adam: Caller
let miaReads: Caller

beforeAll(async () => {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
  olivia = callAs(url, keys.olivia)
  adam = callAs(url, keys.adam)
  miaReads = callAs(url, keys.miaReads)
})

const lineageOf = async (id: string): Promise<Json> => (await mia.get(`/lineages/${id}`)).body
const faceOf = async (entryId: number): Promise<Json> => (await mia.get(`/entries/${entryId}`)).body.face
const changesSince = async (cursor: number): Promise<Json[]> =>
  (await mia.get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body.changes
const head = async (): Promise<number> => (await mia.post('/lineages/find', {})).body.cursor
const pathOf = (name: string) => `/Game/Inn/${name}`
const at = (name: string, over: Json = {}) => item({ asset_name: name, origin_path: pathOf(name), ...over })
const next = (of: Item, { lineage_id }: Json, over: Json = {}) =>
  item({ asset_name: of.asset_name, origin_path: of.origin_path, stamped_lineage_id: lineage_id, ...over })

test('a version keeps the note and project of its push, its source path, missing dependencies and plugins, and all that shows it says so', async () => {
  const gone = pathOf(uniqueName('T_Gone'))
  const table = item({
    source_path: 'Sets/Old Inn/table.uasset',
    missing_dependencies: [gone, gone.toUpperCase(), '/Magic/M_Glow'],
    plugins: ['Water', 'Magic', 'magic'],
  })
  const [result] = await pushed(mia, [table], { note: '  Legs are straight now ', project: 'Tavern' })
  const facts = {
    version: 1,
    push_note: 'Legs are straight now',
    missing_dependencies: [gone.toUpperCase(), '/Magic/M_Glow'],
    plugins: ['magic', 'Water'],
  }
  const origin = { pushed_from: 'Tavern', source_path: 'Sets/Old Inn/table.uasset' }
  expect((await lineageOf(result.lineage_id)).objects).toMatchObject([{ ...facts, ...origin }])
  expect(await faceOf(result.entry_id)).toMatchObject({ ...facts, ...origin })
  expect((await mia.get(`/entries/${result.entry_id}/closure`)).body.members).toMatchObject([facts])
  const order = { target_project: 'Castle', entries: [{ entry_id: result.entry_id }] }
  expect((await mia.post('/pull-jobs/plan', order)).body).toMatchObject({ entries: [facts], closure: { objects: [facts] } })
  const job = (await mia.post('/pull-jobs', order)).body
  expect(job.entries).toMatchObject([facts])
  expect((await mia.get(`/pull-jobs/${job.id}/closure`)).body.objects).toMatchObject([facts])
  const { events } = (await mia.get(`/activity?entry_id=${result.entry_id}`)).body
  const commit = events.find((event: Json) => event.event_type === 'push.commit')
  expect(commit.payload).toMatchObject({ note: 'Legs are straight now', version: 1 })
})

test('what a push does not say is null or empty', async () => {
  const [result] = await pushed(mia, [item({ missing_dependencies: null, plugins: [] })], { note: ' ', project: null })
  expect(await faceOf(result.entry_id)).toMatchObject({
    version: 1,
    push_note: null,
    missing_dependencies: [],
    plugins: [],
    pushed_from: null,
    source_path: null,
  })
})

test('a package that comes later is missing no longer: it is needed, and mirrors hear of it', async () => {
  const texture = plainFile({ asset_name: uniqueName('T_Late') })
  const user = item({ missing_dependencies: [texture.origin_path.replace('/Pack/', '/PACK/'), '/Game/Never/Here'] })
  const [result] = await pushed(mia, [user])
  const before = await head()
  const [arrived] = await pushed(mia, [texture])
  expect((await faceOf(result.entry_id)).missing_dependencies).toEqual(['/Game/Never/Here'])
  expect((await lineageOf(result.lineage_id)).objects[0].missing_dependencies).toEqual(['/Game/Never/Here'])
  const members = (await mia.get(`/entries/${result.entry_id}/closure`)).body.members
  expect(members[1]).toMatchObject({ object_id: arrived.object_id, edge: 'soft' })
  const changes = await changesSince(before)
  expect(changes).toContainEqual(expect.objectContaining({ entity: 'entry', entity_id: result.entry_id }))
  expect(changes).toContainEqual(expect.objectContaining({ entity: 'object', entity_id: result.object_id }))
})

test('what is named as missing and is in the same push, or in the library, is a dependency', async () => {
  const [known, beside] = [plainFile(), plainFile()]
  await pushed(mia, [known])
  const user = item({ missing_dependencies: [known.origin_path, beside.origin_path] })
  const [result] = await pushed(mia, [user, beside])
  expect((await faceOf(result.entry_id)).missing_dependencies).toEqual([])
  expect((await mia.get(`/entries/${result.entry_id}/closure`)).body.total_objects).toBe(3)
})

test('a prop that is restored to where it was is missing there no longer', async () => {
  const moved = at(uniqueName('SM_Moved'))
  const [first] = await pushed(mia, [moved])
  await pushed(mia, [next(moved, first, { origin_path: `${moved.origin_path}_Elsewhere` })])
  const [user] = await pushed(mia, [item({ missing_dependencies: [moved.origin_path] })])
  expect((await faceOf(user.entry_id)).missing_dependencies).toEqual([moved.origin_path])
  await mia.post(`/entries/${first.entry_id}/restore`, { object_id: first.object_id })
  expect((await faceOf(user.entry_id)).missing_dependencies).toEqual([])
})

test('known bytes that are pushed again gain what they refer to where nobody had said it; how they came stays as it was', async () => {
  const plain = item()
  const [first] = await pushed(mia, [plain])
  const again = { ...plain, missing_dependencies: ['/Game/Gone/T_A'], plugins: ['Water'], source_path: 'b.uasset' }
  const [second] = await pushed(adam, [again], { note: 'Not about this one', project: 'Castle' })
  expect(second).toMatchObject({ status: 'dedup', enriched: ['missing_dependencies', 'plugins'] })
  const facts = { missing_dependencies: ['/Game/Gone/T_A'], plugins: ['Water'] }
  const came = { version: 1, push_note: null, pushed_from: null, source_path: null }
  expect(await faceOf(first.entry_id)).toMatchObject({ ...facts, ...came })
  const third = { ...plain, missing_dependencies: ['/Game/Gone/T_B'], plugins: ['Fire'] }
  expect((await pushed(adam, [third]))[0].enriched).toBeUndefined()
  expect(await faceOf(first.entry_id)).toMatchObject(facts)
})

test('versions of a prop are counted from 1, each prop by itself, current or not', async () => {
  const barrel = item()
  const [first, other] = await pushed(mia, [barrel, item()])
  await pushed(mia, [next(barrel, first, { entry: { make_face: false } })])
  await pushed(mia, [next(barrel, first)])
  const { objects } = await lineageOf(first.lineage_id)
  expect(objects.map(({ version, is_face }: Json) => [version, is_face])).toEqual([
    [3, true],
    [2, false],
    [1, false],
  ])
  expect(await faceOf(other.entry_id)).toMatchObject({ version: 1 })
})

test('the number of a version that was deleted is not used again', async () => {
  const plank = item()
  const [first] = await pushed(mia, [plank])
  await pushed(mia, [item({ dependencies: [{ content_hash: plank.content_hash }] })])
  await pushed(mia, [next(plank, first)])
  expect((await adam.del(`/entries/${first.entry_id}`)).status).toBe(204)
  expect((await lineageOf(first.lineage_id)).objects.map(({ version }: Json) => version)).toEqual([1])
  await pushed(mia, [next(plank, first)])
  expect((await lineageOf(first.lineage_id)).objects.map(({ version }: Json) => version)).toEqual([3, 1])
})

test.each([
  ['source_path', ['../a', 'a/../b', '/a', 'C:/a', 'c:a', 'a\\b', './a', 'a//b', 'a/', 'a\nb', `a${'b'.repeat(1000)}`, '']],
  [
    'missing_dependencies',
    [['Game/A'], ['/Game//A'], ['/Game/A\\B'], ['/'], Array.from({ length: 1001 }, (_, n) => `/Game/A${n}`)],
  ],
  ['plugins', [[''], ['a\tb'], ['x'.repeat(201)], Array.from({ length: 1001 }, (_, n) => `P${n}`)]],
])('an item whose %s is no such thing is refused', async (field, values) => {
  for (const value of values) {
    const answer = await mia.post('/push/negotiate', { items: [{ ...item({ [field]: value }), bytes: undefined }] })
    expect([field, value, answer.status]).toEqual([field, value, 422])
    expect(answer.body.error.details.errors[0].path).toContain(field)
  }
})

test('a manifest that names more missing dependencies than a recommended batch can is refused at once', async () => {
  const missing_dependencies = Array.from({ length: 1000 }, (_, n) => `/G/${n}`)
  const items = Array.from({ length: 501 }, () => ({ ...item({ missing_dependencies }), bytes: undefined }))
  const answer = await mia.post('/push/negotiate', { items })
  expect([answer.status, answer.body.error.details.errors[0]]).toMatchObject([422, { path: 'items' }])
})

test('more missing dependencies than one statement takes are kept, and become edges when they come', async () => {
  const missing = (prefix: string) => Array.from({ length: 1000 }, (_, n) => `/Game/Many/${prefix}_${n}`)
  const users = Array.from({ length: 11 }, (_, n) =>
    item({ missing_dependencies: [...missing(`M${n}`).slice(1), pathOf('T_Shared')] }),
  )
  const results = await pushed(mia, users)
  const last = results.at(-1)?.entry_id
  expect((await faceOf(last)).missing_dependencies).toHaveLength(1000)
  await pushed(mia, [at('T_Shared')])
  expect((await faceOf(last)).missing_dependencies).toHaveLength(999)
})

test('dots and blanks within names of folders are no way out', async () => {
  const [result] = await pushed(mia, [item({ source_path: '.hidden/..a/b..c/ d /x.y.fbx' })])
  expect(await faceOf(result.entry_id)).toMatchObject({ source_path: '.hidden/..a/b..c/ d /x.y.fbx' })
})

test('a note longer than 1,000 characters is refused, one of 1,000 kept', async () => {
  const long = await commitOf(mia, [item()], { note: 'é'.repeat(1001) })
  expect([long.status, long.body.error.details.errors[0].path]).toEqual([422, 'note'])
  const [result] = await pushed(mia, [item()], { note: '😀'.repeat(1000) })
  expect((await faceOf(result.entry_id)).push_note).toBe('😀'.repeat(1000))
})

test('lists are narrowed by path and by the project of the current version, and say how many there are', async () => {
  const [folder, project] = [uniqueName('Set'), uniqueName('Yard')]
  const inside = (path: string) => item({ asset_name: path.split('/').at(-1), origin_path: `/Game/${folder}/${path}` })
  const [oak, pine] = [inside('Wood/SM_Oak'), inside('Wood/Soft/SM_Pine')]
  const [pushedOak] = await pushed(mia, [oak, pine, inside('SM_Stone')], { project })
  const listed = async (query: string) => {
    const { entries, total } = (await miaReads.get(`/entries?${query}&limit=2`)).body
    return [entries.map(({ name }: Json) => name), total]
  }
  expect(await listed(`path=/game/${folder}/Wood/sm_oak`)).toEqual([['SM_Oak'], 1])
  expect(await listed(`path=/Game/${folder}/Wood/`)).toEqual([['SM_Oak', 'SM_Pine'], 2])
  expect(await listed(`path=/Game/${folder}/Wood`)).toEqual([[], 0])
  expect(await listed(`path=/Game/${folder}/*`)).toEqual([['SM_Oak', 'SM_Pine'], 3])
  expect(await listed(`path=*/${folder}/*P*ne&path=/Game/${folder}/SM_S*`)).toEqual([['SM_Pine', 'SM_Stone'], 2])
  expect(await listed(`pushed_from=${project.toUpperCase()}`)).toEqual([['SM_Oak', 'SM_Pine'], 3])
  expect((await miaReads.get(`/entries/facets?pushed_from=${project}&path=/Game/${folder}/Wood/`)).body.types).toEqual([
    { value: 'mesh', count: 2 },
  ])
  await pushed(mia, [next(oak, pushedOak, { origin_path: `/Game/${folder}/SM_Oak` })], { project: 'Another' })
  expect(await listed(`path=/Game/${folder}/Wood/`)).toEqual([['SM_Pine'], 1])
  expect(await listed(`pushed_from=${project}`)).toEqual([['SM_Pine', 'SM_Stone'], 2])
  for (const wrong of ['path=Game/A', `path=/${'*a'.repeat(21)}`, 'pushed_from=%20'])
    expect([wrong, (await miaReads.get(`/entries?${wrong}`)).status]).toEqual([wrong, 422])
})

test('restoring with the current version as it was last seen is refused once someone else has moved it', async () => {
  const crate = item()
  const [first] = await pushed(mia, [crate])
  const [second] = await pushed(mia, [next(crate, first)])
  const [third] = await pushed(adam, [next(crate, first)])
  const restore = (object_id: number, expected_face_object_id: number | null) =>
    mia.post(`/entries/${first.entry_id}/restore`, { object_id, expected_face_object_id })
  const stale = await restore(first.object_id, second.object_id)
  expect([stale.status, stale.body.error.code, stale.body.error.details]).toEqual([
    409,
    'STALE_FACE',
    {
      lineage_id: first.lineage_id,
      expected_face_object_id: second.object_id,
      actual_face_object_id: third.object_id,
      content_hash: crate.content_hash,
    },
  ])
  expect((await faceOf(first.entry_id)).object_id).toBe(third.object_id)
  expect((await restore(first.object_id, third.object_id)).body.object_id).toBe(first.object_id)
  // What is wanted is so already: nothing would be overwritten.
  expect((await restore(first.object_id, third.object_id)).status).toBe(200)
  expect((await restore(second.object_id, null)).body.object_id).toBe(second.object_id)
})

test('of two who restore at once what both saw, one comes first and the other hears STALE_FACE', async () => {
  const crate = item()
  const [first] = await pushed(mia, [crate])
  const [second] = await pushed(mia, [next(crate, first)])
  const [third] = await pushed(mia, [next(crate, first)])
  const answers = await Promise.all(
    [first, second].map(({ object_id }) =>
      mia.post(`/entries/${first.entry_id}/restore`, { object_id, expected_face_object_id: third.object_id }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('a closure is that of an earlier version where one is named, with the places that its files were pushed from', async () => {
  const old = plainFile({ source_path: 'table/old.png' })
  const first = at(uniqueName('SM_Table'), {
    source_path: 'table/SM_Table.uasset',
    dependencies: [{ content_hash: old.content_hash }],
  })
  const [fileResult, result] = await pushed(mia, [old, first])
  const [now] = await pushed(mia, [next(first, result)])
  const closureOf = async (query = '') => (await mia.get(`/entries/${result.entry_id}/closure${query}`)).body
  expect(await closureOf()).toMatchObject({ root_object_id: now.object_id, total_objects: 1, members: [{ source_path: null }] })
  expect(await closureOf(`?object_id=${result.object_id}`)).toMatchObject({
    root_object_id: result.object_id,
    total_objects: 2,
    members: [
      { object_id: result.object_id, entry_id: null, version: 1, source_path: 'table/SM_Table.uasset' },
      { object_id: fileResult.object_id, source_path: 'table/old.png' },
    ],
  })
  expect((await closureOf(`?object_id=${fileResult.object_id}`)).error.code).toBe('LINEAGE_CONFLICT')
  expect((await closureOf('?object_id=999999999')).error.code).toBe('OBJECT_NOT_FOUND')
  const download = await mia.get(`/entries/${result.entry_id}/download?object_id=${fileResult.object_id}`)
  expect([download.status, download.body.error.code]).toEqual([409, 'LINEAGE_CONFLICT'])
})

test('GET /auth/me says the role in the workspace', async () => {
  const roleOf = async (caller: Caller) => (await caller.get('/auth/me')).body.workspace_role
  expect(await Promise.all([olivia, adam, mia].map(roleOf))).toEqual(['owner', 'admin', 'member'])
})
