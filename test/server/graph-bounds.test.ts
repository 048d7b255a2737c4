// More than one answer holds, of what props need and what needs them: refused with the limit and the next step, or said to be a bound.
import { expect, test } from 'vitest'
import { limits } from '../../contract/limits.ts'
import { type Answer, callAs } from '../support/api.ts'
import { type Graph, graphRows, shapes } from '../support/graph-rows.ts'
import { ph, signedIn } from '../support/ph.ts'
import { byHand, startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Without background work, which would look at all of these rows. */
const server = await startTestServer({}, byHand)
const { files, counted } = limits.graph

async function graphOf(count: number, edges: Parameters<typeof graphRows>[1]['edges'], hasOwnPacks = false) {
  const { workspaceId, url, keys } = await server.addWorkspace()
  const graph = await graphRows(server.database.longSql, { workspaceId, count, edges, hasOwnPacks })
  return { graph, workspaceId, url, keys, mia: callAs(url, keys.mia), max: callAs(url, keys.max), adam: callAs(url, keys.adam) }
}

const refusal = ({ status, body }: Answer) => [status, body.error?.code, body.error?.message]
const orderOf = (graph: Graph, number: number) => ({ target_project: 'Castle', entries: [{ entry_id: graph.entryId(number) }] })

test('a closure of as many files as an answer holds is answered, and one more is refused with the limit and what to ask instead', async () => {
  const { graph, mia } = await graphOf(files + 1, shapes.chain(files + 1))
  const whole = await mia.get(`/entries/${graph.entryId(files)}/closure`)
  expect([whole.status, whole.body.total_objects]).toEqual([200, files])
  expect(whole.body.members.at(-1).object_id).toBe(graph.objectId(1))
  expect(refusal(await mia.get(`/entries/${graph.entryId(files + 1)}/closure`))).toEqual([
    422,
    'VALIDATION',
    'entry_id: needs more than 20,000 files, directly or through others; ask for the closures of what it is made of',
  ])
})

test('dependents are answered up to the same bound, direct ones or not, and refused beyond it', async () => {
  const { graph, mia } = await graphOf(files + 2, shapes.wide(files + 2))
  expect(refusal(await mia.get(`/entries/${graph.entryId(1)}/dependents`))).toEqual([
    422,
    'VALIDATION',
    'entry_id: is needed by more than 20,000 files, directly or through others; ask for the dependents of what needs it, one by one',
  ])
  const few = await graphOf(500, shapes.dense(500))
  const { status, body } = await few.mia.get(`/entries/${few.graph.entryId(1)}/dependents`)
  expect([status, body.total_objects, body.used_by_entries]).toEqual([200, 499, 499])
})

test('a pull of 5,000 files is planned and ordered, and one more is refused by both, whatever the shape of the graph', async () => {
  const most = limits.pullJob.files
  const { graph, mia } = await graphOf(most + 1, shapes.chain(most + 1))
  for (const path of ['/pull-jobs/plan', '/pull-jobs']) {
    const { status, body } = await mia.post(path, orderOf(graph, most))
    expect([status, body.object_count]).toEqual([path === '/pull-jobs' ? 201 : 200, most])
    expect(refusal(await mia.post(path, orderOf(graph, most + 1)))).toEqual([
      422,
      'VALIDATION',
      'entries: need more than 5000 files together; pull them in several jobs',
    ])
  }
})

test('a pull of files that all need one another is ordered whole, and the job holds each once', async () => {
  const { graph, mia } = await graphOf(400, shapes.dense(400))
  const { status, body } = await mia.post('/pull-jobs', orderOf(graph, 400))
  expect([status, body.object_count]).toEqual([201, 400])
  const { objects } = (await mia.get(`/pull-jobs/${body.id}/closure`)).body
  expect(new Set(objects.map(({ object_id }: { object_id: number }) => object_id)).size).toBe(400)
})

test('the impact of a review counts what needs a prop through others, and says where there is more than is counted', async () => {
  const { graph, mia, max } = await graphOf(counted + 2, shapes.wide(counted + 2))
  const impactOf = async (number: number) => {
    const order = { object_id: graph.objectId(number), reviewer_ids: [(await max.get('/auth/me')).body.user.id] }
    const opened = await mia.post(`/entries/${graph.entryId(number)}/review-requests`, order)
    expect(opened.status, JSON.stringify(opened.body)).toBe(201)
    return (await mia.get(`/review-requests/${opened.body.request.id}`)).body.request.impact
  }
  const impact = await impactOf(1)
  expect(impact.at_least).toBe(true)
  expect(impact.entries).toBeGreaterThanOrEqual(counted)
  expect(await impactOf(2)).toEqual({ direct_entries: 0, entries: 0, projects: [] })
})

test('the radar finds locks through graphs in which each needs all before it, around one lineage and around several', async () => {
  const { graph, mia, max } = await graphOf(300, shapes.dense(300))
  expect((await max.post('/locks', { lineage_id: graph.lineageId(7) })).status).toBe(201)
  const relations = async (numbers: number[]) => {
    const { status, body } = await mia.post('/locks/radar', { lineage_ids: numbers.map((number) => graph.lineageId(number)) })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.lineages.map(({ locks }: { locks: { relation: string }[] }) => locks.map(({ relation }) => relation))
  }
  expect(await relations([300])).toEqual([['dependency']])
  expect(await relations([300, 7, 3, 120])).toEqual([['dependency'], ['self'], ['dependent'], ['dependency']])
})

test('the radar of lineages that need more of one another than it looks through says that their needs are left out, and tells the rest', async () => {
  const { graph, mia, max, url, keys } = await graphOf(500, shapes.dense(500))
  for (const number of [7, 500]) expect((await max.post('/locks', { lineage_id: graph.lineageId(number) })).status).toBe(201)
  const lineage_ids = [500, 499].map((number) => graph.lineageId(number))
  const { status, body } = await mia.post('/locks/radar', { lineage_ids })
  expect(status).toBe(200)
  expect(body.lineages).toMatchObject([
    { needs_left_out: true, locks: [{ relation: 'self' }] },
    { needs_left_out: true, locks: [{ relation: 'dependent' }] },
  ])
  const alone = (await mia.post('/locks/radar', { lineage_ids: lineage_ids.slice(1) })).body.lineages[0]
  expect(alone).not.toHaveProperty('needs_left_out')
  expect(alone.locks.map(({ relation }: { relation: string }) => relation).toSorted()).toEqual(['dependency', 'dependent'])
  const ids = [499, 498].map((number) => graph.entryId(number)).join(' ')
  const said = await ph(`checkout ${ids}`, { cwd: temporaryFolder(), env: signedIn(url, keys.mia) })
  expect([said.code, said.stdout]).toEqual([0, expect.stringContaining('What these need is too much to be looked through')])
})

test('a deletion of a pack walks what stays of it once: a chain, with a home for each', async () => {
  const count = 3000
  const { graph, mia, adam, workspaceId } = await graphOf(count, shapes.chain(count))
  const other = await graphRows(server.database.longSql, {
    workspaceId,
    count: 1,
    edges: (sql) => sql`select 1 as from_n, 1 as to_n, true as hard where false`,
  })
  const { sql } = server.database
  await sql`insert into dependencies values (${workspaceId}, ${other.objectId(1)}, ${graph.objectId(count - 1)}, true)`
  const packOf = async (id: number) =>
    (await sql<{ pack_id: number }[]>`select pack_id from objects where workspace_id = ${workspaceId} and id = ${id}`)[0]?.pack_id
  const [doomed, home] = [await packOf(graph.objectId(1)), await packOf(other.objectId(1))]
  const { status } = await adam.del(`/packs/${doomed}`)
  expect(status).toBe(200)
  expect(await packOf(graph.objectId(count))).toBeUndefined()
  for (const number of [1, 2, count - 1]) expect(await packOf(graph.objectId(number))).toBe(home)
  expect((await mia.get(`/entries/${other.entryId(1)}/closure`)).body.total_objects).toBe(count)
})

test('files that name one another more often than is looked through are refused with the limit and the next step; impact is a bound, and they can be deleted', async () => {
  const count = Math.ceil(Math.sqrt(2 * limits.graph.edges)) + 10
  const { graph, mia, max, adam, workspaceId } = await graphOf(count, shapes.dense(count))
  const entangled = 'files that name one another more than 1,000,000 times'
  const refused = (message: string) => [422, 'VALIDATION', message]
  const [first, last] = [graph.entryId(1), graph.entryId(count)]
  expect(refusal(await mia.get(`/entries/${last}/closure`))).toEqual(
    refused(`entry_id: needs ${entangled}; ask for the closures of what it is made of`),
  )
  expect(refusal(await mia.get(`/entries/${first}/dependents`))).toEqual(
    refused(`entry_id: is needed by ${entangled}; ask for the dependents of what needs it, one by one`),
  )
  for (const path of ['/pull-jobs/plan', '/pull-jobs'])
    expect(refusal(await mia.post(path, orderOf(graph, count)))).toEqual(
      refused(`entries: need ${entangled}; pull them in several jobs`),
    )
  const around = await mia.post('/locks/radar', { lineage_ids: [graph.lineageId(count)] })
  expect([around.status, around.body.lineages]).toMatchObject([200, [{ locks: [], needs_left_out: true }]])
  const order = { object_id: graph.objectId(1), reviewer_ids: [(await max.get('/auth/me')).body.user.id] }
  const opened = await mia.post(`/entries/${first}/review-requests`, order)
  expect(opened.status, JSON.stringify(opened.body)).toBe(201)
  const { impact } = (await mia.get(`/review-requests/${opened.body.request.id}`)).body.request
  expect(impact).toEqual({ direct_entries: count - 1, entries: count - 1, projects: [], at_least: true })
  const { sql } = server.database
  const home = await graphRows(server.database.longSql, { workspaceId, count: 1, edges: shapes.chain(1) })
  await sql`insert into dependencies values (${workspaceId}, ${home.objectId(1)}, ${graph.objectId(count)}, true)`
  const [{ pack_id } = { pack_id: 0 }] = await sql<{ pack_id: number }[]>`
    select pack_id from objects where workspace_id = ${workspaceId} and id = ${graph.objectId(1)}`
  const deleted = await adam.del(`/packs/${pack_id}`)
  expect(deleted.status, JSON.stringify(deleted.body)).toBe(200)
  const [left] = await sql<{ packs: number; versions: number }[]>`
    select count(distinct pack_id)::int as packs, count(*)::int as versions from objects where workspace_id = ${workspaceId}`
  expect(left).toEqual({ packs: 1, versions: count + 1 })
})
