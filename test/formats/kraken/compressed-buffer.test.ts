// The container of source data: what its header promises is checked before anything is made room for.
import { describe, expect, test } from 'vitest'
import { readCompressedBuffer } from '../../../formats/kraken/compressed-buffer.ts'
import { compressedBuffer, filledStream, storedStream } from '../../support/kraken-streams.ts'

const blockBytes = 1 << 18
const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })
const raw = Buffer.from('raw bytes')
const stored = compressedBuffer({ method: 0, compressor: 0, exponent: 0, blocks: [raw], rawSize: raw.length })
const coded = compressedBuffer({ blocks: [filledStream(7), raw], rawSize: blockBytes + raw.length })
const codedRaw = Buffer.concat([Buffer.alloc(blockBytes, 7), raw])

test('stored bytes are a view of the buffer, blocks are decoded or taken as they are', () => {
  const view = readCompressedBuffer(stored)
  expect(view.buffer).toBe(stored.buffer)
  expect(Buffer.from(view)).toEqual(raw)
  expect(Buffer.from(readCompressedBuffer(coded))).toEqual(codedRaw)
})

test('a buffer may go on, begin anywhere in memory, and have smaller blocks or none', () => {
  for (const [buffer, expected] of [
    [stored, raw],
    [coded, codedRaw],
    [
      compressedBuffer({ exponent: 3, blocks: [storedStream(Buffer.from('12345678')), Buffer.of(1)], rawSize: 9 }),
      Buffer.from('12345678\x01'),
    ],
    [compressedBuffer({ blocks: [], rawSize: 0 }), Buffer.alloc(0)],
  ] as const) {
    const around = Buffer.concat([Buffer.alloc(3, 0xb7), buffer, Buffer.alloc(70, 0xb7)])
    expect(Buffer.from(readCompressedBuffer(around.subarray(3)))).toEqual(expected)
  }
})

test('a buffer cut off anywhere is truncated', () => {
  for (const buffer of [stored, coded])
    for (let length = 0; length < buffer.length; length++)
      expect(() => readCompressedBuffer(buffer.subarray(0, length))).toThrow(refusal('truncated'))
})

/** A copy with a field of the header set. */
function lie(buffer: Buffer, field: 'blocks' | 'raw' | 'total', value: bigint): Buffer {
  const copy = Buffer.from(buffer)
  if (field === 'blocks') copy.writeUInt32BE(Number(value), 12)
  else copy.writeBigUInt64BE(BigInt.asUintN(64, value), field === 'raw' ? 16 : 24)
  return copy
}

describe('sizes that lie', () => {
  test('more than 512 MiB are refused as too large, 512 MiB are not', () => {
    const limit = 512n * 1024n * 1024n
    for (const size of [limit + 1n, 1n << 40n])
      for (const buffer of [stored, coded])
        expect(() => readCompressedBuffer(lie(buffer, 'raw', size))).toThrow(refusal('too-large'))
    expect(() => readCompressedBuffer(lie(coded, 'raw', limit))).toThrow(refusal('damaged'))
  })

  test.each<['blocks' | 'raw' | 'total', bigint]>([
    ['blocks', 0n],
    ['blocks', 3n],
    ['blocks', 0xffff_ffffn],
    ['raw', 0n],
    ['raw', BigInt(blockBytes)],
    ['raw', BigInt(blockBytes + 10)],
    ['raw', -1n],
    ['raw', -(1n << 63n)],
    ['total', 0n],
    ['total', 63n],
    ['total', 64n],
    ['total', BigInt(coded.length - 1)],
    ['total', BigInt(coded.length + 1)],
    ['total', -1n],
    ['total', (1n << 53n) - 1n],
  ])('%s of %i are damaged', (field, value) => {
    expect(() => readCompressedBuffer(lie(coded, field, value))).toThrow(refusal('damaged'))
    if (field !== 'blocks') expect(() => readCompressedBuffer(lie(stored, field, value))).toThrow(refusal('damaged'))
  })

  test('no blocks for less than no bytes are damaged', () => {
    const empty = compressedBuffer({ blocks: [], rawSize: 0 })
    expect(() => readCompressedBuffer(lie(empty, 'raw', -1n))).toThrow(refusal('damaged'))
    expect(() => readCompressedBuffer(lie(lie(stored, 'raw', -1n), 'total', 63n))).toThrow(refusal('damaged'))
  })

  test('as many blocks as 512 MiB need, of which the file holds the sizes only, cost nothing', () => {
    const empty = Array.from({ length: 2048 }, () => Buffer.alloc(0))
    expect(() => readCompressedBuffer(compressedBuffer({ blocks: empty, rawSize: 512 * 1024 * 1024 }))).toThrow(
      refusal('damaged'),
    )
    const tiny = lie(compressedBuffer({ exponent: 0, blocks: [], rawSize: 0 }), 'raw', 1n << 29n)
    expect(() => readCompressedBuffer(lie(tiny, 'blocks', 1n << 29n))).toThrow(refusal('truncated'))
  })

  test('a block that is larger than what it gives, or empty, is damaged', () => {
    for (const block of [Buffer.alloc(raw.length + 1), Buffer.alloc(0)])
      expect(() => readCompressedBuffer(compressedBuffer({ blocks: [block], rawSize: raw.length }))).toThrow(refusal('damaged'))
  })
})

test.each([
  ['LZ4 compression', { method: 4 }],
  ['compression method 1', { method: 1 }],
  ['Selkie compression', { compressor: 1 }],
  ['Mermaid compression', { compressor: 2 }],
  ['Leviathan compression', { compressor: 4 }],
  ['unknown compression', { compressor: 9 }],
  ['blocks of 2^19 bytes', { exponent: 19 }],
  ['blocks of 2^255 bytes', { exponent: 255 }],
])('%s is named and refused as unsupported', (variant, form) => {
  const buffer = compressedBuffer({ blocks: [filledStream(1)], rawSize: 100, ...form })
  expect(() => readCompressedBuffer(buffer)).toThrow(refusal('unsupported'))
  expect(() => readCompressedBuffer(buffer)).toThrow(variant)
})

test('other bytes are not this format', () => {
  expect(() => readCompressedBuffer(Buffer.alloc(100))).toThrow(refusal('not-this-format'))
  expect(() => readCompressedBuffer(Buffer.alloc(0))).toThrow(refusal('truncated'))
})
