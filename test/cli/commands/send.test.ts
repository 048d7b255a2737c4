/** ph send, as a person and as a script run it, against a real library. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'
import { item, plainFile, pushed, uniqueName } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const mia = callAs(url, keys.mia)
const env = signedIn(url, keys.mia)
const plainly = (args: readonly string[], more: Setting = {}) => ph(['send', ...args], { env, ...more })
/** To projects that need not be known. */
const send = (args: readonly string[], more: Setting = {}) => plainly([...args, '--create'], more)

/** A mesh with its texture, in the library. */
async function prop(over: Json = {}) {
  const texture = plainFile()
  const mesh = item({ dependencies: [{ content_hash: texture.content_hash }], ...over })
  const [, root] = await pushed(mia, [texture, mesh])
  return { name: mesh.asset_name as string, path: mesh.origin_path as string, entry_id: root?.entry_id as number, mesh }
}
const jobsFor = async (project: string): Promise<Json[]> => (await mia.get(`/pull-jobs?target_project=${project}`)).body.jobs

test('entries are sent by id, name or path, each once, and the other person is told what to run', async () => {
  const [one, two, three] = [await prop(), await prop(), await prop()]
  const project = uniqueName('Tavern')
  const args = [String(one.entry_id), two.name, three.path, `${three.path}.${three.name}`, one.name, '--project', project]
  const { code, stdout, stderr } = await send(args)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Pull job \d+ for \S+: 3 entries, 6 files, \d+ B, into \/Game\.$/m)
  expect(stdout).toContain(`ph pull --project ${project}`)
  const [job] = await jobsFor(project)
  expect(job).toMatchObject({ status: 'queued', delivery: 'manual', entry_count: 3, object_count: 6 })
})

test('--plan shows the same and orders nothing', async () => {
  const { name } = await prop()
  const project = uniqueName('Tavern')
  const { code, stdout } = await send([name, '--project', project, '--plan'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/would bring 1 entry, 2 files, .*nothing was ordered/)
  expect(await jobsFor(project)).toEqual([])
})

test('--root, --to-agent and --prefer reach the job; --json is the answer of the service', async () => {
  const { name, entry_id } = await prop()
  const project = uniqueName('Tavern')
  const options = ['--project', project, '--root', '/Game/Kit', '--to-agent', '--prefer', 'newest', '--json']
  const job = (await send([name, ...options])).json() as Json
  expect(job).toMatchObject({ target_root: '/Game/Kit', delivery: 'agent', entries: [{ entry_id }] })
  expect(job.warnings).toMatchObject([{ type: 'other_root', target_root: '/Game/Kit' }])
  const again = await send([name, '--project', project, '--to-agent'])
  expect(again.stdout).not.toContain('ph pull')
})

test('files land in /Game where no one chose another root, and another one is warned of, with what keeps references', async () => {
  const { name } = await prop()
  const project = uniqueName('Tavern')
  const plain = await send([name, '--project', project])
  expect(plain.stdout).not.toContain('break')
  expect(await jobsFor(project)).toMatchObject([{ target_root: '/Game' }])
  await mia.post('/projects', { name: `${project}2`, default_root: '/Game/Kit' })
  for (const args of [[], ['--plan']]) {
    const { stdout } = await send([name, '--project', `${project}2`, ...args])
    expect(stdout).toContain('Files land below /Game/Kit instead of /Game. References between packages are paths:')
    expect(stdout.match(/References between packages/g)).toHaveLength(1)
    expect(stdout).toContain('`ph project edit <project> --root /Game`')
  }
  expect((await send([name, '--project', `${project}2`, '--root', '/Game', '--json'])).json()).toMatchObject({ warnings: [] })
})

test('a project that no one has pulled into or announced is refused with the near names, unless --create says that it is meant', async () => {
  const { name } = await prop()
  const project = uniqueName('Harbour')
  await mia.post('/projects', { name: project })
  const typo = project.replace('Harbour', 'Harbor')
  for (const more of [[], ['--plan']]) {
    const refused = await plainly([name, '--project', typo, '--json', ...more])
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    const { code, hint } = (JSON.parse(refused.stderr) as Json).error
    expect([code, hint]).toEqual(['PROJECT_NOT_FOUND', expect.stringMatching(`Did you mean ${project}.*--create`)])
  }
  expect((await plainly([name, '--project', project.toLowerCase()])).stderr).toContain(`Did you mean ${project}`)
  expect(await jobsFor(typo)).toEqual([])
  expect((await send([name, '--project', typo])).code).toBe(0)
  expect((await plainly([name, '--project', typo])).code).toBe(0)
})

test('a project that this person’s editor or agent announced is known, to them and to nobody else', async () => {
  const { name } = await prop()
  const project = uniqueName('Quay')
  const beat = { session_id: 'agent-0123456789', project_key: project, accepts_agent_imports: true, transfer_mode: 'agent' }
  expect((await mia.post('/editor-sessions/heartbeat', { ...beat, heartbeat_interval_seconds: 60 })).status).toBe(200)
  const others = await ph(['send', name, '--project', project], { env: signedIn(url, keys.max) })
  expect([others.code, others.stderr]).toEqual([1, expect.stringContaining('knows no project')])
  const near = await plainly([name, '--project', `${project}s`])
  expect(near.stderr).toContain(`Did you mean ${project}`)
  expect((await plainly([name, '--project', project, '--to-agent'])).code).toBe(0)
})

test('on a terminal it is asked whether an unknown project is meant, and only a yes orders', async () => {
  const { name } = await prop()
  const project = uniqueName('Lighthouse')
  const ask = (typed: string, more: string[] = []) =>
    plainly([name, '--project', project, ...more], { columns: 100, typed: [`${typed}\n`] })
  const no = await ask('')
  expect([no.code, no.stderr]).toEqual([1, expect.stringContaining(`Send to ${project} anyway? [y/N]`)])
  expect(no.stderr).toContain('Nothing was ordered.')
  expect(no.stderr).not.toContain('error:')
  expect((await ask('', ['--plan'])).stderr).not.toContain('[y/N]')
  expect(await jobsFor(project)).toEqual([])
  expect((await ask('y')).code).toBe(0)
  expect(await jobsFor(project)).toHaveLength(1)
})

test('- reads entries from standard input; hundreds of names take few requests', async () => {
  const items = Array.from({ length: 250 }, () => item())
  await pushed(mia, items)
  const stdin = `${items.map(({ asset_name }) => asset_name).join('\r\n')}\n\n`
  const project = uniqueName('Tavern')
  const front = await startFront({ to: () => url })
  const { code, stdout } = await send(['-', '--project', project], { stdin, env: signedIn(front.url, keys.mia) })
  expect(code).toBe(0)
  expect(stdout).toContain('250 entries, 250 files')
  expect(stdout).toContain('and 238 more')
  expect(front.asked.length).toBeLessThan(6)
})

test('an order brings what is needed in the current version, --exact as it was pushed, the newer of two and says so; an unknown name is told in words', async () => {
  const project = uniqueName('Tavern')
  const older = plainFile()
  const first = item({ dependencies: [{ content_hash: older.content_hash }] })
  const [{ lineage_id } = {}, { entry_id: a } = {}] = (await pushed(mia, [older, first])) as Json[]
  const newer = plainFile({
    asset_name: older.asset_name,
    origin_path: older.origin_path,
    stamped_lineage_id: lineage_id,
    stamped_base_hash: older.content_hash,
  })
  const second = item({ dependencies: [{ content_hash: newer.content_hash }] })
  const [, { entry_id: b } = {}] = (await pushed(mia, [newer, second])) as Json[]
  const both = [String(a), String(b), '--project', project]
  const versionsOf = async ({ stdout }: { stdout: string }) => {
    const { body } = await mia.get(`/pull-jobs/${JSON.parse(stdout).id}/closure`)
    return body.objects.filter((file: Json) => file.lineage_id === lineage_id).map((file: Json) => file.content_hash)
  }
  expect(await versionsOf(await send([...both, '--json']))).toEqual([newer.content_hash])
  expect(await versionsOf(await send([String(a), '--project', project, '--json']))).toEqual([newer.content_hash])
  expect(await versionsOf(await send([String(a), '--project', project, '--exact', '--json']))).toEqual([older.content_hash])
  expect((await send(both)).stdout).not.toContain('Notes:')
  expect((await send([...both, '--exact'])).stdout).toContain('Notes:')
  expect((await send(['SM_Nobody', '--project', project])).stderr).toContain('No entry is named "SM_Nobody"')
})

test('1,003 entries are one order of two jobs: what both need counts once, and each job is named', async () => {
  const texture = plainFile()
  const needing = { dependencies: [{ content_hash: texture.content_hash }] }
  const many = Array.from({ length: 1003 }, (_, at) => item(at === 0 || at === 1002 ? needing : {}))
  const [, ...made] = await pushed(mia, [texture, ...many])
  const project = uniqueName('Tavern')
  const stdin = made.map(({ entry_id }) => entry_id).join('\n')
  const plan = (await send(['-', '--project', project, '--plan', '--json'], { stdin })).json() as Json
  expect(plan).toMatchObject({ id: null, entry_count: 1003, object_count: 1004, jobs: [], closure: { total_objects: 1004 } })
  const told = await send(['-', '--project', project], { stdin })
  expect(told.stdout).toMatch(/^Pull jobs \d+ and \d+ for \S+: 1,003 entries, 1,004 files, /m)
  expect((await jobsFor(project)).map(({ entry_count, object_count }) => [entry_count, object_count])).toEqual([
    [3, 4],
    [1000, 1001],
  ])
  const sent = (await send(['-', '--project', project, '--json'], { stdin })).json() as Json
  expect(sent).toMatchObject({ id: sent.jobs[0].id, entry_count: 1003, object_count: 1004, jobs: [{}, { entry_count: 3 }] })
  expect(sent.entries).toHaveLength(1003)
})

test('of an order whose second part is refused no job stays', async () => {
  const project = uniqueName('Tavern')
  const ids = (
    await pushed(
      mia,
      Array.from({ length: 1000 }, () => item()),
    )
  ).map((one) => one.entry_id)
  const refused = await send(['-', '--project', project], { stdin: [...ids, 987_654_321].join('\n') })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('There is no entry 987654321')])
  expect(refused.stderr).not.toContain('had been ordered')
  expect((await jobsFor(project)).map(({ status }) => status)).toEqual(['cancelled'])
})

test('wrong usage is told before anything is asked: no project, no entries, a wrong root', async () => {
  const codes = async (...lines: [string[], Setting?][]) =>
    Promise.all(lines.map(async ([args, more]) => (await send(args, more)).code))
  expect(
    await codes(
      [['1']],
      [['--project', 'Tavern']],
      [['-', '--project', 'Tavern'], { stdin: '\n' }],
      [['1', '--project', 'Tavern', '--root', '/Engine']],
      [['1', '--project', 'Tavern', '--prefer', 'oldest']],
    ),
  ).toEqual([2, 2, 2, 2, 2])
})

test('a project whose name has a blank is quoted in the command to run, and a read key may not send', async () => {
  const { name } = await prop()
  expect((await send([name, '--project', 'My Tavern'])).stdout).toContain("ph pull --project 'My Tavern'")
  const refused = await send([name, '--project', 'Tavern'], { env: signedIn(url, keys.miaReads) })
  expect(refused.code).toBe(1)
})
