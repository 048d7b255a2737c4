// Bulk data: how an object says where its payload is, in the two forms that engines wrote.
import { FormatError } from '../format-error.ts'
import { readCompressedBuffer } from '../kraken/compressed-buffer.ts'
import { customVersion } from '../uasset/custom-versions.ts'
import type { ObjectReader } from './package.ts'
import { storedPayload } from './package-trailer.ts'
import { checkRawSize, type Payload, rangeOf } from './payload.ts'
import { inflateChunks } from './zlib-chunks.ts'

const byteFlags = { atEndOfFile: 1, zlib: 2, inOtherFile: 0x100, wideSizes: 0x2000, extraField: 0x8000, absoluteOffset: 0x10000 }
const editorFlags = { virtualized: 1, inSideFile: 2, legacy: 4, legacyZlib: 8, inTrailer: 0x200 }

/**
 * Reads the bulk data at the reader's offset: in the editor's form from version `editorSince` of the main branch on, in
 * the older form before. The payload itself is not touched yet. Throws FormatError.
 */
export function readBulkData(reader: ObjectReader, editorSince: number): Payload {
  return reader.version(customVersion.main) >= editorSince ? readEditorBulkData(reader) : readByteBulkData(reader)
}

/** FByteBulkData: the payload lies at the end of the file, or follows at once. */
export function readByteBulkData(reader: ObjectReader): Payload {
  const flags = reader.u32()
  const has = (flag: number) => (flags & flag) !== 0
  const size = () => (has(byteFlags.wideSizes) ? reader.i64() : reader.i32())
  const [rawSize, storedSize, offset] = [size(), size(), reader.i64()]
  if (has(byteFlags.extraField)) reader.skip(2)
  checkRawSize(rawSize)
  if (storedSize < 0) throw reader.damaged(`stores a payload in ${storedSize} bytes`)
  const { bytes: file, summary } = reader.package
  const inPlace = has(byteFlags.atEndOfFile | byteFlags.inOtherFile) ? undefined : reader.take(storedSize)
  const start = has(byteFlags.absoluteOffset) ? offset : offset + summary.bulkDataOffset
  const bytes = () => {
    if (rawSize === 0) return new Uint8Array(0)
    if (has(byteFlags.inOtherFile)) throw elsewhere('another file beside the package')
    const stored = inPlace ?? rangeOf(file, start, storedSize)
    return has(byteFlags.zlib) ? inflateChunks(stored, rawSize) : checked(stored, rawSize)
  }
  const isInFile = inPlace === undefined && !has(byteFlags.inOtherFile)
  const stored = isInFile ? { offset: start, size: storedSize, zlib: has(byteFlags.zlib) } : null
  return { id: null, rawSize, stored, bytes }
}

/** FEditorBulkData: the payload has an id, and lies in the package's trailer, or before 5.1 at an offset of the file. */
export function readEditorBulkData(reader: ObjectReader): Payload {
  const flags = reader.u32()
  const has = (flag: number) => (flags & flag) !== 0
  reader.skip(16) // the bulk data's own guid
  const idBytes = reader.take(20)
  const rawSize = reader.i64()
  const offset = has(editorFlags.inTrailer | editorFlags.virtualized) ? undefined : reader.i64()
  checkRawSize(rawSize)
  const id = idBytes.every((byte) => byte === 0) ? null : idBytes.toString('hex')
  const { package: from } = reader
  const bytes = () => {
    if (rawSize === 0) return new Uint8Array(0)
    if (has(editorFlags.virtualized)) throw elsewhere('another system: the package is virtualized')
    if (has(editorFlags.inSideFile)) throw elsewhere('another file beside the package')
    if (offset === undefined) return trailerBytes()
    const stored = rangeOf(from.bytes, offset, Math.max(0, from.bytes.length - offset))
    if (has(editorFlags.legacyZlib)) return inflateChunks(stored, rawSize)
    return has(editorFlags.legacy) ? rangeOf(stored, 0, rawSize) : decompressed(stored, rawSize)
  }
  const trailerBytes = () => {
    if (id === null) throw new FormatError('damaged', 'The package is damaged: a payload in its trailer has no id.')
    const found = storedPayload(from, id)
    if (found.rawSize !== rawSize)
      throw new FormatError(
        'damaged',
        `The package is damaged: a payload has ${rawSize} bytes, but ${found.rawSize} in the trailer.`,
      )
    return decompressed(found.stored, rawSize)
  }
  return { id, rawSize, stored: null, bytes }
}

function decompressed(stored: Uint8Array, rawSize: number): Uint8Array {
  try {
    return checked(readCompressedBuffer(stored), rawSize)
  } catch (error) {
    if (!(error instanceof FormatError && error.reason === 'not-this-format')) throw error
    throw new FormatError('damaged', 'The package is damaged: no payload lies where one should.', { cause: error })
  }
}

function checked(bytes: Uint8Array, rawSize: number): Uint8Array {
  if (bytes.length === rawSize) return bytes
  throw new FormatError('damaged', `The package is damaged: a payload has ${bytes.length} bytes instead of ${rawSize}.`)
}

function elsewhere(place: string): FormatError {
  return new FormatError('unsupported', `The source data are not in the package but in ${place}.`)
}
