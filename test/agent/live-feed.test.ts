/** The live connection of an agent: its parts hear of changes at once, and again after the server was away. */
import { expect, onTestFinished, test } from 'vitest'
import { startTestAgent } from '../support/agent.ts'
import { callAs } from '../support/api.ts'
import { startTestServer } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'

test('heads come as they move, also after the server was restarted; who follows hears that it was cut', async () => {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  const proxy = await startProxy(server.url)
  const { running, api } = await startTestAgent({ url: proxy.url(url), key: keys.mia })
  const { live } = running.agent
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const heads: number[] = []
  let cuts = 0
  const follow = async () => {
    for (; !over.signal.aborted; cuts++) for await (const { seq } of live.heads(over.signal)) heads.push(seq)
  }
  const following = follow()
  await expect.poll(() => heads.length).toBe(1)
  const before = heads[0] ?? 0
  await callAs(url, keys.mia).post('/collections', { name: 'one' })
  await server.restart()
  proxy.leadTo(server.url)
  await expect.poll(() => cuts).toBeGreaterThan(0)
  await expect.poll(() => live.isConnected, { timeout: 20_000 }).toBe(true)
  expect(heads.at(-1)).toBeGreaterThanOrEqual(before)
  const { parts } = await api.agent.status()
  expect(parts.find(({ name }) => name === 'live')).toMatchObject({ state: 'running', message: 'connected' })
  over.abort()
  await following
})

test('parts hear that there are jobs to ask for, first of all and for each one that is made for this person', async () => {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  const { running } = await startTestAgent({ url, key: keys.mia })
  let told = 0
  running.agent.live.onJobs(() => told++)
  await expect.poll(() => running.agent.live.isConnected).toBe(true)
  await expect.poll(() => told).toBeGreaterThan(0)
})
