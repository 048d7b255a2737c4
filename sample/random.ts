// Repeatable randomness: the same seed gives the same numbers and bytes on every machine.
import { createCipheriv, createHash } from 'node:crypto'

/** Numbers from 0 up to 1, drawn from the seed (sfc32). */
export function randomNumbers(seed: string): () => number {
  const digest = createHash('sha256').update(seed).digest()
  let [a, b, c, d] = [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), 1]
  return () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
}

/** Bytes that no compressor makes smaller, like the data of a real mesh or texture. */
export function randomBytes(seed: string, length: number): Buffer {
  const key = createHash('sha256').update(seed).digest()
  return createCipheriv('aes-128-ctr', key.subarray(0, 16), key.subarray(16)).update(Buffer.alloc(length))
}

/** 32 upper-case hex digits, as a package prints its identity. */
export function randomGuid(seed: string): string {
  return createHash('sha256').update(seed).digest('hex').slice(0, 32).toUpperCase()
}
