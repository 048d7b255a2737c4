/** Pulls of more than a job may hold: several jobs, one pull, whatever interrupts it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Api } from '../../../../client/http/api.ts'
import { askInParts, type EntriesOrder } from '../../../../client/pull/orders/parts.ts'
import { ApiError, validationError } from '../../../../contract/errors.ts'
import { callAs, type Json } from '../../../support/api.ts'
import type { ClientDeath } from '../../../support/client-death.ts'
import { emptyProject, onlyJob, type PullProject } from '../../../support/pull.ts'
import { type Item, item, plainFile, pushed, uniqueName } from '../../../support/push.ts'
import { startTestServer } from '../../../support/server.ts'
import { startProxy } from '../../../support/tcp-proxy.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const api = callAs(url, keys.mia)
const library = { url, key: keys.mia }
const needs = (...items: Item[]) => ({ dependencies: items.map(({ content_hash }) => ({ content_hash })) })

/** Props with tiny files; the first and the last of them need one and the same texture. */
const texture = plainFile()
const props = Array.from({ length: 1002 }, (_, at) => item(at === 0 || at === 1001 ? needs(texture) : {}))
const entryIds = (await pushed(api, [texture, ...props])).slice(1).map(({ entry_id }) => Number(entry_id))
const entries = entryIds.map((entry_id) => ({ entry_id }))

const jobsFor = async (project: string): Promise<Json[]> => (await api.get(`/pull-jobs?target_project=${project}`)).body.jobs
const pullOf = (project: PullProject, target = library, { order = entries as Json[], ...options }: Json = {}) =>
  project.pull(target, undefined, { order: async () => order as { entry_id: number }[], pause: async () => {}, ...options })

test('1,002 props come as one pull of two jobs: a file of both is placed once, and each job is told of all of its files', async () => {
  const name = uniqueName('Inn')
  const project = emptyProject(name)
  const report = await pullOf(project)
  const job = onlyJob(report)
  expect(job).toMatchObject({ status: 'done', summary: { added: 1003, identical: 0 }, resumed: false })
  expect(job.entries).toHaveLength(1002)
  expect(job.job_id).toBe(job.job_ids[0])
  expect(Object.keys(project.files())).toHaveLength(1003)
  expect(report.waiting).toEqual([])
  const jobs = await Promise.all(job.job_ids.map(async (id) => (await api.get(`/pull-jobs/${id}`)).body))
  expect(
    jobs.map(({ status, entry_count, report_json: { added, skipped_identical } }) => [
      status,
      entry_count,
      added.length,
      skipped_identical.length,
    ]),
  ).toEqual([
    ['done', 1000, 1001, 0],
    ['done', 2, 2, 1],
  ])
  expect(onlyJob(await pullOf(project))).toMatchObject({ status: 'done', summary: { added: 0, identical: 1003 } })
})

test('of two versions that two jobs would bring to one place the newer one comes, unless both were asked for', async () => {
  const older = item()
  const [{ lineage_id, object_id: olderId, entry_id: both } = {}, { entry_id: first } = {}] = await pushed(api, [
    older,
    item(needs(older)),
  ])
  const { asset_name, origin_path, content_hash: stamped_base_hash } = older
  const newer = item({ asset_name, origin_path, stamped_lineage_id: lineage_id, stamped_base_hash })
  const [{ object_id: newerId } = {}, { entry_id: last } = {}] = await pushed(api, [newer, item(needs(newer))])
  const between = entries.slice(0, 999)
  const name = uniqueName('Inn')
  const project = emptyProject(name)
  const pinned = [{ entry_id: both, object_id: olderId }, ...between, { entry_id: both, object_id: newerId }]
  const refusal = { code: 'VALIDATION', details: { errors: [{ path: 'entries', object_ids: [olderId, newerId] }] } }
  await expect(pullOf(project, library, { order: pinned })).rejects.toMatchObject(refusal)
  expect(project.files()).toEqual({})
  expect((await jobsFor(name)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  const order = [{ entry_id: first }, ...between, { entry_id: last }]
  const job = onlyJob(await pullOf(project, library, { order, isExact: true }))
  expect(job).toMatchObject({
    status: 'done',
    summary: { added: 1003 },
    warnings: [{ type: 'newer_version_used', newer_object_id: newerId }],
  })
  expect(project.files()[`Pack/Props/${asset_name}.uasset`]?.equals(newer.bytes)).toBe(true)
  expect((await jobsFor(name)).slice(0, 2).map(({ status }) => status)).toEqual(['done', 'done'])
})

const moments: [what: string, pattern: RegExp, nth: number][] = [
  ['the second job was ordered', /^POST \S*\/pull-jobs HTTP/m, 2],
  ['the second claim', /^POST \S*\/claim HTTP/m, 2],
  ['the first file', /^GET \S*\/storage\//m, 1],
  ['the second report', /"status":"done"/, 2],
]

test.each(moments)(
  'interrupted before %s, the same pull goes on and ends as one, and no job is left open',
  async (_what, pattern, nth) => {
    const name = uniqueName('Inn')
    const project = emptyProject(name)
    let met = 0
    let isAway = false
    const wire = await startProxy(server.url, async (sent) => {
      if (!isAway && pattern.test(sent)) isAway = ++met === nth
      return isAway ? 'cut' : undefined
    })
    await expect(pullOf(project, { ...library, url: wire.url(url) })).rejects.toMatchObject({ code: 'UNREACHABLE' })
    isAway = false
    met = nth
    const job = onlyJob(await pullOf(project, { ...library, url: wire.url(url) }))
    expect(job).toMatchObject({ status: 'done', resumed: true })
    expect(job.job_ids).toHaveLength(2)
    expect(job.files).toHaveLength(1003)
    expect(Object.keys(project.files())).toHaveLength(1003)
    const states = (await jobsFor(name)).map(({ status }) => status)
    expect(states.filter((status) => status !== 'cancelled')).toEqual(['done', 'done'])
  },
)

test('killed while its files are placed, a pull of two jobs goes on, and every file is added', async () => {
  const name = uniqueName('Inn')
  const project = emptyProject(name)
  const death: ClientDeath = { kind: 'disk', step: 500, at: '^linkSync .*/Staging-.* .*/Content/' }
  const { root, state, cache } = project
  const loaded = new URL('../../../support/client-death.ts', import.meta.url).href
  const program = fileURLToPath(new URL('../../../support/pull-process.ts', import.meta.url))
  const options = JSON.stringify({ root, state, cache, ...library, entries })
  const child = spawn(process.execPath, ['--import', loaded, program, options], {
    env: { ...process.env, PH_TEST_DEATH: JSON.stringify(death) },
  })
  expect((await once(child, 'close'))[1]).toBe('SIGKILL')
  const job = onlyJob(await pullOf(project))
  expect(job).toMatchObject({ status: 'done', resumed: true, summary: { added: 1003 } })
  expect((await jobsFor(name)).map(({ status }) => status)).toEqual(['done', 'done'])
})

/** An older library: it knows no slices, and takes only so many entries at once. */
function olderLibrary(most: number) {
  const asked: number[] = []
  const ask = async ({ entries }: EntriesOrder) => {
    asked.push(entries.length)
    if (entries.length <= most) return entries.map(({ entry_id }) => entry_id)
    throw validationError([{ path: 'entries', message: 'need more than 5000 files together; pull them in several jobs' }])
  }
  const plan = async () => {
    throw new ApiError('VALIDATION')
  }
  return { asked, ask, api: { pullJobs: { plan } } as unknown as Api }
}
const orderOf = (count: number): EntriesOrder => ({
  target_project: 'Inn',
  entries: Array.from({ length: count }, (_, at) => ({ entry_id: at + 1 })),
})

test('a library that knows no slices is asked for halves, in order, until each is small enough', async () => {
  const { api, ask, asked } = olderLibrary(300)
  const parts = await askInParts(api, orderOf(1100), { ask })
  expect(parts.flat()).toEqual(Array.from({ length: 1100 }, (_, at) => at + 1))
  expect(asked).toEqual([1000, 500, 250, 250, 500, 250, 250, 100])
})

test('one entry that needs too much is refused as it is, and what was ordered before is taken back', async () => {
  const { api, ask } = olderLibrary(1)
  const undone: number[][] = []
  const refuse = (order: EntriesOrder) => (order.entries.at(-1)?.entry_id === 3 ? ask(orderOf(2)) : ask(order))
  const undo = async (answers: number[][]) => void undone.push(...answers)
  await expect(askInParts(api, orderOf(3), { ask: refuse, undo })).rejects.toMatchObject({ code: 'VALIDATION' })
  expect(undone).toEqual([[1], [2]])
})
