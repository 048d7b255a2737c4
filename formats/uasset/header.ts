// The way into an Unreal package's header: its length checked, its summary read, layouts newer than known told from damage.
import { FormatError, refuseGitLfsPointer } from '../format-error.ts'
import { PackageReader } from './reader.ts'
import { newestKnown, type Opening, type Preamble, readSummary, type Summary, tooNew } from './summary.ts'

/** Headers seen are 1 KiB to 356 KiB long; those of huge levels reach some MiB. */
export const maxHeaderBytes = 64 * 1024 * 1024

/** A reader of a file's beginning, or of all of it. Throws FormatError `git-lfs-pointer`. */
export function readerOf(bytes: Uint8Array): PackageReader {
  refuseGitLfsPointer(bytes)
  return new PackageReader(bytes, { what: 'package' })
}

/**
 * The summary, and a reader that sees the header and nothing behind it. `bytes` is at least the header; `fileSize` the
 * whole file's length in bytes. Throws FormatError.
 */
export function readHeader(bytes: Uint8Array, preamble: Preamble, fileSize: number): { reader: PackageReader; summary: Summary } {
  if (preamble.headerSize > fileSize) throw cutOff(preamble.headerSize, fileSize)
  const size = checkedHeaderSize(preamble)
  if (size > bytes.length) throw cutOff(size, bytes.length)
  const reader = new PackageReader(bytes.subarray(0, size), { what: 'package header', pastEnd: 'damaged' })
  reader.littleEndian = preamble.littleEndian
  return { reader, summary: readSummary(reader, preamble) }
}

export function checkedHeaderSize({ headerSize: size, endOffset }: Preamble): number {
  if (size < endOffset)
    throw new FormatError('damaged', `The package header is damaged: it gives its own length as ${size} bytes.`)
  if (size > maxHeaderBytes)
    throw new FormatError('too-large', `The package header is ${size} bytes long, more than this reader accepts.`)
  return size
}

/** A layout that may differ from every known one: of a newer engine, or of a licensee's own. */
export function unfamiliarVersion({ versions: { ue4, ue5, licensee } }: Opening): string | undefined {
  if (ue4 > newestKnown.ue4 || ue5 > newestKnown.ue5) return `object version ${ue4}/${ue5}`
  return licensee === 0 ? undefined : `licensee version ${licensee}`
}

/** Runs a reading. What looks like damage in a layout that may be unknown is `unsupported`. */
export function withinKnownLayouts<Value>(opening: Opening, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw inKnownLayout(opening, error)
  }
}

/** What to throw for an error of such a reading. */
export function inKnownLayout(opening: Opening, error: unknown): unknown {
  const unfamiliar = unfamiliarVersion(opening)
  return unfamiliar && error instanceof FormatError && error.reason === 'damaged' ? tooNew(unfamiliar, error) : error
}

function cutOff(needed: number, present: number): FormatError {
  const message = `The package is cut off: its header is ${needed} bytes long, but only ${present} are there. Restore the file from its source.`
  return new FormatError('truncated', message)
}
