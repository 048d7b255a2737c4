// Pictures in front of decoders: what headers say, what is refused by them, and how many are decoded at once.
import { Worker } from 'node:worker_threads'
import sharp, { type Sharp } from 'sharp'
import { expect, test } from 'vitest'
import { pictureBounds } from '../../contract/picture-bounds.ts'
import { FormatError } from '../../formats/format-error.ts'
import { decodePicture, pictureWithin } from '../../formats/pictures/decoding.ts'
import { decodedNow, inPlace, mostDecodedAtOnce, shareDecodingPlaces } from '../../formats/pictures/decoding-places.ts'
import { pictureHeader } from '../../formats/pictures/header.ts'
import { pngToDecode } from '../../formats/pictures/png-chunks.ts'
import { blackPng, hugeJpeg, hugePng, hugeWebp, textChunks } from '../support/large-pictures.ts'
import { noisyPng, pngChunk, pngOf, withChunks } from '../support/media.ts'

const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: '#3a7' } })

const reasonOf = (work: () => unknown): string => {
  try {
    work()
    return 'none'
  } catch (error) {
    if (error instanceof FormatError) return error.reason
    throw error
  }
}

test.each([
  ['PNG', () => plain(21, 13).png().toBuffer(), false],
  ['interlaced PNG', () => plain(21, 13).png({ progressive: true }).toBuffer(), true],
  ['JPEG', () => plain(21, 13).jpeg().toBuffer(), false],
  ['progressive JPEG', () => plain(21, 13).jpeg({ progressive: true }).toBuffer(), true],
  [
    'JPEG with a profile and EXIF',
    () =>
      plain(21, 13)
        .withIccProfile('p3')
        .withExif({ IFD0: { Copyright: 'x' } })
        .jpeg()
        .toBuffer(),
    false,
  ],
  ['lossy WebP', () => plain(21, 13).webp().toBuffer(), true],
  ['lossless WebP', () => plain(21, 13).webp({ lossless: true }).toBuffer(), true],
  ['WebP with alpha', () => plain(21, 13, 4).webp().toBuffer(), true],
  ['GIF', () => plain(21, 13).gif().toBuffer(), true],
] as const)('the header of a %s says its size without a decoder', async (_, make, isWhole) => {
  expect(pictureHeader(await make())).toMatchObject({ width: 21, height: 13, isWhole })
})

test('a header that is cut off, of another kind, or without a pixel is named as that', async () => {
  for (const make of [plain(9, 9).png(), plain(9, 9).jpeg(), plain(9, 9).webp(), plain(9, 9).gif()]) {
    const bytes = await make.toBuffer()
    for (let length = 0; length < bytes.length; length++)
      expect(['none', 'truncated', 'not-this-format']).toContain(reasonOf(() => pictureHeader(bytes.subarray(0, length))))
  }
  const others = [
    await plain(9, 9).tiff().toBuffer(),
    await plain(9, 9).avif().toBuffer(),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  ]
  for (const bytes of others) expect(reasonOf(() => pictureHeader(bytes))).toBe('not-this-format')
  expect(reasonOf(() => pictureHeader(blackPng({ width: 8, height: 8, says: { width: 0, height: 8 } })))).toBe('damaged')
})

test('a JPEG of markers only is read in steps that go forward', () => {
  const segments = Buffer.concat(Array.from({ length: 200_000 }, () => Buffer.from([0xff, 0xe1, 0, 2])))
  expect(reasonOf(() => pictureHeader(Buffer.concat([Buffer.from([0xff, 0xd8]), segments])))).toBe('damaged')
  expect(reasonOf(() => pictureHeader(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_000_000, 0xff)])))).toBe(
    'truncated',
  )
})

test('nothing beyond the bounds of a thumbnail comes to a decoder', async () => {
  const beyond = {
    square: hugePng(),
    wide: blackPng({ width: 65_535, height: 1 }),
    high: blackPng({ width: 1, height: 65_535 }),
    'one pixel more': await pngOf(513, 1),
    'says more than it has': blackPng({ width: 8, height: 8, says: { width: 16_384, height: 16_384 } }),
    jpeg: await hugeJpeg(),
    webp: await hugeWebp(),
    'a small JPEG': await plain(8, 8).jpeg().toBuffer(),
    'many bytes': withChunks(await pngOf(8, 8), pngChunk('ruFf', Buffer.alloc(pictureBounds.thumbnail.maxBytes))),
  }
  let decoded = 0
  for (const [name, bytes] of Object.entries(beyond)) {
    const bounds = pictureBounds.thumbnail
    const make = async () => void decoded++
    await expect(decodePicture(bytes, { bounds, make }), name).rejects.toMatchObject({ name: 'FormatError' })
    expect(
      reasonOf(() => pictureWithin(bytes, bounds)),
      name,
    ).not.toBe('none')
  }
  expect(decoded).toBe(0)
})

test('a header that says less than the file holds decides how much is decoded', async () => {
  const bytes = blackPng({ width: 16_384, height: 512, says: { width: 512, height: 512 } })
  const info = await decodePicture(bytes, {
    bounds: pictureBounds.thumbnail,
    make: async (picture) => (await picture.raw().toBuffer({ resolveWithObject: true })).info,
  }).catch((error: FormatError) => error.reason)
  expect([{ width: 512, height: 512 }, 'damaged']).toContainEqual(
    typeof info === 'string' ? info : { width: info.width, height: info.height },
  )
})

test('formats that nobody bounded open nothing in this process once a picture was decoded', async () => {
  await decodePicture(await pngOf(3, 3), { bounds: pictureBounds.thumbnail, make: (picture) => picture.raw().toBuffer() })
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  for (const bytes of [svg, await plain(9, 9).tiff().toBuffer(), await plain(9, 9).avif().toBuffer()])
    await expect(sharp(bytes).metadata()).rejects.toThrow(/unsupported image format/)
})

test('of a PNG only the chunks that its picture needs reach a decoder, each of those beside the pixels once', async () => {
  const picture = await noisyPng(40, 30)
  const gamma = pngChunk('gAMA', Buffer.from([0, 0, 0xb1, 0x8f]))
  const animation = pngChunk('acTL', Buffer.from([0, 0, 0x27, 0x10, 0, 0, 0, 0]))
  const bytes = withChunks(picture, gamma, gamma, animation, ...textChunks(4_000_000), pngChunk('tEXt', Buffer.from('a\0b')))
  expect(pngToDecode(bytes)).toEqual(withChunks(picture, gamma))
  expect(pngToDecode(picture)).toBe(picture)
  const pixels = (from: Buffer) => decodePicture(from, { bounds: pictureBounds.thumbnail, make: (one) => one.raw().toBuffer() })
  expect(await pixels(bytes)).toEqual(await pixels(withChunks(picture, gamma)))
  for (let length = 8; length < 200; length++) expect(pngToDecode(bytes.subarray(0, length)).length).toBeLessThanOrEqual(length)
})

test('no more are decoded at once than a process has places, and who waits comes in when one leaves', async () => {
  const gates = Array.from({ length: 8 }, () => Promise.withResolvers<void>())
  let inside = 0
  let most = 0
  const done = gates.map(({ promise }) =>
    inPlace(async () => {
      most = Math.max(most, ++inside)
      await promise
      inside--
    }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect([inside, decodedNow()]).toEqual([mostDecodedAtOnce, mostDecodedAtOnce])
  for (const { resolve } of gates) resolve()
  await Promise.all(done)
  expect([most, inside, decodedNow()]).toEqual([mostDecodedAtOnce, 0, 0])
})

test('a thread that was begun by this one has the same places', async () => {
  shareDecodingPlaces()
  const gates = Array.from({ length: mostDecodedAtOnce }, () => Promise.withResolvers<void>())
  const held = gates.map(({ promise }) => inPlace(() => promise))
  const source = `
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(new URL('../../formats/pictures/decoding-places.ts', import.meta.url).href)}).then(async ({ inPlace, decodedNow }) => {
      parentPort.postMessage(decodedNow())
      parentPort.postMessage(await inPlace(async () => 'inside'))
    })`
  const worker = new Worker(source, { eval: true })
  const heard: unknown[] = []
  const { promise: waits, resolve: isWaiting } = Promise.withResolvers<void>()
  const { promise: entered, resolve: hasEntered } = Promise.withResolvers<void>()
  worker.on('message', (message) => {
    heard.push(message)
    if (heard.length === 1) isWaiting()
    else hasEntered()
  })
  await waits
  expect(heard).toEqual([mostDecodedAtOnce])
  gates[0]?.resolve()
  await entered
  expect(heard).toEqual([mostDecodedAtOnce, 'inside'])
  for (const { resolve } of gates) resolve()
  await Promise.all(held)
  await worker.terminate()
})

test('pictures that are asked for at every moment are all decoded, also while others are', async () => {
  const picture = await noisyPng(40, 40)
  const decoded = async () => {
    const make = (one: Sharp) => one.resize(8, 8).raw().toBuffer()
    return (await decodePicture(picture, { bounds: pictureBounds.thumbnail, make })).length
  }
  const one = async () => {
    const sizes: number[] = []
    for (let times = 0; times < 60; times++) sizes.push(await decoded())
    return sizes
  }
  const sizes = (await Promise.all(Array.from({ length: 40 }, one))).flat()
  expect(new Set(sizes)).toEqual(new Set([8 * 8 * 3]))
})
