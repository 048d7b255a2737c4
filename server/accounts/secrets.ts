/** Secrets that the server gives out: keys, links and sessions, kept as their SHA-256 and looked up by it; CSRF tokens, derived from a session. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits: 43 characters of base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Such a secret, by its looks. */
export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text)

export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** The fixed prefix of keys, and the 40 characters after it (contract-gaps 2). */
export const keyPattern = /^ph_live_[0-9A-Za-z]{40}$/

/** What a page or a JSON client sends beside the cookie, and what another site cannot know (contract-gaps 3). Derived from the session's id, which only its cookie holds; so it ends with the session, and nothing is stored. */
export const csrfTokenOf = (sessionId: string): string => createHmac('sha256', sessionId).update('csrf').digest('base64url')

export function isCsrfToken(sessionId: string, presented: unknown): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionId))
  const given = Buffer.from(typeof presented === 'string' ? presented : '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
