/** A file that is being received: hashed while it is written, taken up again after cuts. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import { aboutFile } from '../client-error.ts'

const readBytes = 1024 * 1024

/** What was hashed is what is written. All of it happens in the thread that calls; errors of the disk name the file. */
export class PartFile {
  readonly #meant: string
  readonly #fd: number
  #hash: Hash = createHash('sha256')
  /** Bytes that are there. */
  size = 0

  /** Opens or makes the file; what is in it counts as nothing until `takeUp`. Errors of the disk name `meant`. */
  constructor(path: string, meant = path) {
    this.#meant = meant
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o666)
  }

  /** Hashes what an earlier try left. More than the whole file cannot be a part of it. */
  async takeUp(sizeBytes: number): Promise<void> {
    const { size } = fstatSync(this.#fd)
    if (size > sizeBytes) this.restart()
    if (size === 0 || size > sizeBytes) return
    const buffer = Buffer.allocUnsafeSlow(readBytes)
    for (let got = -1; got !== 0; this.size += got) {
      got = readSync(this.#fd, buffer, 0, readBytes, this.size)
      this.#hash.update(buffer.subarray(0, got))
      await breathe()
    }
  }

  /** The memory of `bytes` is free again afterwards. */
  write(bytes: Uint8Array): void {
    this.#hash.update(bytes)
    this.#guard(() => {
      // A write may take less than it was given, most of all when the disk fills up; the next attempt then says why.
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done, bytes.length - done, this.size + done)
    })
    this.size += bytes.length
  }

  restart(): void {
    this.#guard(() => ftruncateSync(this.#fd))
    this.#hash = createHash('sha256')
    this.size = 0
  }

  /** The hash of everything; nothing can be written afterwards. */
  digest(): string {
    return this.#hash.digest('hex')
  }

  /** Puts everything on the disk. */
  sync(): void {
    this.#guard(() => fsyncSync(this.#fd))
  }

  close(): void {
    closeSync(this.#fd)
  }

  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw aboutFile(error, this.#meant)
    }
  }
}
