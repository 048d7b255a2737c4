/** Pictures are found by their looks, whatever was done to them; hostile ones are refused in words. */
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { FormatError } from '../../../formats/format-error.ts'
import { randomNumbers } from '../../../sample/random.ts'
import { descriptor } from '../../../server/looks/descriptor/descriptor.ts'
import { drawnPng } from '../../support/drawn-props.ts'
import { Looks } from '../../support/looks.ts'
import { changeNames, pictureChanges } from '../../support/picture-changes.ts'

const library = 150
const asked = 20

describe('among drawn props, materials and textures', () => {
  const looks = new Looks()
  const pictures: Buffer[] = []

  beforeAll(async () => {
    for (let index = 0; index < library; index++) {
      const png = await drawnPng('library', index, 96)
      pictures.push(png)
      await looks.add({ name: String(index), png })
    }
  }, 120_000)

  test.each(changeNames)('a picture is found again: %s', async (change) => {
    const lost: number[] = []
    for (let index = 0; index < asked; index++) {
      const changed = await pictureChanges[change](pictures[index] ?? new Uint8Array(), randomNumbers(`${change} ${index}`))
      if (!looks.isFound(index, looks.nearest(await descriptor.questions(changed), { count: 10 }))) lost.push(index)
    }
    expect(lost.length).toBeLessThanOrEqual(1)
  })

  test('the picture itself comes first, and looks the same', async () => {
    for (let index = 0; index < asked; index++) {
      const questions = await descriptor.questions(pictures[index] ?? new Uint8Array())
      expect(looks.nearest(questions, { count: 1 })).toEqual([index])
      expect(looks.scoreOf(index, questions), String(index)).toBeGreaterThan(0.97)
    }
  })

  test('a dark thing on a checkerboard that is hardly lighter looks the same as itself', async () => {
    const dark = new Looks()
    const picture = await darkOnCheckerboard()
    await dark.add({ name: 'dark', png: picture })
    expect(dark.scoreOf(0, await descriptor.questions(picture))).toBeGreaterThan(0.99)
  })
})

/** As editors draw what is see-through: the thing differs from the squares by more than they differ from each other, and by little. */
async function darkOnCheckerboard(): Promise<Buffer> {
  const edge = 128
  const rgb = Buffer.alloc(edge * edge * 3)
  for (let y = 0; y < edge; y++) {
    for (let x = 0; x < edge; x++) {
      const isThing = Math.hypot(x - 64, (y - 64) * 0.7) < 36
      const level = isThing ? 58 + ((x * 5 + y * 3) % 24) : 40 + 8 * (((x >> 5) + (y >> 5)) % 2)
      rgb.fill(level, (y * edge + x) * 3, (y * edge + x) * 3 + 3)
    }
  }
  return sharp(rgb, { raw: { width: edge, height: edge, channels: 3 } })
    .png()
    .toBuffer()
}

describe('what is no picture that can be looked at', () => {
  const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#a50' } })

  /** A PNG that says it has so many pixels, and has a few. */
  const lying = async (width: number, height: number): Promise<Buffer> => {
    const png = await plain(4, 4).png().toBuffer()
    png.writeUInt32BE(width, 16)
    png.writeUInt32BE(height, 20)
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
    return png
  }

  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['nothing', () => Buffer.alloc(0)],
    ['a text', () => Buffer.from('a barrel')],
    ['an SVG that says it is a picture', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['a GIF', () => plain(4, 4).gif().toBuffer()],
    ['a PNG of 0 x 0', () => lying(0, 0)],
    ['a PNG of 100,000 x 1', () => lying(100_000, 1)],
    ['a PNG with more pixels than it holds', () => lying(8000, 8000)],
    ['a PNG of a billion pixels', () => lying(32_000, 32_000)],
    ['a JPEG that was cut off', async () => (await plain(640, 480).jpeg().toBuffer()).subarray(0, 700)],
    ['more than 16 MiB', async () => Buffer.concat([await plain(4, 4).png().toBuffer(), Buffer.alloc(16 * 1024 * 1024)])],
  ])('%s is refused', async (_, make) => {
    await expect(descriptor.look(await make())).rejects.toBeInstanceOf(FormatError)
  })

  test('a plain, a wholly transparent and a tiny picture have looks of the right length', async () => {
    const clear = sharp({ create: { width: 30, height: 30, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    for (const picture of [plain(50, 40), plain(1, 1), plain(3000, 1), clear]) {
      const { shape, colour } = await descriptor.look(await picture.png().toBuffer())
      expect([shape.length, colour.length]).toEqual([descriptor.dimensions.shape, descriptor.dimensions.colour])
      expect(shape.some((number) => number !== 0)).toBe(true)
    }
  })
})

test('a grey picture says nothing of colours', async () => {
  const grey = await sharp(await drawnPng('library', 3, 96))
    .greyscale()
    .png()
    .toBuffer()
  expect((await descriptor.look(grey)).colour.every((value) => value === 0)).toBe(true)
})
