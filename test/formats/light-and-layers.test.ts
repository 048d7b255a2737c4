// HDR, EXR and PSD pictures: what they say of themselves, and their pixels.
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { readExrPicture } from '../../formats/exr/picture.ts'
import { readHdrPicture } from '../../formats/hdr.ts'
import { readPsdPicture } from '../../formats/psd.ts'
import { rgba8 } from '../../formats/source/rgba8.ts'
import { describeSource, sourceThumbnail } from '../../formats/source-file.ts'
import { toExr, toHdr, toPsd } from '../support/pictures.ts'
import { sample } from '../support/samples.ts'

/** Halves of 0, a quarter, 1 and 2. */
const half = { 0: 0, 0.25: 0x3400, 1: 0x3c00, 2: 0x4000 }
const size = { width: 10, height: 2 }
/** Red grows along the rows; the second half of the others is flat. */
const rgbe = Uint8Array.from({ length: 80 }, (_, at) => [(at >> 2) * 8, 64, at < 40 ? 128 : 0, 129][at % 4] ?? 0)
const flat = (light: number) => Array.from({ length: 20 }, () => light)

test('the light of an HDR is read as it stands, run-length encoded or not', () => {
  const plain = readHdrPicture(toHdr(size, rgbe, false))
  expect(plain).toMatchObject({ width: 10, height: 2, channels: 4, samples: { kind: 'half' } })
  expect([...plain.samples.values.subarray(0, 4)]).toEqual([half[0], 0x3800, half[1], half[1]])
  expect([...plain.samples.values.subarray(76)]).toEqual([0x3cc0, 0x3800, 0, half[1]])
  expect(readHdrPicture(toHdr(size, rgbe, true))).toEqual(plain)
})

test('an old HDR repeats pixels by counts, also beyond 255 of them', () => {
  const header = Buffer.from('#?RGBE\n\n+Y 1 -X 301\n')
  const picture = readHdrPicture(Buffer.concat([header, Buffer.from([128, 0, 0, 129, 1, 1, 1, 44, 1, 1, 1, 1])]))
  expect(picture.width).toBe(301)
  for (let x = 0; x < 301; x++) expect(picture.samples.values[x * 4]).toBe(half[1])
})

test.each([8, 16, 32])('the merged picture of a PSD of %i bits', (bitDepth) => {
  const plane = (first: number, second: number) => {
    const bytes = Buffer.alloc(bitDepth / 4)
    for (const [at, value] of [first, second].entries()) {
      if (bitDepth === 8) bytes.writeUInt8(value * 255, at)
      else if (bitDepth === 16) bytes.writeUInt16BE(value * 65_535, at * 2)
      else bytes.writeFloatBE(value, at * 4)
    }
    return bytes
  }
  const document = { width: 1, height: 2, bitDepth, mode: 3, planes: [plane(1, 0), plane(0, 1), plane(0, 1)] }
  for (const packed of [false, true])
    expect([...rgba8(readPsdPicture(toPsd({ ...document, packed })))]).toEqual([255, 0, 0, 255, 0, 255, 255, 255])
})

test('transparency of a PSD is read, and the white that lies under it taken out; a kept selection is neither', () => {
  const planes = [255, 128, 128, 127].map((value) => Buffer.of(value))
  const document = { width: 1, height: 1, bitDepth: 8, mode: 3, planes }
  expect([...readPsdPicture(toPsd({ ...document, isTransparent: true })).samples.values]).toEqual([255, 0, 0, 127])
  expect([...readPsdPicture(toPsd(document)).samples.values]).toEqual([255, 128, 128, 255])
})

test('a PSD of inks and of a palette becomes red, green and blue', () => {
  const inks = [255, 255, 0, 128].map((value) => Buffer.of(value))
  expect([...readPsdPicture(toPsd({ width: 1, height: 1, bitDepth: 8, mode: 4, planes: inks })).samples.values]).toEqual([
    128, 128, 0, 255,
  ])
  const palette = Buffer.alloc(768)
  palette[3] = 10
  palette[256 + 3] = 20
  palette[512 + 3] = 30
  const document = { width: 1, height: 1, bitDepth: 8, mode: 2, planes: [Buffer.of(3)], palette }
  expect([...readPsdPicture(toPsd(document)).samples.values]).toEqual([10, 20, 30, 255])
})

test('a PSD without a merged picture says what to do', () => {
  const bytes = toPsd({ width: 1, height: 1, bitDepth: 8, mode: 1, planes: [Buffer.of(3)], hasMerged: false })
  expect(() => readPsdPicture(bytes)).toThrow('Save it from Photoshop with "Maximize Compatibility"')
})

test.each([0, 2])('an EXR of floats with compression %i, rows from the top, wherever its window lies', async (compression) => {
  const flat = (value: number) => Array.from({ length: 80 }, (_, at) => (at < 40 ? value : 0.25))
  const channels = { B: flat(2), G: flat(1), R: flat(0), Z: flat(9) }
  const bytes = toExr({ width: 40, height: 2, channels, compression, dataWindow: [-5, 7, 34, 8] })
  const { width, height, samples } = await readExrPicture(bytes)
  expect([width, height]).toEqual([40, 2])
  expect([...samples.values.subarray(0, 4)]).toEqual([half[0], half[1], half[2], half[1]])
  expect([...samples.values.subarray(160, 164)]).toEqual([half[0.25], half[0.25], half[0.25], half[1]])
})

test('of an EXR with layers the first with colours is shown, of one without colours a channel as gray', async () => {
  const layers = { 'Light.B': [1], 'Light.G': [1], 'Light.R': [2], Z: [0.25] }
  expect([...(await readExrPicture(toExr({ width: 1, height: 1, channels: layers }))).samples.values]).toEqual([
    half[2],
    half[1],
    half[1],
    half[1],
  ])
  expect(await readExrPicture(toExr({ width: 1, height: 1, channels: { Z: [0.25] } }))).toMatchObject({ channels: 1 })
})

test.each(['ramp-piz.exr', 'ramp-dwab.exr'])('the picture %s of another encoder', async (name) => {
  const { width, height, samples } = await readExrPicture(sample(name))
  expect([width, height]).toEqual([40, 16])
  const pixels = rgba8({ width, height, channels: 4, samples })
  const top = [...pixels.subarray(0, 3)]
  const bottom = [...pixels.subarray(-4, -1)]
  expect([top[0], bottom[1]].every((value = 255) => value <= 16)).toBe(true)
  expect([top[1], bottom[0]].every((value = 0) => value >= 250)).toBe(true)
})

test('the beginning is enough for what a push says of them', async () => {
  const document = toPsd({ width: 300, height: 2, bitDepth: 8, mode: 1, planes: [Buffer.alloc(600)] })
  const cases: [string, Buffer, number, number][] = [
    ['hdr', toHdr(size, rgbe, true), 10, 2],
    ['psd', document, 300, 2],
    ['exr', sample('ramp-dwab.exr'), 40, 16],
  ]
  for (const [ext, bytes, width, height] of cases) {
    const facts = await describeSource(ext, bytes.subarray(0, 1000), { sizeBytes: bytes.length })
    const metadata = { texture_width: width, texture_height: height, texture_format: ext.toUpperCase() }
    expect(facts).toMatchObject({ assetClass: 'SourceTexture', metadata })
  }
})

test.each([
  ['hdr', toHdr(size, rgbe, true), [0, 186, 255]],
  ['exr', toExr({ ...size, channels: { B: flat(1), G: flat(0.25), R: flat(0) } }), [0, 136, 255]],
  ['psd', toPsd({ ...size, bitDepth: 8, mode: 3, planes: [0, 90, 255].map((value) => Buffer.alloc(20, value)) }), [0, 90, 255]],
])('of a picture of the kind %s a thumbnail is made, of its size and colours', async (ext, bytes, [red, green, blue]) => {
  expect(await describeSource(ext, bytes)).toMatchObject({ pictured: true })
  const png = sharp((await sourceThumbnail(ext, bytes)) ?? undefined)
  expect(await png.metadata()).toMatchObject({ format: 'png', width: 10, height: 2 })
  expect([...(await png.raw().toBuffer()).subarray(0, 3)]).toEqual([red, green, blue])
})

test('a picture of more pixels than are decoded for a thumbnail is not announced to have one, and refused', async () => {
  const header = toPsd({ width: 1, height: 1, bitDepth: 8, mode: 3, planes: [Buffer.of(1), Buffer.of(2), Buffer.of(3)] })
  for (const at of [14, 18]) header.writeUInt32BE(5000, at)
  expect(await describeSource('psd', header)).toMatchObject({ pictured: false })
  await expect(sourceThumbnail('psd', header)).rejects.toMatchObject({ name: 'FormatError', reason: 'too-large' })
})
