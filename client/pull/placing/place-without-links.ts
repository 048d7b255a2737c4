/**
 * Placing where a disk knows no hard links: nothing there gives a finished file a name without replacing what has it. So what is to be
 * replaced is taken away first, by one rename that keeps the very file, looked at, and the new file is made in its place under a name
 * that must be free, and written to its end. No save is lost by that. What stays possible, for as long as it takes to write one file:
 * nothing lies in the place, or part of a file. Killed in that moment it stays so until the next pull settles it (recovery.ts).
 */
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { systemCode } from '../../client-error.ts'
import { heldName, isUnchanged, putBack, type Replaced } from './set-aside.ts'

interface Move {
  /** Where it lies now. */
  staged: string
  /** Where it goes. */
  path: string
}

const chunkBytes = 1024 * 1024

/** False where something has that name. `onBegin` is told before the file is written. */
export function addWithoutLinks(move: Move, onBegin: () => void): boolean {
  if (lstatSync(move.path, { throwIfNoEntry: false })) return false
  onBegin()
  if (!create(move)) return false
  rmSync(move.staged)
  return true
}

/** False where the file that is there is not `replaced`, or someone saves another one there meanwhile. What was replaced is held. */
export async function replaceWithoutLinks(move: Move, replaced: Replaced, onBegin: () => void): Promise<boolean> {
  const held = heldName(move.staged)
  if (!takeAway(move.path, held)) return false
  try {
    // Where that is false, what lies there now was saved after the other was taken away.
    if (await isUnchanged(held, replaced)) return addWithoutLinks(move, onBegin)
  } catch (error) {
    putBack(held, move.path)
    throw error
  }
  putBack(held, move.path)
  return false
}

/** False where nothing is there. */
function takeAway(path: string, held: string): boolean {
  try {
    renameSync(path, held)
    return true
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    return false
  }
}

/** Makes a file with the bytes of the staged one; false where the name is taken, or someone writes into it before it is whole. */
function create({ staged, path }: Move): boolean {
  const from = openSync(staged, 'r')
  let fd: number | undefined
  try {
    fd = openSync(path, 'ax+')
    return copy({ from, to: fd, path })
  } catch (error) {
    if (fd === undefined && systemCode(error) === 'EEXIST') return false
    throw error
  } finally {
    closeSync(from)
    if (fd !== undefined) closeSync(fd)
  }
}

interface Copying {
  from: number
  /** Open for appending: what someone else writes into it is never overwritten. */
  to: number
  path: string
}

/** Copies and syncs. What fails takes away what it made; what someone else wrote stays, with nothing of ours. */
function copy({ from, to, path }: Copying): boolean {
  const buffer = Buffer.allocUnsafe(chunkBytes)
  let written = 0
  try {
    for (let got = readSync(from, buffer, 0, chunkBytes, 0); got > 0; got = readSync(from, buffer, 0, chunkBytes, written)) {
      for (let at = 0; at < got; ) {
        const bytes = writeSync(to, buffer, at, got - at)
        if (!isAlone(to, written + bytes)) return takeBack(to, buffer.subarray(at, at + bytes))
        at += bytes
        written += bytes
      }
    }
    fdatasyncSync(to)
    return isInPlace(to, path, written)
  } catch (error) {
    if (isInPlace(to, path, written)) rmSync(path)
    throw error
  }
}

const isAlone = (fd: number, size: number): boolean => fstatSync(fd).size === size

/** Whether the name is that of this file still, and nobody else wrote into it. */
function isInPlace(fd: number, path: string, size: number): boolean {
  const [own, there] = [fstatSync(fd, { bigint: true }), lstatSync(path, { bigint: true, throwIfNoEntry: false })]
  return there !== undefined && own.ino === there.ino && own.dev === there.dev && there.size === BigInt(size)
}

/** Someone saved here in place: what was appended to that goes again. Always false. */
function takeBack(fd: number, appended: Buffer): false {
  const start = fstatSync(fd).size - appended.length
  const end = Buffer.alloc(appended.length)
  if (start >= 0 && readSync(fd, end, 0, end.length, start) === end.length && end.equals(appended)) ftruncateSync(fd, start)
  return false
}
