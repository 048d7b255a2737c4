// OpenEXR: the samples of a chunk: row by row, channel by channel. What zlib and runs of bytes compress is read here, bounded by what the
// chunk has room for; PIZ and DWA in wavelets.ts.
import { FormatError } from '../format-error.ts'
import { type Chunk, damaged, type Expectation, inflate, pixelBytes, typeBytes } from './chunks.ts'
import type { Channel, Compression, ExrHeader } from './header.ts'
import { decodeWavelets } from './wavelets.ts'

/** The samples of a chunk. Throws FormatError. */
export function samplesOf(chunk: Chunk, { compression, channels }: ExrHeader): Uint8Array {
  const expected = chunk.columns * chunk.rows * pixelBytes(channels)
  // What does not become smaller is stored as it is, whatever the file is compressed with.
  if (chunk.bytes.length === expected) return chunk.bytes
  const samples = decoders[compression](chunk, { channels, expected, compression })
  if (samples.length !== expected) throw damaged(`a chunk gives ${samples.length} bytes instead of ${expected}`)
  return samples
}

type Decode = (chunk: Chunk, expectation: Expectation) => Uint8Array

const refuse: Decode = (_, { compression }) => {
  throw new FormatError(
    'unsupported',
    `The EXR file is compressed with ${compression.toUpperCase()}, which is not read. Save it with ZIP.`,
  )
}
const zip: Decode = ({ bytes }, { expected }) => interleaved(inflate(bytes, expected))
const decoders: Record<Compression, Decode> = {
  none: ({ bytes }) => bytes,
  rle: ({ bytes }, { expected }) => interleaved(runs(bytes, expected)),
  zips: zip,
  zip,
  pxr24: (chunk, { channels, expected }) => pxr24(inflate(chunk.bytes, expected), chunk, channels),
  piz: decodeWavelets,
  dwaa: decodeWavelets,
  dwab: decodeWavelets,
  b44: refuse,
  b44a: refuse,
}

/** Negative: so many bytes as they are; else one byte, repeated once more than that. */
function runs(packed: Buffer, expected: number): Buffer {
  const out = Buffer.alloc(expected)
  let to = 0
  for (let from = 0; from < packed.length; ) {
    const code = packed.readInt8(from++)
    const count = code < 0 ? -code : code + 1
    if (to + count > expected || from + (code < 0 ? count : 1) > packed.length) throw damaged('a run leaves its chunk')
    if (code < 0) packed.copy(out, to, from, from + count)
    else out.fill(packed[from] ?? 0, to, to + count)
    from += code < 0 ? count : 1
    to += count
  }
  return out.subarray(0, to)
}

/** Each byte is stored as its difference to the one before; all even places come before all odd ones. */
function interleaved(bytes: Buffer): Uint8Array {
  for (let at = 1; at < bytes.length; at++) bytes[at] = (bytes[at - 1] ?? 0) + (bytes[at] ?? 0) - 128
  const out = new Uint8Array(bytes.length)
  const half = Math.ceil(bytes.length / 2)
  for (let at = 0; at < bytes.length; at++) out[at] = bytes[(at % 2 === 0 ? 0 : half) + (at >> 1)] ?? 0
  return out
}

/** Rows of differences, their high bytes before the lower ones; floats have lost their last byte. */
function pxr24(packed: Buffer, { columns, rows }: Chunk, channels: readonly Channel[]): Uint8Array {
  const planesOf = { uint: 4, half: 2, float: 3 }
  const stored = channels.reduce((sum, { type }) => sum + planesOf[type], 0)
  if (packed.length !== stored * columns * rows)
    throw damaged(`a chunk gives ${packed.length} bytes instead of ${stored * columns * rows}`)
  const out = Buffer.alloc(columns * rows * pixelBytes(channels))
  let from = 0
  let to = 0
  for (let row = 0; row < rows; row++) {
    for (const { type } of channels) {
      let value = 0
      for (let column = 0; column < columns; column++, to += typeBytes[type]) {
        let difference = 0
        for (let plane = 0; plane < planesOf[type]; plane++)
          difference = (difference << 8) | (packed[from + plane * columns + column] ?? 0)
        value = (value + (type === 'float' ? difference << 8 : difference)) | 0
        if (type === 'half') out.writeUInt16LE(value & 0xffff, to)
        else out.writeUInt32LE(value >>> 0, to)
      }
      from += planesOf[type] * columns
    }
  }
  return out
}
