/** A file that takes all the space of its disk, down to the last page. */
import { closeSync, openSync, writeSync } from 'node:fs'

const pageBytes = 4096

/** Grows the file until not one page more fits; gives its descriptor to `work` before it is closed. */
export function fillDisk(path: string, work: (fd: number) => void = () => {}): void {
  const fd = openSync(path, 'a', 0o600)
  takeAll(fd)
  work(fd)
  closeSync(fd)
}

function takeAll(fd: number): void {
  const zeros = Buffer.alloc(1024 * 1024)
  for (let length = zeros.length; length > 0; ) {
    try {
      if (writeSync(fd, zeros, 0, length) < length) length = pageBytes
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      length = length > pageBytes ? pageBytes : 0
    }
  }
}
