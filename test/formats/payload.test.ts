// Payloads of objects: where packages keep them, and what becomes of places and sizes that lie.
import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readBulkData, readByteBulkData, readEditorBulkData } from '../../formats/uasset-data/bulk-data.ts'
import { openPackage } from '../../formats/uasset-data/package.ts'
import type { Payload } from '../../formats/uasset-data/payload.ts'
import { readObjectProperties } from '../../formats/uasset-data/properties.ts'
import {
  byteBulk,
  editorBulk,
  int64,
  type ObjectBytes,
  payloadId,
  sourcePackage,
  storedBuffer,
  type TrailerSpec,
  trailer,
} from '../support/source-package.ts'

const reason = (expected: string) => expect.objectContaining({ name: 'FormatError', reason: expected })
const raw = Buffer.from('what was imported')

/** The payload that `data` describes, with `tail` behind everything else. */
async function payloadOf(engine: string, data: (out: ObjectBytes) => void, tail?: Buffer): Promise<Payload> {
  const bytes = await sourcePackage({ assetClass: 'Thing', engine, data, ...(tail && { tail }) })
  const object = openPackage(bytes).object(0)
  readObjectProperties(object)
  return engine.startsWith('4') ? readByteBulkData(object) : readEditorBulkData(object)
}

const bytesOf = async (payload: Promise<Payload>): Promise<string> => Buffer.from((await payload).bytes()).toString()
const bulk =
  (flags: number, rawSize = raw.length, storedSize = rawSize) =>
  (out: ObjectBytes) =>
    byteBulk(out, { flags, rawSize, storedSize })

describe('bulk data', () => {
  test('lie at the end of the file, or follow at once', async () => {
    expect(await bytesOf(payloadOf('4.27.2', bulk(1), raw))).toBe('what was imported')
    expect(await bytesOf(payloadOf('4.27.2', (out) => bulk(0)(out).raw(raw)))).toBe('what was imported')
  })

  test('of wide sizes, and with a field more, are read', async () => {
    const wide = (out: ObjectBytes) =>
      out
        .u32(0x2000 + 0x8000)
        .i64(raw.length)
        .i64(raw.length)
        .i64(0)
        .u16(0)
        .raw(raw)
    expect(await bytesOf(payloadOf('4.27.2', wide))).toBe('what was imported')
  })

  test('leave the reader behind them', async () => {
    const data = (out: ObjectBytes) => bulk(0)(out).raw(raw).u8(77)
    const object = openPackage(await sourcePackage({ assetClass: 'Thing', engine: '4.27.2', data })).object(0)
    readObjectProperties(object)
    readBulkData(object, 42)
    expect([object.u8(), object.left]).toEqual([77, 0])
  })

  test('without bytes are an empty payload, wherever they should be', async () => {
    const payload = await payloadOf('4.27.2', bulk(0x101, 0))
    expect([payload.id, payload.rawSize, payload.bytes().length]).toEqual([null, 0, 0])
  })

  test('outside of the file are cut off', async () => {
    await expect(bytesOf(payloadOf('4.27.2', bulk(1, 100), raw))).rejects.toThrow(reason('truncated'))
    const before = (out: ObjectBytes) =>
      out
        .u32(1)
        .i32(4, 4)
        .i64(-(2 ** 40))
    await expect(bytesOf(payloadOf('4.27.2', before, raw))).rejects.toThrow(reason('damaged'))
    await expect(payloadOf('4.27.2', bulk(0, 100))).rejects.toThrow(reason('damaged'))
  })

  test('in another file are not read, and say so', async () => {
    await expect(bytesOf(payloadOf('4.27.2', bulk(0x101), raw))).rejects.toThrow(/another file/)
  })

  test('of absurd sizes are refused before anything is read', async () => {
    await expect(payloadOf('4.27.2', bulk(1, 0x7fffffff))).rejects.toThrow(reason('too-large'))
    await expect(payloadOf('4.27.2', bulk(1, -1))).rejects.toThrow(reason('damaged'))
    await expect(payloadOf('4.27.2', bulk(1, 5, -1))).rejects.toThrow(reason('damaged'))
    await expect(bytesOf(payloadOf('4.27.2', bulk(1, 5, 6), raw))).rejects.toThrow(reason('damaged'))
  })
})

const chunkBytes = 131_072

/** Chunks of zlib as engines write them, with what a liar changes. */
function zlibChunks(
  bytes: Buffer,
  lie: { tag?: number; chunk?: number; total?: number; sum?: number; raw?: number; cut?: number } = {},
): Buffer {
  const cut = lie.cut ?? chunkBytes
  const chunks = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, i) => bytes.subarray(i * cut, (i + 1) * cut))
  const streams = chunks.map((chunk) => deflateSync(chunk))
  const sum = streams.reduce((total, stream) => total + stream.length, 0)
  return Buffer.concat([
    ...[lie.tag ?? 0x9e2a83c1, lie.chunk ?? cut, lie.sum ?? sum, lie.total ?? bytes.length].map(int64),
    ...chunks.flatMap((chunk, i) => [int64(streams[i]?.length ?? 0), int64(lie.raw ?? chunk.length)]),
    ...streams,
  ])
}

describe('bulk data in chunks of zlib', () => {
  const long = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i) >> 7))
  const packed = (stored: Buffer, rawSize = long.length) => payloadOf('4.27.2', bulk(3, rawSize, stored.length), stored)

  test('are put together', async () => {
    expect(Buffer.compare((await packed(zlibChunks(long))).bytes(), long)).toBe(0)
  })

  test('that lie about their sizes are damaged', async () => {
    const lies = [
      { tag: 1 },
      { chunk: 1 },
      { chunk: 2 ** 40 },
      { total: 299_999 },
      { sum: 7 },
      { raw: 131_071 },
      { sum: 2 ** 50 },
    ]
    for (const lie of lies)
      await expect(async () => (await packed(zlibChunks(long, lie))).bytes()).rejects.toThrow(reason('damaged'))
    const bytes = packed(zlibChunks(long), long.length + 1)
    await expect(bytes.then((payload) => payload.bytes())).rejects.toThrow(reason('damaged'))
  })

  test('that give more or less than announced, or are no zlib at all, are damaged', async () => {
    const bomb = zlibChunks(Buffer.alloc(40_000))
    const shorter = (size: number) =>
      Buffer.concat([bomb.subarray(0, 24), int64(size), bomb.subarray(32, 40), int64(size), bomb.subarray(48)])
    for (const size of [39_999, 40_001]) {
      const payload = await packed(shorter(size), size)
      expect(() => payload.bytes()).toThrow(reason('damaged'))
    }
    const broken = zlibChunks(long)
    broken.fill(0, 100, 110)
    await expect(() => packed(broken).then((payload) => payload.bytes())).rejects.toThrow(reason('damaged'))
  })

  test('that are so small that they only cost time are damaged', async () => {
    const payload = await packed(zlibChunks(long, { cut: 16_384 }))
    expect(() => payload.bytes()).toThrow(/chunks of 16384 bytes/)
  })

  test('that announce more than zlib can hold are damaged before anything is allocated', async () => {
    const stored = Buffer.concat([...[0x9e2a83c1, 2 ** 23, 20, 2 ** 23, 20, 2 ** 23].map(int64), Buffer.alloc(20)])
    const payload = await packed(stored, 2 ** 23)
    expect(() => payload.bytes()).toThrow(/8388608 bytes of a chunk of 20/)
  })

  test('that are so large that they would be there twice are damaged', async () => {
    const stored = Buffer.concat([...[0x9e2a83c1, 2 ** 24, 9, 20, 9, 20].map(int64), Buffer.alloc(9)])
    const payload = await packed(stored, 20)
    expect(() => payload.bytes()).toThrow(/chunks of 16777216 bytes/)
  })
})

describe('a payload in the trailer', () => {
  const inTrailer = (spec: TrailerSpec = {}, rawSize = raw.length) =>
    payloadOf('5.3.2', (out) => editorBulk(out, rawSize), trailer(raw, spec))

  test('is found by its id, in every version of trailers', async () => {
    expect(await inTrailer()).toMatchObject({ id: payloadId, rawSize: raw.length })
    for (const version of [0, 1, 2]) expect(await bytesOf(inTrailer({ version }))).toBe('what was imported')
  })

  test('that is kept elsewhere is not read, and says where', async () => {
    await expect(bytesOf(inTrailer({ access: 1 }))).rejects.toThrow(/another package/)
    await expect(bytesOf(inTrailer({ access: 2 }))).rejects.toThrow(reason('unsupported'))
    await expect(bytesOf(inTrailer({ access: 2, version: 0 }))).rejects.toThrow(/virtualized/)
    await expect(bytesOf(payloadOf('5.3.2', (out) => editorBulk(out, 9, 1)))).rejects.toThrow(/virtualized/)
    await expect(bytesOf(payloadOf('5.3.2', (out) => editorBulk(out, 9, 2)))).rejects.toThrow(/another file/)
  })

  test('of a form that is not known is unsupported', async () => {
    await expect(bytesOf(inTrailer({ version: 3 }))).rejects.toThrow(reason('unsupported'))
    await expect(bytesOf(inTrailer({ flags: 1 }))).rejects.toThrow(reason('unsupported'))
  })

  test('that is not where it should be is damage', async () => {
    const lies = [{ id: 'b2'.repeat(20) }, { offset: -1 }, { offset: 1 }, { offset: 2 ** 40 }, { rawSize: 3 }]
    for (const lie of lies) await expect(bytesOf(inTrailer(lie))).rejects.toThrow(reason('damaged'))
    await expect(bytesOf(inTrailer({ rawSize: 3 }, 3))).rejects.toThrow(reason('damaged'))
    await expect(bytesOf(payloadOf('5.3.2', (out) => editorBulk(out, 9)))).rejects.toThrow(/no trailer/)
    const noBuffer = trailer(raw)
    noBuffer.fill(0, noBuffer.length - 81, noBuffer.length - 70)
    await expect(bytesOf(payloadOf('5.3.2', (out) => editorBulk(out, raw.length), noBuffer))).rejects.toThrow(reason('damaged'))
    const cut = trailer(raw).subarray(0, -1)
    await expect(bytesOf(payloadOf('5.3.2', (out) => editorBulk(out, raw.length), cut))).rejects.toThrow(reason('truncated'))
  })
})

test('before 5.1 a payload lies at an offset of the file, as a buffer, bare or in chunks of zlib', async () => {
  const place = { from: 0 }
  const at = (flags: number) => (out: ObjectBytes) => {
    out.u32(flags).guid('1'.repeat(32)).raw(Buffer.from(payloadId, 'hex')).i64(raw.length).i64(place.from)
  }
  place.from = (await sourcePackage({ assetClass: 'Thing', engine: '5.0.3', data: at(0) })).length
  expect(await bytesOf(payloadOf('5.0.3', at(0x40), storedBuffer(raw)))).toBe('what was imported')
  expect(await bytesOf(payloadOf('5.0.3', at(4), raw))).toBe('what was imported')
  expect(await bytesOf(payloadOf('5.0.3', at(0xc), zlibChunks(raw)))).toBe('what was imported')
  for (const from of [-1, 2 ** 40]) {
    place.from = from
    await expect(bytesOf(payloadOf('5.0.3', at(0x40), storedBuffer(raw)))).rejects.toThrow(
      reason(from < 0 ? 'damaged' : 'truncated'),
    )
  }
})
