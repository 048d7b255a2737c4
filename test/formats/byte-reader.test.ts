// The bounded reader under every format.
import { expect, test } from 'vitest'
import { ByteReader } from '../../formats/byte-reader.ts'

const bytes = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9])

test('numbers are read in the byte order that is set', () => {
  const reader = new ByteReader(bytes, { what: 'sample' })
  expect([reader.u8(), reader.u16(), reader.u32()]).toEqual([1, 0x0302, 0x07060504])
  reader.littleEndian = false
  reader.seek(0)
  expect([reader.u8(), reader.u16(), reader.i32()]).toEqual([1, 0x0203, 0x04050607])
  expect(reader.left).toBe(2)
})

test('a view into a larger buffer sees its own bytes only', () => {
  const reader = new ByteReader(bytes.subarray(2, 4), { what: 'sample' })
  expect(reader.u16()).toBe(0x0403)
  expect(() => reader.u8()).toThrow(expect.objectContaining({ name: 'FormatError', reason: 'truncated' }))
})

test('reading, skipping or seeking past the end fails without moving the cursor', () => {
  const reader = new ByteReader(bytes, { what: 'sample', pastEnd: 'damaged' })
  reader.skip(7)
  const past = [() => reader.u32(), () => reader.skip(3), () => reader.take(-1), () => reader.seek(10), () => reader.utf16(2)]
  for (const read of past) expect(read).toThrow(expect.objectContaining({ name: 'FormatError', reason: 'damaged' }))
  expect(reader.offset).toBe(7)
})

test('a count is refused when its elements could not fit into the bytes left', () => {
  const counted = (count: number) => {
    const head = Buffer.alloc(12)
    head.writeInt32LE(count)
    return new ByteReader(head, { what: 'sample' }).count('names', 4)
  }
  expect(counted(2)).toBe(2)
  for (const count of [3, 0x7fffffff]) expect(() => counted(count)).toThrow(expect.objectContaining({ reason: 'truncated' }))
  expect(() => counted(-1)).toThrow(expect.objectContaining({ reason: 'damaged' }))
})

test('64-bit sizes beyond what a double holds exactly are damage', () => {
  const at = (value: bigint) => {
    const cell = Buffer.alloc(8)
    cell.writeBigInt64LE(value)
    return new ByteReader(cell, { what: 'sample' })
  }
  expect(at(-1n).i64()).toBe(-1)
  expect(() => at(2n ** 53n).i64()).toThrow(expect.objectContaining({ reason: 'damaged' }))
})

test('UTF-16 text follows the byte order and is always well formed', () => {
  const reader = new ByteReader(Buffer.from([0x30, 0x42, 0xd8, 0x00]), { what: 'sample', littleEndian: false })
  expect(reader.utf16(2)).toBe('あ\ufffd')
  expect(reader.bytes[0]).toBe(0x30)
})
