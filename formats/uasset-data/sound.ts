// The source of a sound: the WAV file that was imported, or what the engine made of it.
import { FormatError } from '../format-error.ts'
import type { Sound } from '../source/sound.ts'
import { customVersion } from '../uasset/custom-versions.ts'
import { readWavData, type WavFacts, wavSound } from '../wav.ts'
import { readBulkData } from './bulk-data.ts'
import type { ObjectReader } from './package.ts'
import { type Payload, withoutSource } from './payload.ts'
import { readObjectProperties } from './properties.ts'

/** `formatTag` as the payload stores it; the samples are PCM or floats whatever it is. */
export type SoundSource = { formatTag: number; payloadId: string | null; sound: Sound }

/** From this version of the main branch on, the payload is described in the editor's form. */
const editorBulkSince = 66
const deltaFormatTag = 0xffff

/**
 * Reads the source of a sound from the beginning of its data. Throws FormatError: `unsupported` for encodings that are
 * not known and payloads kept elsewhere, `too-large`, `damaged`, `truncated`.
 */
export function readSound(object: ObjectReader): SoundSource {
  const payload = soundPayload(object)
  if (payload.rawSize === 0) throw withoutSource(object.what)
  const { facts, data } = readWavData(payload.bytes())
  const sound = facts.formatTag === deltaFormatTag ? fromDeltas(facts, data) : wavSound(facts, data)
  return { formatTag: facts.formatTag, payloadId: payload.id, sound }
}

/** The payload of a sound, from the beginning of its data. Throws FormatError. */
export function soundPayload(object: ObjectReader): Payload {
  readObjectProperties(object)
  if (object.bool32()) throw new FormatError('unsupported', `The ${object.what} is cooked: its source is not in the package.`)
  if (object.version(customVersion.framework) < 12) object.name() // compression
  return readBulkData(object, editorBulkSince)
}

/**
 * The engine's own form of 16-bit sound: all low bytes, then all high bytes, of differences to the sample before, 128
 * added to each but the first. How it lays out several channels is not known.
 */
function fromDeltas(facts: WavFacts, data: Uint8Array): Sound {
  const { channels, sampleRate, bitsPerSample } = facts
  if (channels !== 1 || bitsPerSample !== 16) {
    const what = `${channels} channels of ${bitsPerSample} bits`
    throw new FormatError(
      'unsupported',
      `The sound has ${what} in the engine's own encoding, which is read for one channel of 16 bits.`,
    )
  }
  const count = data.length >> 1
  const samples = Buffer.alloc(count * 2)
  let sample = 0
  for (let i = 0; i < count; i++) {
    const delta = (data[i] ?? 0) + ((data[i + count] ?? 0) << 8)
    sample = (i === 0 ? delta : sample + delta - 128) & 0xffff
    samples.writeUInt16LE(sample, i * 2)
  }
  return { sampleRate, channels: 1, bits: 16, isFloat: false, data: samples }
}
