// WAV files beyond what the real ones show.
import { expect, test } from 'vitest'
import { readWav } from '../../formats/wav.ts'

type Chunk = [name: string, body: Buffer, declared?: number]

const format = (tag: number, { channels = 1, rate = 8000, perSecond = 8000, align = 1, bits = 8 } = {}): Chunk => {
  const body = Buffer.alloc(16)
  body.writeUInt16LE(tag, 0)
  body.writeUInt16LE(channels, 2)
  body.writeUInt32LE(rate, 4)
  body.writeUInt32LE(perSecond, 8)
  body.writeUInt16LE(align, 12)
  body.writeUInt16LE(bits, 14)
  return ['fmt ', body]
}
const data = (length: number, declared?: number): Chunk => ['data', Buffer.alloc(length), declared]

function wavOf(...chunks: Chunk[]): Buffer {
  const parts = chunks.map(([name, body, declared = body.length]) => {
    const head = Buffer.alloc(8)
    head.write(name, 'latin1')
    head.writeUInt32LE(declared, 4)
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
  })
  return Buffer.concat([Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'), ...parts])
}
const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })

test('chunks of other programs are passed over, those of odd length with their filler', () => {
  const wav = wavOf(['LIST', Buffer.alloc(7)], format(1), ['junk', Buffer.alloc(300)], data(4000))
  expect(readWav(wav)).toMatchObject({ encoding: 'pcm', frames: 4000, durationSeconds: 0.5, truncated: false })
})

test('a sound still being recorded, whose length was never written, is as long as what is there', () => {
  expect(readWav(wavOf(format(1), data(800, 0xffffffff)))).toMatchObject({
    dataBytesPresent: 800,
    durationSeconds: 0.1,
    truncated: true,
  })
})

test('a compressed sound is as long as its fact chunk says, else as its rate says', () => {
  const samples = Buffer.alloc(4)
  samples.writeUInt32LE(16_000)
  const adpcm = format(2, { perSecond: 4000, align: 256, bits: 4 })
  expect(readWav(wavOf(adpcm, ['fact', samples], data(512)))).toMatchObject({
    encoding: 'adpcm',
    frames: 16_000,
    durationSeconds: 2,
  })
  expect(readWav(wavOf(adpcm, data(512)))).toMatchObject({ frames: null, durationSeconds: 0.128 })
  expect(readWav(wavOf(format(2, { perSecond: 0 }), data(512)))).toMatchObject({ durationSeconds: null })
})

test('an unknown encoding is named by its number', () => {
  expect(readWav(wavOf(format(0x2000), data(8)))).toMatchObject({ encoding: 'format 8192' })
})

test('a big-endian file says the same as its little-endian twin', () => {
  const twin = Buffer.alloc(44 + 100)
  twin.write('RIFX', 0, 'latin1')
  twin.write('WAVEfmt ', 8, 'latin1')
  twin.writeUInt32BE(16, 16)
  for (const [at, value] of [1, 1, 0, 8000, 0, 8000, 1, 8].entries()) twin.writeUInt16BE(value, 20 + at * 2)
  twin.write('data', 36, 'latin1')
  twin.writeUInt32BE(100, 40)
  expect(readWav(twin)).toEqual({ ...readWav(wavOf(format(1), data(100))), container: 'RIFX' })
})

test('a head that does not reach the sound is too short; a file without sound is cut off', () => {
  const wav = wavOf(format(1), ['junk', Buffer.alloc(5000)], data(10))
  expect(() => readWav(wav.subarray(0, 1000), wav.length)).toThrow(refusal('truncated'))
  expect(() => readWav(wavOf(format(1)))).toThrow(refusal('truncated'))
})

test('a format that makes no sense is damage, another kind of file is not', () => {
  expect(() => readWav(wavOf(format(1, { channels: 0 }), data(8)))).toThrow(refusal('damaged'))
  expect(() => readWav(wavOf(format(1, { align: 0 }), data(8)))).toThrow(refusal('damaged'))
  expect(() => readWav(wavOf(['fmt ', Buffer.alloc(8)], data(8)))).toThrow(refusal('damaged'))
  expect(() => readWav(Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'))).toThrow(refusal('not-this-format'))
})
