/** Whether the library still is the one that is remembered: read off the change feed. */
import { expect, test } from 'vitest'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import { findFeedEnd, followFeed, followOwnFeed } from '../../../client/memory/feed.ts'
import { callAs } from '../../support/api.ts'
import { answer, startPeer } from '../../support/peer.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

async function library() {
  const { url, keys } = await server.addWorkspace()
  return { api: callAs(url, keys.mia), calls: createApi(new Http({ url, key: keys.mia })) }
}

test('at the end of the feed there is no news, and after a push there is, up to a new end', async () => {
  const { api, calls } = await library()
  await pushed(api, [item()])
  const end = await findFeedEnd(calls)
  expect(end?.head).not.toBeNull()
  const same = end && (await followFeed(calls, end))
  expect(same).toEqual({ position: end, goneObjects: [], goneEntries: [], changedObjects: [] })
  await pushed(api, [item(), item()])
  const later = end && (await followFeed(calls, end))
  expect(later?.position.cursor).toBeGreaterThan(end?.cursor ?? 0)
  expect(later?.changedObjects).toHaveLength(2)
  expect(await findFeedEnd(calls)).toEqual(later?.position)
})

test('an empty library has its beginning as its end', async () => {
  const { api, calls } = await library()
  expect(await findFeedEnd(calls)).toMatchObject({ cursor: 0, head: null })
  await pushed(api, [item()])
  expect((await followFeed(calls, { cursor: 0, head: null }))?.position).toEqual(await findFeedEnd(calls))
})

test("a position of another library's history is not followed, whether it is beyond the end or holds another record", async () => {
  const [one, other] = [await library(), await library()]
  await pushed(one.api, [item(), item(), item()])
  await pushed(other.api, [item()])
  const [end, otherEnd] = [await findFeedEnd(one.calls), await findFeedEnd(other.calls)]
  expect(end && (await followFeed(other.calls, end))).toBeUndefined()
  expect(otherEnd && (await followFeed(one.calls, otherEnd))).toBeUndefined()
})

const record = (seq: number, entity_id: number, op = 'upsert') => ({
  seq,
  entity: 'object',
  entity_id,
  lineage_id: `L${entity_id}`,
  op,
})
const page = (changes: object[], next_cursor: number, reset = false) => answer(200, { changes, next_cursor, reset })
const head = { entity: 'object', entity_id: 5, lineage_id: 'L5' }

async function follow(...answers: Parameters<typeof startPeer>) {
  const peer = await startPeer(...answers)
  const http = new Http({ url: peer.url })
  const news = await followFeed(createApi(http), { cursor: 10, head })
  await http.close()
  return { news, asked: peer.heard.map(({ url }) => new URL(url, peer.url).searchParams.get('cursor')) }
}

test('deletions after the position are told, those before it are not', async () => {
  const { news, asked } = await follow(
    page([record(10, 5), record(11, 6, 'delete'), { ...record(12, 7, 'delete'), entity: 'entry' }], 12),
  )
  expect(asked).toEqual(['9'])
  expect(news).toMatchObject({ position: { cursor: 12 }, goneObjects: [6], goneEntries: [7] })
})

test('a record that changed again within the page still proves the history', async () => {
  const { news } = await follow(page([record(13, 5)], 13))
  expect(news?.position.cursor).toBe(13)
})

test('a position whose record is not kept any more counts as long as a version known from then is there', async () => {
  const { api, calls } = await library()
  const [result] = await pushed(api, [item()])
  const end = (await findFeedEnd(calls)) ?? expect.fail('there is no end')
  const forgotten = { cursor: end.cursor, head: null }
  const { lineage_id: lineageId, object_id: objectId, content_hash: hash } = result
  expect(await followFeed(calls, forgotten, { witness: { lineageId, objectId, hash } })).toMatchObject({
    position: { cursor: end.cursor },
  })
  expect(await followFeed(calls, forgotten, { witness: { lineageId, objectId: objectId + 1, hash } })).toBeUndefined()
  expect(await followFeed(calls, forgotten, { witness: { lineageId: 'lin_of_another_library', objectId, hash } })).toBeUndefined()
})

test('a feed that forgot the position, or is longer than it is worth reading, is not followed', async () => {
  expect((await follow(page([], 99, true))).news).toBeUndefined()
  expect((await follow(page([], 99, true), page([], 10))).news).toMatchObject({ position: { cursor: 10, head: null } })
  const { news, asked } = await follow((response, { url }) => {
    const cursor = Number(new URLSearchParams(url.split('?')[1]).get('cursor'))
    page([record(cursor + 1, 5)], cursor + 1000)(response, { method: '', url, headers: {}, body: '' })
  })
  expect(news).toBeUndefined()
  expect(asked.length).toBe(50)
})

test('what a push registered itself is followed to its end, however much it is', async () => {
  const end = 120_000
  const peer = await startPeer((response, { url }) => {
    const cursor = Number(new URLSearchParams(url.split('?')[1]).get('cursor'))
    const next = Math.min(cursor + 1000, end)
    page(cursor < end ? [record(next, next)] : [], next)(response, { method: '', url, headers: {}, body: '' })
  })
  const http = new Http({ url: peer.url })
  const calls = createApi(http)
  expect(await followFeed(calls, { cursor: 0, head: null })).toBeUndefined()
  expect(await followOwnFeed(calls, { cursor: 0, head: null }, 40_000)).toMatchObject({ position: { cursor: end } })
  await http.close()
})
