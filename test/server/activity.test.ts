// The activity feed read onwards: from an event on, oldest first, event by event or collapsed, of some types (contract-gaps 9).
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { answered, refusal, roomWith, say } from '../support/discussion.ts'
import { commitOf, item, pushed, upload } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)

const read = async (who: Caller, query: string): Promise<Json> => answered(await who.get(`/activity?${query}`))
const idsOf = ({ events }: Json): number[] => events.map(({ id }: Json) => id)

/** Everything after an event, as someone who follows asks for it. */
async function readOn(who: Caller, query: string, from = 0): Promise<Json[]> {
  const seen: Json[] = []
  for (let after: number | null = from; after !== null; ) {
    const page: Json = await read(who, `after=${after}&collapse=false&${query}`)
    seen.push(...page.events)
    after = page.next_cursor
  }
  return seen
}

test('after an event the later ones follow, oldest first, page after page, each once', async () => {
  const { mia, max, entry } = await roomWith(server)
  for (const body of ['one', 'two', 'three', 'four']) await say(max, entry.entry_id, { body })
  const newest = idsOf(await read(mia, 'collapse=false'))
  expect(newest).toHaveLength(5)
  for (const limit of [1, 2, 200]) expect((await readOn(mia, `limit=${limit}`)).map(({ id }) => id)).toEqual(newest.toReversed())
  expect((await readOn(mia, '', newest[1])).map(({ id }) => id)).toEqual(newest.slice(0, 1))
  expect(await read(mia, `after=${newest[0]}`)).toMatchObject({ events: [], next_cursor: null })
})

test('a bulk action is one event, or with collapse=false each of them, in both directions', async () => {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  await pushed(mia, [item(), item(), item()])
  expect((await read(mia, '')).events).toMatchObject([{ id: 3, count: 3 }])
  expect((await read(mia, 'after=0')).events).toMatchObject([{ id: 3, count: 3 }])
  expect(idsOf(await read(mia, 'collapse=false'))).toEqual([3, 2, 1])
  const each = (await read(mia, 'after=0&collapse=false')).events
  expect(each).toMatchObject([
    { id: 1, count: 1 },
    { id: 2, count: 1 },
    { id: 3, count: 1 },
  ])
})

test('types narrow it, in pages that are whole; a type that nobody knows is nothing', async () => {
  const { mia, max, entry } = await roomWith(server)
  const { id } = await say(max, entry.entry_id)
  await mia.post(`/comments/${id}/resolve`)
  await say(max, entry.entry_id)
  const typesOf = ({ events }: Json) => events.map(({ event_type }: Json) => event_type)
  expect(typesOf(await read(mia, 'type=comment.create&type=comment.resolve&limit=3'))).toEqual([
    'comment.create',
    'comment.resolve',
    'comment.create',
  ])
  expect((await readOn(mia, 'type=comment.create&limit=1')).map(({ event_type }) => event_type)).toHaveLength(2)
  expect(await read(mia, 'type=comment.sing')).toMatchObject({ events: [], next_cursor: null })
})

test('reading on and reading back do not go together, and after is a number from 0', async () => {
  const { mia } = await roomWith(server)
  for (const query of ['after=1&cursor=5', 'after=-1', 'after=x', 'type=', 'collapse=perhaps'])
    expect(refusal(await mia.get(`/activity?${query}`)), query).toEqual([422, 'VALIDATION'])
})

test('who reads on while many write misses no event and sees none twice', async () => {
  const { url, keys } = await server.addWorkspace()
  const writers = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam), callAs(url, keys.olivia)]
  const batches = Array.from({ length: 16 }, (_, n) => Array.from({ length: n % 4 === 0 ? 20 : 1 }, () => item()))
  await Promise.all(batches.map((batch, n) => upload(writers[n % 4] as Caller, batch)))
  const reader = callAs(url, keys.miaReads)
  let writing = true
  const seen: number[] = []
  const reading = (async () => {
    for (let last = false; !last; ) {
      last = !writing
      seen.push(...(await readOn(reader, 'limit=3', seen.at(-1) ?? 0)).map(({ id }) => id))
    }
  })()
  await Promise.all(batches.map((batch, n) => commitOf(writers[n % 4] as Caller, batch)))
  writing = false
  await reading
  expect(seen).toEqual(Array.from({ length: 4 * 20 + 12 }, (_, at) => at + 1))
})
