/** Direct decisions: who may decide on which version, what is recorded, and what lists, feeds and mirrors show of it (spec 3, 4.5, 4.6). */
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { bodyOf, happened, nextOf, propOf, refusal, teamOf } from '../support/team.ts'

const server = await startTestServer()
const { as, ids } = await teamOf(server, { bot: { kind: 'api' }, dan: { status: 'disabled' } })
const { mia, max, adam, olivia } = as

type Who = typeof mia
const decide = (who: Who, prop: Json, body: Json) =>
  who.put(`/entries/${prop.entry_id}/review`, { object_id: prop.object_id, ...body })
const detail = async (prop: Json): Promise<Json> => bodyOf(await mia.get(`/entries/${prop.entry_id}`))
const openRound = async (who: Who, prop: Json, reviewer_ids: number[]): Promise<Json> =>
  bodyOf(await who.post(`/entries/${prop.entry_id}/review-requests`, { object_id: prop.object_id, reviewer_ids }), 201).request
const head = async (): Promise<number> => {
  let cursor = 0
  for (;;) {
    const page = bodyOf(await mia.get(`/catalog/changes?cursor=${cursor}&limit=1000`))
    if (page.changes.length === 0) return cursor
    cursor = page.next_cursor
  }
}

test('a decision is what the answer, the detail, the lineage, the list, its filter and its facet show', async () => {
  const prop = await propOf(mia)
  expect(await detail(prop)).toMatchObject({ review_status: 'draft', review: null })
  const made = bodyOf(await decide(max, prop, { state: 'changes_requested', assignee_id: ids.mia, note: 'Too shiny ‮.' }))
  const stub = (name: 'mia' | 'max') => ({ id: ids[name], name, display_name: name })
  expect(made).toEqual({
    entry_id: prop.entry_id,
    object_id: prop.object_id,
    review_status: 'changes_requested',
    review: {
      object_id: prop.object_id,
      state: 'changes_requested',
      assignee: stub('mia'),
      decided_by: stub('max'),
      decided_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      note: 'Too shiny ‮.',
      request_id: null,
    },
  })
  expect(await detail(prop)).toMatchObject({ review_status: 'changes_requested', review: made.review })
  const lineage = bodyOf(await mia.get(`/lineages/${prop.lineage_id}`))
  expect(lineage.objects[0].review_status).toBe('changes_requested')
  const listed = bodyOf(await mia.get('/entries?review=changes_requested')).entries
  expect(listed.map((entry: Json) => [entry.id, entry.review_status])).toEqual([[prop.entry_id, 'changes_requested']])
  const { review } = bodyOf(await mia.get('/entries/facets'))
  expect(review).toContainEqual({ value: 'changes_requested', count: 1 })
})

test('each version has a state of its own: a new one is a draft, and an old one comes back with its record', async () => {
  const first = await propOf(mia)
  const { review } = bodyOf(await decide(max, first, { state: 'approved', note: 'Good' }))
  const second = await nextOf(mia, first)
  expect(await detail(first)).toMatchObject({ review_status: 'draft', review: null })
  bodyOf(await decide(max, second, { state: 'in_review' }))
  bodyOf(await mia.post(`/entries/${first.entry_id}/restore`, { object_id: first.object_id }))
  expect(await detail(first)).toMatchObject({ review_status: 'approved', review })
  const approved = bodyOf(await mia.get('/entries?review=approved')).entries
  expect(approved.map((entry: Json) => entry.id)).toEqual([first.entry_id])
})

test('a decision names the current version: any other one is answered with that one, also one that nobody has', async () => {
  const first = await propOf(mia)
  const second = await nextOf(mia, first)
  const current = { entry_id: first.entry_id, current_object_id: second.object_id }
  for (const object_id of [first.object_id, 987_654_321])
    expect(refusal(await decide(mia, { ...first, object_id }, { state: 'approved' }))).toEqual([409, 'CONFLICT', current])
  expect(refusal(await decide(mia, { ...first, entry_id: 987_654_321 }, { state: 'approved' }))[1]).toBe('ENTRY_NOT_FOUND')
})

test('of an assigned version the assignee and admins decide; left out the assignee stays, null takes it away, and so does draft', async () => {
  const prop = await propOf(mia)
  const assignee = async (who: Who, body: Json) => bodyOf(await decide(who, prop, body)).review?.assignee?.name ?? null
  expect(await assignee(mia, { state: 'in_review', assignee_id: ids.max })).toBe('max')
  expect(refusal(await decide(mia, prop, { state: 'approved' })).slice(0, 2)).toEqual([403, 'FORBIDDEN'])
  expect(await assignee(max, { state: 'changes_requested' })).toBe('max')
  expect(await assignee(adam, { state: 'in_review', assignee_id: null })).toBeNull()
  expect(await assignee(mia, { state: 'in_review', assignee_id: ids.bot })).toBe('bot')
  expect(await assignee(olivia, { state: 'draft' })).toBeNull()
  expect(await assignee(mia, { state: 'in_review' })).toBeNull()
})

test('an assignee is someone who is there, and a draft has neither assignee nor note', async () => {
  const prop = await propOf(mia)
  const { members } = bodyOf(await mia.get('/members'))
  const dan = members.find((member: Json) => member.name === 'dan').id
  const other = await teamOf(server)
  for (const assignee_id of [987_654_321, other.ids.mia])
    expect(refusal(await decide(mia, prop, { state: 'in_review', assignee_id })).slice(0, 2)).toEqual([404, 'USER_NOT_FOUND'])
  expect((await decide(mia, prop, { state: 'in_review', assignee_id: dan })).status).toBe(422)
  for (const more of [{ assignee_id: ids.max }, { assignee_id: null }, { note: 'x' }, { note: '' }])
    expect((await decide(mia, prop, { state: 'draft', ...more })).status).toBe(422)
  expect(await detail(prop)).toMatchObject({ review_status: 'draft', review: null })
  expect(await happened(mia, prop.entry_id, /^review/)).toEqual([])
})

test('a note has up to 1,000 characters, whatever their bytes; it replaces the one before, and is gone when left out', async () => {
  const prop = await propOf(mia)
  const note = '🎈'.repeat(1000)
  expect(bodyOf(await decide(mia, prop, { state: 'in_review', note })).review.note).toBe(note)
  expect((await decide(mia, prop, { state: 'in_review', note: `${note}.` })).status).toBe(422)
  expect(bodyOf(await decide(mia, prop, { state: 'in_review' })).review.note).toBeNull()
})

test('while a round is open its requester and admins decide, which supersedes it; everyone else hears of the round', async () => {
  for (const who of [mia, adam]) {
    const prop = await propOf(mia)
    const round = await openRound(mia, prop, [ids.max, ids.olivia])
    expect(refusal(await decide(max, prop, { state: 'approved' }))).toEqual([409, 'CONFLICT', { open_request_id: round.id }])
    expect(bodyOf(await decide(who, prop, { state: 'draft' }))).toMatchObject({ review_status: 'draft', review: null })
    const { request } = bodyOf(await mia.get(`/review-requests/${round.id}`))
    expect(request).toMatchObject({ status: 'superseded', closed_by: who === mia ? ids.mia : ids.adam })
    expect(request.closed_at).toEqual(expect.any(String))
    expect(bodyOf(await max.get('/review-requests/waiting-count')).waiting).toBe(0)
  }
})

test('an assignee decides once the round is closed: while it is open they hear of it, and its requester decides', async () => {
  const prop = await propOf(mia)
  const round = await openRound(mia, prop, [ids.olivia, ids.adam])
  const answer = { response: 'changes_requested', assign_to: ids.max }
  bodyOf(await olivia.post(`/review-requests/${round.id}/respond`, answer))
  expect(refusal(await decide(max, prop, { state: 'approved' }))).toEqual([409, 'CONFLICT', { open_request_id: round.id }])
  expect(bodyOf(await decide(mia, prop, { state: 'in_review' })).review.assignee).toMatchObject({ name: 'max' })
  expect(refusal(await decide(mia, prop, { state: 'approved' })).slice(0, 2)).toEqual([403, 'FORBIDDEN'])
  expect(bodyOf(await decide(max, prop, { state: 'approved' }))).toMatchObject({ review_status: 'approved' })
})

test('activity says what each change came from and who is assigned; what stays a draft says nothing', async () => {
  const prop = await propOf(mia)
  bodyOf(await decide(mia, prop, { state: 'draft' }))
  bodyOf(await decide(mia, prop, { state: 'in_review', assignee_id: ids.max }))
  bodyOf(await decide(max, prop, { state: 'approved' }))
  bodyOf(await decide(max, prop, { state: 'draft' }))
  const by = { type: 'review.change' }
  expect(await happened(mia, prop.entry_id, /^review/)).toEqual([
    { ...by, actor: 'mia', state: 'in_review', previous_state: 'draft', assignee_id: ids.max },
    { ...by, actor: 'max', state: 'approved', previous_state: 'in_review', assignee_id: ids.max },
    { ...by, actor: 'max', state: 'draft', previous_state: 'approved', assignee_id: null },
  ])
})

test('a decision is recorded where the state stays, because someone said so; an answer that changes no state is an answer only', async () => {
  const prop = await propOf(mia)
  bodyOf(await decide(mia, prop, { state: 'approved', note: 'first' }))
  bodyOf(await decide(max, prop, { state: 'approved', note: 'second' }))
  const round = await openRound(mia, prop, [ids.max, ids.olivia])
  for (const who of [olivia, max])
    bodyOf(await who.post(`/review-requests/${round.id}/respond`, { response: 'changes_requested', note: 'No.' }))
  expect((await detail(prop)).review, 'the last answer decided').toMatchObject({ decided_by: { name: 'max' }, note: 'No.' })
  const told = await happened(mia, prop.entry_id, /^review\.(change|response)$/)
  expect(told.map(({ type, actor, previous_state, state }) => [type, actor, previous_state, state])).toEqual([
    ['review.change', 'mia', 'draft', 'approved'],
    ['review.change', 'max', 'approved', 'approved'],
    ['review.change', 'mia', 'approved', 'in_review'],
    ['review.change', 'olivia', 'in_review', 'changes_requested'],
    ['review.response', 'olivia', undefined, undefined],
    ['review.response', 'max', undefined, undefined],
  ])
})

test('mirrors hear of the review by its version, with the entry it is read from, and of the entry that shows it', async () => {
  const prop = await propOf(mia)
  const since = await head()
  bodyOf(await decide(mia, prop, { state: 'approved' }))
  const { changes } = bodyOf(await mia.get(`/catalog/changes?cursor=${since}&expand=true`))
  const { lineage_id } = prop
  const record = expect.objectContaining({ id: prop.entry_id, review_status: 'approved', tags: [] })
  expect(changes).toEqual([
    { seq: since + 1, entity: 'review', entity_id: prop.object_id, lineage_id, op: 'upsert', record },
    { seq: since + 2, entity: 'entry', entity_id: prop.entry_id, lineage_id, op: 'upsert', record },
  ])
  bodyOf(await decide(mia, prop, { state: 'draft' }))
  const later = bodyOf(await mia.get(`/catalog/changes?cursor=${since + 2}`)).changes
  expect(later.map(({ entity, op }: Json) => [entity, op])).toEqual([
    ['review', 'delete'],
    ['entry', 'upsert'],
  ])
})

test('a round on a version that is not current any more changes that version, and nothing that lists show', async () => {
  const first = await propOf(mia)
  const round = await openRound(mia, first, [ids.max])
  await nextOf(mia, first)
  const since = await head()
  bodyOf(await max.post(`/review-requests/${round.id}/respond`, { response: 'approved' }))
  expect(await detail(first)).toMatchObject({ review_status: 'draft', review: null })
  const { objects } = bodyOf(await mia.get(`/lineages/${first.lineage_id}`))
  expect(objects.map((one: Json) => one.review_status)).toEqual(['draft', 'approved'])
  const { changes } = bodyOf(await mia.get(`/catalog/changes?cursor=${since}`))
  expect(changes.map(({ entity, entity_id }: Json) => [entity, entity_id])).toEqual([['review', first.object_id]])
})

test('an entry that is deleted takes its rounds, reviews, watches and notifications along; a version that is needed keeps its state', async () => {
  const base = item()
  const user = item({ dependencies: [{ content_hash: base.content_hash }] })
  const [needed, needing] = (await pushed(mia, [base, user])) as [Json, Json]
  for (const prop of [needed, needing]) {
    const round = await openRound(mia, prop, [ids.max])
    await max.put(`/entries/${prop.entry_id}/watch`, {})
    bodyOf(await max.post(`/review-requests/${round.id}/respond`, { response: 'approved', note: 'ok' }))
  }
  const since = await head()
  expect((await adam.del(`/entries/${needed.entry_id}`)).status).toBe(204)
  const { sql } = server.database
  const left = async (table: string, entryId: number) =>
    (await sql`select 1 from ${sql(table)} where entry_id = ${entryId}`).length
  for (const table of ['review_requests', 'watches', 'notifications']) {
    expect([table, await left(table, needed.entry_id)]).toEqual([table, 0])
    expect([table, (await left(table, needing.entry_id)) > 0]).toEqual([table, true])
  }
  expect(await sql`select state, request_id from reviews where object_id = ${needed.object_id}`).toMatchObject([
    { state: 'approved', request_id: null },
  ])
  expect((await adam.del(`/entries/${needing.entry_id}`)).status).toBe(204)
  const gone = bodyOf(await mia.get(`/catalog/changes?cursor=${since}&limit=1000`)).changes
  const reviews = gone.filter((change: Json) => change.entity === 'review' && change.op === 'delete')
  expect(reviews.map((change: Json) => change.entity_id)).toEqual([needing.object_id])
  expect(
    await sql`select 1 from review_reviewers r where not exists (
    select 1 from review_requests q where q.workspace_id = r.workspace_id and q.id = r.request_id)`,
  ).toHaveLength(0)
})
