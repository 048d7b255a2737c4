/** Sends a file as the body of an answer, through memory that is used again: streams would leave a buffer behind for every read. */
import { closeSync, read } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { ownTurn } from '../../system/event-loop.ts'

const readInto = promisify(read)

const chunkBytes = 256 * 1024
/** Buffers kept for later answers: 8 MiB. */
const keptBuffers = 32
const buffers: Buffer[] = []

/** Sends bytes `start` to `end` (exclusive) of the open file, ends the answer and closes the file. Its head was written before. */
export async function sendFile(
  fd: number,
  { start, end }: { start: number; end: number },
  response: ServerResponse,
): Promise<void> {
  const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(chunkBytes)
  try {
    for (let at = start; at < end; ) {
      await ownTurn()
      const { bytesRead } = await readInto(fd, buffer, 0, Math.min(chunkBytes, end - at), at)
      if (bytesRead === 0) throw new Error('the file is shorter than it was')
      at += bytesRead
      const isSent = await sent(response, buffer.subarray(0, bytesRead))
      if (!isSent) return
    }
    response.end()
    if (buffers.length < keptBuffers) buffers.push(buffer)
  } catch (error) {
    response.destroy()
    throw error
  } finally {
    closeSync(fd)
  }
}

/**
 * Waits until the bytes have left this process, and the buffer may be filled again; false when the client has gone. A write to
 * a socket that was just destroyed never reports, therefore the closing is listened to as well.
 */
const sent = (response: ServerResponse, bytes: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    const onClose = () => resolve(false)
    response.once('close', onClose)
    response.write(bytes, (error) => {
      response.off('close', onClose)
      resolve(!error)
    })
  })
