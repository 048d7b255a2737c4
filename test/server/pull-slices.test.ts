/** Orders of more files than a job may hold, in slices of one planned list (contract-gaps 9). */
import { expect, test } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import { planPull } from '../../client/pull/plan.ts'
import { findTarget } from '../../client/pull/target-project.ts'
import { limits } from '../../contract/limits.ts'
import { callAs, type Json } from '../support/api.ts'
import { graphRows, shapes } from '../support/graph-rows.ts'
import { emptyProject } from '../support/pull.ts'
import { item, plainFile, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

/** Without background work, which would look at all of these rows. */
const server = await startTestServer({}, byHand)
const { files } = limits.pullJob

async function chainOf(count: number) {
  const { workspaceId, url, keys } = await server.addWorkspace()
  const graph = await graphRows(server.database.longSql, { workspaceId, count, edges: shapes.chain(count) })
  const order = (slice?: Json) => ({
    ...{ target_project: 'Castle', target_root: '/Game', entries: [{ entry_id: graph.entryId(count) }] },
    ...(slice ? { slice } : {}),
  })
  return { mia: callAs(url, keys.mia), order, keys, library: { url, key: keys.mia } }
}
const slice = { from: 0, count: files }

test('12,000 files are planned with a key, and ordered in slices that bring each of them once', async () => {
  const { mia, order } = await chainOf(12_000)
  const { body: plan } = await mia.post('/pull-jobs/plan', order({ from: 0, count: 1 }))
  expect([plan.planned_files, plan.object_count, plan.closure.objects.length]).toEqual([12_000, 1, 1])
  const found: number[] = []
  for (const from of [0, 5000, 10_000]) {
    const { status, body: job } = await mia.post('/pull-jobs', order({ ...slice, key: plan.key, from }))
    expect([status, job.entry_count, job.entries.length, job.object_count]).toEqual([201, 1, 1, from === 10_000 ? 2000 : 5000])
    expect(job.slice).toEqual({ key: plan.key, from, count: job.object_count, total: 12_000 })
    const { body } = await mia.get(`/pull-jobs/${job.id}/closure`)
    found.push(...body.objects.map(({ object_id }: Json) => object_id))
  }
  expect(found).toHaveLength(12_000)
  expect(new Set(found).size).toBe(12_000)
  const { events } = (await mia.get('/activity?event_type=download.pull&collapse=false')).body
  expect(events.filter(({ event_type }: Json) => event_type === 'download.pull')).toHaveLength(1)
})

test('a slice without its key, behind the last file or longer than a job is refused, and nothing is recorded', async () => {
  const { mia, order } = await chainOf(3)
  const { body: plan } = await mia.post('/pull-jobs/plan', order())
  expect(plan.planned_files).toBe(3)
  const bad = [{ ...slice }, { ...slice, key: plan.key, from: 3 }, { ...slice, key: plan.key, count: files + 1 }]
  for (const one of bad) expect((await mia.post('/pull-jobs', order(one))).body.error?.code).toBe('VALIDATION')
  expect((await mia.get('/pull-jobs')).body.jobs).toEqual([])
})

test('when something was pushed since the plan, a slice of the list is a conflict', async () => {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const first = item({ dependencies: [] })
  const [{ entry_id, lineage_id } = {}] = await pushed(mia, [first])
  const order = { target_project: 'Castle', entries: [{ entry_id }] }
  const { key } = (await mia.post('/pull-jobs/plan', order)).body
  const { asset_name, origin_path, content_hash: stamped_base_hash } = first
  const texture = plainFile()
  const dependencies = [{ content_hash: texture.content_hash }]
  await pushed(mia, [texture, item({ asset_name, origin_path, stamped_lineage_id: lineage_id, stamped_base_hash, dependencies })])
  const late = await mia.post('/pull-jobs', { ...order, slice: { ...slice, key } })
  expect([late.status, late.body.error.code]).toEqual([409, 'CONFLICT'])
  const now = (await mia.post('/pull-jobs/plan', order)).body
  expect([now.planned_files, now.key === key]).toEqual([2, false])
  expect((await mia.post('/pull-jobs', { ...order, slice: { ...slice, key: now.key } })).status).toBe(201)
})

test('a person who plans a pull of one level with 12,000 files sees one plan of all of them', async () => {
  const { order, library } = await chainOf(12_000)
  const project = emptyProject('Castle')
  const folders = findFolders({ PH_STATE_DIR: project.state, PH_CACHE_DIR: project.cache })
  const target = findTarget({ cwd: project.root })
  const { plans } = await planPull({ ...library, folders, target, order: async () => order().entries })
  expect(plans.map(({ files, entries, summary }) => [files.length, entries.length, summary.add])).toEqual([[12_000, 1, 12_000]])
})

test('slices that someone sent to a project are one plan for who works there, with why they were sent', async () => {
  const { mia, order, library, keys } = await chainOf(12_000)
  const { key } = (await mia.post('/pull-jobs/plan', order({ from: 0, count: 1 }))).body
  const sent = { delivery: 'agent', note: 'the castle' }
  for (const from of [0, 5000, 10_000]) await mia.post('/pull-jobs', { ...order({ ...slice, key, from }), ...sent })
  const project = emptyProject('Castle')
  const folders = findFolders({ PH_STATE_DIR: project.state, PH_CACHE_DIR: project.cache })
  const { plans } = await planPull({ ...library, key: keys.max, folders, target: findTarget({ cwd: project.root }) })
  expect(plans.map(({ files, sent_by, note }) => [files.length, sent_by, note])).toEqual([[12_000, 'mia', 'the castle']])
})
