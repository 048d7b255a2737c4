// Many people talk about one entry at the same moment, through two processes of the server on one PostgreSQL (spec 4.7, 6).
import { expect, test } from 'vitest'
import type { Answer, Caller, Json } from '../support/api.ts'
import { crowd, people } from '../support/crowd.ts'
import { answered, commentsOf, say, uploadPicture } from '../support/discussion.ts'
import { pngOf } from '../support/media.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'

const race = test.runIf(isPostgres)
const all = (callers: readonly Caller[], ask: (caller: Caller, n: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(callers.map(ask))
const statuses = (answers: readonly Answer[]): number[] => [...new Set(answers.map(({ status }) => status))].sort()

/** Everything that happened, page by page. */
async function everythingAt(caller: Caller): Promise<Json[]> {
  const events: Json[] = []
  for (let cursor: number | null = Number.MAX_SAFE_INTEGER; cursor !== null; ) {
    const page: Json = answered(await caller.get(`/activity?limit=200&cursor=${cursor}`))
    events.push(...page.events)
    cursor = page.next_cursor
  }
  return events
}

race(
  'fifty people react to one comment and reply to it at once: each counts once, and no record is lost',
  postgresOnly,
  async () => {
    const { mia, miaElsewhere, callers, entry } = await crowd()
    const top = await say(mia, entry.entry_id)
    const path = `/comments/${top.id}/reactions`
    const twice = [...callers, ...callers]
    const [reacted, replied] = await Promise.all([
      all(twice, (caller) => caller.put(path, { emoji: '🔥' })),
      all(callers, (caller, n) => caller.post(`/entries/${entry.entry_id}/comments`, { body: `@mia ${n}`, parent_id: top.id })),
    ])
    expect([statuses(reacted), statuses(replied)]).toEqual([[204], [201]])
    const comments = await commentsOf(miaElsewhere, entry.entry_id)
    expect(comments).toHaveLength(people + 1)
    const [reaction] = comments[0]?.reactions ?? []
    expect([reaction.count, new Set(reaction.names).size]).toEqual([people, people])
    const events = (await everythingAt(mia)).filter((event) => event.event_type === 'comment.create')
    expect(new Set(events.map(({ payload }) => payload.comment_id))).toEqual(new Set(comments.map(({ id }) => id)))
    const removed = await all(twice, (caller) => caller.del(`${path}/${encodeURIComponent('🔥')}`))
    expect([statuses(removed), (await commentsOf(mia, entry.entry_id))[0]?.reactions]).toEqual([[204], []])
  },
)

race(
  'of replies, reactions, edits and drawings that meet the deletion of their thread, nothing is left',
  postgresOnly,
  async () => {
    const { mia, callers, entry } = await crowd()
    const { entry_id, object_id } = entry
    const picture = `/entries/${entry_id}/thumbnail?object_id=${object_id}`
    const { artifact_id } = answered(await mia.put(picture, await pngOf(4, 4)))
    for (let round = 0; round < 4; round++) {
      const top = await say(mia, entry_id)
      const drawing = {
        object_id,
        preview_artifact_id: artifact_id,
        shape: 'rect',
        geometry: { x: 0, y: 0, w: 1, h: 1 },
        comment_id: top.id,
      }
      const asks: ((caller: Caller) => Promise<Answer>)[] = [
        (caller) => caller.post(`/entries/${entry_id}/comments`, { body: 're', parent_id: top.id }),
        (caller) => caller.put(`/comments/${top.id}/reactions`, { emoji: '👀' }),
        (caller) => caller.post(`/comments/${top.id}/resolve`),
        (caller) => caller.post(`/entries/${entry_id}/annotations`, drawing),
      ]
      const [answers, deleted] = await Promise.all([
        all(callers, (caller, n) => asks[n % asks.length]?.(caller) ?? expect.fail('nothing to ask')),
        mia.del(`/comments/${top.id}`),
      ])
      expect(deleted.status).toBe(204)
      for (const { status, body } of answers) expect([200, 201, 204, 404], JSON.stringify(body)).toContain(status)
      expect(await commentsOf(mia, entry_id)).toEqual([])
      const { annotations } = answered(await mia.get(`/entries/${entry_id}/annotations`))
      for (const { comment_id } of annotations) expect(comment_id).toBeNull()
    }
  },
)

race(
  'one picture for many comments, and one drawing for many threads: one gets it, the others hear that it is taken',
  postgresOnly,
  async () => {
    const { mia, miaElsewhere, entry } = await crowd()
    const { entry_id, object_id } = entry
    const { id } = await uploadPicture(mia)
    const mine = Array.from({ length: 12 }, (_, n) => (n % 2 ? mia : miaElsewhere))
    const posted = await all(mine, (caller) =>
      caller.post(`/entries/${entry_id}/comments`, { body: 'see', attachment_ids: [id] }),
    )
    expect(posted.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)])
    expect(await commentsOf(mia, entry_id)).toHaveLength(1)
    const { artifact_id } = answered(await mia.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, await pngOf(4, 4)))
    const drawing = { object_id, preview_artifact_id: artifact_id, shape: 'rect', geometry: { x: 0, y: 0, w: 1, h: 1 } }
    const drawn = answered(await mia.post(`/entries/${entry_id}/annotations`, drawing), 201)
    const threads = await Promise.all(mine.map((caller) => say(caller, entry_id)))
    const tied = await all(mine, (caller, n) => caller.patch(`/annotations/${drawn.id}`, { comment_id: threads[n]?.id }))
    expect(tied.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)])
  },
)

race('an entry that is deleted while people talk about it leaves nothing that they said', postgresOnly, async () => {
  const { mia, adam, callers, entry } = await crowd()
  const top = await say(mia, entry.entry_id)
  const [answers, deleted] = await Promise.all([
    all(callers, (caller, n) =>
      n % 2
        ? caller.post(`/entries/${entry.entry_id}/comments`, { body: 'hm', parent_id: top.id })
        : caller.put(`/comments/${top.id}/reactions`, { emoji: '✅' }),
    ),
    adam.del(`/entries/${entry.entry_id}`),
  ])
  expect(deleted.status).toBe(204)
  for (const { status, body } of answers) expect([201, 204, 404], JSON.stringify(body)).toContain(status)
  for (const { status } of [await mia.del(`/comments/${top.id}`), await mia.get(`/entries/${entry.entry_id}/comments`)])
    expect(status).toBe(404)
})

race('what is said through one process is found by the next question to the other', postgresOnly, async () => {
  const { mia, miaElsewhere, entry } = await crowd()
  for (const word of ['quixotryx', 'zyzzogeton', 'pleonasm']) {
    expect(answered(await miaElsewhere.get(`/entries?q=${word}`)).entries).toEqual([])
    await say(mia, entry.entry_id, { body: word })
    expect(answered(await miaElsewhere.get(`/entries?q=${word}`)).entries).toMatchObject([{ id: entry.entry_id }])
  }
})
