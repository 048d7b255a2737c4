// Bits from either end of a range, never from outside of it.
import { expect, test } from 'vitest'
import { BitReader } from '../../../formats/kraken/bit-reader.ts'

const bytes = Buffer.from('ffffffffc5000381ffffffff', 'hex')
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
const span = { from: 4, to: 8 }
const refusal = expect.objectContaining({ name: 'FormatError', reason: 'damaged' })

test('the highest bit of a byte comes first, from either end', () => {
  const forward = new BitReader(view, span, 'forward')
  const backward = new BitReader(view, span, 'backward')
  expect([forward.bits(2), forward.bits(0), forward.peek(3), forward.bits(6), forward.takenBytes]).toEqual([3, 0, 0, 5, 1])
  expect([backward.bits(1), backward.zeros(24), backward.bits(1), backward.bits(14), backward.takenBytes]).toEqual([
    1, 6, 1, 192, 3,
  ])
})

test('neither takes a bit from outside the range', () => {
  for (const direction of ['forward', 'backward'] as const) {
    const reader = new BitReader(view, span, direction)
    reader.skip(31)
    reader.bits(1)
    expect(() => reader.bits(1)).toThrow(refusal)
  }
})

test('more zeros than a number may have are damage', () => {
  const reader = new BitReader(view, { from: 5, to: 8 }, 'forward')
  expect(() => reader.zeros(13)).toThrow(refusal)
  expect(reader.zeros(14)).toBe(14)
})
