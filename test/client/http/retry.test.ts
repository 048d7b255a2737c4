/** When a failed request is sent again (spec 7, retry guidance). */
import { expect, test } from 'vitest'
import { parseRetryAfter, retryDelayMs } from '../../../client/http/retry.ts'

const state = { failures: 1, waitedMs: 0, idempotent: true, seenAlive: true, limitMs: 120_000, random: () => 0 }
const status = (status: number, retryAfterMs?: number) => ({ kind: 'status', status, retryAfterMs }) as const

test('429 and 503 wait as long as they say, and jitter only adds', () => {
  expect(retryDelayMs(status(429, 3000), state)).toBe(3000)
  expect(retryDelayMs(status(503, 5000), { ...state, random: () => 1 })).toBe(6250)
})

test('503 without Retry-After backs off from two seconds, doubling up to half a minute', () => {
  const delays = [1, 2, 3, 4, 5, 6].map((failures) => retryDelayMs(status(503), { ...state, failures }))
  expect(delays).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('a disk that is full or broken waits for a person, and is not asked again', () => {
  for (const reason of ['disk_full', 'disk_failed']) expect(retryDelayMs({ ...status(503, 1000), reason }, state)).toBeUndefined()
  expect(retryDelayMs({ ...status(503), reason: 'database_away' }, state)).toBe(2000)
})

test('500 is tried once more, other refusals never', () => {
  expect(retryDelayMs(status(500), state)).toBe(500)
  expect(retryDelayMs(status(500), { ...state, failures: 2 })).toBeUndefined()
  for (const refused of [400, 401, 403, 404, 409, 412, 422, 426]) expect(retryDelayMs(status(refused), state)).toBeUndefined()
})

test('what the server may have acted on is repeated only when that does no harm', () => {
  const unsure = { ...state, idempotent: false }
  expect(retryDelayMs({ kind: 'network', reached: true }, unsure)).toBeUndefined()
  expect(retryDelayMs(status(502), unsure)).toBeUndefined()
  expect(retryDelayMs({ kind: 'network', reached: false }, unsure)).toBe(250)
  expect(retryDelayMs(status(503), unsure)).toBe(2000)
})

test('a server that never answered is given up after three attempts', () => {
  const never = { ...state, seenAlive: false }
  expect(retryDelayMs({ kind: 'network', reached: false }, { ...never, failures: 2 })).toBe(500)
  expect(retryDelayMs({ kind: 'network', reached: false }, { ...never, failures: 3 })).toBeUndefined()
})

test('all waits of one request stay within its limit', () => {
  expect(retryDelayMs(status(429, 30_000), { ...state, waitedMs: 90_000 })).toBe(30_000)
  expect(retryDelayMs(status(429, 30_001), { ...state, waitedMs: 90_000 })).toBeUndefined()
})

test('Retry-After is read as seconds and as a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(parseRetryAfter('7', now)).toBe(7000)
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000)
  expect(parseRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0)
  expect(parseRetryAfter('soon', now)).toBeUndefined()
  expect(parseRetryAfter(undefined, now)).toBeUndefined()
})
