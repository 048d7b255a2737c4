// A payload: bytes that an object keeps apart from its own data, such as a picture, a mesh or a sound.
import { FormatError } from '../format-error.ts'

export type Payload = {
  /** First 20 bytes of BLAKE3 of the raw bytes, 40 lower-case hex digits; null where the package does not say. */
  id: string | null
  /** As announced; 0 for an object without source data. */
  rawSize: number
  /** Where its bytes lie in the file, as the file says; null where they stand in the object, or the trailer has them. */
  stored: { offset: number; size: number; zlib: boolean } | null
  /**
   * Exactly `rawSize` bytes, decompressed at each call; a view of the package where they are stored as they are. Throws
   * FormatError: `unsupported` when they are kept elsewhere, `damaged`, `truncated`.
   */
  bytes(): Uint8Array
}

/** Sources that people import are smaller by far; eight times the largest seen. */
export const maxPayloadBytes = 512 * 1024 * 1024

/** Refuses what is too large before anything is allocated for it. */
export function checkRawSize(size: number): void {
  if (size < 0) throw new FormatError('damaged', `The package is damaged: a payload in it should have ${size} bytes.`)
  if (size > maxPayloadBytes)
    throw new FormatError('too-large', `A payload of this package has ${size} bytes, more than the limit of 512 MiB.`)
}

/** The bytes of a file from `offset` on, `size` of them; all three may come from the file. Throws FormatError. */
export function rangeOf(file: Uint8Array, offset: number, size: number): Uint8Array {
  if (!(offset >= 0 && size >= 0))
    throw new FormatError('damaged', `The package is damaged: ${size} bytes of a payload should lie at byte ${offset}.`)
  if (offset + size > file.length)
    throw new FormatError(
      'truncated',
      `The package is cut off after ${file.length} bytes: ${size} bytes of a payload should lie at byte ${offset}.`,
    )
  return file.subarray(offset, offset + size)
}

/** The error for an object that keeps no source. */
export function withoutSource(what: string): FormatError {
  return new FormatError('unsupported', `The ${what} has no source data in the package.`)
}
