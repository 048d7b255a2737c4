/** Sounds as WAV: a header of their own, within what the library takes. */
import { expect, test } from 'vitest'
import type { Sound } from '../../formats/source/sound.ts'
import { readWav } from '../../formats/wav.ts'
import { soundWav, type WavOptions } from '../../previews/wav.ts'

const sound = (data: ArrayBufferView, facts: Partial<Sound> = {}): Sound => ({
  sampleRate: 48_000,
  channels: 1,
  bits: 16,
  isFloat: false,
  data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  ...facts,
})

/** Written, and found whole. */
function opened(of: Sound, options?: WavOptions) {
  const made = soundWav(of, options)
  const facts = readWav(made.wav)
  expect(facts).toMatchObject({ container: 'RIFF', truncated: false, channels: made.channels, bitsPerSample: made.bits })
  expect(facts.durationSeconds).toBeCloseTo(made.seconds, 6)
  const data = Uint8Array.from(made.wav.subarray(44, 44 + facts.dataBytesPresent))
  return { ...made, facts, data }
}

test('the header has 44 bytes, holds the format and the samples, and nothing else', () => {
  const samples = Int16Array.of(1, -2, 3, -4)
  const { wav, data, reduced, facts } = opened(sound(samples, { channels: 2, sampleRate: 44_100 }))
  expect(wav.length).toBe(44 + 8)
  expect(Buffer.from(wav).readUInt32LE(4)).toBe(wav.length - 8)
  expect(facts).toMatchObject({ encoding: 'pcm', channels: 2, sampleRate: 44_100, blockAlign: 4, frames: 2 })
  expect(new Int16Array(data.buffer)).toEqual(samples)
  expect(reduced).toEqual([])
})

test.each([
  [8, false, 'pcm'],
  [24, false, 'pcm'],
  [32, false, 'pcm'],
  [32, true, 'float'],
])('%i bits, float %s, keep their bytes and are said to be %s', (bits, isFloat, encoding) => {
  const bytes = Uint8Array.from({ length: 24 }, (_, at) => at * 9)
  const { facts, data } = opened(sound(bytes, { bits, isFloat }))
  expect(facts).toMatchObject({ encoding, bitsPerSample: bits })
  expect(data).toEqual(bytes)
})

test('an odd number of bytes is padded, and a frame that is not whole is left out', () => {
  expect(opened(sound(Uint8Array.of(1, 2, 3), { bits: 8 })).wav.length).toBe(48)
  expect(opened(sound(Uint8Array.of(1, 2, 3, 4, 5, 6), { channels: 2 })).facts.frames).toBe(1)
  expect(opened(sound(new Uint8Array())).facts.frames).toBe(0)
})

test('a sound that would be too large is mixed into one channel, and that is said', () => {
  const stereo = sound(Int16Array.of(100, 300, -200, -400, 32_767, 32_767), { channels: 2 })
  const { data, channels, reduced } = opened(stereo, { maxBytes: 44 + 11 })
  expect(channels).toBe(1)
  expect([...new Int16Array(data.buffer)]).toEqual([200, -300, 32_767])
  expect(reduced).toEqual(['2 channels were mixed into one.'])
})

test.each([
  ['8-bit', { bits: 8 }, Uint8Array.of(0, 64, 255, 129), [32, 192]],
  ['24-bit', { bits: 24 }, Uint8Array.of(0, 0, 0x80, 0, 0, 0x80, 2, 0, 0, 4, 0, 0), [0, 0, 0x80, 3, 0, 0]],
  [
    '32-bit',
    { bits: 32 },
    new Uint8Array(Int32Array.of(2 ** 30, 2 ** 29, -8, -4).buffer),
    [...new Uint8Array(Int32Array.of(3 * 2 ** 28, -6).buffer)],
  ],
  [
    'float',
    { bits: 32, isFloat: true },
    new Uint8Array(Float32Array.of(0.5, 0.25, 7, Number.NaN).buffer),
    [...new Uint8Array(Float32Array.of(0.375, 0.5).buffer)],
  ],
])('%s channels are mixed as what they are', (...[, facts, bytes, mixed]) => {
  const { data } = opened(sound(bytes, { channels: 2, ...facts }), { maxBytes: 44 + bytes.length - 1 })
  expect([...data]).toEqual(mixed)
})

test('more channels than the library takes are mixed, however short the sound is', () => {
  const nine = sound(new Int16Array(9).fill(90), { channels: 9 })
  expect(opened(nine)).toMatchObject({ channels: 1, reduced: ['9 channels were mixed into one.'] })
  expect(opened(sound(new Int16Array(8), { channels: 8 }))).toMatchObject({ channels: 8, reduced: [] })
})

test('what is still too large loses bits, then half of its rate as often as it takes, then its end', () => {
  const float = sound(new Float32Array(1000).fill(0.5), { bits: 32, isFloat: true })
  const bits = opened(float, { maxBytes: 44 + 2001 })
  expect(bits).toMatchObject({ bits: 16, sampleRate: 48_000, reduced: ['32-bit samples were made 16-bit.'] })
  expect([...new Int16Array(bits.data.buffer)].every((value) => value === 16_384)).toBe(true)
  const rate = opened(sound(Int16Array.of(0, 10, 20, 30, 40)), { maxBytes: 44 + 7 })
  expect(rate).toMatchObject({ sampleRate: 24_000, reduced: ['The sample rate was reduced from 48000 to 24000 Hz.'] })
  expect([...new Int16Array(rate.data.buffer)]).toEqual([5, 25, 40])
  const long = opened(sound(new Int16Array(48_000 * 4)), { maxBytes: 44 + 48_001 })
  expect(long).toMatchObject({ sampleRate: 12_000, seconds: 2 })
  expect(long.reduced).toEqual(['The sample rate was reduced from 48000 to 12000 Hz.', 'Of 4.0 seconds the first 2.0 were kept.'])
})

test.each([
  ['0 channels', { channels: 0 }],
  ['no rate', { sampleRate: 0 }],
  ['a rate that is no number', { sampleRate: Number.NaN }],
  ['12 bits', { bits: 12 }],
  ['floats of 16 bits', { isFloat: true }],
])('a sound with %s is refused', (_, facts) => {
  expect(() => soundWav(sound(new Int16Array(8), facts))).toThrow(
    expect.objectContaining({ name: 'FormatError', reason: 'damaged' }),
  )
})
