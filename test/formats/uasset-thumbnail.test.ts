// The picture inside a package, made fit to be seen.

import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { embeddedThumbnail } from '../../formats/uasset/thumbnail.ts'
import { readPackage } from '../../formats/uasset/uasset.ts'
import { writePackage } from '../../sample/package.ts'
import { randomBytes } from '../../sample/random.ts'
import { fixtureFolder, type RealPackage, realPackages } from '../support/real-packages.ts'

type Colour = { r: number; g: number; b: number; alpha?: number }

const create = (width: number, height: number, background: Colour) =>
  sharp({ create: { width, height, channels: background.alpha === undefined ? 3 : 4, background } })
    .png()
    .toBuffer()

async function packageWith(thumbnail: Buffer, engine: string) {
  const bytes = await writePackage({ packageName: '/Game/M_Oak', assetClass: 'Material', engine, thumbnail })
  return { bytes, facts: readPackage(bytes, { stem: 'M_Oak', fileSize: bytes.length }) }
}

/** The mean of each channel of the middle ninth, where the asset itself is shown. */
async function middleColour(png: Buffer): Promise<Colour> {
  const { width = 0, height = 0 } = await sharp(png).metadata()
  const part = (side: number) => Math.max(1, Math.floor(side / 3))
  const area = { left: Math.floor(width / 3), top: Math.floor(height / 3), width: part(width), height: part(height) }
  const { channels } = await sharp(await sharp(png).extract(area).png().toBuffer()).stats()
  const [r = 0, g = 0, b = 0] = channels.map(({ mean }) => mean)
  return { r, g, b }
}

describe.each(['4.25.4', '5.3.2'])('a picture as Unreal %s keeps it', (engine) => {
  test('comes out in its true colours and size', async () => {
    const { bytes, facts } = await packageWith(await create(200, 100, { r: 220, g: 60, b: 20 }), engine)
    const png = await embeddedThumbnail(bytes, facts)
    const { format, width, height, channels } = await sharp(png ?? undefined).metadata()
    expect({ format, width, height, channels }).toEqual({ format: 'png', width: 200, height: 100, channels: 3 })
    const { r, g, b } = await middleColour(png ?? Buffer.alloc(0))
    expect([Math.round(r / 10), Math.round(g / 10), Math.round(b / 10)]).toEqual([22, 6, 2])
  })

  test('is made smaller where a library takes no larger one', async () => {
    const { bytes, facts } = await packageWith(await create(1024, 256, { r: 1, g: 2, b: 3 }), engine)
    const { width, height } = await sharp((await embeddedThumbnail(bytes, facts)) ?? undefined).metadata()
    expect({ width, height }).toEqual({ width: 512, height: 128 })
  })

  test('is refused as damaged when its image is, and nothing else happens', async () => {
    const noise = await sharp(randomBytes('noise', 64 * 64 * 3), { raw: { width: 64, height: 64, channels: 3 } })
      .png()
      .toBuffer()
    const { bytes, facts } = await packageWith(noise, engine)
    const { offset = 0, length = 0 } = facts.thumbnail ?? {}
    const broken = Buffer.from(bytes).fill(0, offset + 8, offset + length)
    await expect(embeddedThumbnail(broken, facts)).rejects.toMatchObject({ name: 'FormatError', reason: 'damaged' })
    await expect(embeddedThumbnail(bytes.subarray(0, offset + 9), facts)).rejects.toMatchObject({ reason: 'truncated' })
  })
})

test('transparency is dropped, so that a transparent picture can be seen', async () => {
  const { bytes, facts } = await packageWith(await create(64, 64, { r: 10, g: 200, b: 90, alpha: 0 }), '4.25.4')
  const png = await embeddedThumbnail(bytes, facts)
  expect(await sharp(png ?? undefined).metadata()).toMatchObject({ hasAlpha: false })
  expect(await middleColour(png ?? Buffer.alloc(0))).toEqual({ r: 10, g: 200, b: 90 })
})

test('a package without a picture has none', async () => {
  const bytes = await writePackage({ packageName: '/Game/L_Hall', assetClass: 'World' })
  expect(await embeddedThumbnail(bytes, readPackage(bytes, { stem: 'L_Hall', fileSize: bytes.length }))).toBeNull()
})

const real = realPackages()

test.runIf(fixtureFolder)('every picture of a real package comes out opaque and of the size its record says', async () => {
  const pictured = real.filter(({ expected }) => expected.error === undefined && expected.thumbnail !== null)
  expect(pictured.length).toBeGreaterThan(300)
  const wrong: string[] = []
  for (const one of pictured) {
    const { width, height, hasAlpha } = await sharp(await thumbnailOf(one)).metadata()
    if (width !== one.expected.thumbnail?.width || height !== one.expected.thumbnail.height || hasAlpha) wrong.push(one.path)
  }
  expect(wrong).toEqual([])
})

test.runIf(fixtureFolder)('a red material is red, and a blue one blue', async () => {
  const named = (stem: string) => real.find((one) => one.stem === stem) ?? expect.fail(`no ${stem}`)
  const red = await middleColour(await thumbnailOf(named('MI_SimpleLit_Red')))
  expect(red.r).toBeGreaterThan(red.b * 2)
  const blue = await middleColour(await thumbnailOf(named('MI_Solid_Blue')))
  expect(blue.b).toBeGreaterThan(blue.r * 2)
})

async function thumbnailOf({ bytes, stem }: RealPackage): Promise<Buffer> {
  const png = await embeddedThumbnail(bytes, readPackage(bytes, { stem, fileSize: bytes.length }))
  return png ?? expect.fail(`${stem} has no picture`)
}
