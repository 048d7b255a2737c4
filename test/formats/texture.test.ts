// Source pictures of textures in every encoding, and those that cannot be.
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { Picture } from '../../formats/source/picture.ts'
import { rgba8 } from '../../formats/source/rgba8.ts'
import { readSource, type Source } from '../../formats/uasset-data/source.ts'
import { cellHeight } from '../../formats/uasset-data/texture-delta.ts'
import { byteBulk, editorBulk, type ObjectBytes, sourcePackage, stem, trailer } from '../support/source-package.ts'

const reason = (expected: string) => expect.objectContaining({ name: 'FormatError', reason: expected })

type Texture = { width: number; height: number; format?: string; compression?: string; payload: Uint8Array; assetClass?: string }

function texturePackage({ width, height, format, compression, payload, assetClass = 'Texture2D' }: Texture): Promise<Buffer> {
  const properties = (out: ObjectBytes) =>
    out.struct('Source', 'TextureSource', (source) => {
      source.int('SizeX', width).int('SizeY', height)
      if (format) source.property('Format', ['ByteProperty', ['ETextureSourceFormat']], (value) => value.name(format))
      if (compression)
        source.property('CompressionFormat', ['ByteProperty', ['ETextureSourceCompressionFormat']], (value) =>
          value.name(compression),
        )
    })
  const data = (out: ObjectBytes) => editorBulk(out.u8(0).u8(0), payload.length)
  return sourcePackage({ assetClass, engine: '5.5.4', versions: { main: 119 }, properties, data, tail: trailer(payload) })
}

async function source(texture: Texture): Promise<Source | undefined> {
  return readSource(await texturePackage(texture), { stem })
}

async function picture(texture: Texture): Promise<Picture> {
  const read = await source(texture)
  return read?.kind === 'picture' ? read.picture : expect.fail('It was no picture.')
}

/** Bytes that differ from their neighbours and repeat late. */
const noise = (length: number) => Buffer.from(Array.from({ length }, (_, i) => ((i * 2654435761) >>> 13) & 255))
const wordsOf = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer)

describe('bare pixels', () => {
  test('are put red first', async () => {
    const read = await picture({ width: 1, height: 2, format: 'TSF_BGRA8', payload: Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]) })
    expect(read).toMatchObject({ width: 1, height: 2, channels: 4 })
    expect([...rgba8(read)]).toEqual([3, 2, 1, 4, 7, 6, 5, 8])
  })

  test('of gray become gray on a screen', async () => {
    const read = await picture({ width: 2, height: 1, format: 'TSF_G8', payload: Buffer.from([9, 200]) })
    expect(read).toMatchObject({ channels: 1, samples: { kind: 'u8' } })
    expect([...rgba8(read)]).toEqual([9, 9, 9, 255, 200, 200, 200, 255])
  })

  test('of 16 bits keep them, wherever they lie in memory', async () => {
    const gray = await picture({ width: 2, height: 1, format: 'TSF_G16', payload: wordsOf(257 * 3, 65_535) })
    expect(gray.samples).toEqual({ kind: 'u16', values: Uint16Array.of(771, 65_535) })
    expect([...rgba8(gray)]).toEqual([3, 3, 3, 255, 255, 255, 255, 255])
    const color = await picture({ width: 1, height: 1, format: 'TSF_RGBA16', payload: wordsOf(0, 257, 514, 771) })
    expect(color.samples.values).toEqual(Uint16Array.of(0, 257, 514, 771))
    expect([...rgba8(color)]).toEqual([0, 1, 2, 3])
  })

  test('of floats are clamped and brought to screen brightness, but for alpha', async () => {
    const [zero, half, one, four, minus, infinite, none] = [0, 0x3800, 0x3c00, 0x4400, 0xbc00, 0x7c00, 0x7e00]
    const payload = wordsOf(zero, half, one, half, four, minus, infinite, none, none, 1, 0x0400, four)
    const read = await picture({ width: 3, height: 1, format: 'TSF_RGBA16F', payload })
    expect(read.samples.kind).toBe('half')
    expect([...rgba8(read)]).toEqual([0, 186, 255, 128, 255, 0, 255, 0, 0, 0, 3, 255])
  })

  test('give the largest mip and the first slice, which come first', async () => {
    const payload = Buffer.concat([Buffer.alloc(4, 1), Buffer.alloc(40, 2)])
    const read = await picture({ width: 2, height: 2, format: 'TSF_G8', payload, assetClass: 'TextureCube' })
    expect([...read.samples.values]).toEqual([1, 1, 1, 1])
  })
})

/** Encodes cell by cell, each in a stripe of columns: the rule as it is written down. */
function toDeltas(pixels: Buffer, rowBytes: number, cell: { bytes: number; rows: number }): Buffer {
  const out = Buffer.alloc(pixels.length)
  const height = pixels.length / rowBytes
  for (let left = 0; left < rowBytes; left += cell.bytes) {
    for (let top = 0; top < height; top += cell.rows) {
      for (let y = top; y < Math.min(top + cell.rows, height); y++) {
        for (let x = left; x < Math.min(left + cell.bytes, rowBytes); x++) {
          const above = y === top ? 0 : (pixels[(y - 1) * rowBytes + x] ?? 0)
          out[y * rowBytes + x] = (pixels[y * rowBytes + x] ?? 0) - above
        }
      }
    }
  }
  return out
}

describe('pixels as differences to those above', () => {
  test('have cells of the heights that engines make', () => {
    const sizes: [number, number, number, number][] = [
      [1000, 700, 4, 34],
      [840, 840, 4, 40],
      [440, 440, 4, 88],
      [768, 675, 4, 45],
      [128, 1024, 4, 256],
      [1024, 1024, 4, 32],
      [2048, 2048, 4, 32],
      [4096, 4096, 1, 8],
      [4, 4, 4, 4],
    ]
    const heights = sizes.map(([width, height, bytes]) => cellHeight({ width, height }, bytes))
    expect(heights).toEqual(sizes.map(([, , , rows]) => rows))
  })

  test('in three stripes of 880, 880 and 858 pixels are put together', async () => {
    const [width, height] = [2618, 130]
    const pixels = noise(width * height * 4)
    const payload = toDeltas(pixels, width * 4, { bytes: 880 * 4, rows: 44 }) // 3 cells: 880 * 130 / 32768
    const read = await picture({ width, height, format: 'TSF_BGRA8', compression: 'TSCF_UEDELTA', payload })
    const blueFirst = Buffer.from(read.samples.values as Uint8Array)
    for (let i = 0; i < blueFirst.length; i += 4) blueFirst.subarray(i, i + 3).reverse()
    expect(Buffer.compare(blueFirst, pixels)).toBe(0)
  })

  test('of gray in two stripes are put together', async () => {
    const [width, height] = [5000, 40]
    const pixels = noise(width * height)
    const payload = toDeltas(pixels, width, { bytes: 2560, rows: 14 }) // 3 cells: 2560 * 40 / 32768
    const read = await picture({ width, height, format: 'TSF_G8', compression: 'TSCF_UEDELTA', payload })
    expect(Buffer.compare(read.samples.values as Uint8Array, pixels)).toBe(0)
  })

  test('of more than a byte a sample are unsupported', async () => {
    for (const format of ['TSF_G16', 'TSF_RGBA16', 'TSF_RGBA16F'])
      await expect(
        source({ width: 1, height: 1, format, compression: 'TSCF_UEDELTA', payload: Buffer.alloc(8) }),
      ).rejects.toThrow(reason('unsupported'))
  })
})

describe('a PNG', () => {
  const raw = (channels: 1 | 4) => ({ raw: { width: 3, height: 2, channels } }) as const
  const png = { width: 3, height: 2, compression: 'TSCF_PNG' }

  test('of 8-bit colours has red and blue exchanged', async () => {
    const pixels = noise(24)
    const read = await picture({ ...png, format: 'TSF_BGRA8', payload: await sharp(pixels, raw(4)).png().toBuffer() })
    const expected = Buffer.from(pixels)
    for (let i = 0; i < 24; i += 4) expected.subarray(i, i + 3).reverse()
    expect(Buffer.compare(rgba8(read), expected)).toBe(0)
  })

  test('of 16-bit colours is in order and keeps its bits', async () => {
    const words = Uint16Array.from({ length: 24 }, (_, i) => i * 2731)
    const payload = await sharp(words, raw(4)).toColourspace('rgb16').png().toBuffer()
    const read = await picture({ ...png, format: 'TSF_RGBA16', payload })
    expect(read).toEqual({ width: 3, height: 2, channels: 4, samples: { kind: 'u16', values: words } })
  })

  test('of gray is gray, in 8 and 16 bits', async () => {
    const eight = await sharp(noise(6), raw(1)).toColourspace('b-w').png().toBuffer()
    const read = await picture({ ...png, format: 'TSF_G8', payload: eight })
    expect([read.channels, Buffer.compare(read.samples.values as Uint8Array, noise(6))]).toEqual([1, 0])
    const words = Uint16Array.from({ length: 6 }, (_, i) => i * 10_007)
    const sixteen = await sharp(words, raw(1)).toColourspace('grey16').png().toBuffer()
    expect((await picture({ ...png, format: 'TSF_G16', payload: sixteen })).samples).toEqual({ kind: 'u16', values: words })
  })

  test('or a JPEG keeps its values whatever its colour profile says, and a JPEG is in order', async () => {
    const red = sharp({ create: { width: 3, height: 2, channels: 3, background: '#c02000' } })
    const profiled = await red.clone().withIccProfile('p3').png().toBuffer()
    const stored = await sharp(profiled, { ignoreIcc: true }).raw().toBuffer()
    const exchanged = await picture({ ...png, format: 'TSF_BGRA8', payload: profiled })
    expect([...rgba8(exchanged)].slice(0, 4)).toEqual([stored[2], stored[1], stored[0], 255])
    const [r = 0, , b = 0, a] = rgba8(
      await picture({ ...png, format: 'TSF_BGRA8', compression: 'TSCF_JPEG', payload: await red.jpeg().toBuffer() }),
    )
    expect([r > 150, b < 60, a]).toEqual([true, true, 255])
  })

  test('of another size, or that is none, is damage', async () => {
    const payload = await sharp(noise(24), raw(4)).png().toBuffer()
    await expect(source({ ...png, width: 2, height: 3, format: 'TSF_BGRA8', payload })).rejects.toThrow(reason('damaged'))
    await expect(source({ ...png, format: 'TSF_BGRA8', payload: payload.subarray(0, -30) })).rejects.toThrow(reason('damaged'))
    await expect(source({ ...png, format: 'TSF_BGRA8', payload: Buffer.from('no picture') })).rejects.toThrow(reason('damaged'))
    await expect(source({ ...png, format: 'TSF_RGBA16F', payload })).rejects.toThrow(reason('unsupported'))
  })
})

describe('a texture', () => {
  const pixel = { width: 1, height: 1, format: 'TSF_G8', payload: Buffer.of(7) }

  test('of 4.27 says by a property of its own that it is a PNG', async () => {
    const payload = await sharp(Buffer.of(9), { raw: { width: 1, height: 1, channels: 1 } })
      .png()
      .toBuffer()
    const properties = (out: ObjectBytes) =>
      out.struct('Source', 'TextureSource', (own) => {
        own.int('SizeX', 1).int('SizeY', 1).property('bPNGCompressed', ['BoolProperty'], true)
        own.property('Format', ['ByteProperty', ['ETextureSourceFormat']], (value) => value.name('TSF_G8'))
      })
    const data = (out: ObjectBytes) =>
      byteBulk(out.u8(0).u8(0), { flags: 1, rawSize: payload.length, storedSize: payload.length })
    const bytes = await sourcePackage({ assetClass: 'Texture2D', engine: '4.27.2', properties, data, tail: payload })
    const read = await readSource(bytes, { stem })
    expect(read).toMatchObject({
      kind: 'picture',
      class: 'Texture2D',
      compression: 'TSCF_PNG',
      format: 'TSF_G8',
      payloadId: null,
    })
  })

  test('of no size, or of more than engines make, is refused before its pixels are touched', async () => {
    for (const size of [
      { width: 0, height: 0 },
      { width: 4, height: 0 },
      { width: -1, height: -1 },
    ])
      await expect(source({ ...pixel, ...size })).rejects.toThrow(reason('damaged'))
    const large = [
      { width: 100_000, height: 1 },
      { width: 1, height: 16_385 },
      { width: 16_384, height: 16_384, format: 'TSF_RGBA16F' },
    ]
    for (const size of large) await expect(source({ ...pixel, ...size })).rejects.toThrow(reason('too-large'))
  })

  test('with fewer pixels than it should have is damage', async () => {
    for (const compression of ['TSCF_None', 'TSCF_UEDELTA'])
      await expect(source({ ...pixel, width: 2, compression })).rejects.toThrow(reason('damaged'))
  })

  test('of an unknown format or encoding, or without source, is unsupported', async () => {
    for (const changes of [{ format: 'TSF_RGBA32F' }, { compression: 'TSCF_NEW' }, { payload: Buffer.alloc(0) }])
      await expect(source({ ...pixel, ...changes })).rejects.toThrow(reason('unsupported'))
    const { format: _, ...unnamed } = pixel
    await expect(source(unnamed)).rejects.toThrow(reason('unsupported'))
  })

  test('of another class has no source that is read', async () => {
    expect(await source({ ...pixel, assetClass: 'Material' })).toBeUndefined()
  })
})
