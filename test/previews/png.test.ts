/** Pictures as PNG: every pixel there, at the size and depth that the library takes. */
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { readImage } from '../../formats/image.ts'
import type { Picture } from '../../formats/source/picture.ts'
import { type PngOptions, picturePng } from '../../previews/png.ts'

type Size = [width: number, height: number, channels: 1 | 4]

const bytes = ([width, height, channels]: Size, values: ArrayLike<number>): Picture => ({
  width,
  height,
  channels,
  samples: { kind: 'u8', values: Uint8Array.from(values) },
})

const words = (kind: 'u16' | 'half', [width, height, channels]: Size, values: ArrayLike<number>): Picture => ({
  width,
  height,
  channels,
  samples: { kind, values: Uint16Array.from(values) },
})

/** Pixels that do not compress. */
const noise = (count: number) => {
  let state = 1
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 16
  })
}

async function opened(picture: Picture, options?: PngOptions) {
  const made = await picturePng(picture, options)
  const facts = await readImage(made.png)
  expect([facts.width, facts.height, facts.bitDepth]).toEqual([made.width, made.height, made.bits])
  const depth = made.bits === 16 ? 'ushort' : 'uchar'
  const { data, info } = await sharp(made.png).toColourspace(spaceOf(facts)).raw({ depth }).toBuffer({ resolveWithObject: true })
  const pixels = [...(made.bits === 16 ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data)]
  return { ...made, facts, pixels, channels: info.channels }
}

const spaceOf = (facts: Awaited<ReturnType<typeof readImage>>) => {
  const isGray = facts.format === 'png' && facts.color === 'gray'
  return facts.bitDepth === 16 ? (isGray ? 'grey16' : 'rgb16') : isGray ? 'b-w' : 'srgb'
}

test('colours keep their bytes, also under a transparent alpha', async () => {
  const values = [255, 0, 0, 255, 0, 255, 0, 0, 1, 2, 3, 4, 250, 251, 252, 253]
  const { pixels, facts, reduced } = await opened(bytes([2, 2, 4], values))
  expect(facts).toMatchObject({ format: 'png', color: 'rgba', interlaced: false })
  expect(pixels).toEqual(values)
  expect(reduced).toEqual([])
})

test('grey stays one channel, and 16 bits stay 16 bits, of grey and of colours', async () => {
  const gray = await opened(bytes([3, 1, 1], [0, 100, 255]))
  expect([gray.facts, gray.pixels]).toMatchObject([{ color: 'gray', bitDepth: 8 }, [0, 100, 255]])
  const deep = await opened(words('u16', [3, 1, 1], [0, 257, 65_534]))
  expect([deep.facts, deep.pixels]).toMatchObject([{ color: 'gray', bitDepth: 16 }, [0, 257, 65_534]])
  const colors = await opened(words('u16', [1, 1, 4], [1, 2, 65_533, 40_000]))
  expect([colors.facts, colors.pixels]).toMatchObject([{ color: 'rgba', bitDepth: 16 }, [1, 2, 65_533, 40_000]])
})

test('half floats are cut off at white and get the gamma of a screen; alpha does not', async () => {
  const half = { zero: 0, quarter: 0x3400, one: 0x3c00, two: 0x4000, infinite: 0x7c00, none: 0x7e00, minus: 0xbc00, tiny: 1 }
  const values = [
    half.quarter,
    half.one,
    half.two,
    half.quarter,
    half.infinite,
    half.none,
    half.minus,
    half.two,
    half.tiny,
    half.zero,
    half.quarter,
    half.none,
  ]
  const { pixels, reduced } = await opened(words('half', [3, 1, 4], values))
  const quarter = Math.round(0.25 ** (1 / 2.2) * 255)
  expect(pixels).toEqual([quarter, 255, 255, 64, 255, 0, 0, 255, 0, 0, quarter, 0])
  expect(reduced).toEqual(['Floating-point colours were cut off at white and made 8-bit.'])
})

test('a picture larger than the library takes is halved until it fits, each pixel the mean of four', async () => {
  const { pixels, width, height, reduced } = await opened(
    bytes([5, 3, 1], [0, 4, 8, 12, 16, 0, 4, 8, 12, 16, 100, 100, 200, 200, 255]),
    { maxEdgePx: 4 },
  )
  expect([width, height]).toEqual([3, 2])
  expect(pixels).toEqual([2, 10, 16, 100, 200, 255])
  expect(reduced).toEqual(['5 x 3 pixels were reduced to 3 x 2.'])
  const twice = await opened(words('u16', [9, 1, 1], [65_535, 65_535, 65_535, 65_535, 0, 0, 0, 0, 7]), { maxEdgePx: 4 })
  expect([twice.width, twice.height, twice.pixels]).toEqual([3, 1, [65_535, 0, 7]])
})

test('8192 pixels a side are kept, one more is halved; a line of 100,000 becomes one of 6,250', async () => {
  const line = (width: number) => opened(bytes([width, 1, 1], new Uint8Array(width)))
  expect(await line(8192)).toMatchObject({ width: 8192, height: 1, reduced: [] })
  expect(await line(8193)).toMatchObject({ width: 4097, height: 1 })
  expect(await line(100_000)).toMatchObject({ width: 6250, height: 1 })
})

test('a PNG of too many bytes gives up 16 bits first, then its size', async () => {
  const picture = words('u16', [64, 64, 1], noise(64 * 64))
  expect(await opened(picture, { maxBytes: 6000 })).toMatchObject({
    width: 64,
    bits: 8,
    reduced: ['16-bit samples were made 8-bit.'],
  })
  const small = await opened(picture, { maxBytes: 2000 })
  expect(small).toMatchObject({
    width: 32,
    height: 32,
    reduced: ['16-bit samples were made 8-bit.', '64 x 64 pixels were reduced to 32 x 32.'],
  })
  expect(small.png.length).toBeLessThanOrEqual(2000)
})

test.each([
  ['no pixels', bytes([0, 0, 4], [])],
  ['no rows', bytes([7, 0, 4], [])],
  ['fewer samples than its size says', bytes([2, 2, 4], [1, 2, 3])],
  ['a size that is no number', bytes([Number.NaN, 2, 4], [1])],
])('a picture with %s is refused', async (_, picture) => {
  await expect(picturePng(picture)).rejects.toMatchObject({ name: 'FormatError', reason: 'damaged' })
})
