// Facts and thumbnails of PNG, JPEG and TGA, beyond what the real files show.
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { imageThumbnail, readImage } from '../../formats/image.ts'
import { sourceThumbnail } from '../../formats/source-file.ts'
import { decodeTga, readTga } from '../../formats/tga.ts'
import { texturePicture, toTga } from '../../sample/picture.ts'
import { surfaces } from '../../sample/surfaces.ts'

const red = { r: 255, g: 0, b: 0, alpha: 1 }
const plain = (width: number, height: number, channels: 3 | 4 = 4) =>
  sharp({ create: { width, height, channels, background: red } })

test.each([
  ['gray', () => plain(4, 4).removeAlpha().toColourspace('b-w').png(), { color: 'gray', bitDepth: 8 }],
  ['gray with alpha', () => plain(4, 4).toColourspace('b-w').png(), { color: 'gray-alpha' }],
  ['sixteen bits', () => plain(4, 4).toColourspace('rgb16').png(), { color: 'rgba', bitDepth: 16 }],
  ['a palette', () => plain(4, 4).png({ palette: true }), { color: 'palette' }],
  ['interlaced', () => plain(4, 4).png({ progressive: true }), { interlaced: true }],
  ['a progressive JPEG', () => plain(4, 4).jpeg({ progressive: true }), { format: 'jpeg', progressive: true, components: 3 }],
  ['a gray JPEG', () => plain(4, 4).toColourspace('b-w').jpeg(), { format: 'jpeg', components: 1 }],
])('%s is told', async (_, make, facts) => {
  expect(await readImage(await make().toBuffer())).toMatchObject({ width: 4, height: 4, ...facts })
})

test('a large picture becomes a thumbnail of 512 pixels, a small one keeps its size and its transparency', async () => {
  expect(await sharp(await imageThumbnail(await plain(2000, 500).png().toBuffer())).metadata()).toMatchObject({
    width: 512,
    height: 128,
  })
  const glassy = sharp({ create: { width: 20, height: 30, channels: 4, background: { ...red, alpha: 0.5 } } })
  const thumbnail = sharp(await imageThumbnail(await glassy.png().toBuffer()))
  expect(await thumbnail.metadata()).toMatchObject({ format: 'png', width: 20, height: 30, depth: 'uchar' })
  expect((await thumbnail.stats()).channels[3]?.mean).toBeCloseTo(128, -1)
})

test('a photo that was taken upright is shown upright, and described as it is stored', async () => {
  const turned = await plain(40, 20, 3).jpeg().withMetadata({ orientation: 6 }).toBuffer()
  expect(await readImage(turned)).toMatchObject({ width: 40, height: 20 })
  expect(await sharp(await imageThumbnail(turned)).metadata()).toMatchObject({ width: 20, height: 40 })
})

test('a head that ends before the header is too short, a whole file that does is damaged', async () => {
  const png = await plain(4, 4).png().toBuffer()
  await expect(readImage(png.subarray(0, 20), png.length)).rejects.toMatchObject({ reason: 'truncated' })
  await expect(readImage(png.subarray(0, 20))).rejects.toMatchObject({ reason: 'damaged' })
})

type TgaSpec = { type: number; bits: number; descriptor?: number; palette?: Buffer; firstColor?: number; pixels: Buffer }

/** Two pixels wide and two high. */
function tgaOf({ type, bits, descriptor = 32, palette = Buffer.alloc(0), firstColor = 0, pixels }: TgaSpec): Buffer {
  const header = Buffer.alloc(18)
  header.set([0, palette.length > 0 ? 1 : 0, type])
  header.writeUInt16LE(firstColor, 3)
  header.writeUInt16LE(palette.length / 3, 5)
  header.set([24], 7)
  header.writeUInt16LE(2, 12)
  header.writeUInt16LE(2, 14)
  header.set([bits, descriptor], 16)
  return Buffer.concat([header, palette, pixels])
}
/** Blue, green, red as a file stores them. */
const stored = { red: [0, 0, 255], green: [0, 255, 0], blue: [255, 0, 0], white: [255, 255, 255] }
const seen = (tga: Buffer) => Array.from({ length: 4 }, (_, at) => [...decodeTga(tga, 512).rgba.subarray(at * 4, at * 4 + 4)])
const [red8, green8, blue8, white8] = [
  [255, 0, 0, 255],
  [0, 255, 0, 255],
  [0, 0, 255, 255],
  [255, 255, 255, 255],
]
const four = [red8, green8, blue8, white8]
const pixels = Buffer.from([...stored.red, ...stored.green, ...stored.blue, ...stored.white])
const palette = Buffer.from([...stored.white, ...stored.blue, ...stored.green, ...stored.red])

describe('a TGA', () => {
  test.each([
    ['true colour', { type: 2, bits: 24, pixels }],
    [
      'bottom row first',
      { type: 2, bits: 24, descriptor: 0, pixels: Buffer.concat([pixels.subarray(6), pixels.subarray(0, 6)]) },
    ],
    [
      'right column first',
      {
        type: 2,
        bits: 24,
        descriptor: 48,
        pixels: Buffer.from([...stored.green, ...stored.red, ...stored.white, ...stored.blue]),
      },
    ],
    ['a palette', { type: 1, bits: 8, palette, pixels: Buffer.from([3, 2, 1, 0]) }],
    ['a palette that begins later', { type: 1, bits: 8, palette, firstColor: 40, pixels: Buffer.from([43, 42, 41, 40]) }],
    ['a palette in packets', { type: 9, bits: 8, palette, pixels: Buffer.from([3, 3, 2, 1, 0]) }],
    ['packets', { type: 10, bits: 24, pixels: Buffer.concat([Buffer.from([3]), pixels]) }],
    ['sixteen bits', { type: 2, bits: 16, pixels: Buffer.from(Uint16Array.of(31 << 10, 31 << 5, 31, 0x7fff).buffer) }],
  ])('with %s shows its colours', (_, spec) => {
    expect(seen(tgaOf(spec))).toEqual(four)
  })

  test('of gray values is gray, and a repeated packet may cross rows', () => {
    expect(seen(tgaOf({ type: 11, bits: 8, pixels: Buffer.from([0x82, 90, 0x00, 200]) }))).toEqual([
      ...Array.from({ length: 3 }, () => [90, 90, 90, 255]),
      [200, 200, 200, 255],
    ])
  })

  test('with an alpha channel shows through, unless the channel is empty', () => {
    const with32 = (alpha: number) => Buffer.from([0, 1, 2, 3].flatMap(() => [...stored.red, alpha]))
    expect(seen(tgaOf({ type: 2, bits: 32, descriptor: 40, pixels: with32(77) }))[0]).toEqual([255, 0, 0, 77])
    expect(seen(tgaOf({ type: 2, bits: 32, descriptor: 40, pixels: with32(0) }))[0]).toEqual(red8)
    expect(seen(tgaOf({ type: 2, bits: 32, descriptor: 32, pixels: with32(77) }))[0]).toEqual(red8)
  })

  test('that names a colour outside its palette is damaged', () => {
    const tga = tgaOf({ type: 1, bits: 8, palette, pixels: Buffer.from([3, 2, 1, 9]) })
    expect(() => decodeTga(tga, 512)).toThrow(expect.objectContaining({ name: 'FormatError', reason: 'damaged' }))
  })

  test('that is shorter than its pixels is cut off, even when only its head is read', () => {
    const tga = tgaOf({ type: 2, bits: 24, pixels })
    expect(() => readTga(tga.subarray(0, 18), tga.length - 1)).toThrow(expect.objectContaining({ reason: 'truncated' }))
    expect(readTga(tga.subarray(0, 18), tga.length)).toMatchObject({ width: 2, height: 2, footer: null })
  })

  test('of any size gives the picture that a PNG of it gives', async () => {
    const picture = texturePicture(surfaces.brick, 700)
    const png = await sharp(picture.rgba, { raw: { width: 700, height: 700, channels: 4 } })
      .png()
      .toBuffer()
    const [fromPng, fromTga] = [await sourceThumbnail('png', png), await sourceThumbnail('tga', toTga(picture, true))]
    expect((await sharp(fromTga ?? undefined).metadata()).width).toBe(512)
    const [a, b] = [
      await sharp(fromPng ?? undefined)
        .raw()
        .toBuffer(),
      await sharp(fromTga ?? undefined)
        .raw()
        .toBuffer(),
    ]
    const difference = a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length
    expect(difference).toBeLessThan(1)
  })
})
