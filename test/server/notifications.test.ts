/** Notifications: one per person and action, never of one's own, as the person wishes; seen, read, and kept a year after that (spec 4.11, 6). */
import { expect, test } from 'vitest'
import { notificationReasons } from '../../contract/notifications.ts'
import type { Json } from '../support/api.ts'
import { byHand, startTestServer } from '../support/server.ts'
import { answerTo, bodyOf, opened, propOf, requestOf, type Team, teamOf } from '../support/team.ts'

const server = await startTestServer({}, byHand)
const dayMs = 86_400_000
type Who = Team['as']['mia']

const inbox = async (who: Who, query = ''): Promise<Json[]> =>
  bodyOf(await who.get(`/notifications?limit=200${query}`)).notifications
const reasons = async (who: Who): Promise<string[]> => (await inbox(who)).map((one) => one.reason)
const unread = async (who: Who): Promise<number> => bodyOf(await who.get('/notifications/unread-count')).unread
/** So many notifications of Max, oldest first. */
async function told({ as, ids }: Team, count: number): Promise<number[]> {
  const prop = await propOf(as.mia)
  for (let n = 0; n < count; n++) {
    const round = await opened(as.mia.post(...requestOf(prop, [ids.max])))
    bodyOf(await as.mia.post(`/review-requests/${round.id}/cancel`))
  }
  return (await inbox(as.max))
    .slice(0, count)
    .map((one) => one.id)
    .reverse()
}

test('each person hears of an action once, for the most specific reason, and never of their own', async () => {
  const { as, ids } = await teamOf(server)
  const prop = await propOf(as.mia)
  const round = await opened(as.mia.post(...requestOf(prop, [ids.max, ids.mia], { note: 'cc @max @adam @mia' })))
  expect([await reasons(as.max), await reasons(as.adam), await reasons(as.mia)]).toEqual([
    ['review.requested'],
    ['review.mention'],
    [],
  ])
  expect((await inbox(as.max))[0]).toEqual({
    id: expect.any(Number),
    reason: 'review.requested',
    actor: { id: ids.mia, name: 'mia', display_name: 'mia' },
    entry_id: prop.entry_id,
    lineage_id: prop.lineage_id,
    object_id: prop.object_id,
    comment_id: null,
    request_id: round.id,
    payload: {},
    seen_at: null,
    read_at: null,
    created_at: expect.any(String),
  })
  bodyOf(await as.max.post(...answerTo(round, 'changes_requested', { note: '@mia @olivia', assign_to: ids.adam })))
  expect(await reasons(as.mia)).toEqual(['review.responded'])
  expect(await reasons(as.adam)).toEqual(['review.assigned', 'review.mention'])
  expect(await reasons(as.olivia)).toEqual(['review.mention'])
  bodyOf(await as.mia.patch(`/review-requests/${round.id}`, { add_reviewer_ids: [ids.olivia, ids.max] }))
  expect(await reasons(as.olivia)).toEqual(['review.requested', 'review.mention'])
  expect(await reasons(as.max)).toEqual(['review.requested'])
})

test('who is assigned changes by a direct decision hears of it once, and nobody hears of a decision that was refused', async () => {
  const { as, ids } = await teamOf(server)
  const prop = await propOf(as.mia)
  const decide = (who: Who, more: Json) => who.put(`/entries/${prop.entry_id}/review`, { object_id: prop.object_id, ...more })
  bodyOf(await decide(as.mia, { state: 'changes_requested', assignee_id: ids.max }))
  bodyOf(await decide(as.adam, { state: 'changes_requested', note: 'once more' }))
  expect((await decide(as.mia, { state: 'changes_requested', assignee_id: ids.olivia })).status).toBe(403)
  expect([await reasons(as.max), await reasons(as.olivia)]).toEqual([['review.assigned'], []])
})

test('neither who has left nor an API identity is told, and an identity has an empty inbox of its own', async () => {
  const team = await teamOf(server, { bot: { kind: 'api' }, lena: {} })
  const { as, ids, slug } = team
  const round = await opened(as.lena.post(...requestOf(await propOf(as.bot), [ids.max])))
  const lena = {
    email: `lena@${slug}.test`,
    name: 'lena',
    display_name: 'lena',
    role: 'member' as const,
    status: 'disabled' as const,
  }
  await server.changeWorkspace(slug, { members: [lena] })
  bodyOf(await as.max.post(...answerTo(round, 'changes_requested', { note: '@bot @lena', assign_to: ids.bot })))
  expect(
    await server.database
      .sql`select member_id from notifications where workspace_id = ${team.workspaceId} and member_id <> ${ids.max}`,
  ).toEqual([])
  expect(await inbox(as.bot)).toEqual([])
})

test('a reason that is switched off is not replaced by another one; `*` is for reasons without a word of their own', async () => {
  const { as, ids } = await teamOf(server)
  const put = async (prefs: Json) => bodyOf(await as.max.put('/notifications/prefs', { prefs }))
  const ask = async () => opened(as.mia.post(...requestOf(await propOf(as.mia), [ids.max], { note: '@max' })))
  expect(bodyOf(await as.max.get('/notifications/prefs'))).toEqual({ prefs: [], reasons: notificationReasons })
  const off = [{ reason: 'review.requested', enabled: false }]
  expect(await put(off)).toEqual({ prefs: off, reasons: notificationReasons })
  await ask()
  expect(await reasons(as.max)).toEqual([])
  await put([{ reason: '*', enabled: false }])
  await ask()
  expect(await reasons(as.max)).toEqual([])
  const some = [
    { reason: 'review.requested', enabled: true },
    { reason: '*', enabled: false },
  ]
  expect((await put(some)).prefs).toEqual(some)
  await ask()
  await opened(as.mia.post(...requestOf(await propOf(as.mia), [ids.adam], { note: '@max' })))
  expect(await reasons(as.max)).toEqual(['review.requested'])
  expect((await put([])).prefs).toEqual([])
  await opened(as.mia.post(...requestOf(await propOf(as.mia), [ids.adam], { note: '@max' })))
  expect(await reasons(as.max)).toEqual(['review.mention', 'review.requested'])
})

test('up to 32 overrides of known reasons are taken, and of several words on one reason the last', async () => {
  const { as } = await teamOf(server)
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ reason: 'comment.new', enabled: n % 2 === 0 }))
  expect(bodyOf(await as.max.put('/notifications/prefs', { prefs: many(32) })).prefs).toEqual([
    { reason: 'comment.new', enabled: false },
  ])
  const bad: Json[] = [many(33), [{ reason: 'comment.old', enabled: true }], [{ reason: 'comment.new' }], 'none', undefined]
  for (const prefs of bad) expect((await as.max.put('/notifications/prefs', { prefs })).status).toBe(422)
  expect(bodyOf(await as.max.get('/notifications/prefs')).prefs).toEqual([{ reason: 'comment.new', enabled: false }])
})

test('marking: by ids or all, up to one where it says so; only one’s own, each once; what is read is seen', async () => {
  const team = await teamOf(server)
  const { max, adam } = team.as
  const ids = await told(team, 5)
  const [first, second, third, fourth, fifth] = ids
  const read = async (body: Json, who = max) => bodyOf(await who.post('/notifications/read', body))
  expect(await read({ ids: [first] }, adam)).toEqual({ updated: 0, unread: 0 })
  expect(await read({ ids: [first, first, 987_654_321] })).toEqual({ updated: 1, unread: 4 })
  expect(await read({ ids: [first] })).toEqual({ updated: 0, unread: 4 })
  expect(bodyOf(await max.post('/notifications/seen', { before_id: third })).updated).toBe(2)
  const marks = async () => (await inbox(max)).reverse().map((one) => [one.seen_at !== null, one.read_at !== null])
  expect(await marks()).toEqual([
    [true, true],
    [true, false],
    [true, false],
    [false, false],
    [false, false],
  ])
  expect(await read({ all: true, before_id: fourth })).toEqual({ updated: 3, unread: 1 })
  expect(await marks()).toEqual([
    [true, true],
    [true, true],
    [true, true],
    [true, true],
    [false, false],
  ])
  expect((await inbox(max, '&unread=true')).map((one) => one.id)).toEqual([fifth])
  expect(await inbox(max, '&unread=false')).toHaveLength(5)
  expect(bodyOf(await max.post('/notifications/seen')).updated, 'no body says as much as an empty one').toBe(1)
  expect(await read({ all: true })).toEqual({ updated: 1, unread: 0 })
  expect(second).toBeGreaterThan(first ?? 0)
})

test('what is marked is said in one way of two, and by at most 500 ids', async () => {
  const { as } = await teamOf(server)
  const ids = Array.from({ length: 501 }, (_, n) => n + 900_000_000)
  expect(bodyOf(await as.max.post('/notifications/read', { ids: ids.slice(0, 500) }))).toEqual({ updated: 0, unread: 0 })
  const bad: Json[] = [
    {},
    { ids },
    { ids: [] },
    { ids: ['x'] },
    { all: false },
    { ids: [1], all: true },
    { ids: [1], before_id: 2 },
  ]
  for (const body of bad)
    expect((await as.max.post('/notifications/read', body)).status, JSON.stringify(body).slice(0, 80)).toBe(422)
  for (const body of [{ before_id: 'x' }, { before_id: 0 }])
    expect((await as.max.post('/notifications/seen', body)).status).toBe(422)
})

test('the inbox pages by id, each notification once, and ends with null', async () => {
  const team = await teamOf(server)
  const ids = await told(team, 5)
  for (const limit of [1, 2, 5]) {
    const seen: number[] = []
    let cursor: number | null = null
    do {
      const page: Json = bodyOf(await team.as.max.get(`/notifications?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`))
      seen.push(...page.notifications.map((one: Json) => one.id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(ids.toReversed())
  }
})

test('people who mark the same notifications at once do not stop each other, and each is counted once', async () => {
  const team = await teamOf(server)
  const { max } = team.as
  const ids = await told(team, 8)
  const asked = ids.flatMap((_, n) => [
    max.post('/notifications/read', { ids: n % 2 ? ids : ids.toReversed() }),
    max.post('/notifications/seen', {}),
    max.put('/notifications/prefs', { prefs: [{ reason: 'comment.new', enabled: n % 2 === 0 }] }),
  ])
  const answers = (await Promise.all(asked)).map((answer) => bodyOf(answer))
  const marked = answers.filter((body) => body.unread !== undefined).reduce((sum, body) => sum + body.updated, 0)
  expect([marked, await unread(max)]).toEqual([8, 0])
  expect(bodyOf(await max.get('/notifications/prefs')).prefs).toHaveLength(1)
})

test('what was read goes a year after that, and not a minute sooner; what nobody read stays', async () => {
  const team = await teamOf(server)
  const { max } = team.as
  const [read = 0, kept] = await told(team, 2)
  bodyOf(await max.post('/notifications/read', { ids: [read] }))
  server.clock.advance(365 * dayMs - 60_000)
  await server.work.look()
  expect(await inbox(max)).toHaveLength(2)
  // A leap day makes the year longer.
  server.clock.advance(dayMs + 3_700_000)
  await server.work.look()
  expect((await inbox(max)).map((one) => one.id)).toEqual([kept])
})
