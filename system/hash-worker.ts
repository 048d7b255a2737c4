/** A thread that hashes files, and copies them where that is asked, one message of several at a time with one buffer. See hash-threads.ts. */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { Pace } from './pace.ts'

export interface HashJob {
  path: string
  /** A new file of the same bytes. */
  copyTo?: string
}
export type HashOrder = HashJob[]
/** Or why it could not be: what the system says, of reading or of writing. */
export type Hashed = { sha256: string; size: number } | { failed: string; at: 'read' | 'write' }
/** Results in the order of the jobs; or bytes read so far of a large file. */
export type HashReport = { results: Hashed[] } | { bytes: number }

export interface HashSetting {
  /** Of this thread; none: as fast as it goes. */
  bytesPerSecond: number | undefined
}

const chunkBytes = 1024 * 1024
/** A large file tells how far it is every so many bytes. */
const progressBytes = 32 * 1024 * 1024

const buffer = Buffer.allocUnsafeSlow(chunkBytes)
const { bytesPerSecond } = workerData as HashSetting
const pace = bytesPerSecond === undefined ? undefined : new Pace(bytesPerSecond)
const report = (message: HashReport) => parentPort?.postMessage(message)

parentPort?.on('message', (jobs: HashOrder) => report({ results: jobs.map(hashOne) }))

function hashOne({ path, copyTo }: HashJob): Hashed {
  let at: 'read' | 'write' = 'read'
  let from: number | undefined
  let to: number | undefined
  try {
    from = openSync(path, 'r')
    if (!fstatSync(from).isFile()) return { failed: 'EISDIR', at }
    if (copyTo !== undefined) {
      at = 'write'
      to = openSync(copyTo, 'wx', 0o600)
    }
    const hash = createHash('sha256')
    let size = 0
    let untold = 0
    for (;;) {
      at = 'read'
      const got = readSync(from, buffer, 0, chunkBytes, size)
      if (got === 0) break
      const chunk = buffer.subarray(0, got)
      hash.update(chunk)
      at = 'write'
      if (to !== undefined) writeWhole(to, chunk)
      size += got
      untold += got
      if (pace) stand(pace.after(got))
      if (untold >= progressBytes) {
        report({ bytes: untold })
        untold = 0
      }
    }
    return { sha256: hash.digest('hex'), size }
  } catch (error) {
    return { failed: (error as NodeJS.ErrnoException).code ?? String(error), at }
  } finally {
    if (from !== undefined) closeSync(from)
    if (to !== undefined) closeSync(to)
  }
}

const never = new Int32Array(new SharedArrayBuffer(4))

function stand(ms: number): void {
  if (ms > 0) Atomics.wait(never, 0, 0, ms)
}

/** A write may take less than it was given, most of all when the disk fills up; the next one then says why. */
function writeWhole(fd: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
}
