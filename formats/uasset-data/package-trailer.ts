// The trailer of an Unreal package, from 5.1 on: payloads behind everything else, found by their ids.
import { ByteReader } from '../byte-reader.ts'
import { FormatError } from '../format-error.ts'
import type { OpenPackage } from './package.ts'
import { rangeOf } from './payload.ts'

const tag = Buffer.from('97f6a5802e3bc4d1', 'hex')
const newestVersion = 2
/** A hundred times what the largest of real packages keep. */
const maxEntries = 100_000
const accesses = { local: 0, referenced: 1 }

/** A payload's bytes as stored, compressed or not, and how many they are when they are raw. */
export type StoredPayload = { stored: Uint8Array; rawSize: number }

/** Finds the payload of an id, 40 hex digits. Throws FormatError, `unsupported` when it is kept outside the package. */
export function storedPayload({ bytes, summary }: OpenPackage, id: string): StoredPayload {
  const start = summary.payloadTocOffset
  if (start === null || !isTrailer(bytes, start)) throw damaged('it has no trailer, where its payload should be')
  const reader = new ByteReader(bytes.subarray(start), { what: 'package trailer' })
  const { version, headerBytes, payloadBytes, oldAccess, entryBytes, count } = readTrailerHeader(reader)
  const wanted = Buffer.from(id, 'hex')
  for (let left = count; left > 0; left--) {
    const entry = reader.take(entryBytes)
    if (wanted.compare(entry, 0, wanted.length) !== 0) continue
    const { offset, storedSize, rawSize, flags } = readEntry(entry, version)
    refuseElsewhere(oldAccess ?? entry.readUInt8(entryBytes - 1))
    if (flags !== 0)
      throw new FormatError('unsupported', `The package has a payload with flags ${flags}, which this reader does not know.`)
    if (offset < 0 || storedSize < 0 || offset + storedSize > payloadBytes)
      throw damaged(`${storedSize} bytes of a payload should lie at byte ${offset} of ${payloadBytes} in its trailer`)
    return { stored: rangeOf(bytes, start + headerBytes + offset, storedSize), rawSize }
  }
  throw damaged('its trailer does not name its payload')
}

/**
 * The ids of the payloads that a trailer names and that are not empty, `most` of them at most. `bytes` begin with it, and hold all of its
 * entries; none where they begin with something else. Throws FormatError.
 */
export function trailerIds(bytes: Uint8Array, most: number): string[] {
  if (!isTrailer(bytes, 0)) return []
  const reader = new ByteReader(bytes, { what: 'package trailer' })
  const { version, entryBytes, count } = readTrailerHeader(reader)
  const ids: string[] = []
  for (let left = count; left > 0 && ids.length < most; left--) {
    const entry = reader.take(entryBytes)
    if (readEntry(entry, version).rawSize > 0) ids.push(entry.toString('hex', 0, 20))
  }
  return ids
}

function readTrailerHeader(reader: ByteReader) {
  reader.skip(tag.length)
  const version = reader.i32()
  if (version < 0 || version > newestVersion)
    throw new FormatError('unsupported', `The package has a trailer of version ${version}, which this reader does not know.`)
  const headerBytes = reader.u32()
  const payloadBytes = reader.i64()
  const oldAccess = version < 1 ? reader.u8() : undefined
  const entryBytes = 44 + (version >= 2 ? 4 : 0) + (version >= 1 ? 1 : 0)
  const count = reader.count('payloads', entryBytes)
  if (count > maxEntries) throw new FormatError('too-large', `The package has ${count} payloads, more than this reader accepts.`)
  return { version, headerBytes, payloadBytes, oldAccess, entryBytes, count }
}

/** Before 5.1 the offset leads to where a trailer would be, or beyond the file. */
function isTrailer(bytes: Uint8Array, offset: number): boolean {
  return offset >= 0 && offset + tag.length <= bytes.length && tag.compare(bytes, offset, offset + tag.length) === 0
}

function readEntry(entry: Buffer, version: number) {
  const reader = new ByteReader(entry.subarray(20), { what: 'package trailer' })
  const [offset, storedSize, rawSize] = [reader.i64(), reader.i64(), reader.i64()]
  return { offset, storedSize, rawSize, flags: version >= 2 ? reader.u32() : 0 }
}

function refuseElsewhere(access: number): void {
  if (access === accesses.local) return
  const where =
    access === accesses.referenced
      ? 'refers to source data in another package'
      : 'is virtualized: its source data are kept on another system'
  throw new FormatError('unsupported', `The package ${where}.`)
}

function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The package is damaged: ${problem}.`)
}
