// Entropy-coded arrays in every form that is known, and what is refused of them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ArrayReader } from '../../../formats/kraken/coded-array.ts'
import { DecoderMemory, maxChunkBytes } from '../../../formats/kraken/memory.ts'
import {
  bitsOf,
  codedArray,
  fewSymbols,
  huffmanArray,
  huffmanBytes,
  type Lengths,
  manySymbols,
  packBits,
  rawArray,
} from '../../support/kraken-arrays.ts'

/** Reads arrays that follow each other; the bytes before and behind them are noise, which no reader may depend on. */
function readArrays(bytes: Uint8Array, ...most: number[]): Buffer[] {
  const memory = new DecoderMemory(maxChunkBytes * 2)
  memory.input.fill(0xa5)
  const reader = new ArrayReader(memory)
  reader.enter(memory.load(bytes))
  const spans = most.map((limit) => reader.read(limit))
  expect(reader.left.from).toBe(reader.left.to)
  return spans.map(({ from, to }) => Buffer.from(memory.arrays.subarray(from, to)))
}

const readArray = (bytes: Uint8Array): Buffer => readArrays(bytes, maxChunkBytes)[0] ?? expect.fail('no array')
const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })

/** `packed` as a run-length array of `rawBytes`. */
const runs = (rawBytes: number, ...packed: number[]) => codedArray(3, Buffer.from(packed), { rawBytes })
const repeated = (length: number, byte: number) => Buffer.alloc(length, byte)
const ascii = (text: string) => Buffer.from(text, 'latin1')

test.each([0, 1, 4095])('a raw array of %i bytes is read behind a header of two bytes and of three', (length) => {
  const bytes = repeated(length, 7)
  expect(readArray(rawArray(bytes, 2))).toEqual(bytes)
  expect(readArray(rawArray(bytes, 3))).toEqual(bytes)
})

test('arrays follow each other, whatever their coding', () => {
  const bytes = Buffer.concat([rawArray(ascii('first'), 2), runs(300, 9), rawArray(ascii('third'), 3)])
  expect(readArrays(bytes, 5, 300, 5)).toEqual([ascii('first'), repeated(300, 9), ascii('third')])
})

describe('a run-length array', () => {
  test('of a single byte repeats it, behind either header', () => {
    expect(readArray(runs(100_000, 0x5a))).toEqual(repeated(100_000, 0x5a))
    expect(readArray(codedArray(3, Buffer.of(0), { rawBytes: 700, headerBytes: 3 }))).toEqual(repeated(700, 0))
  })

  // Commands stand at the end and are read from there; the run byte is 0 until one sets it.
  test.each<[string, Buffer, number[]]>([
    ['copies up to 15 bytes', ascii('fifteen letters'), [...ascii('fifteen letters'), 0x00]],
    ['copies and then runs, in one byte', Buffer.concat([ascii('ab'), repeated(15, 0)]), [...ascii('ab'), 0xfd]],
    ['runs 3 of the byte that was set', ascii('zzz'), [0x7a, 0x3f, 0x01]],
    ['copies and runs, in two bytes', Buffer.concat([ascii('abc'), repeated(5, 0)]), [...ascii('abc'), 0x43, 0x11]],
    ['runs up to 127, in two bytes', repeated(127, 0), [0xc0, 0x2f]],
    ['runs a multiple of 128', repeated(256, 0), [0x01, 0x09]],
    ['runs a large multiple of 128', repeated(1024 * 128, 0), [0xff, 0x0c]],
    ['copies a multiple of 64', ascii('x'.repeat(128)), [...ascii('x'.repeat(128)), 0x01, 0x02]],
  ])('%s', (_, expected, packed) => {
    expect(readArray(runs(expected.length, 0, ...packed))).toEqual(expected)
  })

  test('may hold its first bytes as an array of their own, raw or Huffman', () => {
    const expected = Buffer.concat([repeated(3, 0), ascii('ab'), repeated(3, 0), ascii('cd'), repeated(3, 0)])
    const commands = Buffer.of(0x3d, 0x3d, 0x3f)
    const lengths: Lengths = [...ascii('abcd')].map((symbol) => [symbol, 2])
    for (const first of [
      Buffer.concat([Buffer.of(0), ascii('abcd')]),
      rawArray(ascii('abcd'), 2),
      huffmanArray(ascii('abcd'), { lengths }),
    ])
      expect(readArray(runs(13, ...first, ...commands))).toEqual(expected)
  })

  test.each([
    ['without a byte', 4, []],
    ['whose copies meet its commands too early', 15, [0, 0x61, 0x00]],
    ['that gives too little', 4, [0, 0x3f]],
    ['that gives too much', 2, [0, 0x3f]],
    ['that gives too much of 128', 127, [0, 0x00, 0x09]],
    ['whose run byte is missing', 3, [0, 0x01]],
    ['whose second command byte is missing', 3, [0, 0x11]],
    ['with literals that no command copies', 3, [0, 0x61, 0x61, 0x3f]],
  ])('%s is damaged', (_, rawBytes, packed) => {
    expect(() => readArray(runs(rawBytes, ...packed))).toThrow(refusal('damaged'))
  })

  test('with more commands than its chunk could need is damaged, before they are unpacked', () => {
    const memory = new DecoderMemory(1000)
    const arrays = new ArrayReader(memory)
    const manyBytes = codedArray(2, packBits(oneSymbol), { rawBytes: 200_000 })
    arrays.enter(memory.load(runs(900, ...manyBytes, 0x3f)))
    expect(() => arrays.read(1000)).toThrow(refusal('damaged'))
  })

  test('whose commands are run-length again is refused', () => {
    expect(() => readArray(runs(3, ...runs(3, 9), 0x3f))).toThrow(refusal('unsupported'))
  })
})

/** A complete code: splits leaves of a tree of depth 11 until there is one for each symbol. */
const completeCode = fc
  .record({ symbols: fc.uniqueArray(fc.nat(255), { minLength: 2, maxLength: 256 }), splits: fc.infiniteStream(fc.nat(1 << 20)) })
  .map(({ symbols, splits }): Lengths => {
    const leaves = [0]
    while (leaves.length < symbols.length) {
      const open = leaves.flatMap((length, i) => (length < 11 ? [i] : []))
      const at = open[splits.next().value % open.length] ?? 0
      const length = (leaves[at] ?? 0) + 1
      leaves.splice(at, 1, length, length)
    }
    return symbols.toSorted((a, b) => a - b).map((symbol, i) => [symbol, leaves[i] ?? 0])
  })

const oneSymbol = `00${bitsOf(1, 8)}${bitsOf(0x42, 8)}`
const lengths: Lengths = [
  [0x20, 1],
  [0xff, 2],
  [0x00, 3],
  [0x61, 3],
]

const lengthsOf = (...symbols: number[]): Lengths => symbols.map((symbol) => [symbol, 1])

describe('a Huffman array', () => {
  test.each([3, 6] as const)('of %i streams is read at every length', (streams) => {
    for (let length = 0; length < 40; length++) {
      const bytes = Buffer.alloc(length).map((_, i) => lengths[(i * i) % 4]?.[0] ?? 0)
      if (length > 0) expect(readArray(huffmanArray(bytes, { lengths, streams }))).toEqual(bytes)
    }
  })

  test('of a single symbol repeats it', () => {
    const packed = packBits(oneSymbol)
    expect(readArray(codedArray(2, packed, { rawBytes: 1000, headerBytes: 3 }))).toEqual(repeated(1000, 0x42))
    expect(readArray(codedArray(4, packed, { rawBytes: 70_000 }))).toEqual(repeated(70_000, 0x42))
  })

  test('is read with any code, spelled out or as ranges, in three streams or six', () => {
    const form = fc.record({ lengths: completeCode, lowBits: fc.nat(3), streams: fc.constantFrom(3 as const, 6 as const) })
    const property = fc.property(
      form,
      fc.array(fc.nat(1 << 20), { minLength: 1, maxLength: 400 }),
      ({ lengths, ...rest }, picks) => {
        const bytes = Buffer.from(picks.map((pick) => lengths[pick % lengths.length]?.[0] ?? 0))
        const many = { lengths, streams: rest.streams, head: manySymbols(lengths, rest.lowBits) }
        expect(readArray(huffmanArray(bytes, many))).toEqual(bytes)
        if (lengths.length === 256) return
        const shuffled = { lengths: lengths.toReversed(), streams: rest.streams }
        expect(readArray(huffmanArray(bytes, shuffled))).toEqual(bytes)
      },
    )
    fc.assert(property, { seed: 3, numRuns: 300 })
  })

  test('has a code for all 256 symbols', () => {
    const all = Array.from({ length: 256 }, (_, symbol): [number, number] => [symbol, 8])
    const bytes = Buffer.from(all.map(([symbol]) => symbol))
    expect(readArray(huffmanArray(bytes, { lengths: all, head: manySymbols(all) }))).toEqual(bytes)
  })
})

describe('a damaged Huffman array', () => {
  const bytes = Buffer.from(Array.from({ length: 30 }, (_, i) => lengths[i % 4]?.[0] ?? 0))

  // The data are coded as the head says: nothing but its own contradiction tells of it.
  const ascending: Lengths = [...lengths.toSorted(([a], [b]) => a - b).slice(0, 3), [0xfe, 2], [0xff, 0]]
  const two = `10${bitsOf(0, 2)}${bitsOf(1, 8)}`
  const lengthsOfOne = `${'0'.repeat(13)}1${'0'.repeat(9)}1`
  test.each<[string, Lengths, string?]>([
    ['codes that leave slots free', lengths.slice(1)],
    ['more codes than their lengths allow', [...lengths, [0x62, 3]]],
    ['a code of 12 bits', [...lengths, [0x62, 12]]],
    ['a code of no bits', ascending, manySymbols(ascending)],
    ['no symbols', lengths, `00${bitsOf(0, 8)}`],
    ['a length below 1', lengths, `${two}0${'0'.repeat(15)}1${'1'.repeat(9)}`],
    ['a number that never ends', lengths, `10${bitsOf(0, 2)}${bitsOf(4, 8)}${'0'.repeat(400)}`],
    ['a range of more symbols than it has', lengthsOf(0, 1), `${two}10${lengthsOfOne}0011${bitsOf(0, 3)}`],
    ['symbols past the last', lengthsOf(255, 0), `${two}01${lengthsOfOne}${'0'.repeat(7)}1${bitsOf(0, 8)}`],
    ['symbols far past the last', lengthsOf(255, 0), `${two}01${lengthsOfOne}${'0'.repeat(20)}1${bitsOf(0, 21)}`],
  ])('with %s is refused', (_, code, head = fewSymbols(code)) => {
    const usable = code.filter(([, length]) => length > 0 && length < 12)
    const coded = Buffer.from(Array.from({ length: 30 }, (_, i) => usable[i % usable.length]?.[0] ?? 0))
    expect(() => readArray(huffmanArray(coded, { lengths: code, head }))).toThrow(refusal('damaged'))
  })

  test('with the same head but for one bit is read', () => {
    const head = `${two}01${lengthsOfOne}${'0'.repeat(6)}1${bitsOf(0, 7)}`
    expect(readArray(huffmanArray(Buffer.of(127, 128, 127), { lengths: lengthsOf(127, 128), head }))).toEqual(
      Buffer.of(127, 128, 127),
    )
  })

  test('whose streams do not meet, or leave bytes between, is refused', () => {
    const packed = huffmanBytes(bytes, { lengths })
    const head = packBits(fewSymbols(lengths)).length
    const moved = Buffer.from(packed)
    moved.writeUInt16LE(moved.readUInt16LE(head) + 1, head)
    const longer = Buffer.concat([packed.subarray(0, head + 6), Buffer.alloc(1), packed.subarray(head + 6)])
    for (const rawBytes of [3, 131_072]) expect(() => readArray(codedArray(2, packed, { rawBytes }))).toThrow(refusal('damaged'))
    for (const lie of [moved, longer]) expect(() => readArray(codedArray(2, lie, { rawBytes: 30 }))).toThrow(refusal('damaged'))
  })

  test('whose code lengths go on past the end of all memory is refused', () => {
    const bytes = codedArray(2, packBits(`10${bitsOf(0, 2)}${bitsOf(255, 8)}${'1'.repeat(30)}`), { rawBytes: 12 })
    const memory = new DecoderMemory(bytes.length)
    const arrays = new ArrayReader(memory)
    memory.input.fill(0xff)
    arrays.enter(memory.load(bytes))
    expect(() => arrays.read(12)).toThrow(refusal('damaged'))
  })

  test('cut within its code lengths or before its streams is refused', () => {
    const head = packBits(fewSymbols(lengths)).length
    for (const [type, streams, sizes] of [
      [2, 3, 2],
      [4, 6, 5],
    ] as const)
      for (let length = 0; length < head + sizes; length++) {
        const packed = huffmanBytes(bytes, { lengths, streams }).subarray(0, length)
        expect(() => readArray(codedArray(type, packed, { rawBytes: 30 }))).toThrow(refusal('damaged'))
      }
  })
})

test.each([
  ['tANS coding', codedArray(1, ascii('abc'), { rawBytes: 5 })],
  ['arrays of several parts', codedArray(5, ascii('abc'), { rawBytes: 5 })],
  ['codings 6', codedArray(6, ascii('abc'), { rawBytes: 5 })],
  ['codings 7', codedArray(7, ascii('abc'), { rawBytes: 5, headerBytes: 3 })],
  ['old code lengths', codedArray(2, packBits('01'), { rawBytes: 5 })],
  ['a third form of code lengths', codedArray(2, packBits('11'), { rawBytes: 5 })],
])('%s are refused as unsupported', (_, bytes) => {
  expect(() => readArray(bytes)).toThrow(refusal('unsupported'))
})

test('an array that is cut off, longer than what holds it, or larger than it may be is damaged', () => {
  for (const whole of [
    rawArray(ascii('abc'), 2),
    rawArray(ascii('abc')),
    runs(50, 7),
    codedArray(3, Buffer.of(1), { rawBytes: 9, headerBytes: 3 }),
  ]) {
    expect(() => readArrays(whole, 2)).toThrow(refusal('damaged'))
    for (let length = 0; length < whole.length; length++)
      expect(() => readArray(whole.subarray(0, length))).toThrow(refusal('damaged'))
  }
})
