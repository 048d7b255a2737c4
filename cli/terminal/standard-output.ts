/** stdout where it leads to a file or a device: every byte is written, or the failure is known. */

import { fstatSync, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import type { OutStream } from './output.ts'

const stdoutFd = 1

/**
 * The process's own stdout, unless that is a file: Node writes to files once and passes over what did not fit, so that on a disk
 * that fills up half a document would look like a whole one.
 */
export function openStandardOutput(): OutStream {
  if (process.stdout.isTTY) return process.stdout
  const stat = fstatSync(stdoutFd)
  return stat.isFile() || stat.isCharacterDevice() ? new WholeWrites() : process.stdout
}

class WholeWrites extends Writable {
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    try {
      for (let at = 0; at < chunk.length; ) at += writeSync(stdoutFd, chunk, at)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}
