// The header of an entropy-coded array: its coding, and how many bytes it takes and gives.
import { damaged, unsupported } from './damage.ts'
import type { Span } from './memory.ts'

/** `huffman-halves`: each half of the array has streams of its own. */
export type Coding = 'raw' | 'huffman' | 'huffman-halves' | 'run-length'

export type ArrayHeader = { coding: Coding; packed: Span; rawBytes: number }

/** Reads the header at the start of `span`, within which the packed bytes have to lie. */
export function readArrayHeader(input: DataView, span: Span): ArrayHeader {
  if (span.from === span.to) throw damaged('ends before an array')
  const first = input.getUint8(span.from)
  const coding = codingOf((first >> 4) & 7)
  const short = first >= 0x80
  const start = span.from + (coding === 'raw' ? (short ? 2 : 3) : short ? 3 : 5)
  if (start > span.to) throw damaged('ends within the header of an array')
  const { packedBytes, rawBytes } = coding === 'raw' ? rawSizes(input, span.from) : codedSizes(input, span.from)
  if (packedBytes > span.to - start) throw damaged('has an array that is longer than what holds it')
  return { coding, packed: { from: start, to: start + packedBytes }, rawBytes }
}

type Sizes = { packedBytes: number; rawBytes: number }

function rawSizes(input: DataView, at: number): Sizes {
  const two = input.getUint16(at, false)
  const bytes = two >= 0x8000 ? two & 0xfff : (two << 8) | input.getUint8(at + 2)
  return { packedBytes: bytes, rawBytes: bytes }
}

function codedSizes(input: DataView, at: number): Sizes {
  const first = input.getUint8(at)
  if (first >= 0x80) {
    const three = (first << 16) | input.getUint16(at + 1, false)
    const packedBytes = three & 0x3ff
    return { packedBytes, rawBytes: packedBytes + ((three >> 10) & 0x3ff) + 1 }
  }
  const four = input.getUint32(at + 1, false)
  return { packedBytes: four & 0x3ffff, rawBytes: (((four >>> 18) | (first << 14)) & 0x3ffff) + 1 }
}

function codingOf(type: number): Coding {
  if (type === 0) return 'raw'
  if (type === 2) return 'huffman'
  if (type === 3) return 'run-length'
  if (type === 4) return 'huffman-halves'
  throw unsupported(type === 1 ? 'tANS coding' : type === 5 ? 'arrays of several parts' : 'an unknown coding of arrays')
}
