/** Answers that go on: their events, and how they end. */
import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../../client/http/api.ts'
import { Http, type HttpOptions } from '../../../client/http/http.ts'
import { eventText, keepAlive } from '../../../contract/event-stream.ts'
import { answer, startPeer } from '../../support/peer.ts'

const head = (seq: number) => ({ event: 'head', data: { seq } }) as const
const begun = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })

async function all(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const event of events) seen.push(event)
  return seen
}

async function opened(options: Partial<HttpOptions>, ...answers: Parameters<typeof startPeer>) {
  const peer = await startPeer(...answers)
  const http = new Http({ url: peer.url, key: 'ph_live_1', ...options })
  onTestFinished(() => http.close('destroy'))
  return { peer, http, api: createApi(http) }
}

test('events come one by one, whatever pieces they travel in, and end where the server ends them', async () => {
  const { peer, api } = await opened({}, (response) => {
    const text = `${keepAlive}${eventText(head(1))}${keepAlive}${eventText(head(2))}`
    begun(response).write(text.slice(0, 20))
    setImmediate(() => response.end(text.slice(20)))
  })
  expect(await all(api.changes.live())).toEqual([head(1), head(2)])
  expect(peer.heard).toMatchObject([{ url: '/api/v1/catalog/changes/live', headers: { accept: 'text/event-stream' } }])
})

test('a connection that is cut, or says nothing at all for too long, ends with an error; a sign of life is enough', async () => {
  const { api } = await opened(
    { silenceMs: 1500 },
    (response) => begun(response).write(eventText(head(1)), () => setImmediate(() => response.destroy())),
    (response) => {
      begun(response)
      let left = 12
      const timer = setInterval(() => (left-- > 0 ? response.write(keepAlive) : clearInterval(timer)), 250)
      response.on('close', () => clearInterval(timer))
      setTimeout(() => response.write(eventText(head(2))), 2500)
    },
  )
  for (const seq of [1, 2]) {
    const seen: unknown[] = []
    const reading = (async () => {
      for await (const event of api.changes.live()) seen.push(event)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(seen).toEqual([head(seq)])
  }
})

test('a refusal is thrown as it is and not tried again; other requests do not wait for it', async () => {
  const envelope = { error: { code: 'RATE_LIMITED', message: 'Five are open.', details: {} } }
  const { peer, api } = await opened({}, answer(429, envelope), answer(200, { tags: [] }))
  const [refused, tags] = [all(api.changes.live()), api.tags.list()]
  await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED', message: 'Five are open.' })
  await tags
  expect(peer.heard).toHaveLength(2)
})

test.each([
  ['a page', 'text/html', '<html>'],
  ['nonsense', 'text/event-stream', 'data: nonsense\n\n'],
])('%s instead of events is no library', async (_what, type, body) => {
  const { api } = await opened({}, answer(200, body, { 'content-type': type }))
  await expect(all(api.changes.live())).rejects.toMatchObject({ code: 'NOT_A_LIBRARY' })
})

test('it ends by its signal with the reason, by leaving the loop without a word, and when the connection is closed', async () => {
  const closed: string[] = []
  const { http, api } = await opened({}, (response) => {
    begun(response).write(eventText(head(1)))
    response.on('close', () => closed.push('closed'))
  })
  const stop = new AbortController()
  const read = async (signal?: AbortSignal) => {
    for await (const _event of api.changes.live({}, { signal })) if (signal) stop.abort(new Error('enough'))
  }
  await expect(read(stop.signal)).rejects.toThrow('enough')
  for await (const event of api.changes.live()) {
    expect(event).toEqual(head(1))
    break
  }
  await expect.poll(() => closed).toHaveLength(2)
  const events = api.changes.live()[Symbol.asyncIterator]()
  await events.next()
  const end = events.next()
  await http.close()
  expect(await end).toMatchObject({ done: true })
})
