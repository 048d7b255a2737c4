/** A project whose folder is not there, or is an empty one that a disk left behind: nothing is brought into it, and the agent goes on. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentProject, jobAt, projectFor, quickTimes, sendToAgent, startImportingAgent } from '../support/importing-agent.ts'
import { startTestServer } from '../support/server.ts'
import { stockedLibrary } from '../support/stocked-library.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()

/** Moves the project away and leaves an empty folder, as an unmounted disk does. */
function leave({ root }: AgentProject): void {
  renameSync(root, `${root}-away`)
  mkdirSync(root)
}

function comeBack({ root }: AgentProject): void {
  rmSync(root, { recursive: true })
  renameSync(`${root}-away`, root)
}

test('a project that goes away while files are fetched gets nothing into the folder that is left: that job is given back, and the next one waits for the project', async () => {
  const { target } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const fetches = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const wire = await startProxy(server.url, async (sent) => {
    if (!sent.includes('GET /storage/')) return undefined
    fetches.resolve()
    await held.promise
    return undefined
  })
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const first = await sendToAgent(target, 'Inn', ['SM_Wall'])
  await fetches.promise
  const next = await sendToAgent(target, 'Inn', ['SM_Chair'])
  const imports = async () => (await agent.api.agent.status()).projects[0]?.imports
  await expect.poll(imports).toMatchObject({ waiting: 1 })
  leave(project)
  held.resolve()
  const { data } = await agent.event('import', ({ job_id, state }) => job_id === first && state === 'failed')
  expect(data.message).toContain(`is not in ${project.root}`)
  expect(await imports()).toMatchObject({ running: null })
  expect([(await jobAt(target, first)).status, (await jobAt(target, next)).status]).toEqual(['failed', 'queued'])
  expect(readdirSync(project.root)).toEqual([])
  comeBack(project)
  await agent.event('import', ({ job_id, state }) => job_id === next && state === 'done')
  expect(Object.keys(project.files())).toEqual(['Town/SM_Chair.uasset'])
})

test('a version that waits is not taken into the folder that a project left behind', async () => {
  const { target, source } = await stockedLibrary(server)
  const project = projectFor('Inn')
  const agent = await startImportingAgent(target, { importTimes: { ...quickTimes.importTimes, answerMs: 30 } })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const first = await sendToAgent(target, 'Inn', ['SM_Chair'])
  await agent.event('import', ({ job_id, state }) => job_id === first && state === 'done')
  const chair = 'Content/Town/SM_Chair.uasset'
  writeFileSync(join(project.root, chair), await packageAt(chair, { payload: Buffer.from('mine') }))
  await source.save({ [chair]: { payload: Buffer.from('second') } })
  await source.push(target)
  const second = await sendToAgent(target, 'Inn', ['SM_Chair'])
  await agent.event('import', ({ job_id, state }) => job_id === second && state === 'done')
  const [waiting] = (await agent.api.agentConflicts.list({})).conflicts
  leave(project)
  const take = () => agent.api.agentConflicts.answer({ conflict_id: waiting?.id ?? 0, answer: 'take_incoming' })
  await expect(take()).rejects.toThrow(`is not in ${project.root} any more. Put it back, then answer again`)
  expect(readdirSync(project.root)).toEqual([])
  comeBack(project)
  expect(await take()).toMatchObject({ state: 'answered' })
})

test('a project folder that is removed in the middle: its job is given back as failed, and another project gets its own', async () => {
  const { target, wanted } = await stockedLibrary(server)
  const [inn, mill] = [projectFor('Inn'), projectFor('Mill')]
  let isFirst = true
  const wire = await startProxy(server.url, async (sent) => {
    if (!isFirst || !sent.includes('GET /storage/')) return undefined
    isFirst = false
    rmSync(inn.root, { recursive: true })
    return 'cut'
  })
  const agent = await startImportingAgent({ url: wire.url(target.url), key: target.key })
  await agent.api.agentProjects.link({ path: inn.root, accepts_imports: true })
  const lost = await sendToAgent(target, 'Inn', ['SM_Wall', 'SM_Chair'])
  const { data } = await agent.event('import', ({ job_id, state }) => job_id === lost && state === 'failed')
  expect(data.message).toContain(inn.root)
  expect(await jobAt(target, lost)).toMatchObject({ status: 'failed' })
  await agent.api.agentProjects.link({ path: mill.root, accepts_imports: true })
  await sendToAgent(target, 'Mill', ['SM_Wall', 'SM_Chair'])
  await agent.event('import', ({ project_key, state }) => project_key === 'Mill' && state === 'done')
  expect(mill.files()).toEqual(wanted)
})
