/** Watches: said, begun by taking part, or there because someone created the entry; muted persists (spec 4.11; contract-gaps 6a). */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

async function library() {
  const { url, keys } = await server.addWorkspace()
  const [olivia, adam, mia, max] = [keys.olivia, keys.adam, keys.mia, keys.max].map((key) => callAs(url, key))
  if (!olivia || !adam || !mia || !max) throw new Error('a workspace has four people')
  return { olivia, adam, mia, max, reads: callAs(url, keys.miaReads), url, keys }
}
const entryOf = async (who: Json): Promise<Json> => (await pushed(who, [item()]))[0]
const none = { watching: false, state: null, reason: null, implicit: false }
const implicit = { watching: true, state: 'watching', reason: 'creator', implicit: true }
const manual = { watching: true, state: 'watching', reason: 'manual', implicit: false }
const muted = { watching: false, state: 'muted', reason: 'manual', implicit: false }

test('who created an entry watches it without saying so, others do not; what is said counts until it is taken back', async () => {
  const { mia, max, reads } = await library()
  const { entry_id } = await entryOf(mia)
  const at = `/entries/${entry_id}/watch`
  expect((await reads.get(at)).body).toEqual({ entry_id, ...implicit })
  expect((await max.get(at)).body).toEqual({ entry_id, ...none })
  for (const who of [mia, max]) {
    expect((await who.put(at, {})).body).toEqual({ entry_id, ...manual })
    expect((await who.put(at, { state: 'muted' })).body).toEqual({ entry_id, ...muted })
  }
  expect((await mia.del(at)).body).toEqual({ entry_id, ...implicit })
  expect((await max.del(at)).body).toEqual({ entry_id, ...none })
})

test('taking part in a review starts a watch, and never of an entry that is muted', async () => {
  const { mia, max, adam } = await library()
  const { entry_id, object_id } = await entryOf(mia)
  const at = `/entries/${entry_id}/watch`
  await adam.put(at, { state: 'muted' })
  for (const who of [max, adam])
    expect((await who.put(`/entries/${entry_id}/review`, { object_id, state: 'approved' })).status).toBe(200)
  expect((await max.get(at)).body).toEqual({ entry_id, ...manual, reason: 'participating' })
  expect((await adam.get(at)).body).toEqual({ entry_id, ...muted })
})

test('the list holds what was said and what was created, each once, newest first, page by page', async () => {
  const { mia, max } = await library()
  const entries: Json[] = []
  for (let n = 0; n < 5; n++) {
    entries.unshift(await entryOf(n % 2 ? max : mia))
    server.clock.advance(1000)
  }
  const ids = entries.map((entry) => entry.entry_id)
  await mia.put(`/entries/${ids[0]}/watch`, { state: 'muted' })
  server.clock.advance(1000)
  await mia.put(`/entries/${ids[3]}/watch`, {})
  const { body } = await mia.get('/watches')
  expect(body.watches.map((watch: Json) => [watch.entry_id, watch.state, watch.reason])).toEqual([
    [ids[3], 'watching', 'manual'],
    [ids[0], 'muted', 'manual'],
    [ids[2], 'watching', 'creator'],
    [ids[4], 'watching', 'creator'],
  ])
  expect(body.next_cursor).toBeNull()
  for (const limit of [1, 2, 3]) {
    const seen: Json[] = []
    let cursor: string | null = null
    do {
      const page: Json = (await mia.get(`/watches?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)).body
      seen.push(...page.watches)
      cursor = page.next_cursor
    } while (cursor)
    expect(seen, `limit ${limit}`).toEqual(body.watches)
  }
  for (const bad of ['limit=0', 'limit=1001', 'cursor=abc']) expect((await mia.get(`/watches?${bad}`)).status).toBe(422)
})
