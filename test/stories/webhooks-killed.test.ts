// Servers that are killed in the middle of deliveries, two of them where the database is shared: nothing is missed, and what comes again is known by its id.
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Caller, callAs } from '../support/api.ts'
import { ok } from '../support/check-out.ts'
import { item, pushed } from '../support/push.ts'
import { startReceiver } from '../support/receiver.ts'
import type { Keys } from '../support/server.ts'
import { serverHouse } from '../support/server-house.ts'

const kills = Number(process.env.PH_WEBHOOK_KILLS ?? '1')
/** For bench/webhook-kills.ts. */
const figuresPath = process.env.PH_WEBHOOK_FIGURES
const eventsEach = 60
const paths = ['/a', '/b', '/c']
const settings = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000', PH_WEBHOOK_ALLOW_PRIVATE: '1' }

test(`killed in the middle of deliveries: every event comes, and repeats carry the id of their delivery`, {
  timeout: 120_000 + kills * 30_000,
}, async () => {
  const house = await serverHouse()
  const start = () => house.start([], settings)
  const servers = [await start()]
  if (house.env.PH_DATABASE_URL) servers.push(await start())
  const as = (who: keyof Keys): Caller => callAs(`${servers[0]?.url}/w/acme`, house.keys[who])
  const receiver = await startReceiver(() => (response) => void setTimeout(() => response.writeHead(200).end(), 20))
  for (const path of paths)
    ok(await as('adam').post('/admin/webhooks', { url: `${receiver.url}${path}`, events: ['push.commit'] }), 201)

  let cut = 0
  for (let kill = 0; kill < kills; kill++) {
    const before = receiver.hits.length
    await pushed(
      as('mia'),
      Array.from({ length: eventsEach }, () => item()),
    )
    const underWay = () => paths.reduce((sum, path) => sum + receiver.open(path), 0)
    await expect.poll(() => receiver.hits.length > before + 20 && underWay() > 0, { timeout: 30_000, interval: 5 }).toBe(true)
    // The one that was asked sends most of it.
    await servers.shift()?.kill()
    cut += underWay()
    // After the last one the other goes on alone.
    if (kill < kills - 1 || servers.length === 0) servers.push(await start())
  }
  const sums = async () =>
    ok(await as('adam').get('/admin/webhooks')).webhooks.map(({ deliveries }: { deliveries: unknown }) => deliveries)
  const all = { pending: 0, delivered: kills * eventsEach, failed: 0 }
  await expect.poll(sums, { timeout: 90_000, interval: 500 }).toEqual(paths.map(() => all))

  for (const path of paths) {
    const hits = receiver.of(path)
    const deliveryOf = new Map(hits.map(({ json, headers }) => [json.id, String(headers['x-ph-delivery']).split('.')[0]]))
    expect(deliveryOf.size, 'every event').toBe(kills * eventsEach)
    for (const { json, headers } of hits) expect(String(headers['x-ph-delivery']).split('.')[0]).toBe(deliveryOf.get(json.id))
    expect(new Set(hits.map(({ headers }) => headers['x-ph-delivery'])).size, 'each attempt has a number of its own').toBe(
      hits.length,
    )
    expect(hits.length, 'what comes twice was under way').toBeLessThanOrEqual(kills * (eventsEach + 4))
  }
  if (figuresPath)
    writeFileSync(figuresPath, JSON.stringify({ kills, cut, repeats: receiver.hits.length - paths.length * kills * eventsEach }))
})
