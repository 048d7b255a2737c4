/** What a colleague sends to a project of this machine: told once, brought only after its person allowed it, refused with a reason. */
import { expect, test } from 'vitest'
import { noticeOf } from '../../agent/notices/notices.ts'
import type { Json } from '../support/api.ts'
import {
  agentFolders,
  type ImportingAgent,
  jobAt,
  orderForAgent,
  projectFor,
  sendToAgent,
  startImportingAgent,
} from '../support/importing-agent.ts'
import { ph, signedIn } from '../support/ph.ts'
import { emptyProject } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { stockedLibrary } from '../support/stocked-library.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer()

/** Mia works in the Inn, whose agent takes imports; Max sends to it. */
async function begun() {
  const { target, keys, wanted } = await stockedLibrary(server)
  const folder = temporaryFolder()
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target, { folder })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const max = { url: target.url, key: keys.max }
  const { state, cache, config } = agentFolders(folder)
  const env = { ...signedIn(target.url, target.key), PH_STATE_DIR: state, PH_CACHE_DIR: cache, PH_CONFIG_DIR: config }
  return {
    ...{ target, max, project, agent, wanted, folder, env },
    send: (names: readonly string[], more: Json = {}) => orderForAgent(max, { target_project: 'Inn', names, ...more }),
    arrived: (job: number) => agent.event('import', ({ state, job_id }) => state === 'done' && job_id === job),
  }
}

/** Heartbeats that could have brought something have passed. */
async function heartbeats(agent: ImportingAgent, count = 4): Promise<void> {
  const { projects, imports } = agent.running.agent
  let left = count
  const offer = imports.offer.bind(imports)
  imports.offer = (...args) => {
    left--
    offer(...args)
  }
  await expect.poll(() => left, { timeout: 20_000 }).toBeLessThan(0)
  imports.offer = offer
  expect(projects.list()).toHaveLength(1)
}

test('nothing that a colleague sends is brought unasked: who sent what and why is told, once, with the command that allows it', async () => {
  const { agent, send, max, project, env } = await begun()
  const job = await send(['SM_Wall'], { note: 'for the yard' })
  const sent = await agent.event('sent')
  expect(sent.data).toMatchObject({
    ...{ project_key: 'Inn', root: project.root, sender: { name: 'max' }, jobs: [{ id: job, note: 'for the yard' }] },
    command: 'ph agent allow max --project Inn',
  })
  expect(noticeOf(sent)).toEqual({
    title: 'max sent props to Inn',
    text: '1 prop, 2 files: “for the yard”. They arrive when you allow it: `ph agent allow max --project Inn`.',
  })
  await send(['SM_Chair'])
  await heartbeats(agent)
  expect(await agent.told('sent')).toHaveLength(1)
  expect([project.files(), (await jobAt(max, job)).status]).toEqual([{}, 'queued'])
  const { senders } = await agent.api.agentSenders.list({})
  expect(senders).toMatchObject([{ project_key: 'Inn', sender: { name: 'max' }, answer: null, jobs: [{ id: job }, {}] }])
  const listed = await ph('agent senders', { env })
  expect(listed.stdout).toMatch(
    /not answered {2}max sent 2 props that wait to Inn\.\n.*job \d+: 1 prop, 2 files\n {2}“for the yard”/,
  )
  expect((await ph('agent status', { env })).stdout).toContain('ph agent allow max --project Inn')
})

test('the command that is told brings what waits and what comes later; another colleague and another project are asked about anew', async () => {
  const { agent, send, arrived, project, wanted, env, target, max } = await begun()
  const first = await send(['SM_Wall'], { note: 'for the yard' })
  const { data } = await agent.event('sent')
  const allowed = await ph(data.command.split(' ').slice(1), { env })
  expect([allowed.code, allowed.stdout]).toEqual([0, 'What max sends to Inn arrives by itself now.\n'])
  expect((await arrived(first)).data).toMatchObject({ sent_by: { name: 'max' }, note: 'for the yard' })
  const imported = await agent.event('imported')
  expect(noticeOf(imported)?.text).toBe('2 files in Inn, from max: “for the yard”')
  await arrived(await send(['SM_Chair']))
  expect(project.files()).toEqual(wanted)
  expect((await jobAt(max, first)).status).toBe('done')
  const mill = projectFor('Mill')
  await agent.api.agentProjects.link({ path: mill.root, accepts_imports: true })
  await sendToAgent(max, 'Mill', ['SM_Chair'])
  await agent.event('sent', ({ project_key }) => project_key === 'Mill')
  expect([mill.files(), target.url]).toEqual([{}, max.url])
})

test('what was allowed is known after a restart, and can be taken back', async () => {
  const { agent, send, arrived, project, folder, target, max, env } = await begun()
  await ph('agent allow max --project Inn', { env })
  await arrived(await send(['SM_Wall']))
  await agent.stop()
  const again = await startImportingAgent(target, { folder })
  const second = await send(['SM_Chair'])
  await again.event('import', ({ state, job_id }) => state === 'done' && job_id === second)
  const denied = await ph('agent deny max --project Inn', { env })
  expect([denied.code, denied.stdout]).toEqual([0, 'What max sends to Inn waits for `ph pull`.\n'])
  const files = Object.keys(project.files())
  const third = await send(['SM_Wall'])
  await heartbeats(again)
  expect([(await jobAt(max, third)).status, await again.told('sent'), Object.keys(project.files())]).toEqual([
    'queued',
    [],
    files,
  ])
  await ph('agent deny max --project Inn --ask', { env })
  expect((await again.api.agentSenders.list({})).senders).toMatchObject([{ answer: null, jobs: [{ id: third }] }])
  expect(await ph('agent allow nobody --project Inn', { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nobody'),
  })
})

test('a job that is refused ends with who refused it and why, and is brought by nobody', async () => {
  const { agent, send, project, max, env } = await begun()
  const [first, second] = [await send(['SM_Wall']), await send(['SM_Chair'])]
  await agent.event('sent')
  const refused = await ph(['jobs', 'refuse', String(first), '--reason', 'We have newer ones'], { env })
  expect([refused.code, refused.stdout]).toEqual([0, `Pull job ${first} for Inn is refused.\n`])
  expect(await jobAt(max, first)).toMatchObject({ status: 'failed', failure_reason: 'Refused by mia: We have newer ones' })
  await expect.poll(async () => (await agent.api.agentSenders.list({})).senders[0]?.jobs.map(({ id }) => id)).toEqual([second])
  expect(await agent.api.agentSenders.refuse({ job_id: second })).toEqual({ job_ids: [second] })
  expect(await jobAt(max, second)).toMatchObject({ status: 'failed', failure_reason: 'Refused by mia.' })
  await ph('agent allow max --project Inn', { env })
  await heartbeats(agent)
  expect(project.files()).toEqual({})
  await expect(agent.api.agentSenders.refuse({ job_id: second })).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
})

test('what the agent was not allowed to bring is brought by a pull, and waits no more', async () => {
  const { agent, send, target, max } = await begun()
  const job = await send(['SM_Chair'], { note: 'for the yard' })
  await agent.event('sent')
  const inn = emptyProject('Inn')
  const { jobs } = await inn.pull(target)
  expect(jobs).toMatchObject([{ job_id: job, status: 'done', sent_by: 'max', note: 'for the yard' }])
  expect((await jobAt(max, job)).status).toBe('done')
  await expect.poll(async () => (await agent.api.agentSenders.list({})).senders[0]?.jobs).toEqual([])
})
