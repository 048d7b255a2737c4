// Comments: threads, edits, deletion, resolving, reactions and mentions (spec 4.7; contract-gaps 5a).
import { expect, test } from 'vitest'
import { reactionEmoji } from '../../contract/comments.ts'
import type { Json } from '../support/api.ts'
import { answered, commentsOf, eventsOf, refusal, roomWith, say, uploadPicture } from '../support/discussion.ts'
import { item, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const { sql } = server.database

test('a comment says who wrote it, when, on which version, and shows in list and detail alike', async () => {
  const { mia, max, miaReads, entry, ids } = await roomWith(server)
  const said = await say(max, entry.entry_id, { body: 'ask @mia', object_id: entry.object_id })
  expect(said).toEqual({
    id: said.id,
    entry_id: entry.entry_id,
    object_id: entry.object_id,
    parent_id: null,
    body: 'ask @mia',
    author: { id: ids.max, name: 'max', display_name: 'max' },
    mentions: [{ id: ids.mia, name: 'mia', display_name: 'mia' }],
    attachments: [],
    reactions: [],
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: null,
    updated_by: ids.max,
    resolved_at: null,
    resolved_by: null,
  })
  const reply = await say(mia, entry.entry_id, { parent_id: said.id, object_id: null, attachment_ids: null })
  expect(reply.parent_id).toBe(said.id)
  expect(await commentsOf(miaReads, entry.entry_id)).toEqual([said, reply])
  expect((await mia.get(`/entries/${entry.entry_id}`)).body.comments).toEqual([said, reply])
  expect(answered(await miaReads.get(`/comments/${reply.id}`))).toEqual(reply)
  expect(refusal(await mia.get('/comments/987654'))).toEqual([404, 'COMMENT_NOT_FOUND'])
  expect((await mia.post('/entries/find', { entry_ids: [entry.entry_id] })).body.entries[0].comments).toEqual([said, reply])
  const events = await eventsOf(mia, 'comment.create')
  expect(
    events.map(({ actor, entry_id, lineage_id, object_id, payload }) => [actor.name, entry_id, lineage_id, object_id, payload]),
  ).toEqual([
    ['mia', entry.entry_id, entry.lineage_id, null, { comment_id: reply.id, parent_id: said.id }],
    ['max', entry.entry_id, entry.lineage_id, entry.object_id, { comment_id: said.id, parent_id: null }],
  ])
})

test('what people write is stored as they sent it, whatever it holds', async () => {
  const { mia, entry } = await roomWith(server)
  const odd =
    '\u001b[31mred\u001b[0m \u202eright to left\u2066 \u200b\ufeff\u00ad \u0007\r\n\t<script>"\\%s 👩‍👩‍👧 e\u0301 \u{e0061}'
  expect((await say(mia, entry.entry_id, { body: odd })).body).toBe(odd)
  expect((await commentsOf(mia, entry.entry_id))[0]?.body).toBe(odd)
  for (const body of ['a\u0000b', 'half \ud800 of a pair'])
    expect(refusal(await mia.post(`/entries/${entry.entry_id}/comments`, { body }))).toEqual([422, 'VALIDATION'])
})

test('1 to 4,000 characters are taken, counted as people count them; anything else is refused and nothing is posted', async () => {
  const { mia, entry } = await roomWith(server)
  const first = await say(mia, entry.entry_id, { body: ' ' })
  expect([...(await say(mia, entry.entry_id, { body: '🎈'.repeat(4000) })).body].length).toBe(4000)
  for (const body of ['', 'x'.repeat(4001), 5, null, undefined, ['x']]) {
    expect(refusal(await mia.post(`/entries/${entry.entry_id}/comments`, { body }))).toEqual([422, 'VALIDATION'])
    expect(refusal(await mia.patch(`/comments/${first.id}`, { body }))).toEqual([422, 'VALIDATION'])
  }
  expect(await commentsOf(mia, entry.entry_id)).toHaveLength(2)
})

test('versions and threads of other props, replies to replies and ids that nobody has are refused, and nothing is posted', async () => {
  const { mia, entry } = await roomWith(server)
  const [other] = await pushed(mia, [item()])
  const top = await say(mia, entry.entry_id)
  const reply = await say(mia, entry.entry_id, { parent_id: top.id })
  const elsewhere = await say(mia, other.entry_id)
  const post = async (over: Json) => refusal(await mia.post(`/entries/${entry.entry_id}/comments`, { body: 'x', ...over }))
  expect(await post({ object_id: 999_999_999 })).toEqual([404, 'OBJECT_NOT_FOUND'])
  expect(await post({ object_id: other.object_id })).toEqual([409, 'LINEAGE_CONFLICT'])
  expect(await post({ parent_id: 999_999_999 })).toEqual([404, 'COMMENT_NOT_FOUND'])
  expect(await post({ parent_id: reply.id })).toEqual([422, 'VALIDATION'])
  expect(await post({ parent_id: elsewhere.id })).toEqual([422, 'VALIDATION'])
  expect(refusal(await mia.post('/entries/999999999/comments', { body: 'x' }))).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect(refusal(await mia.get('/entries/999999999/comments'))).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect(await commentsOf(mia, entry.entry_id)).toHaveLength(2)
})

test('author and admins edit and delete; others do neither', async () => {
  const { mia, max, adam, entry, ids } = await roomWith(server)
  const said = await say(max, entry.entry_id)
  expect(refusal(await mia.patch(`/comments/${said.id}`, { body: 'mine' }))).toEqual([403, 'FORBIDDEN'])
  expect(refusal(await mia.del(`/comments/${said.id}`))).toEqual([403, 'FORBIDDEN'])
  expect(answered(await max.patch(`/comments/${said.id}`, { body: 'better' }))).toMatchObject({
    body: 'better',
    updated_by: ids.max,
    updated_at: expect.any(String),
    author: { name: 'max' },
  })
  expect(answered(await adam.patch(`/comments/${said.id}`, { body: 'kinder' }))).toMatchObject({
    updated_by: ids.adam,
    author: { name: 'max' },
  })
  answered(await adam.del(`/comments/${said.id}`), 204)
  for (const answer of [await max.patch(`/comments/${said.id}`, { body: 'x' }), await max.del(`/comments/${said.id}`)])
    expect(refusal(answer)).toEqual([404, 'COMMENT_NOT_FOUND'])
})

test('a thread goes with its replies, their reactions and pictures; a reply goes alone', async () => {
  const { mia, max, entry, workspaceId } = await roomWith(server)
  const top = await say(mia, entry.entry_id)
  const picture = await uploadPicture(max)
  const kept = await say(mia, entry.entry_id)
  const reply = await say(max, entry.entry_id, { parent_id: top.id, attachment_ids: [picture.id] })
  const answer = await say(max, entry.entry_id, { parent_id: kept.id })
  for (const id of [top.id, reply.id]) answered(await mia.put(`/comments/${id}/reactions`, { emoji: '👍' }), 204)
  answered(await mia.del(`/comments/${top.id}`), 204)
  answered(await max.del(`/comments/${answer.id}`), 204)
  expect((await commentsOf(mia, entry.entry_id)).map((one) => one.id)).toEqual([kept.id])
  expect(refusal(await max.get(`/attachments/${picture.id}`))).toEqual([404, 'NOT_FOUND'])
  expect(await sql`select 1 from comment_reactions where workspace_id = ${workspaceId}`).toHaveLength(0)
})

test('anyone resolves a thread and opens it again; repeats change nothing and are not recorded', async () => {
  const { mia, max, entry, ids } = await roomWith(server)
  const top = await say(mia, entry.entry_id)
  const reply = await say(mia, entry.entry_id, { parent_id: top.id })
  const resolved = answered(await max.post(`/comments/${top.id}/resolve`))
  expect(resolved).toMatchObject({ resolved_by: { id: ids.max }, resolved_at: expect.any(String) })
  expect(answered(await mia.post(`/comments/${top.id}/resolve`))).toEqual(resolved)
  expect(answered(await mia.post(`/comments/${top.id}/unresolve`))).toMatchObject({ resolved_by: null, resolved_at: null })
  answered(await max.post(`/comments/${top.id}/unresolve`))
  for (const verb of ['resolve', 'unresolve']) {
    expect(refusal(await mia.post(`/comments/${reply.id}/${verb}`))).toEqual([422, 'VALIDATION'])
    expect(refusal(await mia.post(`/comments/999999999/${verb}`))).toEqual([404, 'COMMENT_NOT_FOUND'])
  }
  const events = await eventsOf(mia, 'comment.resolve')
  expect(events.map(({ actor, payload }) => [actor.name, payload])).toEqual([
    ['mia', { comment_id: top.id, resolved: false }],
    ['max', { comment_id: top.id, resolved: true }],
  ])
})

test('each of the twelve emoji counts once per person, in the order in which they came', async () => {
  const { mia, max, entry } = await roomWith(server)
  const { id } = await say(mia, entry.entry_id)
  const path = `/comments/${id}/reactions`
  for (const emoji of reactionEmoji.toReversed()) {
    answered(await max.put(path, { emoji }), 204)
    answered(await max.put(path, { emoji }), 204)
    server.clock.advance(1000)
  }
  answered(await mia.put(path, { emoji: '❤️' }), 204)
  const shown = async (caller = mia) => (await commentsOf(caller, entry.entry_id))[0]?.reactions
  expect((await shown()).map(({ emoji }: Json) => emoji)).toEqual(reactionEmoji.toReversed())
  expect((await shown()).find(({ emoji }: Json) => emoji === '❤️')).toEqual({
    emoji: '❤️',
    count: 2,
    me: true,
    names: ['max', 'mia'],
  })
  expect((await shown())[0]).toEqual({ emoji: '❌', count: 1, me: false, names: ['max'] })
  expect((await shown(max))[0].me).toBe(true)
  for (const emoji of reactionEmoji) answered(await max.del(`${path}/${encodeURIComponent(emoji)}`), 204)
  answered(await max.del(`${path}/${encodeURIComponent('❤️')}`), 204)
  expect(await shown()).toEqual([{ emoji: '❤️', count: 1, me: true, names: ['mia'] }])
})

test('any other emoji is refused, and so is a reaction to a comment that is not there', async () => {
  const { mia, entry } = await roomWith(server)
  const { id } = await say(mia, entry.entry_id)
  for (const emoji of ['💩', '👍👍', '❤', '👍🏽', 'ok', '', null])
    expect(refusal(await mia.put(`/comments/${id}/reactions`, { emoji }))).toEqual([422, 'VALIDATION'])
  expect(refusal(await mia.del(`/comments/${id}/reactions/ok`))).toEqual([422, 'VALIDATION'])
  expect(refusal(await mia.put('/comments/999999999/reactions', { emoji: '👍' }))).toEqual([404, 'COMMENT_NOT_FOUND'])
  expect(refusal(await mia.del(`/comments/999999999/reactions/${encodeURIComponent('👍')}`))).toEqual([404, 'COMMENT_NOT_FOUND'])
})

/** Who was told, why and of which comment, first things first. */
const told = async (workspaceId: number): Promise<Json[]> =>
  (
    await sql`
      select m.name, n.reason, n.comment_id from notifications n join members m on m.workspace_id = n.workspace_id and m.id = n.member_id
       where n.workspace_id = ${workspaceId} order by n.comment_id, m.name, n.id`
  ).map((row) => [row.name, row.reason, row.comment_id])

test('people are told once of a comment, for the reason that is nearest to them, and never of their own', async () => {
  const { mia, max, adam, entry, workspaceId } = await roomWith(server)
  const top = await say(max, entry.entry_id, { body: 'who knows? @adam' })
  const reply = await say(adam, entry.entry_id, { body: '@max I do', parent_id: top.id })
  const again = await say(mia, entry.entry_id, { body: 'so do I', parent_id: top.id })
  answered(await adam.post(`/comments/${top.id}/resolve`))
  expect(await told(workspaceId)).toEqual(
    [
      ['adam', 'comment.mention', top.id],
      ['max', 'comment.resolved', top.id],
      ['mia', 'comment.new', top.id],
      ['max', 'comment.mention', reply.id],
      ['mia', 'comment.new', reply.id],
      ['adam', 'comment.new', again.id],
      ['max', 'comment.reply', again.id],
    ].sort((a, b) => Number(a[2]) - Number(b[2]) || String(a[0]).localeCompare(String(b[0]))),
  )
})

test('an edit tells those whom it newly mentions, and nobody else', async () => {
  const { mia, entry, workspaceId, ids } = await roomWith(server)
  const said = await say(mia, entry.entry_id, { body: '@max look' })
  const edited = answered(await mia.patch(`/comments/${said.id}`, { body: '@adam and @max, look' }))
  expect(edited.mentions.map((one: Json) => one.id)).toEqual([ids.adam, ids.max])
  expect(answered(await mia.patch(`/comments/${said.id}`, { body: 'never mind' })).mentions).toEqual([])
  expect(await told(workspaceId)).toEqual([
    ['adam', 'comment.mention', said.id],
    ['max', 'comment.mention', said.id],
  ])
})

test('an entry that is deleted takes along all that was said and shown there', async () => {
  const { mia, adam, entry, workspaceId } = await roomWith(server)
  const picture = await uploadPicture(mia)
  const { id } = await say(mia, entry.entry_id, { attachment_ids: [picture.id] })
  answered(await adam.put(`/comments/${id}/reactions`, { emoji: '🎉' }), 204)
  answered(await adam.del(`/entries/${entry.entry_id}`), 204)
  expect(refusal(await mia.get(`/entries/${entry.entry_id}/comments`))).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect(refusal(await mia.patch(`/comments/${id}`, { body: 'x' }))).toEqual([404, 'COMMENT_NOT_FOUND'])
  expect(refusal(await mia.get(`/attachments/${picture.id}`))).toEqual([404, 'NOT_FOUND'])
  for (const table of ['comments', 'comment_reactions', 'attachments', 'annotations', 'commented_entries'])
    expect([table, await sql`select 1 from ${sql(table)} where workspace_id = ${workspaceId}`]).toEqual([table, []])
  const [{ stored_bytes } = {}] = await sql`select stored_bytes from workspaces where id = ${workspaceId}`
  expect(stored_bytes).toBe(0)
})

test('a read key reads what was said, and says nothing', async () => {
  const { mia, miaReads, entry } = await roomWith(server)
  const { id } = await say(mia, entry.entry_id)
  expect(await commentsOf(miaReads, entry.entry_id)).toHaveLength(1)
  for (const { status, body } of [
    await miaReads.post(`/entries/${entry.entry_id}/comments`, { body: 'x' }),
    await miaReads.put(`/comments/${id}/reactions`, { emoji: '👍' }),
    await miaReads.del(`/comments/${id}`),
  ])
    expect([status, typeof body.error]).toEqual([403, 'string'])
})
