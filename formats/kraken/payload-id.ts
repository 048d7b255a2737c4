// Payload ids: what packages call their source data by, a hash of its raw bytes.
import { blake3 } from 'hash-wasm'
import { FormatError } from '../format-error.ts'

/** 20 of the 32 bytes that the hash has. */
export const idBits = 160

/**
 * The id of a payload with these raw bytes: the start of their BLAKE3, as hex. Payloads that are equal have equal ids,
 * whatever packages they are in and however they are compressed there: that is how two packages are seen to hold the same
 * mesh.
 */
export function payloadId(raw: Uint8Array): Promise<string> {
  return blake3(raw, idBits)
}

/**
 * Throws FormatError unless these are the bytes that their package calls `id`. Decompression sees only damage that it
 * stumbles over: a changed byte often decodes to other bytes of the same number.
 */
export async function checkPayload(raw: Uint8Array, id: string): Promise<void> {
  const actual = await payloadId(raw)
  if (actual === id) return
  throw new FormatError('damaged', `The payload is damaged: its bytes have the id ${actual}, and the package calls it ${id}.`)
}
