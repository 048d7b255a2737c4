/**
 * The server is away for an hour. Whatever failed meanwhile would wait for an hour by itself here: what comes back within moments of the
 * server does so because the agent notices that it is there again.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFor, sendToAgent, startImportingAgent } from '../support/importing-agent.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { makeProject } from '../support/unreal-project.ts'

const server = await startTestServer()
const hourMs = 3_600_000
const hourly = {
  notices: false,
  patience: { firstMs: hourMs, mostMs: hourMs },
  sessionTimes: { withEditorMs: hourMs, aloneMs: hourMs },
  importTimes: { tellMs: 0, firstRetryMs: hourMs, mostRetryMs: hourMs },
  watchPace: { newsMs: hourMs, idleNewsMs: hourMs, awayMs: hourMs, allMs: hourMs },
  askAgainMs: 100,
}

/** A library with two props, and a wire to it that can be led to where nothing answers. */
async function behindWire() {
  const { url, keys } = await server.addWorkspace()
  const target = { url, key: keys.mia }
  const source = await makeProject({
    'Content/Town/SM_Wall.uasset': { payload: Buffer.alloc(9000, 'wall') },
    'Content/Town/SM_Door.uasset': { payload: Buffer.alloc(9000, 'door') },
  })
  await source.push(target)
  let isAway = false
  let onFetch = () => {}
  const wire = await startProxy(server.url, (sent) => {
    if (sent.includes('GET /storage/')) onFetch()
    return isAway ? 'cut' : undefined
  })
  const leave = () => {
    isAway = true
    wire.leadTo(server.url)
  }
  const comeBack = () => {
    isAway = false
  }
  const beforeFetch = (work: () => void) => {
    onFetch = work
  }
  return { target, through: { url: wire.url(url), key: keys.mia }, source, leave, comeBack, beforeFetch }
}

test('after an hour without the server the live connection, the mirror, watching, sessions and imports are back within moments', async () => {
  const { target, through, source, leave, comeBack, beforeFetch } = await behindWire()
  const project = projectFor('Town')
  const agent = await startImportingAgent(through, hourly)
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const status = () => agent.api.agent.status()
  const part = async (name: string) => (await status()).parts.find((one) => one.name === name)
  const first = await sendToAgent(target, 'Town', ['SM_Wall'])
  await agent.event('import', ({ job_id, state }) => job_id === first && state === 'done')
  await expect.poll(async () => (await status()).mirror).toMatchObject({ state: 'current', entries: 2 })
  await expect
    .poll(async () => (await status()).projects[0]?.watching)
    .toMatchObject({ state: 'watching', files: 1, outdated: 0 })

  // It goes in the middle of a job.
  beforeFetch(leave)
  const second = await sendToAgent(target, 'Town', ['SM_Door'])
  await agent.event('import', ({ job_id, state }) => job_id === second && state === 'waiting')
  await expect.poll(async () => (await status()).state).toBe('offline')
  await expect.poll(() => part('live')).toMatchObject({ state: 'waiting' })
  await expect.poll(async () => (await status()).mirror.state).toBe('offline')
  await source.save({
    'Content/Town/SM_Wall.uasset': { payload: Buffer.alloc(9000, 'another wall') },
    'Content/Town/SM_New.uasset': { payload: Buffer.from('new') },
  })
  await source.push(target)
  const third = await sendToAgent(target, 'Town', ['SM_New'])

  beforeFetch(() => {})
  comeBack()
  for (const job of [second, third]) await agent.event('import', ({ job_id, state }) => job_id === job && state === 'done')
  await expect.poll(() => part('live')).toMatchObject({ state: 'running', message: 'connected' })
  await expect.poll(async () => (await agent.api.agentMirror.search({ q: 'SM_New' })).total).toBe(1)
  await expect.poll(async () => (await status()).projects[0]?.watching).toMatchObject({ state: 'watching', outdated: 1 })
  await expect.poll(status).toMatchObject({ state: 'running', mirror: { state: 'current', lag_seconds: 0 } })
  expect(Object.keys(filesBelow(join(project.root, 'Content'))).sort()).toHaveLength(3)
}, 90_000)
