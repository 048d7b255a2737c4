/** The identity of a file: what of its attributes renaming and linking keep, and what tells it from others. */
import type { BigIntStats } from 'node:fs'

export type Moved = Pick<BigIntStats, 'size' | 'mtimeNs' | 'ino' | 'dev'>

/** Size, modification time in nanoseconds, inode and device as one text. */
export const fileIdentity = ({ size, mtimeNs, ino, dev }: Moved): string => `${size}:${mtimeNs}:${ino}:${dev}`

/**
 * Whether an equal identity proves that it is the same file, untouched. Inode numbers are given anew to other files, and some disks make
 * them up; a time that is finer than a second is not met twice.
 */
export const isTelling = (identity: string): boolean => {
  const [, mtimeNs = '0'] = identity.split(':')
  return !/^(0|.*0{9})$/.test(mtimeNs)
}
