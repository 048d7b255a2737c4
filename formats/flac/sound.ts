// FLAC: its sound, sample by sample as it was recorded. Written here: of the kept decoders one needs a parser under a licence that is not
// ours, the others are builds of many megabytes. The file's own MD5 of the samples says whether all of it was read right.
// Source: RFC 9639.
import { createHash } from 'node:crypto'
import { FormatError } from '../format-error.ts'
import { DecodedSamples } from '../source/decoded-samples.ts'
import type { Sound } from '../source/sound.ts'
import { BitReader } from './bits.ts'
import { damaged, type FlacHeader, readFlacHeader } from './flac.ts'
import { readSubframe } from './subframes.ts'

const syncCode = 0b11_1111_1111_1110
/** In the first bits of a frame, by their code. */
const codedBits: Record<number, number> = { 1: 8, 2: 12, 4: 16, 5: 20, 6: 24, 7: 32 }
const rateBits: Record<number, number> = { 12: 8, 13: 16, 14: 16 }
const fixedChannels = 7
const [leftSide, sideRight, midSide] = [8, 9, 10]

/**
 * The sound of a whole file, with 16, 24 or 32 bits as the file has them. Throws FormatError `not-this-format`, `truncated`, `damaged`,
 * also where the samples are not those that were encoded, and `too-large`.
 */
export function readFlacSound(bytes: Uint8Array): Sound {
  const header = readFlacHeader(bytes)
  const { channels, sampleRate, bitsPerSample, frames } = header
  const bits = bitsPerSample <= 16 ? 16 : bitsPerSample <= 24 ? 24 : 32
  const samples = new DecodedSamples({ sampleRate, channels, bits })
  const hash = createHash('md5')
  const reader = new BitReader(bytes, header.soundOffset)
  while (!reader.isAtEnd && (frames === null || samples.frames < frames)) {
    const planes = readFrame(reader, header)
    const length = planes[0]?.length ?? 0
    const room = samples.room(length)
    pack(planes, room, { bytes: bits / 8, shift: bits - bitsPerSample })
    const isAsStored = bits === bitsPerSample
    const bytesEach = Math.ceil(bitsPerSample / 8)
    const hashed = isAsStored ? room : Buffer.alloc(length * channels * bytesEach)
    if (!isAsStored) pack(planes, hashed, { bytes: bytesEach, shift: 0 })
    hash.update(hashed)
  }
  const read = samples.frames
  if (frames !== null && read < frames)
    throw new FormatError('truncated', `The FLAC file ends after ${read} of ${frames} samples.`)
  if (header.md5 !== null && hash.digest('hex') !== header.md5) throw damaged('its samples are not those that were encoded')
  return samples.sound()
}

/** The samples of each channel. */
function readFrame(reader: BitReader, { channels, bitsPerSample, largestBlock }: FlacHeader): Float64Array[] {
  if (reader.unsigned(14) !== syncCode) throw damaged(`there is no frame at byte ${reader.offset - 2}`)
  reader.unsigned(2)
  const blockCode = reader.unsigned(4)
  const rateCode = reader.unsigned(4)
  const layout = reader.unsigned(4)
  const bitsCode = reader.unsigned(3)
  reader.unsigned(1)
  skipNumber(reader)
  const length = blockLength(reader, blockCode)
  reader.unsigned(rateBits[rateCode] ?? 0)
  reader.unsigned(8)
  const frameChannels = layout <= fixedChannels ? layout + 1 : 2
  const isSame = frameChannels === channels && (bitsCode === 0 || codedBits[bitsCode] === bitsPerSample) && layout <= midSide
  if (!isSame || length > largestBlock) throw damaged('a frame is of another sound than the file begins with')
  const planes = Array.from({ length: channels }, (_, channel) => {
    const isSide = channel === (layout === sideRight ? 0 : 1) && layout > fixedChannels
    const samples = new Float64Array(length)
    readSubframe(reader, samples, bitsPerSample + (isSide ? 1 : 0))
    return samples
  })
  reader.align()
  reader.unsigned(16)
  decorrelate(planes, layout)
  return planes
}

/** Of the frame or sample: like a letter in UTF-8, up to seven bytes. */
function skipNumber(reader: BitReader): void {
  const first = reader.unsigned(8)
  const following = first < 0x80 ? 0 : Math.clz32(~(first << 24)) - 1
  if (following < 0 || (first >= 0x80 && following === 0) || following > 6) throw damaged('a frame has no number')
  for (let index = 0; index < following; index++) reader.unsigned(8)
}

function blockLength(reader: BitReader, code: number): number {
  if (code === 0) throw damaged('a frame has no length')
  if (code === 1) return 192
  if (code <= 5) return 144 * 2 ** code
  if (code === 6) return reader.unsigned(8) + 1
  if (code === 7) return reader.unsigned(16) + 1
  return 2 ** code
}

/** Two channels are stored as one of them, or their middle, and the difference. */
function decorrelate([first, second]: Float64Array[], layout: number): void {
  if (!first || !second || layout < leftSide) return
  for (let at = 0; at < first.length; at++) {
    const [one, other] = [first[at] ?? 0, second[at] ?? 0]
    if (layout === leftSide) second[at] = one - other
    else if (layout === sideRight) first[at] = one + other
    else {
      const twice = one * 2 + Math.abs(other % 2)
      first[at] = (twice + other) / 2
      second[at] = (twice - other) / 2
    }
  }
}

/** Channels in turn, little-endian, `bytes` each, raised by so many bits. */
function pack(planes: readonly Float64Array[], out: Buffer, { bytes, shift }: { bytes: number; shift: number }): void {
  const length = planes[0]?.length ?? 0
  const scale = 2 ** shift
  let to = 0
  for (let at = 0; at < length; at++) {
    for (const plane of planes) {
      let value = (plane[at] ?? 0) * scale
      for (let byte = 0; byte < bytes; byte++, value = Math.floor(value / 256)) out[to++] = value & 255
    }
  }
}
