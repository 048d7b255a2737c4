/** How a webhook is signed and addressed: by the server, and by who plays its part at a desk (spec 6). */
import { createHmac } from 'node:crypto'

export interface SignedMessage {
  secret: string
  /** The bytes as they are sent. */
  body: Uint8Array
  now: Date
}

/** Of the header X-PH-Signature: HMAC-SHA256 over the second of signing and the body. */
export function signatureOf({ secret, body, now }: SignedMessage): string {
  const seconds = Math.floor(now.getTime() / 1000)
  return `t=${seconds},v1=${signatureDigest({ secret, body, seconds }).toString('hex')}`
}

export const signatureDigest = ({ secret, body, seconds }: { secret: string; body: Uint8Array; seconds: number }): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()

/** The same to the server and to who plays its part. */
export const messageHeaders = (event: { type: string; delivery: string }, message: SignedMessage): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'prop-house-webhooks/1',
  'x-ph-event': event.type,
  'x-ph-delivery': event.delivery,
  'x-ph-signature': signatureOf(message),
})
