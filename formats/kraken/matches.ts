// Where matches copy from and how long they are: packed bytes, and one area of bits that completes them.
import { BitReader } from './bit-reader.ts'
import { damaged } from './damage.ts'
import type { DecoderMemory, Span } from './memory.ts'

export type PackedMatches = { offsets: Span; lengths: Span; bits: Span }

const longLength = 255
const shortest = 3

/**
 * Fills the decoder's offsets and lengths. The bits are taken from both ends, one end after the other, and the ends
 * have to meet.
 */
export function readMatches(memory: DecoderMemory, { offsets, lengths, bits }: PackedMatches): void {
  const forward = new BitReader(memory.inputView, bits, 'forward')
  const backward = new BitReader(memory.inputView, bits, 'backward')
  const longLengths = backward.bits(backward.zeros(17) + 1) - 1
  for (let i = offsets.from; i < offsets.to; i++) {
    const index = i - offsets.from
    memory.offsets[index] = readOffset(memory.arrays[i] as number, index % 2 === 0 ? forward : backward)
  }
  let long = 0
  for (let i = lengths.from; i < lengths.to; i++) {
    let length = memory.arrays[i] as number
    if (length === longLength) length += readLongLength(long++ % 2 === 0 ? forward : backward)
    memory.lengths[i - lengths.from] = length + shortest
  }
  const meets = forward.takenBytes + backward.takenBytes === bits.to - bits.from
  if (!meets || long !== longLengths) throw damaged('has match lengths that do not come out even')
}

function readOffset(packed: number, bits: BitReader): number {
  if (packed < 0xf0) {
    const count = (packed >> 4) + 4
    return (((1 << count) | bits.bits(count)) << 4) + (packed & 15) - 248
  }
  const count = packed - 0xf0 + 4
  const high = (1 << count) | bits.bits(count)
  return 8322816 + (high << 12) + bits.bits(12)
}

function readLongLength(bits: BitReader): number {
  return bits.bits(bits.zeros(12) + 7) - 64
}
