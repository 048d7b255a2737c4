// Rate limits: as many requests of a key as its budgets allow within any minute, and not one more (spec 8; contract-gaps 1).
import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { allRoutes } from '../../contract/index.ts'
import { budgetOf } from '../../server/front-door/rate-limit.ts'
import { type Answer, callAs } from '../support/api.ts'
import { item } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { passTime } from '../support/window-time.ts'

const server = await startTestServer({ rateLimitRequests: 240, rateLimitPush: 2400 })

/** Time goes on, for this server and for the windows of its budgets. */
async function pass(ms: number): Promise<void> {
  server.clock.advance(ms)
  await passTime(server.database, ms)
}

/** Someone whose budgets nobody has touched. */
async function fresh() {
  const { url, keys } = await server.addWorkspace()
  return {
    mia: callAs(url, keys.mia),
    max: callAs(url, keys.max),
    miaReads: callAs(url, keys.miaReads),
    adam: callAs(url, keys.adam),
  }
}
/** At most 300 connections: a system may refuse what comes with thousands at one moment. */
const many = (count: number, call: () => Promise<Answer>) => {
  const slots = pLimit(300)
  return Promise.all(Array.from({ length: count }, () => slots(call)))
}
const passed = (answers: Answer[]) => answers.filter((answer) => answer.status !== 429).length
const waitOf = (answer: Answer) => Number(answer.headers.get('retry-after'))

function expectLimited(answer: Answer) {
  expect([answer.status, typeof answer.body.error]).toEqual([429, 'string'])
  expect(waitOf(answer)).toBeGreaterThanOrEqual(1)
  expect(waitOf(answer)).toBeLessThanOrEqual(60)
}

test('of 300 requests at once exactly 240 get through, and the others are told how long to wait', async () => {
  const { mia } = await fresh()
  const answers = await many(300, () => mia.get('/auth/me'))
  expect(passed(answers)).toBe(240)
  for (const answer of answers.filter((one) => one.status === 429)) expectLimited(answer)
})

test('after as long as Retry-After says the next one gets through, and shortly before it does not', async () => {
  const { mia } = await fresh()
  await many(240, () => mia.get('/auth/me'))
  await pass(10_000)
  const seconds = waitOf(await mia.get('/auth/me'))
  expect(seconds).toBeLessThanOrEqual(50)
  await pass((seconds - 20) * 1000)
  expectLimited(await mia.get('/auth/me'))
  await pass(20_000)
  expect((await mia.get('/auth/me')).status).toBe(200)
})

test('the window slides: what was used forty seconds ago still counts when what was used before is free again', async () => {
  const { mia } = await fresh()
  expect(passed(await many(200, () => mia.get('/auth/me')))).toBe(200)
  await pass(40_000)
  expect(passed(await many(50, () => mia.get('/auth/me')))).toBe(40)
  await pass(21_000)
  expect(passed(await many(230, () => mia.get('/auth/me')))).toBe(200)
})

test('every answer counts, refusals by the library, by scope and by address included, but not those for too many requests', async () => {
  const { mia, miaReads } = await fresh()
  for (const [caller, call] of [
    [mia, () => mia.get('/entries/999999')],
    [mia, () => mia.get('/nothing-here')],
    [mia, () => mia.get('/entries?limit=0')],
    [mia, () => mia.get('/admin/denylist')],
    [miaReads, () => miaReads.post('/pull-jobs', {})],
  ] as const) {
    expect(passed(await many(240, call))).toBe(240)
    await pass(30_000)
    for (let refused = 0; refused < 5; refused++) expectLimited(await caller.get('/auth/me'))
    await pass(31_000)
    expect((await caller.get('/auth/me')).status).toBe(200)
    await pass(61_000)
  }
})

test('pushes have a budget of their own, and each key has its own', async () => {
  const { mia, max } = await fresh()
  await many(240, () => mia.get('/auth/me'))
  expectLimited(await mia.get('/packs'))
  const answers = await many(2450, () => mia.get('/push/limits'))
  expect(passed(answers)).toBe(2400)
  for (const path of ['/push/preview-queue', `/blobs/${'b'.repeat(64)}`, '/entries/1/thumbnail', '/push/nothing-here'])
    expectLimited(await mia.get(path))
  expectLimited(await mia.post('/entries/media/presign', { items: [] }))
  expect((await max.get('/auth/me')).status).toBe(200)
  expect((await max.get('/push/limits')).status).toBe(200)
})

test('uploads to presigned addresses use up no budget', async () => {
  const { mia } = await fresh()
  const file = item()
  const { bytes, ...sent } = file
  const { missing } = (await mia.post('/push/negotiate', { items: [sent] })).body
  await many(240, () => mia.get('/auth/me'))
  await many(2400, () => mia.get('/push/limits'))
  const { upload_url, headers } = missing[0]
  expect((await fetch(upload_url, { method: 'PUT', headers, body: new Uint8Array(bytes) })).status).toBe(200)
})

test('when the clock goes back nobody waits for more than a minute, and nobody gets more than the budget', async () => {
  const { mia } = await fresh()
  await many(240, () => mia.get('/auth/me'))
  await pass(-3_600_000)
  expectLimited(await mia.get('/auth/me'))
  await pass(61_000)
  expect(passed(await many(300, () => mia.get('/auth/me')))).toBe(240)
  await pass(3_600_000)
})

test('the larger budget is that of the routes which the specification lists, whatever their method', () => {
  const listed = [
    /^\/push\//,
    /^\/blobs\//,
    /^\/entries\/media\/(presign|finalize)$/,
    /^\/entries\/\{entry_id\}\/(preview|thumbnail|metadata)$/,
  ]
  for (const [noun, verb, route] of allRoutes) {
    const expected = listed.some((pattern) => pattern.test(route.path)) ? 'push' : 'requests'
    expect([`${noun}.${verb}`, budgetOf(route, `/api/v1${route.path}`)]).toEqual([`${noun}.${verb}`, expected])
  }
})
