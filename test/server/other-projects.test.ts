// Two games that began with the same files: negotiate says whose version an item would become the next of, too (contract-gaps 9).
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { ok } from '../support/check-out.ts'
import { type Item, item, manifestOf, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
let mia: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
})

let serial = 0
const hero = (more: Json = {}) =>
  item({
    origin_path: '/Game/Hero',
    asset_name: 'Hero',
    package_guid: (++serial).toString(16).toUpperCase().padStart(32, 'C'),
    ...more,
  })
const edited = ({ bytes: _bytes, content_hash: _hash, blob_size: _size, ...same }: Item, more: Json = {}): Item =>
  item({ ...same, ...more })
const push = async (project: string, one: Item) => (await pushed(mia, [one], { project }))[0] as Json
const asked = async (project: string | undefined, one: Item): Promise<Json> =>
  ok(await mia.post('/push/negotiate', manifestOf([one], project ? { project } : {}))).items[0]

async function pull(project: string, one: Item, entryId: number): Promise<void> {
  const order = { target_project: project, target_root: '/Game', entries: [{ entry_id: entryId }] }
  const job = ok(await mia.post('/pull-jobs', order), 201)
  const { claim_token } = ok(await mia.post(`/pull-jobs/${job.id}/claim`, { project_key: project, engine_version: null }))
  ok(await mia.patch(`/pull-jobs/${job.id}`, { status: 'running', claim_token }))
  const { lineage_id } = (await mia.get(`/entries/${entryId}`)).body
  const added = [{ action: 'add', asset_name: 'Boss', destination: '/Game/Boss', content_hash: one.content_hash, lineage_id }]
  const report_json = { added, skipped_identical: [], conflicts: [], failed: [] }
  ok(await mia.patch(`/pull-jobs/${job.id}`, { status: 'done', claim_token, report_json }))
}

test('the first edit of bytes that two projects pushed names the other one, whoever edits and whatever says what it was made from', async () => {
  const first = hero()
  const { lineage_id } = await push('Harbor', first)
  await push('Castle', first)
  const next = edited(first)
  const stamped = edited(first, { stamped_lineage_id: lineage_id, stamped_base_hash: first.content_hash })
  for (const one of [next, stamped]) {
    expect(await asked('castle', one)).toMatchObject({ action: 'register', lineage_id, other_projects: ['Harbor'] })
    expect(await asked('Harbor', one)).toMatchObject({ action: 'register', lineage_id, other_projects: ['Castle'] })
  }
  expect(await asked('Third', next)).toMatchObject({ other_projects: ['Harbor', 'Castle'] })
  for (const said of [{ attach_to_lineage: lineage_id }, { force_new_lineage: true }])
    expect(await asked('Castle', edited(first, said))).not.toHaveProperty('other_projects')
  expect(await asked(undefined, next)).not.toHaveProperty('other_projects')
})

test('nobody is asked about a prop that one project pushed alone, that this project pulled, or that was answered', async () => {
  const [alone, shared] = [hero(), hero({ origin_path: '/Game/Boss', asset_name: 'Boss' })]
  await push('Harbor', alone)
  expect(await asked('Harbor', edited(alone))).not.toHaveProperty('other_projects')
  const { entry_id } = await push('Harbor', shared)
  await push('Castle', shared)
  const both = edited(shared)
  await push('Harbor', both)
  // It is a version for both: Castle gets it with its next pull, and Harbor's next one asks nothing again.
  expect(await asked('Harbor', edited(both))).not.toHaveProperty('other_projects')
  expect(await asked('Castle', edited(both))).toMatchObject({ other_projects: ['Harbor'] })
  await pull('CASTLE', both, entry_id)
  expect(await asked('Castle', edited(both))).not.toHaveProperty('other_projects')
})

test('a project that pulled a prop and pushes the same bytes again follows it: nobody else is asked about it', async () => {
  const first = hero()
  const { entry_id } = await push('Harbor', first)
  await pull('Castle', first, entry_id)
  await push('Castle', first)
  expect(await asked('Harbor', edited(first))).not.toHaveProperty('other_projects')
  expect(await asked('Castle', edited(first))).not.toHaveProperty('other_projects')
  await push('Third', first)
  expect(await asked('Harbor', edited(first))).toMatchObject({ other_projects: ['Third'] })
})

test('what another machine of the same project pulls of the project’s own is no prop of somebody else', async () => {
  const first = hero()
  const { entry_id } = await push('Harbor', first)
  await push('Castle', first)
  await pull('Castle', first, entry_id)
  expect(await asked('Castle', edited(first))).toMatchObject({ other_projects: ['Harbor'] })
  const both = edited(first)
  await push('Harbor', both)
  await pull('Castle', both, entry_id)
  expect(await asked('Castle', edited(both))).not.toHaveProperty('other_projects')
})

test('a project that made a prop of its own of it has left the old one, which the other goes on with alone', async () => {
  const first = hero()
  const { lineage_id } = await push('Harbor', first)
  await push('Castle', first)
  const own = await push('Castle', edited(first, { force_new_lineage: true }))
  expect(own.lineage_id).not.toBe(lineage_id)
  expect(await asked('Harbor', edited(first))).toMatchObject({ action: 'register', lineage_id })
  expect(await asked('Harbor', edited(first))).not.toHaveProperty('other_projects')
  expect(await asked('Castle', edited(first))).toMatchObject({ action: 'register', lineage_id: own.lineage_id })
})

test('a file that is held for a prop of another project names that project; for one of its own it names none', async () => {
  const first = hero({ package_guid: undefined })
  const { lineage_id } = await push('Harbor', first)
  const other = edited(first)
  expect(await asked('Castle', other)).toMatchObject({
    action: 'hold',
    candidate_lineage_id: lineage_id,
    other_projects: ['Harbor'],
  })
  const again = await asked('Harbor', other)
  expect(again).toMatchObject({ action: 'hold', candidate_lineage_id: lineage_id })
  expect(again).not.toHaveProperty('other_projects')
})
