/** One upload on its way to the disk: hashed and written while it streams in, under a name that nobody reads. */

import { createHash } from 'node:crypto'
import { closeSync, fdatasync, openSync, rmSync, writevSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { ApiError } from '../../contract/errors.ts'
import { ProcessFolder } from '../../system/process-folder.ts'
import { explained } from '../disk/failure.ts'
import { tooLarge } from './counting/upload-size.ts'
import type { Expected } from './storage.ts'

const syncBytes = promisify(fdatasync)

/**
 * Bytes gathered before they are written. Synchronous writes of 1 MiB are the fastest known way to the page cache: an awaited
 * write per chunk costs half of the rate. Waiting for the disk itself (fdatasync) is left to the thread pool.
 */
const batchBytes = 1024 * 1024
/** Clients that send byte by byte would otherwise fill memory with chunks of next to nothing. */
const batchChunks = 512

export class IncomingFile {
  readonly path: string
  readonly #expected: Expected
  readonly #done: (chunk: Buffer) => void
  readonly #hash = createHash('sha256')
  #fd: number | undefined
  #batch: Buffer[] = []
  #batched = 0
  size = 0
  /** Lowercase hex, once everything is there. */
  #sha256 = ''

  /** `done` hears of every chunk that is no longer needed. */
  constructor(path: string, expected: Expected, done: (chunk: Buffer) => void) {
    this.path = path
    this.#expected = expected
    this.#done = done
  }

  /** Reads the stream to its end. As soon as it cannot become the expected file it fails, and lets the rest go by. */
  take(bytes: Readable): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => {
        bytes.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak)
        if (error) reject(error)
        else resolve()
      }
      const attempt = (step: () => void) => {
        try {
          step()
          return true
        } catch (error) {
          settle(error)
          return false
        }
      }
      const onData = (chunk: Buffer) => attempt(() => this.#append(chunk))
      const onEnd = () => attempt(() => this.#finish()) && settle()
      const onBreak = () => settle(brokenOff())
      bytes.on('error', () => {})
      if (bytes.destroyed) return onBreak()
      bytes.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak)
    })
  }

  /** Waits until the bytes are on the disk. */
  async sync(): Promise<void> {
    if (this.#fd === undefined) return
    await syncBytes(this.#fd)
    this.#close()
  }

  /** For who reads it again at once: whether it is on the disk does not matter. An empty file is not made. */
  close(): { path: string; size: number; sha256: string } {
    this.#close()
    return { path: this.path, size: this.size, sha256: this.#sha256 }
  }

  discard(): void {
    this.#close()
    this.#batch = []
    rmSync(this.path, { force: true })
  }

  #append(chunk: Buffer): void {
    this.size += chunk.length
    const { maxBytes } = this.#expected
    if (this.size > maxBytes) throw tooLarge(maxBytes)
    this.#hash.update(chunk)
    this.#batch.push(chunk)
    this.#batched += chunk.length
    if (this.#batched >= batchBytes || this.#batch.length >= batchChunks) this.#write()
  }

  /** The hash is compared before the last write: a small file with other bytes never reaches the disk. */
  #finish(): void {
    const { sha256 } = this.#expected
    const actual = this.#hash.digest('hex')
    this.#sha256 = actual
    if (sha256 !== undefined && actual !== sha256)
      throw new ApiError('HASH_MISMATCH', undefined, { expected: sha256, actual, size: this.size })
    this.#write()
  }

  /** A write may take less than it was given, most of all when the disk fills up; the next attempt then says why. */
  #write(): void {
    this.#fd ??= openSync(this.path, 'wx', 0o600)
    let rest = this.#batch
    while (this.#batched > 0) {
      const written = writevSync(this.#fd, rest)
      this.#batched -= written
      if (this.#batched > 0) rest = unwritten(rest, written)
    }
    for (const chunk of this.#batch) this.#done(chunk)
    this.#batch = []
  }

  #close(): void {
    if (this.#fd === undefined) return
    closeSync(this.#fd)
    this.#fd = undefined
  }
}

const brokenOff = () => new ApiError('VALIDATION', 'The connection ended before all bytes had arrived. Send them again.')

/**
 * Detaches the chunk's memory. Every 64 KiB that arrive have memory of their own, and the collector learns of it late: it marked
 * the whole heap for every 10 MB received, which took a third of the time of an upload. Only for bytes that nobody else holds;
 * small chunks share their memory with others and are left alone.
 */
export function releaseChunk(chunk: Buffer): void {
  const { buffer, byteLength } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

export function unwritten(chunks: readonly Buffer[], written: number): Buffer[] {
  let left = written
  return chunks.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(left, chunk.length))
    left -= chunk.length - rest.length
    return rest.length > 0 ? [rest] : []
  })
}

export class IncomingFolder {
  readonly #folder: ProcessFolder
  #count = 0

  /** Below `parent`, as ProcessFolder says. */
  constructor(parent: string) {
    this.#folder = explained(parent, () => new ProcessFolder(parent))
  }

  /** A name that was never used before. */
  newPath(): string {
    this.#count += 1
    return join(this.#folder.dir, String(this.#count))
  }

  close(): void {
    this.#folder.close()
  }
}
