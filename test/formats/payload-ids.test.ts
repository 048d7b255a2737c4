// Ids of source data, found without decoding them: those that packages name, and those that are worked out of the raw bytes.
import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { payloadId } from '../../formats/kraken/payload-id.ts'
import { type ObjectReader, openPackage } from '../../formats/uasset-data/package.ts'
import type { Payload } from '../../formats/uasset-data/payload.ts'
import { payloadIds } from '../../formats/uasset-data/payload-ids.ts'
import { soundPayload } from '../../formats/uasset-data/sound.ts'
import { staticMeshPayload } from '../../formats/uasset-data/static-mesh.ts'
import { texturePayload } from '../../formats/uasset-data/texture.ts'
import { sourcePackages } from '../support/payload-fixtures.ts'
import { realPayloads } from '../support/real-payloads.ts'
import {
  byteBulk,
  editorBulk,
  int64,
  type ObjectBytes,
  payloadId as sampleId,
  sourcePackage,
  stem,
  trailer,
} from '../support/source-package.ts'

const MiB = 1024 * 1024

/** As a push asks: with the file's first bytes at hand, and the rest of it to be read. */
const idsOf = (bytes: Uint8Array, { beginning = bytes.length, name = stem, hashBytes = MiB } = {}) => {
  const readAt = (into: Uint8Array, offset: number) => Buffer.from(bytes).copy(into, 0, offset)
  return payloadIds(bytes.subarray(0, beginning), { stem: name, file: { sizeBytes: bytes.length, readAt }, hashBytes })
}

const olderSound = (payload: Uint8Array, { flags = 1, stored = payload }: { flags?: number; stored?: Uint8Array } = {}) => {
  const data = (out: ObjectBytes) => byteBulk(out.u32(0), { flags, rawSize: payload.length, storedSize: stored.length })
  return sourcePackage({
    assetClass: 'SoundWave',
    engine: '4.27.2',
    versions: { framework: 37 },
    data,
    tail: Buffer.from(stored),
  })
}

const newerSound = (payload: Uint8Array, flags?: number) => {
  const data = (out: ObjectBytes) => editorBulk(out.u32(0), payload.length, flags)
  const versions = { main: 119, framework: 37 }
  return sourcePackage({ assetClass: 'SoundWave', engine: '5.4.4', versions, data, tail: trailer(payload) })
}

/** As packages before 5.0 store their payloads. */
function zlibChunks(raw: Uint8Array, chunkBytes = 128 * 1024): Buffer {
  const chunks: [Uint8Array, Buffer][] = []
  for (let at = 0; at < raw.length; at += chunkBytes) {
    const chunk = raw.subarray(at, at + chunkBytes)
    chunks.push([chunk, deflateSync(chunk)])
  }
  const compressed = chunks.reduce((sum, [, bytes]) => sum + bytes.length, 0)
  const sizes = chunks.flatMap(([chunk, bytes]) => [int64(bytes.length), int64(chunk.length)])
  const head = [int64(0x9e2a83c1), int64(chunkBytes), int64(compressed), int64(raw.length)]
  return Buffer.concat([...head, ...sizes, ...chunks.map(([, bytes]) => bytes)])
}

test('a package that names its payload is taken at its word', async () => {
  expect(await idsOf(await newerSound(randomBytes(100)))).toEqual([sampleId])
})

test('of an older package the id is worked out of the raw bytes, compressed or not, wherever they lie in the file', async () => {
  const raw = Buffer.concat([randomBytes(200_000), Buffer.alloc(300_000)])
  const id = await payloadId(raw)
  const plain = await olderSound(raw)
  expect(await idsOf(plain)).toEqual([id])
  expect(await idsOf(plain, { beginning: plain.length - raw.length })).toEqual([id])
  const zlib = await olderSound(raw, { flags: 3, stored: zlibChunks(raw) })
  expect(await idsOf(zlib)).toEqual([id])
  expect(await idsOf(zlib, { beginning: zlib.length - zlibChunks(raw).length })).toEqual([id])
})

test('a payload that would have to be hashed has none beyond the limit; one that is named has', async () => {
  const raw = randomBytes(5000)
  expect(await idsOf(await olderSound(raw), { hashBytes: 5000 })).toEqual([await payloadId(raw)])
  expect(await idsOf(await olderSound(raw), { hashBytes: 4999 })).toEqual([])
  expect(await idsOf(await newerSound(raw), { hashBytes: 0 })).toEqual([sampleId])
})

test('of classes whose objects are not read, the trailer tells', async () => {
  const of = (tail: Buffer) => sourcePackage({ assetClass: 'SkeletalMesh', engine: '5.4.4', tail })
  expect(await idsOf(await of(trailer(randomBytes(10))))).toEqual([sampleId])
  expect(await idsOf(await of(trailer(randomBytes(10), { rawSize: 0 })))).toEqual([])
  expect(await idsOf(await of(trailer(randomBytes(10), { version: 9 })))).toEqual([])
  expect(await idsOf(await of(randomBytes(80)))).toEqual([])
})

test('an empty payload has no id, and what lies about its payload has none', async () => {
  const raw = randomBytes(1000)
  const chunks = zlibChunks(raw)
  const lying = (at: number, value: number) => {
    const copy = Buffer.from(chunks)
    int64(value).copy(copy, at)
    return copy
  }
  const cases = [
    await newerSound(Buffer.alloc(0)),
    await olderSound(Buffer.alloc(0)),
    await olderSound(raw, { flags: 3, stored: lying(0, 1) }),
    await olderSound(raw, { flags: 3, stored: lying(8, -1) }),
    await olderSound(raw, { flags: 3, stored: lying(8, 1) }),
    await olderSound(raw, { flags: 3, stored: lying(24, 999) }),
    await olderSound(raw, { flags: 3, stored: lying(32, 2 ** 40) }),
    await olderSound(raw, { flags: 3, stored: chunks.subarray(0, -1) }),
    await olderSound(raw, { stored: raw.subarray(1) }),
    (await olderSound(raw)).subarray(0, -1),
  ]
  for (const [index, bytes] of cases.entries()) expect([index, await idsOf(bytes)]).toEqual([index, []])
  for (const bytes of [Buffer.alloc(0), randomBytes(500), Buffer.from('version https://git-lfs')])
    expect(await idsOf(bytes)).toEqual([])
})

const readers = new Map<string, (object: ObjectReader) => Payload>([
  ['Texture2D', texturePayload],
  ['SoundWave', soundPayload],
  ['StaticMesh', staticMeshPayload],
])
const real = sourcePackages(...readers.keys())

test.runIf(real.length > 0)(
  'the id of each real picture, sound and static mesh is the hash of what its package decodes to',
  async () => {
    for (const { path, stem: name, bytes, expected } of real) {
      const opened = openPackage(bytes)
      const index = opened.exports.mainAssetIndex(name) ?? expect.fail(path)
      const payload = readers.get(expected.class)?.(opened.object(index)) ?? expect.fail(path)
      const options = { name, hashBytes: 64 * MiB, beginning: Math.min(bytes.length, 200_000) }
      expect([path, await idsOf(bytes, options)]).toEqual([path, [await payloadId(payload.bytes())]])
    }
  },
)

const skeletal = sourcePackages('SkeletalMesh')

test.runIf(skeletal.length > 0)('the ids of real skeletal meshes are those of their trailers, where they have one', async () => {
  const named = Map.groupBy(realPayloads(), ({ path }) => path)
  const found = skeletal.map(async ({ path, stem: name, bytes }) => [path, await idsOf(bytes, { name })])
  const inTrailers = skeletal.map(({ path }) => [path, (named.get(path) ?? []).map(({ id }) => id)])
  expect(await Promise.all(found)).toEqual(inTrailers)
  expect(inTrailers.filter(([, ids]) => ids?.length)).toHaveLength(2)
})
