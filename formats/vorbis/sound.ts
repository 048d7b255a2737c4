// Vorbis in OGG: its sound. Written here: the kept decoder needs a parser under a licence that is not ours.
// Source: Vorbis I specification.
import { oggPackets, PlayedSpan, wavOrder } from '../ogg-packets.ts'
import { DecodedSamples } from '../source/decoded-samples.ts'
import type { Sound } from '../source/sound.ts'
import { BlockDecoder } from './blocks.ts'
import { damaged } from './codebook.ts'
import { isVorbisHead, readIdentification, readSetup } from './setup.ts'

/** The sound of a whole file, 16 bits. Throws FormatError. */
export function readVorbisSound(bytes: Uint8Array): Sound {
  const packets = oggPackets(bytes, isVorbisHead)
  const nextPacket = (): Buffer => packets.next().value?.bytes ?? fail()
  const identification = readIdentification(nextPacket())
  const { channels, sampleRate } = identification
  const samples = new DecodedSamples({ sampleRate, channels, bits: 16 })
  nextPacket()
  const decoder = new BlockDecoder(identification, readSetup(nextPacket(), channels))
  const span = new PlayedSpan()
  for (const packet of packets) {
    const planes = decoder.next(packet.bytes)
    samples.addFloats(wavOrder(planes), 0, planes[0]?.length ?? 0)
    span.note(packet, samples.frames)
  }
  return samples.sound(...span.of(samples.frames))
}

function fail(): never {
  throw damaged('its headers are missing')
}
