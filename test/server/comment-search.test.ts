// Words of comments are found by the search of entries, and stop being found when nobody says them any more (spec 4.2; contract-gaps 6).
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { answered, refusal, roomWith, say } from '../support/discussion.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

const hits = async (caller: Caller, q: string): Promise<Json[]> =>
  answered(await caller.get(`/entries?q=${encodeURIComponent(q)}`)).entries
const found = async (caller: Caller, q: string): Promise<number[]> => (await hits(caller, q)).map((entry) => entry.id)

test('a word is found at once when it is said, edited in, edited out and deleted with its thread', async () => {
  const { mia, max, entry } = await roomWith(server)
  expect(await found(mia, 'quixotryx')).toEqual([])
  const top = await say(mia, entry.entry_id, { body: 'the Quixotryx is loose' })
  expect(await hits(max, 'quixo')).toMatchObject([{ id: entry.entry_id, matched: ['comments'] }])
  const reply = await say(max, entry.entry_id, { body: 'plainly zyzzogeton', parent_id: top.id })
  expect(await found(mia, 'zyzzogeton quixotryx')).toEqual([entry.entry_id])
  answered(await mia.patch(`/comments/${top.id}`, { body: 'the barrel is loose' }))
  expect(await found(mia, 'quixotryx')).toEqual([])
  expect(await found(mia, '"barrel is loose"')).toEqual([entry.entry_id])
  answered(await mia.del(`/comments/${top.id}`), 204)
  for (const word of ['barrel is loose', 'zyzzogeton']) expect(await found(mia, `"${word}"`)).toEqual([])
  expect(refusal(await max.patch(`/comments/${reply.id}`, { body: 'x' }))).toEqual([404, 'COMMENT_NOT_FOUND'])
})

test('words of comments stay found when the entry itself changes, and after the server starts again', async () => {
  const { mia, keys, slug, entry } = await roomWith(server)
  expect(await found(mia, 'pleonasm')).toEqual([])
  await say(mia, entry.entry_id, { body: 'pleonasm' })
  answered(await mia.patch(`/entries/${entry.entry_id}`, { category: 'Chairs' }))
  expect(await found(mia, 'pleonasm chairs')).toEqual([entry.entry_id])
  await server.restart()
  const again = callAs(`${server.url}/w/${slug}`, keys.mia)
  expect(await found(again, 'pleonasm chairs')).toEqual([entry.entry_id])
})

test('a comment writes no change record, and mirrors see their feed stand still', async () => {
  const { mia, entry } = await roomWith(server)
  const head = async () => answered(await mia.get('/catalog/changes?limit=1000')).next_cursor
  const before = await head()
  await say(mia, entry.entry_id, { body: 'nothing to mirror' })
  expect(await head()).toBe(before)
})

test('an entry that is deleted with the newest comment of all leaves search as it was for the others', async () => {
  const { mia, adam, entry } = await roomWith(server)
  const [other] = await pushed(mia, [item()])
  await found(mia, 'warm')
  await say(mia, other.entry_id, { body: 'abracadabra' })
  await say(mia, entry.entry_id, { body: 'abracadabra' })
  answered(await adam.del(`/entries/${entry.entry_id}`), 204)
  expect(await found(mia, 'abracadabra')).toEqual([other.entry_id])
  await say(mia, other.entry_id, { body: 'hocuspocus' })
  expect(await found(mia, 'hocuspocus')).toEqual([other.entry_id])
})

test('of an entry that is talked about without end, the first hundred thousand characters are searched', async () => {
  const { mia, entry } = await roomWith(server)
  for (let n = 0; n < 25; n++) await say(mia, entry.entry_id, { body: `w${n} `.padEnd(4000, 'x ') })
  await say(mia, entry.entry_id, { body: 'beyond' })
  expect(await found(mia, 'w24')).toEqual([entry.entry_id])
  expect(await found(mia, 'beyond')).toEqual([])
})
