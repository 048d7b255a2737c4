/** The mirror that an agent keeps: as the library within moments, there without the server, and loaded anew while it serves. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startTestAgent } from '../support/agent.ts'
import { callAs } from '../support/api.ts'
import { ph, signedIn } from '../support/ph.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { type OnWay, startProxy } from '../support/tcp-proxy.ts'

const patience = { timeout: 60_000, interval: 50 }

async function mirrored(onWay?: OnWay) {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  const caller = callAs(url, keys.mia)
  await pushed(caller, [item({ asset_name: 'SM_Barrel' }), item({ asset_name: 'SM_Stool' })])
  const proxy = await startProxy(server.url, onWay)
  const address = proxy.url(url)
  const agent = await startTestAgent({ url: address, key: keys.mia })
  const env = {
    ...signedIn(address, keys.mia),
    PH_CONFIG_DIR: agent.folders.config,
    PH_STATE_DIR: agent.folders.state,
    PH_CACHE_DIR: agent.folders.cache,
  }
  await expect.poll(async () => (await agent.api.agent.status()).mirror, patience).toMatchObject({ state: 'current', entries: 2 })
  return { server, url, caller, proxy, agent, env }
}

const names = (answer: { entries: unknown[] }) => answer.entries.map((entry) => (entry as { name: string }).name).sort()

test('what is pushed is in it a moment later, and found by word', async () => {
  const { caller, agent } = await mirrored()
  await pushed(caller, [item({ asset_name: 'SM_OldBarrel' })])
  await expect
    .poll(async () => names(await agent.api.agentMirror.search({ q: 'barrel' })), patience)
    .toEqual(['SM_Barrel', 'SM_OldBarrel'])
  const { cursor, head, lag_seconds } = (await agent.api.agent.status()).mirror
  expect([cursor, lag_seconds]).toEqual([head, 0])
})

test('without the server it answers, says how old it is, and catches up by itself', async () => {
  const { server, proxy, caller, agent, env } = await mirrored()
  const gone = await startTestServer()
  await gone.stop()
  proxy.leadTo(gone.url)
  await expect.poll(async () => (await agent.api.agent.status()).state, patience).toBe('offline')
  expect((await agent.api.agent.status()).mirror).toMatchObject({ state: 'offline', entries: 2 })
  expect(names((await ph('search barrel --json', { env })).json() as { entries: unknown[] })).toEqual(['SM_Barrel'])
  await pushed(caller, [item({ asset_name: 'SM_Table' })])
  proxy.leadTo(server.url)
  await expect.poll(async () => names(await agent.api.agentMirror.search()), { timeout: 40_000 }).toContain('SM_Table')
  await expect.poll(async () => (await agent.api.agent.status()).state, patience).toBe('running')
})

test('ph mirror rebuild has the agent load it anew, which goes on serving meanwhile', async () => {
  const { agent, env } = await mirrored()
  const { stdout } = await ph('mirror rebuild', { env })
  expect(stdout).toContain('The desktop agent keeps the mirror')
  expect(names(await agent.api.agentMirror.search())).toEqual(['SM_Barrel', 'SM_Stool'])
  await expect.poll(() => agent.logLines.filter((line) => line.includes('mirror: loaded')).length, patience).toBe(2)
  expect(names(await agent.api.agentMirror.search())).toEqual(['SM_Barrel', 'SM_Stool'])
  expect((await agent.api.agent.status()).parts.find(({ name }) => name === 'mirror')).toMatchObject({ failures: 0 })
})

/** Processes that fill a mirror for this one, those of other tests too. */
const filling = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1] === String(process.pid)
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('fill-worker')
      } catch {
        return false
      }
    })

test.runIf(process.platform === 'linux')(
  'it is filled by a process of its own, and again when that is killed; what is there serves',
  async () => {
    const held = Promise.withResolvers<undefined>()
    let isHeld = false
    const { agent } = await mirrored((sent) => (isHeld && sent.includes('/catalog/export') ? held.promise : undefined))
    isHeld = true
    await agent.api.agentMirror.rebuild()
    const killed = () => {
      for (const pid of filling()) process.kill(pid, 'SIGKILL')
      return agent.logLines.join('\n')
    }
    await expect.poll(killed).toContain('what fills the mirror ended (SIGKILL)')
    isHeld = false
    expect(names(await agent.api.agentMirror.search())).toEqual(['SM_Barrel', 'SM_Stool'])
    await expect.poll(() => agent.logLines.filter((line) => line.includes('mirror: loaded')).length, patience).toBe(2)
    held.resolve(undefined)
  },
)

test('a pause ends the keeping, and what is there serves on', async () => {
  const { caller, agent } = await mirrored()
  await agent.api.agent.pause()
  await expect
    .poll(async () => (await agent.api.agent.status()).parts.find(({ name }) => name === 'mirror')?.state)
    .toBe('paused')
  await pushed(caller, [item({ asset_name: 'SM_Late' })])
  expect(names(await agent.api.agentMirror.search())).toEqual(['SM_Barrel', 'SM_Stool'])
  await agent.api.agent.resume()
  await expect.poll(async () => names(await agent.api.agentMirror.search()), patience).toContain('SM_Late')
})

test('an entry without a picture has none, one that is unknown is unknown', async () => {
  const { agent } = await mirrored()
  const { entries } = await agent.api.agentMirror.search({ q: 'barrel' })
  const [entry] = entries as { id: number }[]
  await expect(agent.api.agentMirror.thumbnail({ entry_id: entry?.id ?? 0 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(agent.api.agentMirror.thumbnail({ entry_id: 999_999 })).rejects.toMatchObject({ code: 'ENTRY_NOT_FOUND' })
})
