/**
 * Many people and one version at the same moment, at one server and at two on one PostgreSQL: each is answered as if it had come before or
 * after the others, one round is open at most, and feeds and records say what the answers said.
 */
import { expect, test } from 'vitest'
import { limits } from '../../contract/limits.ts'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { crowd as crowdOf } from '../support/crowd.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { startTestServer } from '../support/server.ts'
import { serverHouse } from '../support/server-house.ts'
import { answerTo, bodyOf, happened, nextOf, opened, propOf, requestOf, teamOf } from '../support/team.ts'
import { interrupted, startWiredServer } from '../support/wired-server.ts'

const server = await startTestServer()
const race = test.runIf(isPostgres)
const many = 20
const crowdNames = Array.from({ length: many }, (_, n) => `crowd${n}`)
const team = await teamOf(server, Object.fromEntries(crowdNames.map((name) => [name, {}])) as Record<`crowd${number}`, object>)
const { mia, max, adam } = team.as
const crowd = crowdNames.map((name) => ({
  who: team.as[name as keyof typeof team.as] ?? expect.fail(name),
  id: team.ids[name as keyof typeof team.ids] ?? expect.fail(name),
}))
const everyone = crowd.map(({ id }) => id)

const counts = (answers: readonly Answer[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]))
const read = async (who: Caller, round: Json): Promise<Json> => bodyOf(await who.get(`/review-requests/${round.id}`)).request
const stateOf = async (who: Caller, prop: Json): Promise<string> =>
  bodyOf(await who.get(`/entries/${prop.entry_id}`)).review_status
const cancel = (who: Caller, round: Json) => who.post(`/review-requests/${round.id}/cancel`)

/** Every change says what the one before it made, and the last one what the entry shows. */
async function requireChain(who: Caller, prop: Json): Promise<void> {
  const changes = await happened(who, prop.entry_id, /^review\.change$/)
  expect(changes.map((change) => change.previous_state)).toEqual(['draft', ...changes.slice(0, -1).map((change) => change.state)])
  expect(changes.at(-1)?.state ?? 'draft').toBe(await stateOf(who, prop))
}

test('of many who ask for a review of one version at once one opens a round, and the others are told of it', async () => {
  const prop = await propOf(mia)
  const answers = await Promise.all(crowd.map(({ who }) => who.post(...requestOf(prop, [team.ids.max]))))
  expect(counts(answers)).toEqual({ 201: 1, 409: many - 1 })
  const round = answers.find(({ status }) => status === 201)?.body.request
  for (const { status, body } of answers) if (status === 409) expect(body.error.details).toEqual({ open_request_id: round.id })
  expect(bodyOf(await mia.get(`/entries/${prop.entry_id}/review-requests`)).requests).toHaveLength(1)
})

test('all reviewers of a round answer at once: each answer counts, the last one completes the round, once', async () => {
  const prop = await propOf(mia)
  const round = await opened(mia.post(...requestOf(prop, everyone)))
  const answers = await Promise.all(crowd.map(({ who }) => who.post(...answerTo(round, 'approved'))))
  expect(counts(answers)).toEqual({ 200: many })
  expect(answers.filter(({ body }) => body.request.status === 'completed')).toHaveLength(1)
  expect(await read(mia, round)).toMatchObject({ status: 'completed' })
  expect(await happened(mia, prop.entry_id, /^review\.response$/)).toHaveLength(many)
  const { notifications } = bodyOf(await mia.get('/notifications?limit=200'))
  expect(notifications.filter((one: Json) => one.request_id === round.id)).toHaveLength(many)
  await requireChain(mia, prop)
})

test('cancelling while the last approval comes in: the round is cancelled or completed, and the loser hears which', async () => {
  for (let turn = 0; turn < 10; turn++) {
    const prop = await propOf(mia)
    const round = await opened(mia.post(...requestOf(prop, [team.ids.max])))
    const [cancelled, approved] = await Promise.all([cancel(adam, round), max.post(...answerTo(round, 'approved'))])
    const { status } = await read(mia, round)
    expect([cancelled.status, approved.status]).toEqual(status === 'cancelled' ? [200, 409] : [409, 200])
    expect(await stateOf(mia, prop)).toBe(status === 'cancelled' ? 'draft' : 'approved')
    await requireChain(mia, prop)
  }
})

test('decisions, rounds, answers and new versions of one prop at once are each answered, and leave a history without a gap', async () => {
  for (let turn = 0; turn < 5; turn++) {
    const prop = await propOf(mia)
    const round = await opened(mia.post(...requestOf(prop, everyone.slice(0, 5))))
    const review = `/entries/${prop.entry_id}/review`
    const writes = [
      ...crowd.slice(0, 5).map(({ who }, n) => who.post(...answerTo(round, n === 2 ? 'changes_requested' : 'approved'))),
      mia.put(review, { object_id: prop.object_id, state: 'in_review' }),
      adam.put(review, { object_id: prop.object_id, state: 'changes_requested', assignee_id: team.ids.max }),
      mia.patch(`/review-requests/${round.id}`, {
        remove_reviewer_ids: everyone.slice(2, 3),
        add_reviewer_ids: everyone.slice(6, 8),
      }),
      max.post(...requestOf(prop, everyone.slice(8, 10))),
      adam.post(`/entries/${prop.entry_id}/restore`, { object_id: prop.object_id }),
      cancel(adam, round),
    ]
    const [next, ...answers] = await Promise.all([nextOf(mia, prop), ...writes])
    for (const { status, body } of answers) expect([200, 201, 403, 409], JSON.stringify(body)).toContain(status)
    const { requests } = bodyOf(await mia.get(`/entries/${prop.entry_id}/review-requests?status=open`))
    expect(requests.length).toBeLessThanOrEqual(1)
    expect(next.status).toBe('new')
    const { objects } = bodyOf(await mia.get(`/lineages/${prop.lineage_id}`))
    const stored = await server.database.sql`
      select o.id as object_id, coalesce(v.state, 'draft') as review_status
        from objects o left join reviews v on v.workspace_id = o.workspace_id and v.object_id = o.id
       where o.workspace_id = ${team.workspaceId} and o.lineage_id = ${prop.lineage_id} order by o.id desc`
    expect(objects.map(({ object_id, review_status }: Json) => ({ object_id, review_status }))).toEqual([...stored])
  }
})

race(
  'two servers on one database: one round is opened, everyone’s answer counts, and both show the same',
  postgresOnly,
  async () => {
    const { start, keys } = await serverHouse()
    const [here, there] = [await start(), await start()]
    const at = (key: string) => [callAs(here.url, key), callAs(there.url, key)] as const
    const [miaHere, miaThere] = at(keys.mia)
    const people = [keys.olivia, keys.adam, keys.max].map(at)
    const ids: number[] = []
    for (const [who] of people) ids.push(bodyOf(await who.get('/members/me')).id)
    for (let turn = 0; turn < 3; turn++) {
      const prop = await propOf(miaHere)
      const asked = await Promise.all(
        [miaHere, miaThere].flatMap((who) => [1, 2, 3].map(() => who.post(...requestOf(prop, ids)))),
      )
      expect(counts(asked)).toEqual({ 201: 1, 409: 5 })
      const round = asked.find(({ status }) => status === 201)?.body.request
      const answered = await Promise.all(people.flatMap((both) => both.map((who) => who.post(...answerTo(round, 'approved')))))
      for (const { status } of answered) expect([200, 409]).toContain(status)
      for (const who of [miaHere, miaThere]) {
        expect(await read(who, round)).toMatchObject({ status: 'completed' })
        await requireChain(who, prop)
      }
    }
  },
)

race(
  'fifty people at two servers: of those who were asked each answer counts once, the last one completes the round',
  postgresOnly,
  async () => {
    const { mia, miaElsewhere, callers } = await crowdOf()
    const ids = await Promise.all(callers.map(async (who) => bodyOf(await who.get('/members/me')).id as number))
    const prop = await propOf(mia)
    const asked = await Promise.all(callers.map((who) => who.post(...requestOf(prop, ids.slice(0, limits.reviewers)))))
    expect(counts(asked)).toEqual({ 201: 1, 409: callers.length - 1 })
    const round = asked.find(({ status }) => status === 201)?.body.request
    const answers = await Promise.all(callers.map((who) => who.post(...answerTo(round, 'approved'))))
    expect(counts(answers)).toEqual({ 200: limits.reviewers, 403: callers.length - limits.reviewers })
    expect(answers.filter(({ body }) => body.request?.status === 'completed')).toHaveLength(1)
    expect(await read(miaElsewhere, round)).toMatchObject({ status: 'completed' })
    expect(await happened(mia, prop.entry_id, /^review\.response$/)).toHaveLength(limits.reviewers)
    await requireChain(miaElsewhere, prop)
  },
)

race(
  'cancelling at one server while the last approval comes in at another: one of them, and the loser hears which',
  postgresOnly,
  async () => {
    const { mia, miaElsewhere, callers } = await crowdOf()
    const [first] = callers
    const firstId = first && bodyOf(await first.get('/members/me')).id
    for (let turn = 0; turn < 20; turn++) {
      const prop = await propOf(mia)
      const round = await opened(mia.post(...requestOf(prop, [firstId])))
      const [cancelled, approved] = await Promise.all([cancel(miaElsewhere, round), first?.post(...answerTo(round, 'approved'))])
      const { status } = await read(mia, round)
      expect([cancelled.status, approved?.status]).toEqual(status === 'cancelled' ? [200, 409] : [409, 200])
      expect(await happened(mia, prop.entry_id, /^review\.(cancel|response)$/)).toHaveLength(1)
      await requireChain(mia, prop)
    }
  },
)

race('a server that is killed between two statements of an answer has recorded nothing of it, or all', postgresOnly, async () => {
  const { start, keys } = await serverHouse()
  const [dying, other] = [await start(), await start()]
  const [mia, adam] = [callAs(other.url, keys.mia), callAs(dying.url, keys.adam)]
  const adamId = bodyOf(await adam.get('/members/me')).id
  const prop = await propOf(mia)
  const round = await opened(mia.post(...requestOf(prop, [adamId])))
  await dying.dieAt({ address: '/respond', before: { kind: 'wire', step: 12 } })
  await expect(adam.post(...answerTo(round, 'approved'))).rejects.toThrow()
  expect(await dying.ended).toMatchObject({ signal: 'SIGKILL' })
  expect(await read(mia, round)).toMatchObject({ status: 'open', reviewers: [{ response: 'pending' }] })
  expect(await happened(mia, prop.entry_id, /^review\.(response|change)$/)).toHaveLength(1)
  expect(bodyOf(await mia.get('/notifications')).notifications).toEqual([])
  bodyOf(await callAs(other.url, keys.adam).post(...answerTo(round, 'approved')))
  expect(await stateOf(mia, prop)).toBe('approved')
})

race(
  'an entry that is deleted while it is asked to be reviewed is gone with all of it, or is not there to be asked about',
  postgresOnly,
  async () => {
    const wired = await startWiredServer()
    const own = await teamOf(wired.server)
    const prop = await propOf(own.as.mia)
    const answer = await interrupted(wired.wire, {
      request: () => own.as.mia.post(...requestOf(prop, [own.ids.max])),
      before: /select held\.id/,
      meanwhile: async () => expect((await own.as.adam.del(`/entries/${prop.entry_id}`)).status).toBe(204),
    })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'ENTRY_NOT_FOUND'])
    const { sql } = wired.server.database
    for (const table of ['review_requests', 'review_reviewers', 'reviews', 'notifications', 'watches'])
      expect([table, await sql`select 1 from ${sql(table)}`]).toEqual([table, []])
  },
)
