/**
 * The server is killed (SIGKILL) at seeded moments of check-outs and releases of many lineages, and started again on the same data: all of
 * them happened or none did, and the feeds tell of exactly that. A moment is the step before which it dies: see death-point.ts.
 */
import { expect, test } from 'vitest'
import { randomNumbers } from '../../sample/random.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { ok } from '../support/check-out.ts'
import type { StepCounts, StepKind } from '../support/death-point.ts'
import { ofMany } from '../support/long-runs.ts'
import { item, pushed } from '../support/push.ts'
import { type ServerLives, startServerLives } from '../support/server-lives.ts'

const deaths = ofMany(6, 12)
const count = 40

test('killed in the middle of a batch of check-outs, or of releases, the server comes back with all of them or none', {
  timeout: 900_000,
}, async () => {
  const random = randomNumbers('check-outs')
  const lives = await startServerLives(1)
  const { url, key } = lives.libraries[0] ?? expect.fail('there is no library')
  const mia = callAs(url, key)
  const props = await pushed(
    mia,
    Array.from({ length: count }, () => item({ entry: null })),
  )
  const lineage_ids = props.map(({ lineage_id }) => lineage_id)
  const steps: Record<string, StepCounts> = {}
  for (let died = 0, round = 0; died < deaths; round++) {
    const active = await activeOf(mia)
    const [path, body] = active.length
      ? ['/locks/release', { lock_ids: active.map(({ id }) => id) }]
      : ['/locks/batch', { lineage_ids }]
    const known = steps[path] ?? { disk: 20, wire: 20 }
    const before = round % 5 === 4 ? ('answer' as const) : chooseStep(known, random)
    await lives.current().dieAt({ address: path, before })
    const answer = await mia.post(path, body).catch(() => undefined)
    if (answer) {
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      steps[path] = await lives.current().steps()
    } else {
      await restarted(lives)
      died++
    }
    await requireWhole(mia, answer ? (active.length ? 0 : count) : undefined)
  }
})

function chooseStep(steps: StepCounts, random: () => number): { kind: StepKind; step: number } {
  const kind = steps.disk > 0 && random() < 0.5 ? 'disk' : 'wire'
  return { kind, step: 1 + Math.floor(random() * steps[kind]) }
}

async function restarted(lives: ServerLives): Promise<void> {
  expect(await lives.current().ended).toMatchObject({ signal: 'SIGKILL' })
  await lives.start()
}

const activeOf = async (who: Caller): Promise<Json[]> => ok(await who.get('/locks?active=true&limit=200')).locks

/** What the feeds tell of is what is there: every lock taken once, and released once unless it is active. */
async function requireWhole(mia: Caller, wanted: number | undefined): Promise<void> {
  const active = await activeOf(mia)
  expect(wanted === undefined ? [0, count] : [wanted]).toContain(active.length)
  const told = { taken: 0, released: 0 }
  let cursor: number | null = null
  do {
    const page: Json = ok(await mia.get(`/activity?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`))
    for (const { event_type, count } of page.events) {
      if (event_type === 'lock.acquire') told.taken += count
      if (event_type === 'lock.release') told.released += count
    }
    cursor = page.next_cursor
  } while (cursor !== null)
  expect(told.taken - told.released).toBe(active.length)
  expect(told.taken % count).toBe(0)
}
