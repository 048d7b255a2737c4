// Opus in OGG: its sound, decoded by `opus-decoder` (libopus). Source: RFC 7845.
import { ByteReader } from './byte-reader.ts'
import { FormatError } from './format-error.ts'
import { oggPackets, PlayedSpan, wavOrder } from './ogg-packets.ts'
import { DecodedSamples } from './source/decoded-samples.ts'
import type { Sound } from './source/sound.ts'
import { decodeQuietly, freeWhole } from './source/wasm-decoder.ts'

const sampleRate = 48_000
const headText = 'OpusHead'

interface OpusHead {
  channels: number
  /** Samples at the beginning that are not played. */
  skipped: number
  /** Factor of all samples. */
  gain: number
  streams: number
  coupled: number
  mapping: number[]
  /** Its channels are in the order of Vorbis. */
  isSurround: boolean
}

export const isOpusHead = (packet: Buffer): boolean => packet.toString('latin1', 0, headText.length) === headText

/** The sound of a whole file, 16 bits at 48,000 Hz. Throws FormatError; `damaged` where a packet cannot be decoded. */
export async function readOpusSound(bytes: Uint8Array): Promise<Sound> {
  const packets = oggPackets(bytes, isOpusHead)
  const first = packets.next().value
  if (!first) throw damaged('it has no header')
  const { channels, skipped, gain, streams, coupled, mapping, isSurround } = readHead(first.bytes)
  const samples = new DecodedSamples({ sampleRate, channels, bits: 16 })
  packets.next()
  const { OpusDecoder } = await import('opus-decoder')
  const decoder = new OpusDecoder({
    sampleRate,
    channels,
    streamCount: streams,
    coupledStreamCount: coupled,
    channelMappingTable: mapping,
    preSkip: 0,
  })
  await decoder.ready
  const span = new PlayedSpan()
  for (const packet of packets) {
    const { channelData: planes } = decodeQuietly(() => decoder.decodeFrame(packet.bytes), undecoded)
    const length = planes[0]?.length ?? 0
    if (gain !== 1) for (const plane of planes) for (let at = 0; at < length; at++) plane[at] = (plane[at] ?? 0) * gain
    samples.addFloats(isSurround ? wavOrder(planes) : planes, 0, length)
    span.note(packet, samples.frames)
  }
  freeWhole(decoder, undecoded)
  const [begin, end] = span.of(samples.frames)
  return samples.sound(begin + skipped, end)
}

const undecoded = (cause?: unknown) =>
  new FormatError('damaged', 'The OGG file is damaged: a packet cannot be decoded.', { cause })

function readHead(packet: Buffer): OpusHead {
  const reader = new ByteReader(packet, { what: 'OGG file', pastEnd: 'damaged' })
  reader.skip(headText.length)
  const version = reader.u8()
  if (version >= 16) throw new FormatError('unsupported', `The OGG file holds Opus of version ${version}, which is not known.`)
  const channels = reader.u8()
  const skipped = reader.u16()
  reader.skip(4)
  const gain = 10 ** (reader.take(2).readInt16LE() / 256 / 20)
  const family = reader.u8()
  if (channels === 0 || (family === 0 && channels > 2)) throw damaged(`it announces ${channels} channels`)
  if (family === 0)
    return {
      channels,
      skipped,
      gain,
      streams: 1,
      coupled: channels - 1,
      mapping: channels === 2 ? [0, 1] : [0],
      isSurround: false,
    }
  const [streams, coupled] = [reader.u8(), reader.u8()]
  const mapping = [...reader.take(channels)]
  const decoded = streams + coupled
  const isSound = streams > 0 && coupled <= streams && decoded <= 255 && mapping.every((one) => one === 255 || one < decoded)
  if (!isSound) throw damaged('its channels cannot be mapped')
  return { channels, skipped, gain, streams, coupled, mapping, isSurround: family === 1 }
}

function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The OGG file is damaged: ${problem}.`)
}
