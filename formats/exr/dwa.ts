// OpenEXR: what a chunk compressed with DWA says of its own sizes, held against the room that it has, before it is decoded.
import { ByteReader } from '../byte-reader.ts'
import { FormatError } from '../format-error.ts'
import { type Chunk, damaged, inflate } from './chunks.ts'
import { refuseOtherCount } from './huffman.ts'

const blockEdge = 8
const colors = 3
/** How the larger coefficients are compressed by every writer that is known. */
const staticHuffman = 0

/** Throws FormatError where decoding it would take more than the chunk's samples do, or it holds what the decoder does not know. */
export function refuseDwaBomb({ columns, rows, bytes }: Chunk, expected: number): void {
  const reader = new ByteReader(bytes, { what: 'EXR file' })
  const [version, , others, larger, means, runs, runsInflated, runsRaw, largerCount, meansCount, way] = Array.from(
    { length: 11 },
    () => reader.i64(),
  ) as [number, number, number, number, number, number, number, number, number, number, number]
  if (version < 2 || others !== 0 || (larger > 0 && way !== staticHuffman))
    throw new FormatError('unsupported', 'The EXR file is compressed with a variant of DWA that is not read. Save it with ZIP.')
  const blocks = Math.ceil(columns / blockEdge) * Math.ceil(rows / blockEdge)
  const isWithin =
    largerCount >= 0 &&
    largerCount <= blocks * colors * blockEdge ** 2 &&
    meansCount >= 0 &&
    meansCount <= blocks * colors &&
    runsRaw >= 0 &&
    runsRaw <= expected &&
    runsInflated >= 0 &&
    runsInflated <= expected * 2
  if (!isWithin) throw damaged('a chunk announces more than it has room for')
  refuseEndlessRules(reader.take(Math.max(0, reader.u16() - 2)))
  const codes = reader.take(larger)
  if (larger > 0) refuseOtherCount(codes, largerCount)
  const meansBytes = reader.take(means)
  if (means > 0) inflate(meansBytes, meansCount * 2)
  if (runsRaw > 0 && runLength(inflate(reader.take(runs), runsInflated)) > expected) throw damaged('a run leaves its chunk')
}

/** Names of channels with two bytes each: the decoder looks for the end of a name beyond its bytes, and counts letters, not bytes. */
function refuseEndlessRules(rules: Buffer): void {
  for (let at = 0; at < rules.length; ) {
    const end = rules.indexOf(0, at)
    const isName = end >= 0 && end + 3 <= rules.length && rules.subarray(at, end).every((byte) => byte < 128)
    if (!isName) throw damaged('a chunk has rules without an end')
    at = end + 3
  }
}

/** Bytes that the runs make: negative so many as they are, else one repeated once more than that. */
function runLength(packed: Buffer): number {
  let length = 0
  for (let at = 0; at < packed.length; ) {
    const code = packed.readInt8(at)
    length += code < 0 ? -code : code + 1
    at += code < 0 ? 1 - code : 2
  }
  return length
}
