// Streams made by hand: blocks, quanta and chunks of every kind, commands of every form, and what is refused of them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readMatches } from '../../../formats/kraken/matches.ts'
import { DecoderMemory } from '../../../formats/kraken/memory.ts'
import { KrakenDecoder } from '../../../formats/kraken/stream.ts'
import { codedArray, huffmanArray, type Lengths, manySymbols, rawArray } from '../../support/kraken-arrays.ts'
import {
  type Command,
  chunk,
  filledStream,
  krakenStream,
  lzChunk,
  packMatches,
  storedStream,
} from '../../support/kraken-streams.ts'

const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })

/** What lies around the decoded bytes has to stay as it was. */
function decode(stream: Uint8Array, rawBytes: number): Buffer {
  const bytes = Buffer.alloc(rawBytes + 32, 0xee)
  const span = { from: 16, to: 16 + rawBytes }
  try {
    new KrakenDecoder(rawBytes).decode(new Uint8Array(stream), { bytes, ...span })
  } finally {
    expect(bytes.subarray(0, span.from)).toEqual(Buffer.alloc(16, 0xee))
    expect(bytes.subarray(span.to)).toEqual(Buffer.alloc(16, 0xee))
  }
  return bytes.subarray(span.from, span.to)
}

/** Bytes that repeat nothing for long. */
const noise = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 13) & 0xff))

test.each([1, 300, 131_072, 131_073, 262_144])('a stored block, a stored quantum and a fill of %i bytes', (length) => {
  const raw = noise(length)
  expect(decode(storedStream(raw), length)).toEqual(raw)
  expect(decode(filledStream(0x2e), length)).toEqual(Buffer.alloc(length, 0x2e))
  if (length < 262_144) expect(decode(krakenStream(raw), length)).toEqual(raw)
})

test('a quantum of a stored chunk and one that is an array', () => {
  const raw = Buffer.concat([noise(131_072), Buffer.alloc(70_000, 0x33)])
  const stream = krakenStream(chunk(raw.subarray(0, 131_072), 0), codedArray(3, Buffer.of(0x33), { rawBytes: 70_000 }))
  expect(decode(stream, raw.length)).toEqual(raw)
})

test('a second chunk copies from the first, begins with no plain bytes, and its recent offsets start anew', () => {
  const first = noise(131_072)
  const copied = (from: number, length: number) => first.subarray(first.length - from, first.length - from + length)
  const raw = Buffer.concat([first, copied(8, 5), copied(100_000, 40_000), Buffer.from('end')])
  const commands = [
    { literals: 0, match: 5, offset: 8 },
    { literals: 0, match: 40_000, offset: 100_005 },
  ]
  const stream = krakenStream(chunk(first, 0), lzChunk(raw, { from: 131_072, commands }))
  expect(decode(stream, raw.length)).toEqual(raw)
})

/** The bytes that commands give, drawn from `literals`. */
function play(commands: readonly Command[], literals: Uint8Array): Buffer {
  const raw = [...literals.subarray(0, 8)]
  let next = 8
  for (const { literals: count, match, offset } of commands) {
    for (let i = 0; i < count; i++) raw.push(literals[next++] ?? 0)
    for (let i = 0; i < match; i++) raw.push(raw[raw.length - offset] ?? 0)
  }
  return Buffer.concat([Buffer.from(raw), literals.subarray(next, next + 20)])
}

const literalBytes = noise(60_000)
/** Makes a chunk longer than its compressed bytes, as every chunk of matches has to be. */
const tail: Command = { literals: 0, match: 5000, offset: 8 }
const kinds = ['plain', 'differences'] as const

describe.each(kinds)('with %s literals', (literals) => {
  test.each<[string, Command[]]>([
    ['a match that overlaps what it writes', [{ literals: 3, match: 100, offset: 9 }]],
    [
      'up to two literals, and matches of up to 16 bytes',
      [0, 1, 2].map((n) => ({ literals: n, match: 2 + n * 7, offset: 8 + n })),
    ],
    [
      'counts of literals and of matches at the edges of each form',
      [2, 3, 16, 17, 257, 258, 268, 271, 272, 4000].map((n) => ({ literals: n, match: n, offset: 8 })),
    ],
    ['all three recent offsets', [20, 30, 40, 20, 20, 30, 40, 40, 8].map((offset) => ({ literals: 40, match: 4, offset }))],
    ['lengths past 255', [1, 2, 3, 4, 5].map((n) => ({ literals: 300 * n, match: 700 * n, offset: 50 * n }))],
    ['nothing but literals', []],
  ])('%s', (_, list) => {
    const commands = [...list, tail]
    const raw = play(commands, literalBytes)
    expect(decode(krakenStream(lzChunk(raw, { commands, literals })), raw.length)).toEqual(raw)
  })

  test('any commands, with arrays of any coding', () => {
    const command = fc.record({
      literals: fc.oneof(fc.nat(4), fc.nat(700)),
      match: fc.oneof(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 2, max: 900 })),
      offset: fc.oneof(fc.integer({ min: 8, max: 12 }), fc.integer({ min: 8, max: 20_000 })),
    })
    const property = fc.property(
      fc.array(command, { maxLength: 40 }),
      fc.constantFrom(...Object.values(arrayForms)),
      (list, array) => {
        let size = 8
        const commands = [...list, tail].map(({ literals: count, match, offset }) => {
          const reachable = Math.min(offset, size + count)
          size += count + match
          return { literals: count, match, offset: reachable }
        })
        const raw = play(commands, literalBytes)
        expect(decode(krakenStream(lzChunk(raw, { commands, literals, array })), raw.length)).toEqual(raw)
      },
    )
    fc.assert(property, { seed: 17, numRuns: 300 })
  })
})

const allBytes: Lengths = Array.from({ length: 256 }, (_, symbol) => [symbol, 8])
const arrayForms = {
  raw: (bytes: Uint8Array) => rawArray(bytes),
  short: (bytes: Uint8Array, name: string) => rawArray(bytes, name === 'offsets' || bytes.length > 4095 ? 3 : 2),
  huffman: (bytes: Uint8Array, name: string) =>
    name === 'literals' && bytes.length > 0
      ? huffmanArray(bytes, { lengths: allBytes, head: manySymbols(allBytes), streams: bytes.length % 2 === 0 ? 3 : 6 })
      : rawArray(bytes),
  runs: (bytes: Uint8Array, name: string) =>
    name === 'commands' && bytes.length > 0 && bytes.every((byte) => byte === bytes[0])
      ? codedArray(3, bytes.subarray(0, 1), { rawBytes: bytes.length })
      : rawArray(bytes),
}

function matchesOf(offsets: number[], lengths: number[]): { offsets: number[]; lengths: number[] } {
  const memory = new DecoderMemory(1 << 18)
  const { packedOffsets, packedLengths, bits } = packMatches(offsets, lengths)
  const area = memory.load(bits)
  memory.arrays.set(packedOffsets, 0)
  memory.arrays.set(packedLengths, packedOffsets.length)
  const end = packedOffsets.length
  readMatches(memory, { offsets: { from: 0, to: end }, lengths: { from: end, to: end + packedLengths.length }, bits: area })
  return { offsets: [...memory.offsets.subarray(0, offsets.length)], lengths: [...memory.lengths.subarray(0, lengths.length)] }
}

describe('offsets and lengths', () => {
  const farthest = 8322816 + (1 << 16)

  test('offsets at the edges of each form, the far one from 0xF0 on among them', () => {
    const near = Array.from({ length: 15 }, (_, i) => (1 << (i + 8)) - 248).flatMap((value) => [
      value,
      value + 15,
      2 * value + 247,
    ])
    const far = [farthest, farthest + 4095, farthest + 4096, farthest + (1 << 20), 8322816 + 2 ** 31 - 2 ** 27]
    for (const offsets of [near, far, [...near, ...far], [...far].reverse()])
      expect(matchesOf(offsets, []).offsets).toEqual(offsets)
    expect(packMatches([farthest - 1, farthest], []).packedOffsets).toEqual(Buffer.of(0xe7, 0xf0))
  })

  test('lengths at the edges of each form, after any number of offsets', () => {
    const lengths = [3, 257, 258, 259, 321, 322, 323, 449, 450, 1000, 70_000, 131_072]
    for (const offsets of [[], [8], [8, 9000]]) expect(matchesOf(offsets, lengths)).toEqual({ offsets, lengths })
  })

  test('bits that do not come out even are damaged', () => {
    const memory = new DecoderMemory(1000)
    const { packedOffsets, packedLengths, bits } = packMatches([8, 9, 10], [3, 400, 400])
    memory.arrays.set(Buffer.concat([packedOffsets, packedLengths]))
    const spans = { offsets: { from: 0, to: 3 }, lengths: { from: 3, to: 6 } }
    readMatches(memory, { ...spans, bits: memory.load(bits) })
    const middle = bits.length >> 1
    const lies = [
      Buffer.concat([bits.subarray(0, middle), Buffer.alloc(1), bits.subarray(middle)]),
      Buffer.alloc(40),
      Buffer.alloc(0),
    ]
    for (const lie of lies) expect(() => readMatches(memory, { ...spans, bits: memory.load(lie) })).toThrow(refusal('damaged'))
    const none = { offsets: { from: 0, to: 0 }, lengths: { from: 0, to: 0 } }
    readMatches(memory, { ...none, bits: memory.load(Buffer.of(0x80)) })
    expect(() => readMatches(memory, { ...none, bits: memory.load(Buffer.of(0x40)) })).toThrow(refusal('damaged'))
    const oneLong = { ...spans, lengths: { from: 3, to: 5 } }
    expect(() => readMatches(memory, { ...oneLong, bits: memory.load(bits) })).toThrow(refusal('damaged'))
  })
})

describe('is damaged:', () => {
  const commands: Command[] = [
    { literals: 2, match: 20, offset: 9 },
    { literals: 1, match: 400, offset: 30 },
  ]
  const raw = play(commands, literalBytes)
  const stream = krakenStream(lzChunk(raw, { commands }))

  test('a stream that gives more or less than is wanted of it', () => {
    expect(decode(stream, raw.length)).toEqual(raw)
    for (const size of [0, 1, 8, 9, raw.length - 1, raw.length + 1, 131_073])
      expect(() => decode(stream, size)).toThrow(refusal('damaged'))
    expect(() => decode(storedStream(raw), raw.length + 1)).toThrow(refusal('damaged'))
    expect(() => decode(krakenStream(codedArray(3, Buffer.of(1), { rawBytes: 50 })), 51)).toThrow(refusal('damaged'))
    const small = new KrakenDecoder(10)
    expect(() => small.decode(filledStream(1), { bytes: new Uint8Array(11), from: 0, to: 11 })).toThrow(refusal('damaged'))
  })

  test('a match or literals that run past the end, of which nothing is written', () => {
    const ending = play([...commands, tail], literalBytes).subarray(0, -20)
    const whole = krakenStream(lzChunk(ending, { commands: [...commands, tail] }))
    expect(decode(whole, ending.length)).toEqual(ending)
    for (const missing of [1, 10, 4000]) expect(() => decode(whole, ending.length - missing)).toThrow(refusal('damaged'))
    const array = (bytes: Uint8Array, name: string) => rawArray(name === 'literals' ? bytes.subarray(0, -1) : bytes)
    const short = krakenStream(lzChunk(ending, { commands: [...commands, tail], array }))
    expect(() => decode(short, ending.length)).toThrow(refusal('damaged'))
  })

  test('a stream that is cut off, or goes on', () => {
    for (let length = 0; length < stream.length; length++)
      expect(() => decode(stream.subarray(0, length), raw.length)).toThrow(refusal('damaged'))
    expect(() => decode(Buffer.concat([stream, Buffer.of(0)]), raw.length)).toThrow(refusal('damaged'))
    expect(() => decode(Buffer.concat([filledStream(1), Buffer.of(0)]), 9)).toThrow(refusal('damaged'))
    expect(() => decode(krakenStream(lzChunk(raw, { commands }), Buffer.of(0)), raw.length)).toThrow(refusal('damaged'))
  })

  test.each(kinds)('a copy from before the start, with %s literals', (literals) => {
    for (const offset of [12, 500, 8322816 + (1 << 16)]) {
      const lie = krakenStream(lzChunk(raw, { commands: [{ literals: 2, match: 400, offset }], literals }))
      const size = 8 + 2 + 400 + (raw.length - 410)
      expect(() => decode(lie, size)).toThrow(refusal('damaged'))
    }
  })

  test('a chunk whose lists are longer or shorter than its commands take', () => {
    for (const name of ['literals', 'commands', 'offsets', 'lengths'])
      for (const change of [
        (bytes: Uint8Array) => Buffer.concat([bytes, bytes.subarray(0, 1)]),
        (bytes: Uint8Array) => bytes.subarray(1),
      ]) {
        const array = (bytes: Uint8Array, of: string) => rawArray(of === name ? change(bytes) : bytes)
        expect(() => decode(krakenStream(lzChunk(raw, { commands, array })), raw.length)).toThrow(refusal('damaged'))
      }
    const recent = (bytes: Uint8Array) => Buffer.concat([Buffer.of((bytes[0] ?? 0) & 0x3f), bytes.subarray(1)])
    const array = (bytes: Uint8Array, of: string) => rawArray(of === 'commands' ? recent(bytes) : bytes)
    expect(() => decode(krakenStream(lzChunk(raw, { commands, array })), raw.length)).toThrow(refusal('damaged'))
  })

  test('a chunk that is longer than its quantum or than what it gives', () => {
    const whole = lzChunk(raw, { commands })
    const longer = Buffer.from(whole)
    longer.writeUInt16BE(longer.readUInt16BE(1) + 1, 1)
    expect(() => decode(krakenStream(longer), raw.length)).toThrow(refusal('damaged'))
    const two = krakenStream(chunk(noise(131_073), 0), codedArray(3, Buffer.of(1), { rawBytes: 8000 }))
    expect(() => decode(two, 131_072 + 8000)).toThrow(refusal('damaged'))
    const full = krakenStream(chunk(noise(131_072), 1), codedArray(3, Buffer.of(1), { rawBytes: 8000 }))
    expect(() => decode(full, 131_072 + 8000)).toThrow(refusal('damaged'))
  })
})

test.each<[string, 'unsupported' | 'damaged', Buffer]>([
  ['a block that continues others', 'unsupported', Buffer.of(0x0c, 6, 7, 0xff, 0xff, 1)],
  ['Mermaid', 'unsupported', Buffer.of(0x8c, 10, 7, 0xff, 0xff, 1)],
  ['Leviathan', 'unsupported', Buffer.of(0x8c, 12, 7, 0xff, 0xff, 1)],
  ['checksums', 'unsupported', Buffer.of(0x8c, 0x86, 7, 0xff, 0xff, 1)],
  ['another fill', 'unsupported', Buffer.of(0x8c, 6, 0x0b, 0xff, 0xff, 1)],
  ['a third kind of literals', 'unsupported', krakenStream(chunk(Buffer.alloc(20), 2))],
  ['scaled offsets', 'unsupported', krakenStream(chunk(Buffer.concat([Buffer.alloc(14), Buffer.of(0x80, 0)]), 1))],
  ['a chunk of five bytes', 'damaged', krakenStream(chunk(Buffer.alloc(5), 1))],
  ['another nibble', 'damaged', Buffer.of(0x8b, 6, 7, 0xff, 0xff, 1)],
  ['reserved bits', 'damaged', Buffer.of(0x9c, 6, 7, 0xff, 0xff, 1)],
])('%s is %s', (_, reason, stream) => {
  expect(() => decode(stream, 100)).toThrow(refusal(reason))
})
