/** A library holds a module that the editor would load, as the need of a harmless mesh: no way into a project brings it, and each says so. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { call, started } from '../support/assistants.ts'
import { type HeldBefore, heldBefore } from '../support/held-before.ts'
import { jobAt, projectFor, sendToAgent, startImportingAgent } from '../support/importing-agent.ts'
import { editBarrel, inn } from '../support/inn.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

const modules: HeldBefore[] = [
  { origin_path: '/Game/Python/init_unreal', source_ext: 'py' },
  { origin_path: '/Game/Python/unreal', source_ext: 'pyd' },
  { origin_path: '/Game/Python/site', source_ext: 'pth' },
  { origin_path: '/Game/Python/data', source_ext: 'zip' },
]

/** Olivia's barrel in a next version, which needs the modules: as an earlier server took it from someone who meant harm. */
async function poisoned() {
  const room = await inn(server)
  const { olivia, api, versions } = room
  await editBarrel(olivia, 'second')
  await olivia.ok('push')
  const [barrel] = await versions('SM_Barrel')
  const { sql } = server.database
  const [{ workspace_id }] = await sql<
    [{ workspace_id: number }]
  >`select workspace_id from objects where id = ${barrel?.object_id}`
  for (const as of modules) {
    const { result } = await heldBefore(server, api, as)
    await sql`insert into dependencies (workspace_id, object_id, project_id, needs_object_id, hard)
              select workspace_id, id, project_id, ${result.object_id}, true from objects
               where workspace_id = ${workspace_id} and id = ${barrel?.object_id}`
  }
  const wanted = readFileSync(olivia.path('SM_Barrel'))
  return { ...room, wanted }
}

/** What lies in the Content folder by its names, and that the barrel is the one that was wanted. */
function expectHarmless(root: string, wanted: Buffer): void {
  const files = filesBelow(join(root, 'Content'))
  expect(files['Inn/SM_Barrel.uasset']).toEqual(wanted)
  expect(Object.keys(files).filter((file) => !file.startsWith('Inn/') || !file.endsWith('.uasset'))).toEqual([])
}

const named = /init_unreal\.py .*unreal\.pyd .*site\.pth .*data\.zip /s

test('ph pull brings the mesh, names what it left out and why, and ends with the exit code of what needs a look', async () => {
  const { mia, wanted } = await poisoned()
  const plan = await mia.run('pull SM_Barrel --project Inn --plan')
  expect(plan.stdout.replaceAll(/\s+/g, ' ')).toMatch(named)
  const { code, stdout, stderr } = await mia.run('pull SM_Barrel --project Inn')
  expect([code, stderr]).toEqual([6, ''])
  expect(stdout).toContain('4 left out, not for a project')
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(named)
  expect(stdout).toContain('`ph download')
  expectHarmless(mia.root, wanted)
})

test('ph checkout --pull brings the mesh up to date and leaves them out', async () => {
  const { mia, wanted } = await poisoned()
  const { brought } = (await mia.run('checkout SM_Barrel --pull --json')).json() as Json
  expect(brought.jobs).toMatchObject([{ status: 'done', summary: { updated: 1, left_out: modules.length } }])
  expect(brought.jobs[0].warnings[0].message).toMatch(named)
  expectHarmless(mia.root, wanted)
})

test('an import of the desktop agent brings the mesh, and tells with its end what it left out', async () => {
  const { url, keys, wanted } = await poisoned()
  const project = projectFor('Inn')
  const agent = await startImportingAgent({ url, key: keys.mia })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const job = await sendToAgent({ url, key: keys.mia }, 'Inn', ['SM_Barrel'])
  const { data } = await agent.event('import', ({ ended_at }) => ended_at !== null)
  expect(data).toMatchObject({ state: 'done', message: expect.stringMatching(named), files: 2 })
  expectHarmless(project.root, wanted)
  const { report_json } = await jobAt({ url, key: keys.mia }, job)
  expect([report_json.added.length, report_json.conflicts.map(({ resolution }: Json) => resolution)]).toEqual([
    2,
    modules.map(() => 'skip'),
  ])
})

test('an assistant that pulls gets the mesh, and is told in the plan and afterwards', async () => {
  const room = await poisoned()
  const { mia, api, wanted } = room
  const { mia: _person, ...workspace } = room
  const client = await started({ workspace, env: mia.env, args: ['--project', mia.root] })
  const entry_ids = [(await api.get('/entries?name=SM_Barrel')).body.entries[0].id]
  const planned = await call(client, 'pull_files', { entry_ids })
  const { plan, plan_token } = planned.structuredContent
  expect(plan.pulls[0].warnings[0].message).toMatch(named)
  const { structuredContent } = await call(client, 'pull_files', { entry_ids, plan_token })
  expect(structuredContent.result.pulls[0].warnings[0].message).toMatch(named)
  expectHarmless(mia.root, wanted)
})

test('ph download of the mesh with all it needs places nothing in a project, and everything elsewhere', async () => {
  const { mia, olivia } = await poisoned()
  const refused = await mia.run('download SM_Barrel --with-deps --force')
  expect([refused.code, existsSync(join(mia.root, 'Content/Python'))]).toEqual([1, false])
  expect(refused.stderr).toMatch(/init_unreal\.py is a program or script.*Choose a folder outside of the project/s)
  const { files } = await olivia.ok(`download SM_Barrel --with-deps --to ${join(olivia.env.PH_CACHE_DIR ?? '', 'elsewhere')}`)
  expect(files).toHaveLength(2 + modules.length)
})
