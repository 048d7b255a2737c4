// What an Unreal package (.uasset, .umap) says of itself: identity, class, needs, picture. Start here.
import { cookedHeaderSize, readUnversioned } from './cooked.ts'
import { type PackageFacts, readFacts } from './facts.ts'
import { checkedHeaderSize, maxHeaderBytes, readerOf, readHeader, unfamiliarVersion, withinKnownLayouts } from './header.ts'
import { packageByteOrder, readOpening, readPreamble } from './summary.ts'

export type { PackageFacts } from './facts.ts'
export type { EngineVersion } from './reader.ts'
export type { ThumbnailPosition } from './thumbnail-table.ts'

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
  const facts = withinKnownLayouts(opening, () => {
    const header = readHeader(bytes, readPreamble(reader, opening), about.fileSize)
    return readFacts(header.reader, header.summary, about.stem)
  })
  if (unfamiliar) facts.warnings.push(`Saved with ${unfamiliar}, unknown to this reader; the header still reads as expected.`)
  return facts
}
