/**
 * For receivers of webhooks: whether a request comes from the library and was signed just now (spec 6). A pure function of what was received;
 * nothing is read and nothing is sent.
 */
import { timingSafeEqual } from 'node:crypto'
import { signatureDigest } from '../../serving/webhook-signature.ts'

export interface Received {
  /** Of the endpoint, as it was shown when it was made. */
  secret: string
  /** The header `X-PH-Signature`; undefined where there was none. */
  signature: string | null | undefined
  /** The bytes of the body as they came, before anything parsed them. A text stands for its UTF-8. */
  body: Uint8Array | string
  /** Now, in milliseconds since 1970, as `Date.now()` gives it. */
  nowMs: number
  /** How far the time of signing may lie from now, before or after. */
  toleranceSeconds?: number
}

const usualTolerance = 300
const mostLetters = 1_000

/** True only for bytes that were signed with this secret, not long ago and not in the future. The time it takes tells nothing of the secret. */
export function verifySignature({ secret, signature, body, nowMs, toleranceSeconds = usualTolerance }: Received): boolean {
  if (secret === '' || typeof signature !== 'string' || signature.length > mostLetters) return false
  const parts = signature.split(',').map((part) => part.trim())
  const seconds = Number(/^t=(\d{1,12})$/.exec(parts[0] ?? '')?.[1] ?? Number.NaN)
  // Also false where there is no time at all.
  if (!(Math.abs(nowMs / 1000 - seconds) <= toleranceSeconds)) return false
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const expected = signatureDigest({ secret, body: bytes, seconds })
  const given = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? [])
  return given.some((digest) => timingSafeEqual(Buffer.from(digest, 'hex'), expected))
}
