// Source data that lie: any bytes give a source or a FormatError, in time and memory that are bounded.
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../formats/format-error.ts'
import { openPackage } from '../../formats/uasset-data/package.ts'
import { readObjectProperties } from '../../formats/uasset-data/properties.ts'
import { readSource } from '../../formats/uasset-data/source.ts'
import { toWav } from '../../sample/sound.ts'
import { sourcePackages } from '../support/payload-fixtures.ts'
import { byteBulk, editorBulk, type ObjectBytes, sourcePackage, stem, trailer } from '../support/source-package.ts'

const png = await sharp(Buffer.alloc(64 * 48 * 4, 90), { raw: { width: 64, height: 48, channels: 4 } })
  .png()
  .toBuffer()
const wav = toWav({ sampleRate: 8000, samples: new Float32Array(60) })

const describedAs = (compression: string) => (out: ObjectBytes) =>
  out.struct('Source', 'TextureSource', (source) => {
    source.int('SizeX', 64).int('SizeY', 48)
    source.property('Format', ['ByteProperty', ['ETextureSourceFormat']], (value) => value.name('TSF_BGRA8'))
    source.property('CompressionFormat', ['ByteProperty', ['ETextureSourceCompressionFormat']], (value) =>
      value.name(compression),
    )
  })

function texture(engine: string, payload: Buffer, compression: string): Promise<Buffer> {
  const properties = describedAs(compression)
  if (engine.startsWith('4')) {
    const data = (out: ObjectBytes) =>
      byteBulk(out.u8(0).u8(0), { flags: 1, rawSize: payload.length, storedSize: payload.length })
    return sourcePackage({ assetClass: 'Texture2D', engine, properties, data, tail: payload })
  }
  const data = (out: ObjectBytes) => editorBulk(out.u8(0).u8(0), payload.length)
  return sourcePackage({ assetClass: 'Texture2D', engine, versions: { main: 119 }, properties, data, tail: trailer(payload) })
}

const corpus: [string, string, Buffer][] = [
  ['a PNG of 4.27', stem, await texture('4.27.2', png, 'TSCF_PNG')],
  ['a PNG of 5.3', stem, await texture('5.3.2', png, 'TSCF_PNG')],
  ['differences of 5.7', stem, await texture('5.7.4', Buffer.alloc(64 * 48 * 4, 3), 'TSCF_UEDELTA')],
  [
    'a sound of 5.4',
    stem,
    await sourcePackage({
      assetClass: 'SoundWave',
      engine: '5.4.4',
      versions: { main: 119, framework: 37 },
      data: (out) => editorBulk(out.u32(0), wav.length),
      tail: trailer(wav),
    }),
  ],
]
/** Small packages of editors, one of each kind of payload. */
const small = ['T_Affordance_M', 'T_Key_MKB_F', 'transparent1x1', 'A_Slider_Release']
for (const real of sourcePackages('Texture2D', 'SoundWave'))
  if (small.includes(real.stem)) corpus.push([real.path, real.stem, real.bytes])

/** Whether it was a source; anything but a FormatError that escapes fails the test. */
async function outcome(bytes: Uint8Array, name: string): Promise<string> {
  try {
    return (await readSource(bytes, { stem: name }))?.kind ?? 'none'
  } catch (error) {
    if (error instanceof FormatError) return error.reason
    throw error
  }
}

describe.each(corpus)('%s', (_, name, bytes) => {
  const { offset, size } = openPackage(bytes).exports.dataRange(openPackage(bytes).exports.mainAssetIndex(name) ?? 0)
  /** The object's data, and the beginnings of what lies behind them. */
  const places = [
    ...Array.from({ length: size }, (__, i) => offset + i),
    ...Array.from({ length: 400 }, (__, i) => offset + size + i),
    ...Array.from({ length: 120 }, (__, i) => bytes.length - 1 - i),
  ].filter((at) => at >= 0 && at + 4 <= bytes.length)

  test('is read to begin with', async () => {
    expect(await outcome(bytes, name)).toMatch(/picture|sound/)
  })

  test('cut anywhere gives its source or is refused', async () => {
    for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 80))
      await outcome(bytes.subarray(0, length), name)
  })

  test('with any field at an extreme gives a source or is refused', async () => {
    for (const extreme of [0xffffffff, 0x7fffffff, 0]) {
      for (let i = 0; i < places.length; i += Math.ceil(places.length / 150)) {
        const lie = Buffer.from(bytes)
        lie.writeUInt32LE(extreme, places[i] ?? 0)
        await outcome(lie, name)
      }
    }
  })

  test('with bytes changed at random gives a source or is refused', async () => {
    const change = fc.tuple(fc.nat(places.length - 1), fc.nat(255))
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const lie = Buffer.from(bytes)
      for (const [at, value] of changes) lie[places[at] ?? 0] = value
      await outcome(lie, name)
    })
    await fc.assert(property, { seed: 5, numRuns: 250 })
  })
})

test('an object full of properties is refused at a budget, not read for as long as it lasts', async () => {
  const properties = (out: ObjectBytes) => {
    for (let i = 0; i < 40_000; i++) out.int('Same', i)
  }
  const one = await sourcePackage({ assetClass: 'Texture2D', engine: '4.27.2', properties })
  const opened = openPackage(one)
  const { headerSize } = opened.summary
  const { size } = opened.exports.dataRange(0)
  // The tags eight times over, and an export that is as much longer.
  const tags = one.subarray(headerSize, headerSize + 40_000 * 29)
  const all = Buffer.concat([one.subarray(0, headerSize), ...Array.from({ length: 8 }, () => tags), one.subarray(headerSize)])
  const at = opened.summary.exports.offset
  const sizeAt = Array.from({ length: 60 }, (_, i) => at + i).find((i) => all.readInt32LE(i) === size) ?? 0
  all.writeInt32LE(size + 8 * tags.length, sizeAt)
  expect(readObjectProperties(opened.object(0)).number('Same')).toBe(0)
  expect(() => readObjectProperties(openPackage(all).object(0))).toThrow(expect.objectContaining({ reason: 'too-large' }))
})
