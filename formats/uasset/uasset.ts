// What an Unreal package (.uasset, .umap) says of itself: identity, class, needs, picture. Start here.
import { FormatError, refuseGitLfsPointer } from '../format-error.ts'
import { cookedHeaderSize, readUnversioned } from './cooked.ts'
import { type PackageFacts, readFacts } from './facts.ts'
import { PackageReader } from './reader.ts'
import {
  newestKnown,
  type Opening,
  type Preamble,
  packageByteOrder,
  readOpening,
  readPreamble,
  readSummary,
  tooNew,
} from './summary.ts'

export type { PackageFacts } from './facts.ts'
export type { EngineVersion } from './reader.ts'
export type { ThumbnailPosition } from './thumbnail-table.ts'

/** Headers seen are 1 KiB to 356 KiB long; those of huge levels reach some MiB. */
const maxHeaderBytes = 64 * 1024 * 1024

/** What `headerSize` wants of a file at most: most headers lie within, so that one read does for both calls. */
export const firstReadBytes = 64 * 1024

/** Whether the first four bytes are an Unreal package's tag, in either byte order. */
export function isPackage(bytes: Uint8Array): boolean {
  return packageByteOrder(bytes) !== undefined
}

/**
 * The length of the header in bytes, all that `readPackage` needs of a file. `bytes` is the file's beginning, of
 * `firstReadBytes` or the whole file if that is shorter. For a cooked package whose layout is not known: the bytes
 * at hand, as no more of them would tell anything.
 *
 * Throws FormatError `not-this-format`, `git-lfs-pointer`, `unsupported`, `truncated`, `damaged`, or `too-large`
 * beyond 64 MiB.
 */
export function headerSize(bytes: Uint8Array): number {
  const reader = readerOf(bytes)
  const opening = readOpening(reader)
  if (!opening.unversioned) return checkedHeaderSize(readPreamble(reader, opening))
  const size = cookedHeaderSize(bytes, opening)
  return size !== undefined && size <= maxHeaderBytes ? size : bytes.length
}

/**
 * Reads a package's header (docs: uasset-header). `bytes` is at least the header and may be the whole file; `stem`
 * the file's name without extension, `fileSize` the whole file's length in bytes.
 *
 * Throws FormatError: `not-this-format` and `git-lfs-pointer`; `unsupported` for Unreal Engine 3 and for layouts newer
 * than known; `truncated` when the file ends before its header does; `damaged`; `too-large`.
 */
export function readPackage(bytes: Uint8Array, about: { stem: string; fileSize: number }): PackageFacts {
  const reader = readerOf(bytes)
  const opening = readOpening(reader)
  if (opening.unversioned) return readUnversioned(bytes.subarray(0, maxHeaderBytes), opening, about.stem)
  const unfamiliar = unfamiliarVersion(opening)
  try {
    const facts = readVersioned(bytes, readPreamble(reader, opening), about)
    if (unfamiliar) facts.warnings.push(`Saved with ${unfamiliar}, unknown to this reader; the header still reads as expected.`)
    return facts
  } catch (error) {
    if (unfamiliar && error instanceof FormatError && error.reason === 'damaged') throw tooNew(unfamiliar, error)
    throw error
  }
}

function readVersioned(bytes: Uint8Array, preamble: Preamble, about: { stem: string; fileSize: number }): PackageFacts {
  if (preamble.headerSize > about.fileSize) throw cutOff(preamble.headerSize, about.fileSize)
  const size = checkedHeaderSize(preamble)
  if (size > bytes.length) throw cutOff(size, bytes.length)
  const reader = new PackageReader(bytes.subarray(0, size), { what: 'package header', pastEnd: 'damaged' })
  reader.littleEndian = preamble.littleEndian
  return readFacts(reader, readSummary(reader, preamble), about.stem)
}

function readerOf(bytes: Uint8Array): PackageReader {
  refuseGitLfsPointer(bytes)
  return new PackageReader(bytes, { what: 'package' })
}

function checkedHeaderSize({ headerSize: size, endOffset }: Preamble): number {
  if (size < endOffset)
    throw new FormatError('damaged', `The package header is damaged: it gives its own length as ${size} bytes.`)
  if (size > maxHeaderBytes)
    throw new FormatError('too-large', `The package header is ${size} bytes long, more than this reader accepts.`)
  return size
}

/** A layout that may differ from every known one: of a newer engine, or of a licensee's own. */
function unfamiliarVersion({ versions: { ue4, ue5, licensee } }: Opening): string | undefined {
  if (ue4 > newestKnown.ue4 || ue5 > newestKnown.ue5) return `object version ${ue4}/${ue5}`
  return licensee === 0 ? undefined : `licensee version ${licensee}`
}

function cutOff(needed: number, present: number): FormatError {
  const message = `The package is cut off: its header is ${needed} bytes long, but only ${present} are there. Restore the file from its source.`
  return new FormatError('truncated', message)
}
