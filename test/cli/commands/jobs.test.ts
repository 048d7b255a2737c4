/** ph jobs, as a person and as a script run it, against a real library. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'
import { item, plainFile, pushed, uniqueName } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, max] = [callAs(url, keys.mia), callAs(url, keys.max)]
const env = { ...signedIn(url, keys.mia), NO_COLOR: '1' }
const reading = { ...signedIn(url, keys.miaReads), NO_COLOR: '1' }
const jobs = (line: string, more: Setting = {}) => ph(`jobs ${line}`, { env: reading, ...more })

async function order(who = mia, target_project = uniqueName('Tavern')): Promise<Json> {
  const texture = plainFile()
  const mesh = item({ dependencies: [{ content_hash: texture.content_hash }] })
  const [, root] = (await pushed(mia, [texture, mesh])) as Json[]
  const answer = await who.post('/pull-jobs', { target_project, entries: [{ entry_id: root?.entry_id }] })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return { ...answer.body, mesh, texture }
}

/** Ends a job as an editor would, with one file added and one in conflict. */
async function finished(): Promise<Json> {
  const job = await order()
  const { claim_token } = (
    await max.post(`/pull-jobs/${job.id}/claim`, { project_key: job.target_project, engine_version: '5.4.0' })
  ).body
  await max.patch(`/pull-jobs/${job.id}`, { status: 'running', claim_token })
  const { objects } = (await max.get(`/pull-jobs/${job.id}/closure`)).body
  const [first, second] = objects.map(({ asset_name, content_hash, lineage_id }: Json) => ({
    asset_name,
    content_hash,
    lineage_id,
    destination: `/Game/PropHouse/${asset_name}`,
  }))
  const report_json = {
    added: [{ ...first, action: 'add' }],
    skipped_identical: [],
    conflicts: [{ ...second, resolution: 'keep_local' }],
    failed: [],
  }
  const done = await max.patch(`/pull-jobs/${job.id}`, { status: 'done', claim_token, report_json })
  expect(done.status, JSON.stringify(done.body)).toBe(200)
  return { ...done.body, first, second }
}

test('jobs are listed newest first with who ordered them, by project, status and person', async () => {
  const project = uniqueName('Tavern')
  const [one, two] = [await order(mia, project), await order(max, project)]
  await order()
  const { code, stdout } = await jobs(`list --project ${project}`)
  expect(code).toBe(0)
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  expect(lines.map(([id, name, status]) => [id, name, status])).toEqual([
    [String(two.id), project, 'queued'],
    [String(one.id), project, 'queued'],
  ])
  expect(lines[0]).toContain('max')
  const ids = async (line: string) => ((await jobs(`${line} --json`)).json() as Json).jobs.map(({ id }: Json) => id)
  expect(await ids(`list --project ${project} --mine`)).toEqual([one.id])
  expect(await ids(`list --project ${project} --status done`)).toEqual([])
  expect(await ids(`list --project ${project} --limit 1`)).toEqual([two.id])
})

test('on a terminal the list has a heading and fits', async () => {
  await order(mia, 'A_project_with_quite_a_long_name_that_somebody_gave_it_once')
  for (const columns of [60, 120]) {
    const [heading = '', ...rows] = (await jobs('list --limit 3', { columns })).stdout.trimEnd().split('\n')
    expect(heading).toMatch(/JOB +PROJECT +STATUS/)
    for (const line of [heading, ...rows]) expect(line.length, line).toBeLessThanOrEqual(columns)
  }
})

test('a list that was cut says so, and goes on at its cursor', async () => {
  const project = uniqueName('Tavern')
  const made = [await order(mia, project), await order(mia, project), await order(mia, project)].map(({ id }) => id)
  const first = await jobs(`list --project ${project} --limit 2`)
  expect(first.stderr).toContain('there are more')
  const { next_cursor } = (await jobs(`list --project ${project} --limit 2 --json`)).json() as Json
  const rest = (await jobs(`list --project ${project} --cursor ${next_cursor} --json`)).json() as Json
  expect(rest.jobs.map(({ id }: Json) => id)).toEqual([made[0]])
})

test('a job shows its entries, what they come to, and what to run', async () => {
  const job = await order()
  const { code, stdout } = await jobs(`show ${job.id}`)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Pull job \d+ {2}queued$/m)
  expect(stdout).toMatch(/^files +2 files, \d+ B$/m)
  expect(stdout).toContain(`ph pull --project ${job.target_project}`)
  expect(stdout).toContain(job.mesh.asset_name)
  const { mesh: _mesh, texture: _texture, warnings: _warnings, ...detail } = job
  expect((await jobs(`show ${job.id} --json`)).json()).toEqual({ ...detail, missing_dependencies: [], plugins: [] })
})

test('a job that ended shows its report, conflicts before what went well', async () => {
  const job = await finished()
  const { stdout } = await jobs(`show ${job.id}`)
  expect(stdout).toContain('1 added, 1 conflict')
  const [conflict, added] = [
    stdout.indexOf(`conflict\t${job.second.asset_name}`),
    stdout.indexOf(`added\t${job.first.asset_name}`),
  ]
  expect(conflict).toBeGreaterThan(0)
  expect(added).toBeGreaterThan(conflict)
  expect(stdout).toContain('the local file was kept')
})

test('a job that waits is cancelled by who ordered it; one that ended, or another person’s, is not', async () => {
  const [mine, theirs, ended] = [await order(), await order(max), await finished()]
  const cancel = (id: number) => jobs(`cancel ${id}`, { env })
  expect((await jobs('cancel barrel', { env })).stderr).toContain('"barrel" is not the id of a pull job.')
  expect(await cancel(mine.id)).toMatchObject({
    code: 0,
    stdout: `Pull job ${mine.id} for ${mine.target_project} is cancelled.\n`,
  })
  expect((await mia.get(`/pull-jobs/${mine.id}`)).body.status).toBe('cancelled')
  expect((await cancel(theirs.id)).code).toBe(1)
  expect((await cancel(ended.id)).code).toBe(5)
})

test('a job that is not there, a wrong id and a wrong status are told as such', async () => {
  expect((await jobs('show 987654321')).code).toBe(1)
  expect((await jobs('show twelve')).code).toBe(2)
  expect((await jobs('list --status sleeping')).code).toBe(2)
})
