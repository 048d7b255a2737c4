/** Packs and projects: made and changed by hand (spec 4.12; contract-gaps 4 and 5a). What deleting a pack does: deletion.test.ts. */
import { expect, test } from 'vitest'
import { migrate } from '../../server/database/migrate.ts'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, max, reads] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.miaReads)]

const since = async (cursor: number): Promise<number[]> =>
  (await reads.get(`/catalog/changes?cursor=${cursor}&limit=1000`)).body.changes.map(({ entity_id }: Json) => entity_id)
const head = async (): Promise<number> => (await reads.get('/catalog/changes?cursor=0&limit=1000')).body.next_cursor
const userId = async (who: typeof mia): Promise<number> => (await who.get('/members/me')).body.id
const projectNamed = async (name: string): Promise<Json> =>
  (await reads.get('/projects')).body.projects.find((project: Json) => project.name === name)

test('a pack keeps what is said of it, by whom and when; null takes away what may be missing', async () => {
  const said = {
    source_path: 'D:/Packs',
    source_type: 'fbx',
    engine_version: '5.3.1',
    product_url: 'https://a.test/p',
    notes: 'n',
  }
  const name = uniqueName('Pack')
  const made = (await mia.post('/packs', { name, ...said })).body
  expect(made).toMatchObject({ name, ...said, created_by: await userId(mia), entry_count: 0, object_count: 0 })
  server.clock.advance(5000)
  const changed = (await max.patch(`/packs/${made.id}`, { notes: null, product_url: null })).body
  expect(changed).toMatchObject({
    ...said,
    notes: null,
    product_url: null,
    created_by: made.created_by,
    updated_by: await userId(max),
  })
  expect(changed.date_updated > made.date_updated).toBe(true)
  expect((await reads.get(`/packs/${made.id}`)).body).toEqual(changed)
  expect((await mia.post('/packs', { name: uniqueName('Pack'), source_type: null })).body.source_type).toBe('uasset')
  for (const body of [{}, { colour: 1 }, { name: null }, { name: ' ' }, { source_type: null }, { source_type: 's'.repeat(51) }])
    expect((await mia.patch(`/packs/${made.id}`, body)).body.error.code, JSON.stringify(body)).toBe('VALIDATION')
})

test('only a new name is heard of, by every entry that shows it', async () => {
  const entries = (await pushed(mia, [item(), item()])).map(({ entry_id }) => entry_id)
  const { id, name } = (await reads.get(`/entries/${entries[0]}`)).body.pack
  const cursor = await head()
  await mia.patch(`/packs/${id}`, { notes: 'Bought in spring', name })
  expect(await since(cursor)).toEqual([])
  const renamed = uniqueName('Pack')
  expect((await mia.patch(`/packs/${id}`, { name: renamed })).body).toMatchObject({ name: renamed, notes: 'Bought in spring' })
  expect((await since(cursor)).sort()).toEqual(entries.sort())
  expect((await reads.get(`/entries/${entries[0]}`)).body.pack).toEqual({ id, name: renamed })
})

test('a version of a pack that is made current while the pack is renamed shows the name that the pack has', async () => {
  for (let round = 0; round < 5; round++) {
    const first = item({ origin_path: `/Game/${uniqueName('Pack')}/SM` })
    const [made = {}] = await pushed(mia, [first])
    const { id } = (await reads.get(`/entries/${made.entry_id}`)).body.pack
    const stamp = { stamped_lineage_id: made.lineage_id, stamped_base_hash: first.content_hash }
    await pushed(mia, [item({ ...stamp, origin_path: `/Game/${uniqueName('Pack')}/SM` })])
    const cursor = await head()
    const name = uniqueName('Pack')
    const answers = await Promise.all([
      mia.patch(`/entries/${made.entry_id}`, { object_id: made.object_id }),
      max.patch(`/packs/${id}`, { name }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { changes } = (await reads.get(`/catalog/changes?cursor=${cursor}&expand=true`)).body
    const heard = changes.filter(({ entity, entity_id }: Json) => entity === 'entry' && entity_id === made.entry_id)
    expect(heard.map(({ record }: Json) => record.pack)).toEqual([{ id, name }])
  }
})

test.for([
  { path: '/packs', same: (name: string) => name },
  { path: '/collections', same: (name: string) => name },
  { path: '/projects', same: (name: string) => name.toUpperCase() },
])('of several who take one name in $path at once one succeeds, and the others hear who has it', async ({ path, same }) => {
  const name = uniqueName('Name')
  const made = await Promise.all([name, same(name), name].map((one, n) => [mia, max][n % 2]?.post(path, { name: one })))
  expect(made.map((answer) => answer?.status).sort()).toEqual([201, 409, 409])
  const id = made.find((answer) => answer?.status === 201)?.body.id
  for (const answer of made) if (answer?.status === 409) expect(answer.body.error.details).toEqual({ existing_id: id })

  const others = await Promise.all([1, 2].map(async () => (await mia.post(path, { name: uniqueName('Name') })).body))
  const taken = await max.patch(`${path}/${others[0].id}`, { name: same(name) })
  expect([taken.status, taken.body.error.code, taken.body.error.details]).toEqual([409, 'CONFLICT', { existing_id: id }])
  expect((await max.patch(`${path}/${id}`, { name })).status).toBe(200)
  const wanted = uniqueName('Name')
  const renamed = await Promise.all(others.map((one) => mia.patch(`${path}/${one.id}`, { name: wanted })))
  expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409])
  const winner = renamed.find(({ status }) => status === 200)?.body.id
  expect(renamed.find(({ status }) => status === 409)?.body.error.details).toEqual({ existing_id: winner })
})

test('a project is made by hand or by its first pull, and says where pulls land that do not', async () => {
  const [name, { entry_id = 0 } = {}] = [uniqueName('Proj'), ...(await pushed(mia, [item()]))]
  const made = (await mia.post('/projects', { name, default_root: '/Game/Kit', notes: 'Ours' })).body
  const { id, created_at } = made
  const fields = { id, name, default_root: '/Game/Kit', notes: 'Ours', created_by: await userId(mia), created_at }
  expect(made).toEqual({ ...fields, last_used_at: null, job_count: 0 })
  const order = { target_project: name.toUpperCase(), entries: [{ entry_id }] }
  expect((await max.post('/pull-jobs', order)).body.target_root).toBe('/Game/Kit')
  expect(await projectNamed(name)).toMatchObject({ ...fields, job_count: 1, last_used_at: expect.stringMatching(/Z$/) })
  expect((await max.patch(`/projects/${id}`, { default_root: '/Game', notes: null })).body).toMatchObject({
    default_root: '/Game',
    notes: null,
    job_count: 1,
  })
  expect((await max.post('/pull-jobs', order)).body.target_root).toBe('/Game')
  expect((await mia.post('/projects', { name: uniqueName('Proj') })).body.default_root).toBe('/Game/PropHouse')
})

test('a project that an order makes has its root; those of a library from before get theirs, and what someone chose stays', async () => {
  const [{ entry_id = 0 } = {}] = await pushed(mia, [item()])
  const [plain, kit, silent, chosen] = [uniqueName('Proj'), uniqueName('Proj'), uniqueName('Proj'), uniqueName('Proj')]
  const order = async (target_project: string, target_root?: string): Promise<Json> =>
    (await mia.post('/pull-jobs', { target_project, target_root, entries: [{ entry_id }] })).body
  const rootsOf = async () =>
    Promise.all([plain, kit, silent, chosen].map(async (name) => (await projectNamed(name))?.default_root))
  const { body } = await mia.post('/projects', { name: chosen })
  for (const [name, root] of [
    [plain, '/Game'],
    [kit, '/Game/Kit'],
    [silent, undefined],
    [chosen, '/Game'],
  ] as const) {
    const job = await order(name, root)
    expect(job.target_root).toBe(root ?? '/Game/PropHouse')
    expect(job.warnings.map(({ type }: Json) => type)).toEqual(root === '/Game' ? [] : ['other_root'])
  }
  expect(await rootsOf()).toEqual(['/Game', '/Game/Kit', '/Game/PropHouse', '/Game/PropHouse'])
  expect(await order(kit)).toMatchObject({
    target_root: '/Game/Kit',
    warnings: [{ type: 'other_root', target_root: '/Game/Kit' }],
  })
  const { sql } = server.database
  const made = server.clock.now().getTime()
  await sql`update projects set default_root = '/Game/PropHouse' where name in (${plain}, ${kit})`
  await sql`update projects set created_at = ${new Date(made - 1000).toISOString()} where id = ${body.id}`
  await sql`delete from schema_migrations where number = 16`
  expect(await migrate(server.database, server.clock.now())).toEqual([16])
  expect(await rootsOf()).toEqual(['/Game', '/Game/Kit', '/Game', '/Game/PropHouse'])
})

test('a claim warns of a root at which references break, and one at /Game does not', async () => {
  const [{ entry_id = 0 } = {}] = await pushed(mia, [item()])
  for (const target_root of ['/Game', '/Game/Kit']) {
    const job = (await mia.post('/pull-jobs', { target_project: 'Inn', target_root, entries: [{ entry_id }] })).body
    const { warnings } = (await max.post(`/pull-jobs/${job.id}/claim`, { project_key: 'Inn' })).body
    expect(warnings.map(({ type }: Json) => type)).toEqual(target_root === '/Game' ? [] : ['other_root'])
  }
})

test('projects stand in the order of their last pull, and one that is forgotten keeps its jobs', async () => {
  const [{ entry_id = 0 } = {}] = await pushed(mia, [item()])
  const names = [uniqueName('Proj'), uniqueName('Proj'), uniqueName('Proj')]
  const [a = '', b = '', never = ''] = names
  await mia.post('/projects', { name: never })
  const pull = async (target_project: string): Promise<Json> => {
    server.clock.advance(1000)
    return (await mia.post('/pull-jobs', { target_project, entries: [{ entry_id }] })).body
  }
  const order = async () =>
    (await reads.get('/projects')).body.projects.map(({ name }: Json) => name).filter((name: string) => names.includes(name))
  const job = await pull(a)
  await pull(b)
  expect(await order()).toEqual([b, a, never])
  await pull(a)
  expect(await order()).toEqual([a, b, never])
  const { id } = await projectNamed(a)
  expect((await max.del(`/projects/${id}`)).status).toBe(204)
  expect((await max.del(`/projects/${id}`)).body.error.code).toBe('NOT_FOUND')
  expect((await reads.get(`/pull-jobs/${job.id}`)).body.target_project).toBe(a)
  expect((await mia.post(`/pull-jobs/${job.id}/claim`, { project_key: a })).status).toBe(200)
})

test('a root outside /Game, a name that is too long and a PATCH without a field are refused', async () => {
  const { id } = (await mia.post('/projects', { name: uniqueName('Proj') })).body
  const long = `${uniqueName('Proj')}${'🪑'.repeat(200)}`
  expect((await mia.post('/projects', { name: [...long].slice(0, 200).join('') })).status).toBe(201)
  for (const name of [[...long].slice(0, 201).join(''), '', ' ', null])
    expect((await mia.post('/projects', { name })).body.error.code).toBe('VALIDATION')
  for (const default_root of ['', 'Game', '/game', '/GameX', '/Game//x', '/Game/../x', '/Game/a.b', '/Game/x\n', null])
    expect((await mia.patch(`/projects/${id}`, { default_root })).body.error.code, String(default_root)).toBe('VALIDATION')
  expect((await mia.patch(`/projects/${id}`, {})).body.error.code).toBe('VALIDATION')
  expect((await mia.patch('/projects/999999999', { notes: 'x' })).body.error.code).toBe('NOT_FOUND')
})
