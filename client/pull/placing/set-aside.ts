/** Files that a placement holds by another name while it replaces them: told from what they were, put back, or kept as a backup. */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isNoLinkCode } from '../../../system/disk-codes.ts'
import { systemCode } from '../../client-error.ts'
import { FileReader } from '../../project/file-reader.ts'
import { fileIdentity, isTelling } from './file-identity.ts'

const heldEnd = '.old'
const chunkBytes = 256 * 1024

/** Where a replaced file is held, beside the file that replaces it. */
export const heldName = (staged: string): string => `${staged}${heldEnd}`
/** Whether a file in a staging folder may be all that there is of someone's work. */
export const isHeldName = (name: string): boolean => name.endsWith(heldEnd) || name.endsWith('.half')
/** Where a file is taken that was not written to its end. */
export const halfName = (staged: string): string => `${staged}.half`

/** A file as it was when it was decided to replace it. */
export interface Replaced {
  identity: string
  /** SHA-256; null where it was not read. */
  hash: string | null
}

/** Whether a file is what it was. By its bytes where its attributes do not tell: some disks know whole seconds, some make up inodes. */
export async function isUnchanged(path: string, { identity, hash }: Replaced): Promise<boolean> {
  const now = fileIdentity(lstatSync(path, { bigint: true }))
  if (now === identity && isTelling(identity)) return true
  const [size, mtimeNs] = now.split(':')
  const [sizeBefore, mtimeNsBefore] = identity.split(':')
  if (size !== sizeBefore || mtimeNs !== mtimeNsBefore) return false
  if (hash === null) return now === identity
  const read = await new FileReader().read(path)
  return 'hash' in read && read.hash === hash
}

/**
 * Gives a held file its place back, never over a file that someone put there: then it stays held, and this is false. Without links the
 * name is taken by an empty file first, which the next step replaces; a save by renaming between these two would be lost.
 */
export function putBack(held: string, path: string): boolean {
  try {
    linkSync(held, path)
    rmSync(held)
    return true
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code === 'EEXIST') return false
    if (!isNoLinkCode(code)) throw error
  }
  try {
    closeSync(openSync(path, 'wx'))
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
  renameSync(held, path)
  return true
}

/** Moves a file to where it is kept, also onto another disk, and never over another one. Gives the path that it has there. */
export function moveAside(from: string, path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  let to = path
  for (let n = 2; existsSync(to); n++) to = `${path} ${n}`
  try {
    renameSync(from, to)
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    const fd = openSync(to, 'r+')
    fsyncSync(fd)
    closeSync(fd)
    rmSync(from)
  }
  return to
}

/** Whether a file is the beginning of another one, or all of it. */
export function isBeginning(path: string, whole: string): boolean {
  const [part, all] = [openSync(path, 'r'), openSync(whole, 'r')]
  const [chunk, other] = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)]
  try {
    for (let at = 0; ; ) {
      const got = readSync(part, chunk, 0, chunkBytes, at)
      if (got === 0) return true
      if (readSync(all, other, 0, got, at) !== got || !other.subarray(0, got).equals(chunk.subarray(0, got))) return false
      at += got
    }
  } finally {
    closeSync(part)
    closeSync(all)
  }
}
