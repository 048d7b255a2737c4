// Sources of sounds in packages: WAV files in several encodings, and the engine's own.
import { expect, test } from 'vitest'
import { readSource } from '../../formats/uasset-data/source.ts'
import { readWavData, wavSound } from '../../formats/wav.ts'
import { byteBulk, editorBulk, type ObjectBytes, sourcePackage, stem, trailer } from '../support/source-package.ts'

const reason = (expected: string) => expect.objectContaining({ name: 'FormatError', reason: expected })

type Wave = {
  tag?: number
  channels?: number
  rate?: number
  bits?: number
  blockAlign?: number
  data: Uint8Array
  container?: string
}

/** A WAV file with a chunk of somebody else's before the sound. */
function wave({ tag = 1, channels = 1, rate = 8000, bits = 16, data, container = 'RIFF', ...rest }: Wave): Buffer {
  const blockAlign = rest.blockAlign ?? (channels * bits) / 8
  const numbers = Buffer.alloc(24)
  const big = container === 'RIFX'
  const u16 = (value: number, at: number) => (big ? numbers.writeUInt16BE(value, at) : numbers.writeUInt16LE(value, at))
  const u32 = (value: number, at: number) => (big ? numbers.writeUInt32BE(value, at) : numbers.writeUInt32LE(value, at))
  const length = (value: number) => {
    u32(value, 20)
    return Buffer.from(numbers.subarray(20, 24))
  }
  u16(tag, 0)
  u16(channels, 2)
  u32(rate, 4)
  u32(rate * blockAlign, 8)
  u16(blockAlign, 12)
  u16(bits, 14)
  const chunk = (name: string, bytes: Uint8Array) => [
    Buffer.from(name),
    length(bytes.length),
    bytes,
    Buffer.alloc(bytes.length % 2),
  ]
  const body = [...chunk('bext', Buffer.from('some body')), ...chunk('fmt ', numbers.subarray(0, 16)), ...chunk('data', data)]
  return Buffer.concat([Buffer.from(container), length(0), Buffer.from('WAVE'), ...body])
}

async function sound(payload: Uint8Array, cooked = 0) {
  const data = (out: ObjectBytes) => editorBulk(out.u32(cooked), payload.length)
  const versions = { main: 119, framework: 37 }
  const bytes = await sourcePackage({ assetClass: 'SoundWave', engine: '5.4.4', versions, data, tail: trailer(payload) })
  const source = await readSource(bytes, { stem })
  return source?.kind === 'sound' ? source : expect.fail('It was no sound.')
}

const samples = Int16Array.of(0, 100, -200, 32_767, -32_768, 5, 5)

/** The engine's own encoding, by its rule. */
function toDeltas(values: Int16Array): Buffer {
  const deltas = Array.from(values, (value, i) => (i === 0 ? value : value - (values[i - 1] ?? 0) + 128) & 0xffff)
  return Buffer.from([...deltas.map((delta) => delta & 255), ...deltas.map((delta) => delta >> 8)])
}

test('a WAV file gives its samples, without the chunks of others', async () => {
  const data = Buffer.from(samples.buffer)
  const { sound: read, formatTag, payloadId } = await sound(wave({ data }))
  expect({ ...read, data: Buffer.from(read.data) }).toEqual({ sampleRate: 8000, channels: 1, bits: 16, isFloat: false, data })
  expect([formatTag, payloadId]).toEqual([1, 'a1'.repeat(20)])
})

test('before the editor kept payloads apart, the file lies behind everything else, and a name before its place', async () => {
  const tail = wave({ data: Buffer.from(samples.buffer), channels: 1 })
  const data = (out: ObjectBytes) => byteBulk(out.u32(0).name('OGG'), { flags: 1, rawSize: tail.length, storedSize: tail.length })
  const bytes = await sourcePackage({ assetClass: 'SoundWave', engine: '4.22.3', versions: { framework: 11 }, data, tail })
  expect(await readSource(bytes, { stem })).toMatchObject({
    kind: 'sound',
    class: 'SoundWave',
    payloadId: null,
    sound: { bits: 16 },
  })
})

test('samples of 8, 24 and 32 bits and floats are given as they are, in whole frames', async () => {
  for (const [bits, tag] of [
    [8, 1],
    [24, 1],
    [32, 1],
    [32, 3],
  ] as const) {
    const frame = (bits / 8) * 2
    const { sound: read } = await sound(wave({ tag, bits, channels: 2, data: Buffer.alloc(frame * 3 + 1, 7) }))
    expect(read).toMatchObject({ bits, channels: 2, isFloat: tag === 3 })
    expect(read.data).toHaveLength(frame * 3)
  }
})

test('samples on the curves of telephones become 16 bits', async () => {
  const bytes = Buffer.of(0x00, 0x7f, 0x80, 0xff, 0x55, 0xd5, 0x2a, 0xaa)
  const { sound: mu } = await sound(wave({ tag: 7, bits: 8, data: bytes }))
  const { sound: a } = await sound(wave({ tag: 6, bits: 8, data: bytes }))
  const samplesOf = ({ data }: { data: Uint8Array }) => [...new Int16Array(Uint8Array.from(data).buffer)]
  expect([mu.bits, a.bits]).toEqual([16, 16])
  expect(samplesOf(mu)).toEqual([-32_124, 0, 32_124, 0, -716, 716, -5372, 5372])
  expect(samplesOf(a)).toEqual([-5504, -848, 5504, 848, -8, 8, -32_256, 32_256])
})

test('16-bit differences in the encoding of the engine become samples', async () => {
  const { sound: read, formatTag } = await sound(wave({ tag: 0xffff, data: toDeltas(samples) }))
  expect({ ...read, data: null }).toEqual({ sampleRate: 8000, channels: 1, bits: 16, isFloat: false, data: null })
  expect(new Int16Array(Uint8Array.from(read.data).buffer)).toEqual(samples)
  expect(formatTag).toBe(0xffff)
})

test('an encoding that is not known is unsupported: that of the engine for two channels, compressed ones, big-endian files', async () => {
  const data = Buffer.alloc(16)
  const unknown = [
    { tag: 0xffff, channels: 2 },
    { tag: 0xffff, bits: 8 },
    { tag: 2, bits: 4, blockAlign: 256 },
    { tag: 3, bits: 64 },
    { container: 'RIFX' },
  ]
  for (const kind of unknown) await expect(sound(wave({ data, ...kind }))).rejects.toThrow(reason('unsupported'))
})

test('a sound without source, or a cooked one, is unsupported', async () => {
  await expect(sound(Buffer.alloc(0))).rejects.toThrow(/no source data/)
  await expect(sound(wave({ data: Buffer.alloc(4) }), 1)).rejects.toThrow(/cooked/)
  await expect(sound(wave({ data: Buffer.alloc(4) }), 2)).rejects.toThrow(reason('damaged'))
})

test('a sound of no channels, of blocks that cannot be, or that is none, is damaged', async () => {
  const data = Buffer.alloc(16)
  for (const kind of [{ channels: 0 }, { rate: 0 }, { blockAlign: 3 }])
    await expect(sound(wave({ data, ...kind }))).rejects.toThrow(reason('damaged'))
  await expect(sound(Buffer.from('no sound, but long enough'))).rejects.toThrow(reason('damaged'))
})

test('a sound that is cut off gives what is there of it', () => {
  const whole = wave({ data: Buffer.from(samples.buffer) })
  const { facts, data } = readWavData(whole.subarray(0, -6))
  expect(facts.truncated).toBe(true)
  expect(wavSound(facts, data).data).toHaveLength(8)
})
