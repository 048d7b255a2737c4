// Files that were changed to lie: what is done to one is decided by a seed and a number alone, so that each can be made again.
import { ByteReader } from '../../formats/byte-reader.ts'
import { randomNumbers } from '../../sample/random.ts'

/** A whole file; `places` are the offsets at which its reader takes numbers: lengths, counts, sizes and offsets. */
export type Original = { bytes: Buffer; places: readonly number[] }

/** Of `number` values from 0 on. */
type Below = (number: number) => number

const takes = ['u8', 'u16', 'u32', 'i32', 'i64', 'f32', 'f64'] as const
/** More places than these are not told apart: a long list of numbers is like its beginning. */
const maxPlaces = 20_000

/** Reads a file, and tells at which offsets numbers were taken from it, each once. Not for two files at a time. */
export async function placesRead(bytes: Buffer, read: () => unknown): Promise<number[]> {
  const places = new Set<number>()
  const { prototype } = ByteReader
  const own = new Map(takes.map((name) => [name, prototype[name]]))
  for (const [name, take] of own) {
    prototype[name] = function (this: ByteReader) {
      const at = this.bytes.byteOffset + this.offset - bytes.byteOffset
      if (this.bytes.buffer === bytes.buffer && at >= 0 && at + 4 <= bytes.length && places.size < maxPlaces) places.add(at)
      return take.call(this)
    }
  }
  try {
    await read()
  } finally {
    for (const [name, take] of own) prototype[name] = take
  }
  return [...places]
}

/** What is made of a file, or of its beginning and something of another. */
export function mutated(original: Original, other: Buffer, seed: string): Buffer {
  const random = randomNumbers(seed)
  const below: Below = (number) => Math.floor(random() * number)
  let bytes: Buffer = Buffer.from(original.bytes)
  for (let left = 1 + below(3); left > 0; left--) {
    const change = changes[below(changes.length)] ?? flipBytes
    bytes = change({ bytes, below, places: original.places, other })
  }
  return bytes
}

type Change = (file: { bytes: Buffer; below: Below; places: readonly number[]; other: Buffer }) => Buffer

const flipBytes: Change = ({ bytes, below }) => {
  for (let left = Math.min(bytes.length, 1 + below(8)); left > 0; left--) bytes[below(bytes.length)] = below(256)
  return bytes
}

/** Near a number that decides how the rest is read. */
const flipNear: Change = ({ bytes, below, places }) => {
  const place = places[below(places.length)] ?? 0
  for (let left = 1 + below(4); left > 0; left--) {
    const at = place + below(48) - 8
    if (at >= 0 && at < bytes.length) bytes[at] = below(256)
  }
  return bytes
}

/** Extremes, and what is nearly right: one more, one less, twice as much, as much as the file. */
const lieInNumber: Change = ({ bytes, below, places }) => {
  const at = places[below(places.length)] ?? below(bytes.length)
  if (at + 8 > bytes.length) return bytes
  const isBig = below(6) === 0
  const told = isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
  const size = bytes.length
  const lies = [0, 1, 2, 0xffff_ffff, 0x7fff_ffff, 0x8000_0000, 1_000_000_000, 0xff_ffff, 0xffff, 0x7f, size, size - 1, size - at]
  lies.push(told + 1, told - 1, told * 2, told * 256, told >>> 1, told ^ (1 << below(32)), below(65_536), below(16))
  const lie = (lies[below(lies.length)] ?? 0) >>> 0
  if (isBig) bytes.writeUInt32BE(lie, at)
  else bytes.writeUInt32LE(lie, at)
  if (below(4) === 0) bytes.writeUInt32LE(below(2) === 0 ? 0xffff_ffff : below(2), at + 4)
  return bytes
}

/** Offsets and lengths that are true of something else. */
const exchangeNumbers: Change = ({ bytes, below, places }) => {
  const [from, to] = [places[below(places.length)] ?? 0, places[below(places.length)] ?? 0]
  if (Math.max(from, to) + 8 <= bytes.length) bytes.copyWithin(to, from, from + (below(2) === 0 ? 4 : 8))
  return bytes
}

const floats = [Number.NaN, Infinity, -Infinity, 3.4e38, -3.4e38, 1e-45, 0, -0]

const lieInFloats: Change = ({ bytes, below }) => {
  for (let left = 1 + below(6); left > 0 && bytes.length >= 4; left--)
    bytes.writeFloatLE(floats[below(floats.length)] ?? 0, below(bytes.length - 3))
  return bytes
}

const words = ['9999999999', '-1', '0', '1e999', 'nan', '65536', '4294967295', '-2147483648', '{', '}', '"', '\n', 'f', '[[[[']

/** Words of a text; in other files one that happens to look like a number. */
const lieInWord: Change = ({ bytes, below }) => {
  const start = below(bytes.length)
  const text = bytes.toString('latin1', start, start + 400)
  const found = /[\d.]+/.exec(text)
  if (found === null) return flipBytes({ bytes, below, places: [], other: bytes })
  const at = start + found.index
  const word = Buffer.from(words[below(words.length)] ?? '')
  if (below(2) === 0) return Buffer.concat([bytes.subarray(0, at), word, bytes.subarray(at + found[0].length)])
  word.copy(bytes, at)
  return bytes
}

const cut: Change = ({ bytes, below }) => bytes.subarray(0, below(bytes.length + 1))

const removeBlock: Change = ({ bytes, below }) => {
  const at = below(bytes.length)
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(below(4) === 0 ? 4096 : 64))])
}

const repeatBlock: Change = ({ bytes, below, places }) => {
  const at = below(2) === 0 ? below(bytes.length) : (places[below(places.length)] ?? 0)
  const block = bytes.subarray(at, at + 1 + below(below(4) === 0 ? 4096 : 64))
  const copies = Array.from({ length: 1 + below(20) }, () => block)
  return Buffer.concat([bytes.subarray(0, at), ...copies, bytes.subarray(at)])
}

/** A block of another file in the place of one, or between two. */
const splice: Change = ({ bytes, below, other }) => {
  const from = below(other.length)
  const block = other.subarray(from, from + 1 + below(below(4) === 0 ? 4096 : 200))
  const at = below(bytes.length)
  const end = below(2) === 0 ? at : at + block.length
  return Buffer.concat([bytes.subarray(0, at), block, bytes.subarray(end)])
}

/** Numbers more often than the rest: most other changes are seen at once. */
const changes: readonly Change[] = [
  ...[lieInNumber, lieInNumber, lieInNumber, lieInNumber, flipNear, flipNear, exchangeNumbers],
  ...[flipBytes, lieInFloats, lieInWord, cut, removeBlock, repeatBlock, splice],
]
