// Vorbis, Opus, FLAC and MP3: what they say of themselves, and their samples.
import { expect, test } from 'vitest'
import { readFlacSound } from '../../formats/flac/sound.ts'
import { readMp3Sound } from '../../formats/mp3/sound.ts'
import { readOpusSound } from '../../formats/opus.ts'
import type { Sound } from '../../formats/source/sound.ts'
import { describeSource } from '../../formats/source-file.ts'
import { readVorbisSound } from '../../formats/vorbis/sound.ts'
import { InverseTransform } from '../../formats/vorbis/transform.ts'
import { sample } from '../support/samples.ts'

/** How strong a tone is in one channel of 16-bit stereo: 1 for a sine of full height. */
function strength({ data, sampleRate }: Sound, channel: number, hertz: number): number {
  const frames = data.length / 4
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  let [along, across] = [0, 0]
  for (let frame = 0; frame < frames; frame++) {
    const value = view.getInt16(frame * 4 + channel * 2, true) / 32_768
    const angle = (2 * Math.PI * hertz * frame) / sampleRate
    along += value * Math.cos(angle)
    across += value * Math.sin(angle)
  }
  return (2 * Math.hypot(along, across)) / frames
}

test.each([
  ['tone.ogg', readVorbisSound, 16_000],
  ['tone.opus', readOpusSound, 48_000],
  ['tone.flac', readFlacSound, 16_000],
  ['tone.mp3', readMp3Sound, 16_000],
] as const)(
  '%s sounds as it was recorded: one tone left, the other right, a quarter of a second',
  async (name, read, sampleRate) => {
    const sound = await read(sample(name))
    expect(sound).toMatchObject({ sampleRate, channels: 2, bits: 16, isFloat: false })
    expect(sound.data.length).toBe(sampleRate)
    for (const [channel, hertz, other] of [
      [0, 440, 1000],
      [1, 1000, 440],
    ] as const) {
      expect(strength(sound, channel, hertz)).toBeGreaterThan(0.45)
      expect(strength(sound, channel, hertz)).toBeLessThan(0.55)
      expect(strength(sound, channel, other)).toBeLessThan(0.02)
    }
  },
)

test('a FLAC whose samples are not those that were encoded is refused', () => {
  const bytes = sample('tone.flac')
  const digest = bytes.indexOf('fLaC') + 4 + 4 + 18
  bytes[digest] = (bytes[digest] ?? 0) ^ 1
  expect(() => readFlacSound(bytes)).toThrow('its samples are not those that were encoded')
})

test('a sound that ends early is refused where its header says how long it is', async () => {
  const bytes = sample('tone.flac')
  expect(() => readFlacSound(bytes.subarray(0, bytes.length - 100))).toThrow('cut off')
  await expect(readOpusSound(sample('tone.opus').subarray(0, 900))).rejects.toMatchObject({ reason: 'truncated' })
})

test('an MP3 whose sound is damaged gives what is there of it, or says that it is damaged', async () => {
  const whole = sample('tone.mp3')
  const { length } = (await readMp3Sound(whole)).data
  expect((await readMp3Sound(whole.subarray(0, 2000))).data.length).toBeLessThan(length)
  await expect(readMp3Sound(whole.subarray(0, 450))).rejects.toMatchObject({ name: 'FormatError' })
  for (let at = 500; at < whole.length; at += 500) {
    const changed = Buffer.from(whole)
    changed.fill(0xff, at, at + 200)
    const read = await readMp3Sound(changed).catch((error) => error)
    expect(read.reason ?? read.sampleRate).toBeOneOf(['damaged', 16_000])
  }
})

test('the transform of Vorbis is the one that its specification gives', () => {
  const block = 64
  const spectrum = Float32Array.from({ length: block / 2 }, (_, at) => Math.sin(at * at + 1))
  const samples = new InverseTransform(block).samples(spectrum)
  for (const [n, value] of samples.entries()) {
    const terms = spectrum.map((weight, k) => weight * Math.cos(((2 * Math.PI) / block) * (n + 0.5 + block / 4) * (k + 0.5)))
    expect(value).toBeCloseTo(
      terms.reduce((sum, term) => sum + term),
      5,
    )
  }
})

test('the beginning is enough for what a push says of them', async () => {
  const cases = { flac: 16_000, mp3: 16_000 }
  for (const [ext, sampleRate] of Object.entries(cases)) {
    const bytes = sample(`tone.${ext}`)
    const facts = await describeSource(ext, bytes.subarray(0, 1000), { sizeBytes: bytes.length })
    const metadata = { audio_duration: expect.closeTo(0.25, 2), sample_rate: sampleRate, channel_count: 2 }
    expect(facts).toMatchObject({ assetClass: 'SourceAudio', format: ext, metadata })
  }
})

test('an MP3 behind a tag with a picture is found, and one without a count is as long as its bitrate says', async () => {
  const sound = sample('tone.mp3')
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x4e\x10', 'latin1'), Buffer.alloc(10_000)])
  expect(await describeSource('mp3', Buffer.concat([tag, sound]))).toMatchObject({ metadata: { sample_rate: 16_000 } })
  // 100 frames of MPEG 1, 128 kbit/s, 44,100 Hz.
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0xc0])
  const plain = await describeSource('mp3', Buffer.concat(Array.from({ length: 100 }, () => frame)))
  expect(plain?.metadata).toMatchObject({ audio_duration: expect.closeTo(2.6, 1), sample_rate: 44_100, channel_count: 1 })
  await expect(describeSource('mp3', Buffer.from('no sound at all'))).rejects.toMatchObject({ reason: 'not-this-format' })
})
