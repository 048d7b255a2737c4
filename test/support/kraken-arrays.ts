// Writes entropy-coded arrays of Kraken in the forms that its decoder knows: the mirror of formats/kraken.

/** The lowest bits of a number, highest first. */
export function bitsOf(value: number, count: number): string {
  return count === 0 ? '' : (value % 2 ** count).toString(2).padStart(count, '0')
}

/** Bits as bytes, the first the highest of its byte. */
export function packBits(bits: string): Buffer {
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
}

/** A header of two bytes takes 4,095 bytes at most. */
export function rawArray(bytes: Uint8Array, headerBytes: 2 | 3 = 3): Buffer {
  const size = bytes.length
  const header = headerBytes === 2 ? [0x80 | (size >> 8), size & 0xff] : [size >> 16, (size >> 8) & 0xff, size & 0xff]
  return Buffer.concat([Buffer.from(header), bytes])
}

/** An array of any type but 0. A header of three bytes takes up to 1,023 packed bytes, and up to 1,024 more raw ones. */
export function codedArray(type: number, packed: Uint8Array, size: { rawBytes: number; headerBytes?: 3 | 5 }): Buffer {
  const { rawBytes, headerBytes = 5 } = size
  const header = Buffer.alloc(headerBytes)
  if (headerBytes === 3)
    header.writeUIntBE((1 << 23) | (type << 20) | ((rawBytes - packed.length - 1) << 10) | packed.length, 0, 3)
  else header.writeUIntBE(type * 2 ** 36 + (rawBytes - 1) * 2 ** 18 + packed.length, 0, 5)
  return Buffer.concat([header, packed])
}

/** Byte values with the lengths of their codes, in order of appearance. */
export type Lengths = readonly (readonly [symbol: number, length: number])[]

/** Two to 255 symbols, each spelled out with its length. */
export function fewSymbols(lengths: Lengths, lengthBits = 4): string {
  const each = lengths.map(([symbol, length]) => bitsOf(symbol, 8) + bitsOf(length - 1, lengthBits))
  return `00${bitsOf(lengths.length, 8)}${bitsOf(lengthBits, 3)}${each.join('')}`
}

/** Lengths as differences, symbols as ranges; these have to ascend. */
export function manySymbols(lengths: Lengths, lowBits = 1): string {
  const ranges = rangesOf(lengths.map(([symbol]) => symbol))
  const numbers = ranges.map(([value, extra]) => [Math.floor(Math.log2(value + extra)), value + extra] as const)
  let sum = 30
  const folded = lengths.map(([, length]) => {
    const difference = length - 1 - (sum >> 2)
    sum += difference
    return difference < 0 ? -2 * difference - 1 : 2 * difference
  })
  const unary = [...folded.map((value) => value >> lowBits), ...numbers.map(([size], i) => size - (ranges[i]?.[1] ?? 0))]
  return [
    `10${bitsOf(lowBits, 2)}${bitsOf(lengths.length - 1, 8)}`,
    lengths.length === 256 ? '' : truncatedBinary(ranges.length, 2 * Math.min(257 - lengths.length, lengths.length)),
    ...unary.map((zeros) => `${'0'.repeat(zeros)}1`),
    ...folded.map((value) => bitsOf(value, lowBits)),
    ...numbers.map(([size, value]) => bitsOf(value, size)),
  ].join('')
}

/** First symbol, then numbers and gaps in turn, without the last number; 1 marks what is written as one more than it is. */
function rangesOf(symbols: readonly number[]): [value: number, extra: 0 | 1][] {
  const [first = 0] = symbols
  const ranges: [number, 0 | 1][] = first === 0 ? [] : [[first, 1]]
  let begin = 0
  for (let i = 1; i < symbols.length; i++) {
    const gap = (symbols[i] ?? 0) - (symbols[i - 1] ?? 0) - 1
    if (gap === 0) continue
    ranges.push([i - begin, 0], [gap, 1])
    begin = i
  }
  return ranges
}

function truncatedBinary(value: number, values: number): string {
  const wide = Math.ceil(Math.log2(values))
  const narrowValues = 2 ** wide - values
  return value < narrowValues ? bitsOf(value, wide - 1) : bitsOf(value + narrowValues, wide)
}

export type HuffmanForm = { lengths: Lengths; head?: string; streams?: 3 | 6 }

/** The packed bytes of a Huffman array. */
export function huffmanBytes(bytes: Uint8Array, { lengths, head = fewSymbols(lengths), streams = 3 }: HuffmanForm): Buffer {
  const codes = codesOf(lengths)
  if (streams === 3) return Buffer.concat([packBits(head), threeStreams(bytes, codes)])
  const half = (bytes.length + 1) >> 1
  const left = threeStreams(bytes.subarray(0, half), codes)
  const divide = Buffer.alloc(3)
  divide.writeUIntLE(left.length, 0, 3)
  return Buffer.concat([packBits(head), divide, left, threeStreams(bytes.subarray(half), codes)])
}

export function huffmanArray(bytes: Uint8Array, form: HuffmanForm): Buffer {
  return codedArray(form.streams === 6 ? 4 : 2, huffmanBytes(bytes, form), { rawBytes: bytes.length })
}

/** Canonical codes: by length, then by order of appearance. */
function codesOf(lengths: Lengths): Map<number, string> {
  const codes = new Map<number, string>()
  let slot = 0
  for (const [symbol, length] of lengths.toSorted(([, a], [, b]) => a - b)) {
    codes.set(symbol, bitsOf(slot >> (11 - length), length))
    slot += 2048 >> length
  }
  return codes
}

function threeStreams(bytes: Uint8Array, codes: Map<number, string>): Buffer {
  const stream = (turn: number) =>
    lowestFirst(
      [...bytes]
        .filter((_, i) => i % 3 === turn)
        .map((byte) => codes.get(byte))
        .join(''),
    )
  const [first, second, third] = [stream(0), stream(1), stream(2)]
  const size = Buffer.alloc(2)
  size.writeUInt16LE(first.length)
  return Buffer.concat([size, first, third, second.reverse()])
}

function lowestFirst(bits: string): Buffer {
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt([...byte].reverse().join(''), 2)))
}
