// Compressed data that lies: any bytes give as many bytes as they announce, or a FormatError.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../formats/format-error.ts'
import { readCompressedBuffer } from '../../../formats/kraken/compressed-buffer.ts'
import { codedArray, huffmanArray, type Lengths, manySymbols, rawArray } from '../../support/kraken-arrays.ts'
import { type Command, compressedBuffer, krakenStream, lzChunk } from '../../support/kraken-streams.ts'
import { realPayloads } from '../../support/real-payloads.ts'

const allBytes: Lengths = Array.from({ length: 256 }, (_, symbol) => [symbol, 8])

/** One small buffer for each kind of literals, with arrays of every coding. */
function madeBuffer(literals: 'plain' | 'differences'): Buffer {
  const pattern = Buffer.from(Array.from({ length: 37 }, (_, i) => (i * i) & 0xff))
  const raw = Buffer.alloc(6000).map((_, i) => pattern[i % 37] ?? 0)
  const commands: Command[] = [{ literals: 100, match: 300, offset: 37 }]
  for (const match of [5, 700, 40, 9, 12, 2000]) commands.push({ literals: 7, match, offset: 74 })
  const array = (bytes: Uint8Array, name: string) => {
    if (name === 'literals') return huffmanArray(bytes, { lengths: allBytes, head: manySymbols(allBytes), streams: 6 })
    if (name === 'commands')
      return codedArray(3, Buffer.concat([Buffer.of(0), bytes, Buffer.of(bytes.length, 0x10)]), { rawBytes: bytes.length })
    return rawArray(bytes)
  }
  const stream = krakenStream(lzChunk(raw, { commands, literals, array }))
  return compressedBuffer({ blocks: [stream], rawSize: raw.length })
}

const corpus: [string, Buffer][] = [
  ['plain literals', madeBuffer('plain')],
  ['literals that are differences', madeBuffer('differences')],
]
// Small ones, so that a few seconds are many changes.
for (const { path, id, buffer } of realPayloads()) {
  const whole = buffer.subarray(0, Number(buffer.readBigUInt64BE(24)))
  if (whole[8] === 3 && Number(whole.readBigUInt64BE(16)) < 300_000) corpus.push([`${path} ${id.slice(0, 8)}`, whole])
}

/** Raw bytes or the FormatError; anything else that escapes fails the test. */
function outcome(bytes: Uint8Array): Uint8Array | FormatError {
  try {
    return readCompressedBuffer(bytes)
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
}

/** The header says how much is to come: it stays as it is here, as other tests change it. */
const headerBytes = 64

describe.each(corpus)('%s', (_, whole) => {
  const rawSize = Number(whole.readBigUInt64BE(16))
  const lie = (changes: readonly (readonly [at: number, value: number])[]) => {
    const copy = Buffer.from(whole)
    for (const [at, value] of changes) copy[headerBytes + at] = value
    return outcome(copy)
  }
  const expectBounded = (result: Uint8Array | FormatError) => {
    if (result instanceof FormatError) expect(['damaged', 'unsupported', 'truncated']).toContain(result.reason)
    else expect(result.length).toBe(rawSize)
  }

  test('decodes to begin with', () => {
    expect(outcome(whole)).toMatchObject({ length: rawSize })
  })

  test('with bytes changed at random gives its raw size or a FormatError', () => {
    const body = whole.length - headerBytes
    const place = fc.oneof(fc.nat(Math.min(body, 200) - 1), fc.nat(body - 1))
    const changes = fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(changes, (list) => expectBounded(lie(list))),
      { seed: 19, numRuns: 250 },
    )
  })

  test('with any of its first bytes at an extreme gives its raw size or a FormatError', () => {
    for (let at = 0; at < Math.min(whole.length - headerBytes, 120); at++)
      for (const extreme of [0, 0x7f, 0x80, 0xff]) expectBounded(lie([[at, extreme]]))
  })

  test('cut anywhere, its sizes told so, gives its raw size or a FormatError', () => {
    const block = headerBytes + 4
    for (let length = block; length < whole.length; length += 1 + ((whole.length - block) >> 8)) {
      const cut = Buffer.from(whole.subarray(0, length))
      cut.writeUInt32BE(length - block, headerBytes)
      cut.writeBigUInt64BE(BigInt(length), 24)
      expectBounded(outcome(cut))
    }
  })
})

test('noise behind the header of a stream gives its raw size or a FormatError', () => {
  const noise = fc.uint8Array({ minLength: 1, maxLength: 400 })
  const property = fc.property(noise, fc.constantFrom(8, 500, 131_080, 262_144), fc.nat(2), (bytes, rawSize, kind) => {
    const stream = kind === 0 ? bytes : kind === 1 ? krakenStream(bytes) : krakenStream(Buffer.of(0x88, 0, bytes.length), bytes)
    const result = outcome(compressedBuffer({ blocks: [stream], rawSize }))
    if (!(result instanceof FormatError)) expect(result.length).toBe(rawSize)
  })
  fc.assert(property, { seed: 23, numRuns: 3000 })
})
