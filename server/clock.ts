/** Where the server's time and randomness come from; tests bring their own clock. */
import { randomBytes } from 'node:crypto'

export interface Clock {
  now(): Date
}
export const systemClock: Clock = { now: () => new Date() }

/** An unguessable id: `prefix_` and 20 characters out of 32 (100 bits). */
export function randomId(prefix: string): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  let text = ''
  for (const byte of randomBytes(20)) text += alphabet[byte & 31]
  return `${prefix}_${text}`
}
