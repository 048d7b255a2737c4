// Whether a webhook comes from the library: what was signed passes, whatever was changed, is old or lies in the future does not.
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifySignature } from '../../../client/webhooks/verify-signature.ts'
import { signatureOf } from '../../../serving/webhook-signature.ts'

const secret = 'whsec_of the tests'
const body = Buffer.from('{"id":1,"text":"grüße"}')
const nowMs = Date.parse('2026-11-26T08:00:00Z')
const signature = signatureOf({ secret, body, now: new Date(nowMs) })
const check = (over: Partial<Parameters<typeof verifySignature>[0]> = {}) =>
  verifySignature({ secret, signature, body, nowMs, ...over })

test('what the server signs passes, as bytes and as text', () => {
  expect(signature).toBe(
    `t=${nowMs / 1000},v1=${createHmac('sha256', secret)
      .update(`${nowMs / 1000}.`)
      .update(body)
      .digest('hex')}`,
  )
  expect(check()).toBe(true)
  expect(check({ body: body.toString() })).toBe(true)
})

test('another secret, another body, another time, and none at all do not', () => {
  expect(check({ secret: 'whsec_of someone else' })).toBe(false)
  expect(check({ secret: '' })).toBe(false)
  expect(check({ body: Buffer.concat([body, Buffer.from(' ')]) })).toBe(false)
  expect(check({ signature: signature.replace(/t=\d/, 't=2') })).toBe(false)
  for (const given of [
    undefined,
    null,
    '',
    't=',
    'v1=',
    't=1',
    signature.toUpperCase(),
    signature.slice(0, -1),
    `${signature}0`,
    `,${signature}`,
  ])
    expect(check({ signature: given }), String(given)).toBe(false)
})

test('the age is checked in both directions', () => {
  for (const seconds of [-300, -299, 0, 299, 300]) expect(check({ nowMs: nowMs + seconds * 1000 }), String(seconds)).toBe(true)
  for (const seconds of [-86_400, -301, 301, 86_400])
    expect(check({ nowMs: nowMs + seconds * 1000 }), String(seconds)).toBe(false)
  expect(check({ nowMs: nowMs + 60_000, toleranceSeconds: 30 })).toBe(false)
  expect(check({ nowMs: Number.NaN })).toBe(false)
})

test('of several signatures, as while a secret is replaced, one has to fit', () => {
  expect(check({ signature: signature.replace(',', `,v1=${'0'.repeat(64)},`) })).toBe(true)
  expect(check({ signature: `${signature.split(',')[0]},v1=${'0'.repeat(64)}` })).toBe(false)
})

test('whatever a stranger sends is answered with no, and never with a failure', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), fc.uint8Array(), (given, bytes) => {
      expect(check({ signature: given, body: bytes })).toBe(false)
      expect(check({ signature: `t=${nowMs / 1000},v1=${given}`, body: bytes })).toBe(false)
    }),
    { seed: 21, numRuns: 300 },
  )
})
