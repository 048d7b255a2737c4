/** An order in several slices, as who receives it meets it: one plan, one pull, one report, whatever interrupts it; refused as a whole. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../../support/api.ts'
import { ph, signedIn } from '../../../support/ph.ts'
import { emptyProject, onlyJob } from '../../../support/pull.ts'
import { item, pushed, uniqueName } from '../../../support/push.ts'
import { startTestServer } from '../../../support/server.ts'
import { startProxy } from '../../../support/tcp-proxy.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, max] = [callAs(url, keys.mia), callAs(url, keys.max)]

/** A level that needs eight props: nine files. */
const props = Array.from({ length: 8 }, () => item())
const dependencies = props.map(({ content_hash }) => ({ content_hash }))
const entryId = Number((await pushed(mia, [...props, item({ dependencies })])).at(-1)?.entry_id)

/** Mia sends it in slices of four, four and one: any number of files makes slices, so that a test needs no 5,000. */
async function sent(target_project: string, delivery: 'manual' | 'agent' = 'agent'): Promise<number[]> {
  const order = { target_project, entries: [{ entry_id: entryId }], delivery, note: 'for the bar' }
  const { key } = (await mia.post('/pull-jobs/plan', order)).body
  const ids: number[] = []
  for (const from of [0, 4, 8]) {
    const { status, body } = await mia.post('/pull-jobs', { ...order, slice: { key, from, count: 4 } })
    expect([status, body.object_count]).toEqual([201, from === 8 ? 1 : 4])
    ids.push(body.id)
  }
  return ids
}

const jobs = async (ids: readonly number[]): Promise<Json[]> =>
  Promise.all(ids.map(async (id) => (await mia.get(`/pull-jobs/${id}`)).body))
const statesOf = async (ids: readonly number[]) => (await jobs(ids)).map(({ status }) => status)

/** Max at a machine of his own. */
function receiver(project: string) {
  const cwd = temporaryFolder({ [`${project}.uproject`]: '{"EngineAssociation": "5.4"}' })
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const env = { ...signedIn(url, keys.max), ...folders, NO_COLOR: '1' }
  return { cwd, run: (line: string) => ph(line, { cwd, env, columns: 200 }) }
}

test('slices that someone sent are one plan and one pull, named once; each job is told of its own files', async () => {
  const name = uniqueName('Inn')
  const ids = await sent(name)
  const { run } = receiver(name)
  const plan = await run('pull --plan')
  expect([plan.code, plan.stdout.match(/would do this/g)]).toEqual([0, ['would do this']])
  expect(plan.stdout).toMatch(/^A pull of 1 entry of job \d+, 9 files,/)
  expect(await statesOf(ids)).toEqual(['queued', 'queued', 'queued'])
  const pulled = await run('pull')
  expect(pulled.code, pulled.stdout + pulled.stderr).toBe(0)
  expect(pulled.stdout).toMatch(/9 added/)
  expect(pulled.stdout.match(/Pulled /g)).toHaveLength(1)
  const told = await jobs(ids)
  expect(told.map(({ status, report_json }) => [status, report_json.added.length])).toEqual([
    ['done', 4],
    ['done', 4],
    ['done', 1],
  ])
  expect((await run('pull')).stdout).not.toContain('added')
})

const moments: [what: string, pattern: RegExp, nth: number][] = [
  ['the second claim', /^POST \S*\/claim HTTP/m, 2],
  ['the first file of the second slice', /^GET \S*\/storage\//m, 5],
  ['the second report', /"status":"done"/, 2],
]

test.each(moments)(
  'interrupted before %s, the next pull goes on, and all slices end as one pull of nine files',
  async (_what, pattern, nth) => {
    const name = uniqueName('Inn')
    const ids = await sent(name, 'manual')
    const project = emptyProject(name)
    let [met, isAway] = [0, false]
    const wire = await startProxy(server.url, async (request) => {
      if (!isAway && pattern.test(request)) isAway = ++met === nth
      return isAway ? 'cut' : undefined
    })
    const from = { url: wire.url(url), key: keys.max }
    await expect(project.pull(from, undefined, { pause: async () => {} })).rejects.toMatchObject({ code: 'UNREACHABLE' })
    isAway = false
    met = nth
    const job = onlyJob(await project.pull(from, undefined, { pause: async () => {} }))
    expect(job).toMatchObject({ status: 'done', resumed: true, job_ids: ids })
    expect(job.files).toHaveLength(9)
    expect(Object.keys(project.files())).toHaveLength(9)
    expect(await statesOf(ids)).toEqual(['done', 'done', 'done'])
  },
)

test('ph jobs refuse with any of them refuses all of them, and its sender reads why; a pull brings none of it then', async () => {
  const name = uniqueName('Inn')
  const ids = await sent(name)
  const { run, cwd } = receiver(name)
  const refused = await run(`jobs refuse ${ids[1]} --reason newer`)
  expect(refused.code, refused.stderr).toBe(0)
  expect(refused.stdout).toContain(`jobs ${ids[0]}, ${ids[1]} and ${ids[2]} for ${name} are refused`)
  for (const { status, failure_reason } of await jobs(ids))
    expect([status, failure_reason]).toEqual(['failed', expect.stringMatching(/^Refused by .*: newer$/)])
  expect((await run('pull')).code).toBe(0)
  expect(existsSync(join(cwd, 'Content/Pack'))).toBe(false)
})

test('where one of them is being brought already none is refused: the others wait as before', async () => {
  const name = uniqueName('Inn')
  const ids = await sent(name)
  const { run } = receiver(name)
  const taken = await max.post(`/pull-jobs/${ids[2]}/claim`, { project_key: name })
  expect(taken.status).toBe(200)
  const { code, stderr } = await run(`jobs refuse ${ids[0]}`)
  expect(stderr).toContain(`Pull job ${ids[2]}, which was ordered with it, is being brought. Nothing was refused.`)
  expect([code, await statesOf(ids)]).toEqual([5, ['queued', 'queued', 'claimed']])
})

test('a refusal that was interrupted between two of them is finished by the same command', async () => {
  const name = uniqueName('Inn')
  const ids = await sent(name)
  const { run } = receiver(name)
  const { claim_token } = (await max.post(`/pull-jobs/${ids[0]}/claim`, { project_key: name })).body
  for (const status of ['running', 'failed'])
    await max.patch(`/pull-jobs/${ids[0]}`, {
      claim_token,
      status,
      ...(status === 'failed' ? { failure_reason: 'Refused by max.' } : {}),
    })
  const { code, stdout, stderr } = await run(`jobs refuse ${ids[0]}`)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`jobs ${ids[1]} and ${ids[2]} for ${name} are refused`)
  expect(await statesOf(ids)).toEqual(['failed', 'failed', 'failed'])
  expect((await run(`jobs refuse ${ids[0]}`)).code).toBe(5)
})
