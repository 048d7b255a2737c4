// All attacks by connections at once, a sixteenth of bench/connection-attacks.ts: others are answered, and what the server holds stays bounded.
import { Agent, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { metricOf } from '../support/bare-connections.ts'
import { type AttackName, attack, kinds } from '../support/connection-attacks.ts'
import { item, pushed, sha256 } from '../support/push.ts'
import { byHand, newKey, startTestServer } from '../support/server.ts'

const connections = 256
const MiB = 1024 * 1024

/** The status of an answer that was read whole; a connection that was closed while it waited is opened again, as clients do. */
async function ask(url: string, key: string, agent: Agent): Promise<number> {
  const once = () =>
    new Promise<number>((resolve, reject) => {
      request(url, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
      })
        .once('error', reject)
        .end()
    })
  return once().catch(once)
}

const held = () => {
  gc?.()
  const { external, heapUsed } = process.memoryUsage()
  return (external + heapUsed) / MiB
}

test('while all of them are under way another member is answered, over new connections and one that stays, and nothing grows', async () => {
  const server = await startTestServer({}, { ...byHand, connections })
  const { url, keys, slug } = await server.addWorkspace()
  const email = `mia@${slug}.test`
  const many = Array.from({ length: 60 }, newKey)
  await server.changeWorkspace(slug, {
    members: [{ email, name: 'mia', role: 'member' }],
    keys: many.map((key, n) => ({ name: `mia ${n}`, member: email, scope: 'write', key })),
  })
  const mia = callAs(url, keys.mia)
  const bytes = Buffer.alloc(32 * MiB, 'large')
  await pushed(mia, [item({ bytes })])
  const { url: download } = (await mia.get(`/blobs/${sha256(bytes)}/url`)).body
  const before = held()
  const target = { url: server.url, slug, keys: many, download }
  const attacks = (Object.keys(kinds) as AttackName[]).map((name, n) => attack(name, target, { seed: 7 + n, share: 1 / 16 }))
  const [fresh, kept] = [new Agent({ keepAlive: false }), new Agent({ keepAlive: true, maxSockets: 1 })]
  onTestFinished(() => {
    for (const one of attacks) one.stop()
    kept.destroy()
  })
  await expect.poll(() => metricOf(server, 'ph_connections')).toBeGreaterThanOrEqual(connections - 8)
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBeGreaterThan(4)
  await expect.poll(() => metricOf(server, 'ph_live_streams')).toBeGreaterThan(16)
  const statuses: number[] = []
  for (let turn = 0; turn < 60; turn++)
    for (const agent of [fresh, kept]) statuses.push(await ask(`${url}/api/v1/auth/me`, keys.max, agent))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect(await metricOf(server, 'ph_connections')).toBeLessThanOrEqual(connections + connections / 8)
  expect(await metricOf(server, 'ph_downloads_under_way')).toBeLessThanOrEqual(connections / 8)
  expect(await metricOf(server, 'ph_bodies_under_way')).toBeLessThanOrEqual(connections / 4)
  expect(await metricOf(server, 'ph_live_streams')).toBeLessThanOrEqual(connections / 2)
  expect(held() - before).toBeLessThan(192)
  for (const one of attacks) one.stop()
  await expect.poll(() => metricOf(server, 'ph_downloads_under_way')).toBe(0)
  expect(held() - before).toBeLessThan(96)
})
