/** CSRF tokens: what a page or a JSON client sends beside the cookie, and what another site cannot know (contract-gaps 3). */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Derived from the session's id, which only its cookie holds; so it ends with the session, and nothing is stored. */
export const csrfTokenOf = (sessionId: string): string => createHmac('sha256', sessionId).update('csrf').digest('base64url')

export function isCsrfToken(sessionId: string, presented: unknown): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionId))
  const given = Buffer.from(typeof presented === 'string' ? presented : '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
