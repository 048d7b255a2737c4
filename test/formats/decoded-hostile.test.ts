// Sounds and pictures that lie: any bytes give samples or a FormatError, in time and memory that are bounded.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../formats/format-error.ts'
import { DecodedSamples } from '../../formats/source/decoded-samples.ts'
import { readContent } from '../../previews/source-data/content.ts'
import { toExr, toHdr, toPsd } from '../support/pictures.ts'
import { sample } from '../support/samples.ts'

const flat = (value: number) => Array.from({ length: 80 }, () => value)
const planes = [Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8)]
const corpus: [string, string, Buffer][] = [
  ['a Vorbis sound', 'ogg', sample('tone.ogg')],
  ['an Opus sound', 'opus', sample('tone.opus')],
  ['a FLAC', 'flac', sample('tone.flac')],
  ['an EXR of PIZ', 'exr', sample('ramp-piz.exr')],
  ['an EXR of DWA', 'exr', sample('ramp-dwab.exr')],
  ['an EXR of ZIP', 'exr', toExr({ width: 40, height: 2, channels: { B: flat(1), G: flat(2), R: flat(0) }, compression: 2 })],
  ['an HDR', 'hdr', toHdr({ width: 10, height: 2 }, new Uint8Array(80).fill(100), true)],
  ['a PSD', 'psd', toPsd({ width: 4, height: 2, bitDepth: 8, mode: 3, planes, packed: true })],
]

async function outcome(ext: string, bytes: Uint8Array): Promise<string> {
  try {
    return (await readContent(ext, bytes, async () => undefined)).content.kind
  } catch (error) {
    if (error instanceof FormatError) return error.reason
    throw error
  }
}

const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 255 }))
const mutation = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  /** In the first bytes, which tell about the rest. */
  isInHead: fc.boolean(),
  cut: fc.double({ min: 0.5, max: 3, noNaN: true }),
})

describe.each(corpus)('%s', (_, ext, bytes) => {
  test('is read to begin with', async () => {
    expect(['picture', 'sound']).toContain(await outcome(ext, bytes))
  })

  test('damaged anywhere is read or refused', async () => {
    const property = fc.asyncProperty(mutation, async ({ changes, isInHead, cut }) => {
      const damaged = Buffer.from(bytes)
      const reach = isInHead ? Math.min(400, bytes.length) : bytes.length
      for (const [place, value] of changes) damaged[Math.min(reach - 1, Math.floor(place * reach))] = value
      await outcome(ext, damaged.subarray(0, Math.ceil(Math.min(1, cut) * bytes.length)))
    })
    await fc.assert(property, { numRuns: 25, seed: 19 })
  })
})

test('a few bytes do not ask for a gigantic picture', async () => {
  expect(await outcome('hdr', Buffer.from('#?RADIANCE\n\n-Y 99999 +X 99999\nabcd'))).toBe('too-large')
  expect(await outcome('hdr', Buffer.from('#?RADIANCE\n\n-Y 4000 +X 8000\nabcd'))).toBe('truncated')
  const light = { width: 1, height: 1, channels: { B: [1], G: [1], R: [1] } }
  expect(await outcome('exr', toExr({ ...light, dataWindow: [0, 0, 99_999, 99_999] }))).toBe('too-large')
  expect(await outcome('exr', toExr({ ...light, dataWindow: [-2_147_483_648, 0, 2_147_483_647, 0] }))).toBe('too-large')
  expect(await outcome('exr', toExr({ ...light, dataWindow: [5, 5, 0, 0] }))).toBe('damaged')
  const psd = toPsd({ width: 1, height: 1, bitDepth: 8, mode: 3, planes: planes.map((plane) => plane.subarray(0, 1)) })
  psd.writeUInt32BE(30_000, 14)
  psd.writeUInt32BE(30_000, 18)
  expect(await outcome('psd', psd)).toBe('too-large')
})

test('a chunk that inflates to more than its rows is refused', async () => {
  const bomb = toExr({ width: 40, height: 2, channels: { B: flat(1), G: flat(1), R: flat(1) }, compression: 2 })
  const header = bomb.indexOf('dataWindow') + 'dataWindow\0box2i\0'.length + 4
  bomb.writeInt32LE(9, header + 8)
  expect(await outcome('exr', bomb)).toBe('damaged')
})

test('codes that say one number more or less than there is room for are refused; their decoder would not end', async () => {
  for (const change of [-1, 1]) {
    const bytes = sample('ramp-dwab.exr')
    const lastWord = bytes.indexOf('lavc') + 'lavc'.length
    // Behind the end of the header: a table of one place; five numbers of the tile; eight of its sizes.
    const count = lastWord + 1 + 8 + 5 * 4 + 8 * 8
    expect(bytes.readUInt32LE(count)).toBe(350)
    bytes.writeUInt32LE(350 + change, count)
    await expect(readContent('exr', bytes, () => undefined)).rejects.toThrow(/codes say (more|less)/)
  }
})

test('a packet that leaves the memory of the Opus decoder damaged is told as a damaged file', async () => {
  const bytes = sample('tone.opus')
  for (let at = 200; at < bytes.length; at += 37) {
    const changed = Buffer.from(bytes)
    changed.fill(0xff, at, Math.min(bytes.length, at + 30))
    await outcome('opus', changed)
  }
})

test('hours of silence in a small file are refused, and so are more channels than anything plays', async () => {
  const samples = new DecodedSamples({ sampleRate: 48_000, channels: 2, bits: 16 })
  samples.room(1000)
  expect(() => samples.room(24 * 60 * 48_000)).toThrow('longer than 23 minutes')
  expect(() => new DecodedSamples({ sampleRate: 48_000, channels: 9, bits: 16 })).toThrow('9 channels')
  const opus = sample('tone.opus')
  opus[opus.indexOf('OpusHead') + 9] = 200
  opus[opus.indexOf('OpusHead') + 18] = 255
  expect(['damaged', 'unsupported']).toContain(await outcome('opus', opus))
})
