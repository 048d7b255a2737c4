/** A thread that hashes and writes what its process receives, one order after the other. See part-thread.ts. */
import { createHash, type Hash } from 'node:crypto'
import { readSync, writevSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { releaseMemory } from './received-memory.ts'

/** `part` tells files apart; the file descriptors are those of the process. */
export type PartOrder =
  /** Goes on with the hash of the part, and writes the same bytes. */
  | { part: number; fd: number; position: number; chunks: Uint8Array[] }
  /** Begins the hash with so many bytes that are in the file already. */
  | { part: number; fd: number; takeUp: number }
  /** Answers the hash, and forgets it. */
  | { part: number; digest: true }
  | 'end'

/** What Node says of a system call that failed. */
interface SystemFailure {
  message: string
  code: string | undefined
  errno: number | undefined
  syscall: string | undefined
}

/** One for each order but the last, in the same order. */
export type PartReport = { hash: string | undefined } | { failure: SystemFailure }

const readBytes = 1024 * 1024
const hashes = new Map<number, Hash>()

parentPort?.on('message', (order: PartOrder) => {
  if (order === 'end') return parentPort?.close()
  parentPort?.postMessage(report(order))
})

function report(order: Exclude<PartOrder, 'end'>): PartReport {
  try {
    return { hash: carryOut(order) }
  } catch (error) {
    const { message, code, errno, syscall } = error as NodeJS.ErrnoException
    return { failure: { message, code, errno, syscall } }
  }
}

function carryOut(order: Exclude<PartOrder, 'end'>): string | undefined {
  const hash = hashes.get(order.part) ?? createHash('sha256')
  if ('digest' in order) {
    hashes.delete(order.part)
    return hash.digest('hex')
  }
  hashes.set(order.part, hash)
  if ('takeUp' in order) readInto(hash, order)
  else {
    for (const chunk of order.chunks) hash.update(chunk)
    writeAll(order)
    for (const chunk of order.chunks) releaseMemory(chunk)
  }
  return undefined
}

function readInto(hash: Hash, { fd, takeUp }: { fd: number; takeUp: number }): void {
  const buffer = Buffer.allocUnsafeSlow(readBytes)
  for (let at = 0; at < takeUp; ) {
    const got = readSync(fd, buffer, 0, Math.min(readBytes, takeUp - at), at)
    if (got === 0) throw new Error('The file became shorter while it was read.')
    hash.update(buffer.subarray(0, got))
    at += got
  }
}

/** A write may take less than it was given, most of all when the disk fills up; the next attempt then says why. */
function writeAll({ fd, position, chunks }: { fd: number; position: number; chunks: Uint8Array[] }): void {
  const total = chunks.reduce((sum, { length }) => sum + length, 0)
  for (let done = total > 0 ? writevSync(fd, chunks, position) : 0; done < total; )
    done += writevSync(fd, [Buffer.concat(chunks).subarray(done)], position + done)
}
