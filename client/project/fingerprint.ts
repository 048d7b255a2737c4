/** Fingerprints of files: what of a file's attributes changes when its content does, and when that can be trusted. */
import type { BigIntStats } from 'node:fs'

type Times = Pick<BigIntStats, 'mtimeNs' | 'ctimeNs'>

/** Size, change times in nanoseconds, inode and device as one text: equal only for a file that was not touched. */
export function statKey(stats: BigIntStats): string {
  return `${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.ino}:${stats.dev}`
}

const nsPerMs = 1_000_000n
/** Kernels stamp files by a clock that ticks up to every 10 ms; some file systems keep whole seconds, FAT even ones. */
const fineWindowNs = 50n * nsPerMs
const coarseWindowNs = 2_100n * nsPerMs

/**
 * Whether a file was touched so shortly before its reading began that a later change could carry the same time (git calls
 * such an entry racy). It is then read again next time. `readAtMs` is the clock when the reading began.
 */
export function isRacy({ mtimeNs, ctimeNs }: Times, readAtMs: number): boolean {
  const readAtNs = BigInt(readAtMs) * nsPerMs
  const windowNs = ctimeNs % 1_000_000_000n === 0n ? coarseWindowNs : fineWindowNs
  // A modification time can be set to anything, the future included; the time of the last change cannot.
  const setByHand = mtimeNs > readAtNs + windowNs && ctimeNs > 0n
  const touchedNs = mtimeNs > ctimeNs && !setByHand ? mtimeNs : ctimeNs
  return touchedNs >= readAtNs - windowNs
}

/** The fingerprint of a file that must be read again in any case. */
export const neverTrusted = ''

/** In place of the fingerprint of a file that is not there any more. */
export const gone = 'gone'

/** Packages are told by their extension; the bytes must agree. */
export const packageExtensions = new Set(['uasset', 'umap'])

/** Raised when facts of files that did not change should be read anew. */
export const factsVersion = 1
