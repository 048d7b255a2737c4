/**
 * The memory of what was read from a socket. Every 64 KiB that arrive have memory of their own, and chunks of an answer are pieces of it
 * that come in order: the piece that reaches to the end of that memory is the last to need it.
 */

/** Nobody needs the memory of this chunk but whoever has the chunk. */
const isLastOfMemory = ({ buffer, byteOffset, byteLength }: Uint8Array): boolean => byteOffset + byteLength === buffer.byteLength

/** Gives it back at once. The collector learns of it late: it marked the whole heap every few megabytes. */
export function releaseMemory(chunk: Uint8Array): void {
  if (chunk.buffer instanceof ArrayBuffer && isLastOfMemory(chunk)) chunk.buffer.transfer(0)
}

/** The chunk, in memory that may be handed to another thread. */
export function ownMemory(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const isOwn = chunk.buffer instanceof ArrayBuffer && isLastOfMemory(chunk)
  return isOwn ? (chunk as Uint8Array<ArrayBuffer>) : new Uint8Array(chunk)
}
