/**
 * The server is killed (SIGKILL) at steps all along the posting of a comment with a mention and a picture, and along the deletion of a
 * thread, and started again: of what belongs together all is there or nothing. A step is what death-point.ts counts.
 */
import { expect, test } from 'vitest'
import type { Caller, Json } from '../support/api.ts'
import { answered, commentsOf, eventsOf, say, uploadPicture } from '../support/discussion.ts'
import { deathKind, moments, mortal } from '../support/mortal-server.ts'

const limits = { timeout: 900_000 }
const { caller, entry, dying } = await mortal()
const toldOf = async (caller: Caller): Promise<number> => answered(await caller.get('/activity?limit=200')).events.length

test('killed while a comment is posted, the server comes back with all of it or nothing', limits, async () => {
  let deaths = 0
  for (const before of moments(deathKind === 'wire' ? [2, 5, 8, 11, 14] : [1, 2, 3])) {
    const [known, events] = [(await commentsOf(caller('mia'), entry.entry_id)).length, await toldOf(caller('mia'))]
    const { id } = await uploadPicture(caller('mia'))
    const ask = () => say(caller('mia'), entry.entry_id, { body: '@max sesquipedalian', attachment_ids: [id] })
    if (await dying({ address: 'POST .*/comments', before }, ask)) deaths++
    const comments = await commentsOf(caller('mia'), entry.entry_id)
    const isThere = comments.length > known
    expect(comments.length).toBe(known + (isThere ? 1 : 0))
    if (before === 'answer') expect(isThere).toBe(true)
    expect(await toldOf(caller('mia'))).toBe(events + (isThere ? 1 : 0))
    expect((await caller('max').get(`/attachments/${id}`)).status).toBe(isThere ? 302 : 404)
    const attached = comments.flatMap((comment: Json) => comment.attachments.map((one: Json) => one.id))
    expect(attached.includes(id)).toBe(isThere)
    const found = answered(await caller('max').get('/entries?q=sesquipedalian')).entries
    expect(found.length).toBe(comments.length > 0 ? 1 : 0)
  }
  expect(deaths).toBeGreaterThan(2)
  const ids = (await commentsOf(caller('mia'), entry.entry_id)).map(({ id }) => id)
  const recorded = (await eventsOf(caller('mia'), 'comment.create')).map(({ payload }) => payload.comment_id)
  expect(recorded.sort()).toEqual(ids.sort())
})

test('killed while a thread is deleted, the server comes back with the whole thread or none of it', limits, async () => {
  let deaths = 0
  for (const before of moments(deathKind === 'wire' ? [3, 7, 10] : [1, 2])) {
    const { id } = await uploadPicture(caller('mia'))
    const top = await say(caller('mia'), entry.entry_id)
    await say(caller('mia'), entry.entry_id, { parent_id: top.id, attachment_ids: [id] })
    const known = await commentsOf(caller('mia'), entry.entry_id)
    if (await dying({ address: 'DELETE .*/comments', before }, () => caller('mia').del(`/comments/${top.id}`))) deaths++
    const left = await commentsOf(caller('mia'), entry.entry_id)
    expect(left).toEqual(left.length === known.length ? known : known.slice(0, -2))
    expect((await caller('mia').get(`/attachments/${id}`)).status).toBe(left.length === known.length ? 302 : 404)
  }
  expect(deaths).toBeGreaterThan(1)
})
