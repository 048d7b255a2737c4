/** Files as request bodies, read into buffers that are used again: fresh ones for every request keep the collector busy. */
import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { ClientError } from '../../client-error.ts'
import type { Bytes } from '../../http/body.ts'

/** Files up to this size go as one piece, which costs the fewest packets (performance-floor 4). */
export const pieceBytes = 256 * 1024
/** Pieces of larger ones. */
export const chunkBytes = 1024 * 1024

/** Buffers of one size. What is taken is given back once the request it was for is over. */
export class BufferPool {
  readonly #free: Buffer[] = []
  readonly #sizeBytes: number

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#sizeBytes)
  }

  give(...buffers: Buffer[]): void {
    this.#free.push(...buffers)
  }
}

/** A small file as one piece. It was read a moment ago, so it is at hand: waiting for it would cost more than it does. */
export function smallFile(path: string, size: number, buffer: Buffer): Bytes {
  const open = () => {
    const fd = openSync(path, 'r')
    try {
      let filled = 0
      for (let got = -1; got !== 0 && filled < buffer.length; filled += got)
        got = readSync(fd, buffer, filled, buffer.length - filled, filled)
      if (filled < size) throw changed(path)
      return buffer.subarray(0, size)
    } finally {
      closeSync(fd)
    }
  }
  return { size, open }
}

/**
 * A larger file in pieces, alternating between two buffers: the next piece is asked for when the one before has left, as
 * each is more than a socket keeps back. `onBytes` is told how far it is, from the beginning for every attempt.
 */
export function largeFile(
  path: string,
  size: number,
  parts: { buffers: [Buffer, Buffer]; onBytes: (sent: number) => void },
): Bytes {
  async function* read() {
    const file = await open(path)
    try {
      for (let at = 0, index = 0; at < size; index = 1 - index) {
        const buffer = parts.buffers[index === 0 ? 0 : 1]
        const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, size - at), at)
        if (bytesRead === 0) throw changed(path)
        yield buffer.subarray(0, bytesRead)
        at += bytesRead
        parts.onBytes(at)
      }
    } finally {
      await file.close()
    }
  }
  return { size, open: read }
}

export const changed = (path: string): ClientError =>
  new ClientError('FILE_CHANGED', `${path} changed while it was being pushed.`)
