// OpenEXR: the Huffman codes of PIZ and DWA, walked through without keeping what they say. `parse-exr` does not end where they say more than
// there is room for.
// Source: ImfHuf.cpp of OpenEXR, as its file layout documentation names it: codes by length, the longest first, and a symbol that repeats.
import { FormatError } from '../format-error.ts'
import { damaged } from './chunks.ts'

const headerBytes = 20
const symbols = 65_537
/** Longer ones are not met in files, and the decoder counts bits in 32. */
const maxLength = 30
const lengthBits = 6
const repeatBits = 8
/** From here on a length says how many symbols have none: so many more than two, and the last so many more than six, as 8 bits say. */
const shortRun = 59
const longRun = 63

interface Code {
  /** Of each length the first code, and where its symbols begin in `symbols`. */
  first: Float64Array
  start: Uint32Array
  count: Uint32Array
  symbols: Uint32Array
}

/** Throws FormatError `damaged` where the codes do not say exactly so many numbers. */
export function refuseOtherCount(bytes: Buffer, expected: number): void {
  if (bytes.length < headerBytes) throw damaged('its codes are cut off')
  const [lowest, highest, bits] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(12)]
  if (lowest >= symbols || highest >= symbols || lowest > highest) throw damaged('it has codes for what is not there')
  const reader = new BitReader(bytes, headerBytes)
  const code = codeOf(lengthsOf(reader, lowest, highest))
  reader.align()
  reader.limit(bits)
  if (countOf(reader, code, { repeat: highest, most: expected }) !== expected)
    throw damaged('its codes say less than it has room for')
}

function countOf(reader: BitReader, code: Code, { repeat, most }: { repeat: number; most: number }): number {
  let count = 0
  while (reader.left > 0) {
    const symbol = symbolOf(reader, code)
    count += symbol === repeat ? reader.take(repeatBits) : 1
    if (count > most) throw damaged('its codes say more than it has room for')
  }
  return count
}

function symbolOf(reader: BitReader, { first, start, count, symbols: listed }: Code): number {
  let value = 0
  for (let length = 1; length <= maxLength; length++) {
    value = value * 2 + reader.take(1)
    const place = value - (first[length] ?? 0)
    if (place >= 0 && place < (count[length] ?? 0)) return listed[(start[length] ?? 0) + place] ?? 0
  }
  throw damaged('it has a code that stands for nothing')
}

/** By symbol; 0 for those without a code. */
function lengthsOf(reader: BitReader, lowest: number, highest: number): Uint8Array {
  const lengths = new Uint8Array(symbols)
  for (let symbol = lowest; symbol <= highest; symbol++) {
    const length = reader.take(lengthBits)
    if (length < shortRun) lengths[symbol] = length
    else symbol += (length === longRun ? reader.take(8) + 6 : length - shortRun + 2) - 1
    if (symbol > highest) throw damaged('its list of codes is longer than it says')
  }
  return lengths
}

function codeOf(lengths: Uint8Array): Code {
  const count = new Uint32Array(64)
  for (const length of lengths) count[length] = (count[length] ?? 0) + 1
  count[0] = 0
  if (count.findLastIndex((some) => some > 0) > maxLength)
    throw new FormatError(
      'unsupported',
      `The EXR file has codes of more than ${maxLength} bits, which are not read. Save it with ZIP.`,
    )
  const [first, start] = [new Float64Array(64), new Uint32Array(64)]
  for (let length = maxLength, next = 0; length > 0; length--) {
    const some = count[length] ?? 0
    if (next + some > 2 ** length) throw damaged('it has codes that are not told apart')
    first[length] = next
    next = Math.floor((next + some) / 2)
  }
  for (let length = 1; length < 63; length++) start[length + 1] = (start[length] ?? 0) + (count[length] ?? 0)
  const [listed, filled] = [new Uint32Array(lengths.length), start.slice()]
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue
    listed[filled[length] ?? 0] = symbol
    filled[length] = (filled[length] ?? 0) + 1
  }
  return { first, start, count, symbols: listed }
}

/** Bits from the highest of each byte on. */
class BitReader {
  readonly #bytes: Uint8Array
  #at: number
  #end: number

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes
    this.#at = start * 8
    this.#end = bytes.length * 8
  }

  get left(): number {
    return this.#end - this.#at
  }

  /** Goes on with a whole byte. */
  align(): void {
    this.#at = Math.ceil(this.#at / 8) * 8
  }

  /** So many more are there. */
  limit(bits: number): void {
    if (bits > this.left) throw damaged('its codes are cut off')
    this.#end = this.#at + bits
  }

  take(bits: number): number {
    if (bits > this.left) throw damaged('its codes are cut off')
    let value = 0
    for (let end = this.#at + bits; this.#at < end; this.#at++)
      value = (value << 1) | (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1)
    return value
  }
}
