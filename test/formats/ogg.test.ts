// OGG sounds beyond what the real ones show.
import { expect, test } from 'vitest'
import { readOgg } from '../../formats/ogg.ts'
import { oggPage, opusHeader, otherHeader, vorbisHeader } from '../support/ogg.ts'

const sound = Buffer.alloc(4000)
const until = (granule: bigint, serial = 7) => oggPage({ serial, granule, body: sound })
const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })

test('a Vorbis sound is as long as its last page says', () => {
  expect(readOgg(Buffer.concat([vorbisHeader(), until(24_000n), until(72_000n)]))).toEqual({
    format: 'ogg',
    codec: 'vorbis',
    channels: 2,
    sampleRate: 48_000,
    lastGranule: 72_000,
    durationSeconds: 1.5,
  })
})

test('an Opus sound plays at 48 kHz whatever was recorded, less what is skipped at its beginning', () => {
  const facts = readOgg(Buffer.concat([opusHeader(), until(48_312n)]))
  expect(facts).toMatchObject({ codec: 'opus', channels: 1, sampleRate: 48_000, durationSeconds: 1 })
  expect(readOgg(Buffer.concat([opusHeader(), until(100n)]))).toMatchObject({ durationSeconds: 0 })
})

test('of a large file only the beginning and the end are read', () => {
  const ending = until(48_000n * 3600n)
  const [beginning, sizeBytes] = [vorbisHeader(), 5_000_000_000]
  const read: number[] = []
  const readAt = (into: Uint8Array, offset: number) => {
    read.push(offset)
    into.set(ending, into.length - ending.length)
    return into.length
  }
  expect(readOgg(Buffer.concat([beginning, sound]), { sizeBytes, readAt })).toMatchObject({ durationSeconds: 3600 })
  expect(read).toHaveLength(1)
  expect(sizeBytes - (read[0] ?? 0)).toBeLessThan(300_000)
})

test('a beginning without its end has all but the length', () => {
  const facts = readOgg(vorbisHeader(), { sizeBytes: 5_000_000 })
  expect(facts).toMatchObject({ channels: 2, lastGranule: null, durationSeconds: null })
})

test('the sound of a film is found beside its other streams', () => {
  const film = [otherHeader('\x80theora', 1), vorbisHeader({ serial: 2 }), until(48_000n, 2), until(500_000n, 1)]
  expect(readOgg(Buffer.concat(film))).toMatchObject({ codec: 'vorbis', durationSeconds: 1 })
})

test('sounds one after the other have no common length', () => {
  const chained = [vorbisHeader(), until(48_000n), vorbisHeader({ serial: 8 }), until(96_000n, 8)]
  expect(readOgg(Buffer.concat(chained))).toMatchObject({ channels: 2, lastGranule: null, durationSeconds: null })
})

test('a page that ends no packet, or was cut off, does not count as the last', () => {
  const pages = [vorbisHeader(), until(48_000n), until(-1n), until(96_000n)]
  expect(readOgg(Buffer.concat(pages).subarray(0, -1))).toMatchObject({ durationSeconds: 1 })
})

test('what looks like a page inside the sound is none', () => {
  const trap = oggPage({ granule: 480_000n, body: sound })
  trap[4] = 9
  expect(readOgg(Buffer.concat([vorbisHeader(), until(48_000n), oggPage({ granule: -1n, body: trap })]))).toMatchObject({
    durationSeconds: 1,
  })
})

test('another codec or version is not known, and what makes no sense is damage', () => {
  expect(() => readOgg(otherHeader('Speex   ', 7))).toThrow(refusal('unsupported'))
  expect(() => readOgg(vorbisHeader({ version: 3 }))).toThrow(refusal('unsupported'))
  expect(() => readOgg(opusHeader({ version: 16 }))).toThrow(refusal('unsupported'))
  expect(() => readOgg(vorbisHeader({ channels: 0 }))).toThrow(refusal('damaged'))
  expect(() => readOgg(vorbisHeader({ sampleRate: 0 }))).toThrow(refusal('damaged'))
  expect(() => readOgg(Buffer.concat([vorbisHeader(), until(2n ** 62n)]))).toThrow(refusal('damaged'))
})

test('another kind of file is not OGG, and half a first page is cut off', () => {
  expect(() => readOgg(Buffer.from('ID3\x04 this is an MP3 file of old'))).toThrow(refusal('not-this-format'))
  expect(() => readOgg(vorbisHeader().subarray(0, 40))).toThrow(refusal('truncated'))
})
