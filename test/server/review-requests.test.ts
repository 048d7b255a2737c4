/** Rounds: opening, answering, other people, cancelling, queues; every limit at its edge (spec 3, 4.5; contract-gaps 6a). */
import { expect, test } from 'vitest'
import type { Answer, Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { startTestServer } from '../support/server.ts'
import { answerTo, bodyOf, happened, nextOf, opened, propOf, refusal, requestOf, teamOf } from '../support/team.ts'

const server = await startTestServer()
const crowdNames = Array.from({ length: 21 }, (_, n) => `crowd${n}`)
const crowdMembers = Object.fromEntries(crowdNames.map((name) => [name, {}])) as Record<`crowd${number}`, object>
const team = await teamOf(server, { rita: {}, bot: { kind: 'api' }, dan: { status: 'disabled' }, ...crowdMembers })
const { as, ids } = team
const { mia, max, adam, rita } = as
const crowd = crowdNames.map((name) => ids[name as keyof typeof ids])

type Who = typeof mia
const change = (who: Who, round: Json, body: Json) => who.patch(`/review-requests/${round.id}`, body)
const cancel = (who: Who, round: Json) => who.post(`/review-requests/${round.id}/cancel`)
const read = async (round: Json): Promise<Json> => bodyOf(await mia.get(`/review-requests/${round.id}`)).request
const stateOf = async (prop: Json): Promise<string> => bodyOf(await mia.get(`/entries/${prop.entry_id}`)).review_status
const reviewOf = async (prop: Json): Promise<Json> => bodyOf(await mia.get(`/entries/${prop.entry_id}`)).review
const named = (round: Json): string[] => round.reviewers.map((one: Json) => one.user.name)
const answerOf = (round: Json, name: string): Json => round.reviewers.find((one: Json) => one.user.name === name)
const upload = async (who: Who): Promise<number> =>
  bodyOf(await who.post('/attachments', await pngOf(4, 4), { 'content-type': 'image/png' }), 201).id

test('a round is opened for the current version, which is in review at once, by a record that names the round', async () => {
  const prop = await propOf(mia)
  const picture = await upload(mia)
  const note = `${'🎈'.repeat(994)} @rita`
  const round = await opened(mia.post(...requestOf(prop, [ids.rita, ids.max, ids.rita], { note, attachment_ids: [picture] })))
  const pending = { response: 'pending', note: null, attachments: [], mentions: [], assign_to: null, responded_at: null }
  const stub = (name: 'mia' | 'max' | 'rita') => ({ id: ids[name], name, display_name: name })
  expect(round).toEqual({
    id: expect.any(Number),
    entry_id: prop.entry_id,
    object_id: prop.object_id,
    lineage_id: prop.lineage_id,
    status: 'open',
    requested_by: stub('mia'),
    note,
    attachments: [expect.objectContaining({ id: picture, width: 4, height: 4, has_strokes: false })],
    mentions: [stub('rita')],
    created_at: expect.any(String),
    closed_at: null,
    closed_by: null,
    reviewers: [
      { user: stub('rita'), ...pending },
      { user: stub('max'), ...pending },
    ],
  })
  expect(await reviewOf(prop)).toMatchObject({
    state: 'in_review',
    decided_by: stub('mia'),
    request_id: round.id,
    note,
    assignee: null,
  })
  const single = bodyOf(await mia.get(`/review-requests/${round.id}`))
  expect(single.entry).toMatchObject({ id: prop.entry_id, face_object_id: prop.object_id, review_status: 'in_review' })
  expect(single.request).toEqual({ ...round, entry: single.entry, impact: { direct_entries: 0, entries: 0, projects: [] } })
  expect((await mia.post(...requestOf(await propOf(mia), [ids.rita], { note: `${note}.` }))).status).toBe(422)
})

test('reviewers are 1 to 20 active people: unknown ones and those who have left answer 404, API identities and others 422', async () => {
  const prop = await propOf(mia)
  const dan = bodyOf(await mia.get('/members')).members.find((member: Json) => member.name === 'dan').id
  const foreign = (await teamOf(server)).ids.mia
  for (const bad of [987_654_321, dan, foreign])
    expect(refusal(await mia.post(...requestOf(prop, [ids.rita, bad])))).toEqual([404, 'USER_NOT_FOUND', { missing: [bad] }])
  for (const bad of [[], [ids.bot], [ids.rita, ids.bot], crowd, 'rita', ['rita'], undefined])
    expect(refusal(await mia.post(...requestOf(prop, bad))).slice(0, 2), String(bad)).toEqual([422, 'VALIDATION'])
  expect(await stateOf(prop)).toBe('draft')
  expect(bodyOf(await mia.get(`/entries/${prop.entry_id}/review-requests`)).requests).toEqual([])
  expect((await opened(mia.post(...requestOf(prop, [...crowd.slice(0, 20), crowd[0] ?? 0])))).reviewers).toHaveLength(20)
})

test('one round is open on a version, and a round on a newer version ends those on older ones', async () => {
  const first = await propOf(mia)
  const old = await opened(mia.post(...requestOf(first, [ids.rita])))
  expect(refusal(await max.post(...requestOf(first, [ids.rita])))).toEqual([409, 'CONFLICT', { open_request_id: old.id }])
  const second = await nextOf(mia, first)
  expect((await read(old)).status).toBe('open')
  expect(refusal(await mia.post(...requestOf(first, [ids.rita])))[2]).toMatchObject({ current_object_id: second.object_id })
  const round = await opened(max.post(...requestOf(second, [ids.rita])))
  expect(await read(old)).toMatchObject({ status: 'superseded', closed_by: ids.max })
  expect((await read(old)).entry.face_object_id).toBe(second.object_id)
  expect(bodyOf(await rita.get('/review-requests?view=waiting_on_me')).requests.map((one: Json) => one.id)).toContain(round.id)
  expect(bodyOf(await rita.get('/review-requests?view=waiting_on_me')).requests.map((one: Json) => one.id)).not.toContain(old.id)
})

test('the version is what the answers say: one request for changes outweighs approvals until it is taken back, all approvals end the round', async () => {
  const prop = await propOf(mia)
  const round = await opened(mia.post(...requestOf(prop, [ids.rita, ids.max])))
  bodyOf(await rita.post(...answerTo(round, 'approved')))
  expect(await reviewOf(prop)).toMatchObject({ state: 'in_review', decided_by: { name: 'mia' } })
  const { request } = bodyOf(await max.post(...answerTo(round, 'changes_requested', { note: 'Too shiny' })))
  expect(request.status).toBe('open')
  expect(answerOf(request, 'max')).toMatchObject({ response: 'changes_requested', note: 'Too shiny', assign_to: ids.mia })
  bodyOf(await rita.post(...answerTo(round, 'approved')))
  const record = { state: 'changes_requested', decided_by: { name: 'max' }, assignee: { name: 'mia' }, note: 'Too shiny' }
  expect(await reviewOf(prop)).toMatchObject({ ...record, request_id: round.id })
  const done = bodyOf(await max.post(...answerTo(round, 'approved'))).request
  expect(done).toMatchObject({ status: 'completed', closed_by: ids.max })
  expect(answerOf(done, 'max')).toMatchObject({ response: 'approved', note: null, assign_to: null })
  expect(await reviewOf(prop)).toMatchObject({
    state: 'approved',
    decided_by: { name: 'max' },
    assignee: null,
    request_id: round.id,
  })
  expect(refusal(await max.post(...answerTo(round, 'approved')))).toEqual([409, 'CONFLICT', { status: 'completed' }])
  const at = { request_id: round.id }
  expect(await happened(mia, prop.entry_id, /^review/)).toEqual([
    { type: 'review.change', actor: 'mia', state: 'in_review', previous_state: 'draft', assignee_id: null, ...at },
    { type: 'review.request', actor: 'mia', reviewer_ids: [ids.rita, ids.max], ...at },
    { type: 'review.response', actor: 'rita', response: 'approved', ...at },
    { type: 'review.change', actor: 'max', state: 'changes_requested', previous_state: 'in_review', assignee_id: ids.mia, ...at },
    { type: 'review.response', actor: 'max', response: 'changes_requested', ...at },
    { type: 'review.response', actor: 'rita', response: 'approved', ...at },
    { type: 'review.change', actor: 'max', state: 'approved', previous_state: 'changes_requested', assignee_id: null, ...at },
    { type: 'review.response', actor: 'max', response: 'approved', ...at },
  ])
})

test('only who was asked answers, admins included; changes may be assigned to someone who is there, approvals to nobody', async () => {
  const prop = await propOf(mia)
  const round = await opened(mia.post(...requestOf(prop, [ids.rita])))
  for (const who of [mia, max, adam])
    expect(refusal(await who.post(...answerTo(round, 'approved'))).slice(0, 2)).toEqual([403, 'FORBIDDEN'])
  const dan = bodyOf(await mia.get('/members')).members.find((member: Json) => member.name === 'dan').id
  const refused: [Json, number][] = [
    [{ response: 'approved', assign_to: ids.max }, 422],
    [{ response: 'changes_requested', assign_to: dan }, 422],
    [{ response: 'changes_requested', assign_to: 987_654_321 }, 404],
    [{ response: 'changes_requested', note: 'n'.repeat(1001) }, 422],
    [{ response: 'pending' }, 422],
    [{}, 422],
  ]
  for (const [body, status] of refused)
    expect((await rita.post(`/review-requests/${round.id}/respond`, body)).status).toBe(status)
  expect(answerOf(await read(round), 'rita').response).toBe('pending')
  const { request } = bodyOf(
    await rita.post(...answerTo(round, 'changes_requested', { assign_to: ids.max, note: '語'.repeat(1000) })),
  )
  expect(answerOf(request, 'rita').assign_to).toBe(ids.max)
  expect(await reviewOf(prop)).toMatchObject({ assignee: { name: 'max' }, request_id: round.id })
  expect((await rita.get('/review-requests/987654321')).body.error.code).toBe('REVIEW_REQUEST_NOT_FOUND')
})

test('changes that nobody is named for go to who asked, unless they have left since', async () => {
  const left = await teamOf(server, { lena: {} })
  const prop = await propOf(left.as.mia)
  const round = bodyOf(await left.as.lena.post(...requestOf(prop, [left.ids.max])), 201).request
  const lena = {
    email: `lena@${left.slug}.test`,
    name: 'lena',
    display_name: 'lena',
    role: 'member' as const,
    status: 'disabled' as const,
  }
  await server.changeWorkspace(left.slug, { members: [lena] })
  const { request } = bodyOf(await left.as.max.post(...answerTo(round, 'changes_requested')))
  expect(request.reviewers[0].assign_to).toBeNull()
})

test('pictures of an answer: one’s own, up to ten; a list replaces those of before, without one they stay', async () => {
  const round = await opened(mia.post(...requestOf(await propOf(mia), [ids.rita, ids.max])))
  const pictures: number[] = []
  for (let n = 0; n < 11; n++) pictures.push(await upload(rita))
  const shown = async (more: Json): Promise<number[]> => {
    const { request } = bodyOf(await rita.post(...answerTo(round, 'approved', more)))
    return answerOf(request, 'rita').attachments.map((one: Json) => one.id)
  }
  expect(await shown({ attachment_ids: pictures.slice(0, 10) })).toEqual(pictures.slice(0, 10))
  expect(await shown({})).toEqual(pictures.slice(0, 10))
  expect(await shown({ attachment_ids: pictures.slice(9) })).toEqual(pictures.slice(9))
  expect(await shown({ attachment_ids: [] })).toEqual([])
  expect((await rita.post(...answerTo(round, 'approved', { attachment_ids: pictures }))).status).toBe(422)
  const theirs = await upload(max)
  expect(refusal(await rita.post(...answerTo(round, 'approved', { attachment_ids: [theirs] }))).slice(0, 2)).toEqual([
    403,
    'FORBIDDEN',
  ])
  bodyOf(await max.post(...answerTo(round, 'changes_requested', { attachment_ids: [theirs] })))
  const other = await opened(mia.post(...requestOf(await propOf(mia), [ids.max])))
  expect(refusal(await max.post(...answerTo(other, 'approved', { attachment_ids: [theirs] }))).slice(0, 2)).toEqual([
    409,
    'CONFLICT',
  ])
  expect((await read(other)).status).toBe('open')
})

test('people come and go while a round is open, by its requester or an admin, and never all of them', async () => {
  const round = await opened(mia.post(...requestOf(await propOf(mia), [ids.rita])))
  for (const who of [max, rita])
    expect(refusal(await change(who, round, { add_reviewer_ids: [ids.max] })).slice(0, 2)).toEqual([403, 'FORBIDDEN'])
  const swapped = { add_reviewer_ids: [ids.max, ids.adam], remove_reviewer_ids: [ids.rita, 987_654_321] }
  expect(named(bodyOf(await change(mia, round, swapped)).request)).toEqual(['max', 'adam'])
  expect((await rita.post(...answerTo(round, 'approved'))).status).toBe(403)
  const both = { add_reviewer_ids: [ids.rita], remove_reviewer_ids: [ids.rita] }
  const empty = { remove_reviewer_ids: [ids.max, ids.adam] }
  const long = { add_reviewer_ids: crowd }
  for (const body of [
    {},
    { add_reviewer_ids: [] },
    both,
    empty,
    long,
    { remove_reviewer_ids: crowd },
    { add_reviewer_ids: [ids.bot] },
  ])
    expect((await change(mia, round, body)).status, JSON.stringify(body)).toBe(422)
  expect(refusal(await change(mia, round, { add_reviewer_ids: [987_654_321] })).slice(0, 2)).toEqual([404, 'USER_NOT_FOUND'])
  expect(named(bodyOf(await change(adam, round, { add_reviewer_ids: crowd.slice(0, 18) })).request)).toHaveLength(20)
  expect((await change(mia, round, { add_reviewer_ids: [ids.rita] })).status).toBe(422)
  bodyOf(await cancel(mia, round))
  expect((await change(mia, round, { add_reviewer_ids: [ids.rita] })).status).toBe(409)
})

test('who is taken out counts no more: the state is what the others say, and a round that is left all approved is over', async () => {
  const prop = await propOf(mia)
  const round = await opened(mia.post(...requestOf(prop, [ids.rita, ids.max, ids.adam])))
  const picture = await upload(max)
  bodyOf(await max.post(...answerTo(round, 'changes_requested', { attachment_ids: [picture] })))
  bodyOf(await rita.post(...answerTo(round, 'approved')))
  bodyOf(await change(mia, round, { remove_reviewer_ids: [ids.max] }))
  expect(await reviewOf(prop)).toMatchObject({ state: 'in_review', assignee: null })
  expect((await max.get(`/attachments/${picture}`)).status, 'is loose again').toBe(302)
  expect((await rita.get(`/attachments/${picture}`)).status).toBe(404)
  const known = bodyOf(await change(mia, round, { add_reviewer_ids: [ids.rita] })).request
  expect(answerOf(known, 'rita').response).toBe('approved')
  expect(bodyOf(await change(mia, round, { remove_reviewer_ids: [ids.adam] })).request.status).toBe('completed')
  expect(await stateOf(prop)).toBe('approved')
})

test('cancelling makes a draft of a version that nobody answered about, and leaves it as it is after an answer', async () => {
  const prop = await propOf(mia)
  bodyOf(await mia.put(`/entries/${prop.entry_id}/review`, { object_id: prop.object_id, state: 'approved' }))
  const quiet = await opened(mia.post(...requestOf(prop, [ids.rita, ids.max])))
  for (const who of [max, rita]) expect(refusal(await cancel(who, quiet)).slice(0, 2)).toEqual([403, 'FORBIDDEN'])
  expect(bodyOf(await cancel(adam, quiet)).request).toMatchObject({ status: 'cancelled', closed_by: ids.adam })
  expect(await reviewOf(prop)).toBeNull()
  for (const [response, state] of [
    ['approved', 'in_review'],
    ['changes_requested', 'changes_requested'],
  ] as const) {
    const round = await opened(mia.post(...requestOf(prop, [ids.rita, ids.max])))
    bodyOf(await rita.post(...answerTo(round, response)))
    bodyOf(await cancel(mia, round))
    expect(await stateOf(prop)).toBe(state)
    expect((await cancel(mia, round)).status).toBe(409)
  }
})

test('queues: what waits for me, what I asked for, all of them, by status, page by page, newest first', async () => {
  const { as: own, ids: who } = await teamOf(server)
  const rounds: Json[] = []
  for (let n = 0; n < 6; n++)
    rounds.unshift(await opened((n % 2 ? own.max : own.mia).post(...requestOf(await propOf(own.mia), [who.adam, who.olivia]))))
  bodyOf(await own.adam.post(...answerTo(rounds[0], 'approved')))
  bodyOf(await cancel(own.olivia, rounds[3]))
  const all = rounds.map((round) => round.id)
  const listed = async (query: string): Promise<number[]> => {
    const ids: number[] = []
    let cursor: number | null = null
    do {
      const page: Json = bodyOf(await own.adam.get(`/review-requests?limit=2&${query}${cursor ? `&cursor=${cursor}` : ''}`))
      ids.push(...page.requests.map((request: Json) => request.id))
      cursor = page.next_cursor
    } while (cursor !== null)
    return ids
  }
  expect(await listed('')).toEqual(all)
  expect(await listed('view=waiting_on_me')).toEqual(all.filter((_, n) => n !== 0 && n !== 3))
  expect(await listed('view=waiting_on_me&status=open')).toHaveLength(4)
  expect(await listed('view=waiting_on_me&status=cancelled')).toEqual([])
  expect(await listed('status=cancelled')).toEqual([all[3]])
  expect(await listed('view=requested_by_me')).toEqual([])
  const mine = bodyOf(await own.mia.get('/review-requests?view=requested_by_me&status=open')).requests
  expect(mine.map((request: Json) => request.id)).toEqual([all[1], all[5]])
  expect(mine[0].entry).toMatchObject({
    id: rounds[1].entry_id,
    entry_type: 'mesh',
    asset_class: 'StaticMesh',
    has_thumbnail: false,
  })
  expect(bodyOf(await own.adam.get('/review-requests/waiting-count'))).toEqual({ waiting: 4 })
  const ofEntry = bodyOf(await own.mia.get(`/entries/${rounds[3].entry_id}/review-requests?status=cancelled`)).requests
  expect(ofEntry.map((request: Json) => request.id)).toEqual([all[3]])
  for (const bad of ['view=theirs', 'status=done', 'cursor=x', 'limit=201'])
    expect((await own.mia.get(`/review-requests?${bad}`)).status).toBe(422)
  expect((await own.mia.get('/entries/987654321/review-requests')).body.error.code).toBe('ENTRY_NOT_FOUND')
})

test('of several reasons to refuse the first is said: what is malformed, who may not, which version, which people, what is closed', async () => {
  const prop = await propOf(mia)
  const round = await opened(mia.post(...requestOf(prop, [ids.rita])))
  const [nobody, review] = [987_654_321, `/entries/${prop.entry_id}/review`]
  const decide = (who: Who, body: Json) => who.put(review, { object_id: prop.object_id, state: 'in_review', ...body })
  expect(refusal(await decide(max, { assignee_id: nobody })).slice(0, 2)).toEqual([409, 'CONFLICT'])
  bodyOf(await cancel(mia, round))
  const closed = `${round.id} is closed`
  const refused: [Promise<Answer>, number, string][] = [
    [max.post(...answerTo(round, 'approved', { assign_to: ids.mia })), 422, 'VALIDATION'],
    [max.post(...answerTo(round, 'approved')), 403, 'FORBIDDEN'],
    [cancel(max, round), 403, 'FORBIDDEN'],
    [change(max, round, { add_reviewer_ids: [nobody] }), 403, 'FORBIDDEN'],
    [change(mia, round, {}), 422, 'VALIDATION'],
  ]
  for (const [answer, status, code] of refused) expect(refusal(await answer).slice(0, 2), code).toEqual([status, code])
  for (const answer of [
    rita.post(...answerTo(round, 'changes_requested', { assign_to: nobody })),
    change(mia, round, { add_reviewer_ids: [nobody] }),
    cancel(mia, round),
  ])
    expect(await answer).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining(closed) } } })
  bodyOf(await decide(adam, { assignee_id: ids.rita }))
  expect(refusal(await decide(max, { assignee_id: nobody })).slice(0, 2)).toEqual([403, 'FORBIDDEN'])
  const next = await nextOf(mia, prop)
  const current = { current_object_id: next.object_id }
  for (const answer of [mia.post(...requestOf(prop, [nobody])), decide(max, { assignee_id: nobody })])
    expect(refusal(await answer)).toEqual([409, 'CONFLICT', expect.objectContaining(current)])
  expect(refusal(await mia.post(...requestOf(prop, []))).slice(0, 2)).toEqual([422, 'VALIDATION'])
})
