/** How many requests at once behave when the server asks for patience. */
import { expect, onTestFinished, test } from 'vitest'
import { Http, type WaitEvent } from '../../../client/http/http.ts'
import { answer, startPeer } from '../../support/peer.ts'

/** A server that takes so many requests a window, counted by a clock that only waiting moves. */
async function limitedServer(most: number, windowMs: number) {
  let nowMs = 0
  let taken: number[] = []
  let refused = 0
  const peer = await startPeer((response, heard) => {
    taken = taken.filter((atMs) => nowMs - atMs < windowMs)
    if (taken.length < most) {
      taken.push(nowMs)
      return answer(200, { ok: true })(response, heard)
    }
    refused++
    const seconds = Math.ceil((windowMs - (nowMs - (taken[0] ?? 0))) / 1000)
    answer(429, { error: 'Too many requests.' }, { 'retry-after': String(seconds) })(response, heard)
  })
  const waits: WaitEvent[] = []
  const http = new Http({
    url: peer.url,
    onWait: (event) => waits.push(event),
    pause: async (ms, signal) => {
      signal?.throwIfAborted()
      nowMs += ms
    },
  })
  onTestFinished(() => http.close('destroy'))
  return { http, waits, refusals: () => refused, passed: () => peer.heard.length - refused, elapsedMs: () => nowMs }
}

const get = { method: 'GET', path: '/entries' } as const

test('many requests at once all get through a small budget, and none of them is given up', async () => {
  const { http, refusals, passed, elapsedMs } = await limitedServer(5, 60_000)
  const all = await Promise.all(Array.from({ length: 60 }, () => http.json(get)))
  expect(all).toHaveLength(60)
  expect(passed()).toBe(60)
  // Twelve windows of five; each takes the refusal of one that asks again, and of those that were on their way with it.
  expect(elapsedMs()).toBeGreaterThanOrEqual(11 * 60_000)
  expect(refusals()).toBeLessThan(12 * 8)
})

test('while one request waits, those behind it are not sent', async () => {
  const { http, refusals } = await limitedServer(1, 60_000)
  await Promise.all(Array.from({ length: 30 }, () => http.json(get)))
  // Each is refused once, as the budget is used up again by the one before it; the first burst, of eight connections, costs its own.
  expect(refusals()).toBeLessThanOrEqual(29 + 7)
})

test('one wait is told, not one for each request that waits behind it', async () => {
  const { http, waits } = await limitedServer(10, 60_000)
  await Promise.all(Array.from({ length: 20 }, () => http.json(get)))
  expect(waits).toEqual([expect.objectContaining({ for: 'budget', reason: 'Too many requests.', failures: 1 })])
})

test('one budget that is used up does not hold back the other', async () => {
  let isHeld = true
  const peer = await startPeer((response, heard) => {
    const isPush = heard.url.includes('/push/')
    if (isPush || !isHeld) answer(200, { ok: true })(response, heard)
    else answer(429, { error: 'Too many.' }, { 'retry-after': '30' })(response, heard)
  })
  const waiting = Promise.withResolvers<void>()
  const http = new Http({ url: peer.url, pause: () => waiting.promise })
  onTestFinished(() => http.close('destroy'))
  const general = http.json(get)
  expect(await http.json({ method: 'GET', path: '/push/limits', budget: 'push' })).toEqual({ ok: true })
  isHeld = false
  waiting.resolve()
  expect(await general).toEqual({ ok: true })
})

test('a request that waits in line can be called off, and the line goes on', async () => {
  const waiting = Promise.withResolvers<void>()
  let refusals = 0
  const peer = await startPeer((response, heard) => {
    if (++refusals > 1) return answer(200, { ok: true })(response, heard)
    answer(429, { error: 'Too many.' }, { 'retry-after': '30' })(response, heard)
  })
  const told = Promise.withResolvers<void>()
  const http = new Http({ url: peer.url, pause: () => waiting.promise, onWait: () => told.resolve() })
  onTestFinished(() => http.close('destroy'))
  const first = http.json(get)
  await told.promise
  const stopping = new AbortController()
  const second = http.json({ ...get, signal: stopping.signal })
  const third = http.json(get)
  stopping.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  waiting.resolve()
  expect(await Promise.all([first, third])).toEqual([{ ok: true }, { ok: true }])
  expect(peer.heard).toHaveLength(3)
})

test('a server that says "at once" without end is given up', async () => {
  const peer = await startPeer(answer(429, { error: 'No.' }, { 'retry-after': '0' }))
  const http = new Http({ url: peer.url, pause: async () => {} })
  onTestFinished(() => http.close('destroy'))
  await expect(http.json(get)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect(peer.heard.length).toBeLessThan(40)
})
