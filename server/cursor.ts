/** Opaque cursors: where a page ended, bound to the request. Clients pass them back and never read them. */
import { createHash } from 'node:crypto'
import { validationError } from '../contract/errors.ts'

/** What a position is made of, in order. */
type Part = 'text' | 'id'
type Position<P extends readonly Part[]> = { -readonly [I in keyof P]: P[I] extends 'id' ? number : string }

/** `bound` is whatever must not change between pages: the route, the workspace, filters, sort and order. */
export function toCursor(bound: unknown, position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([fingerprint([bound, position]), ...position])).toString('base64url')
}

/** The position of a cursor made for the same question; VALIDATION for any other text, also for one that was altered. */
export function fromCursor<const P extends readonly Part[]>(bound: unknown, cursor: string, parts: P): Position<P> {
  const [, ...position] = contentOf(cursor)
  const isWhole = position.length === parts.length && parts.every((part, index) => isPart[part](position[index]))
  if (isWhole && toCursor(bound, position as Position<P>) === cursor) return position as Position<P>
  throw validationError([{ path: 'cursor', message: 'was made for another request; start again without it' }])
}

/** Anybody can write a cursor: what comes out of one is believed no more than any other input. */
const isPart: Record<Part, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
  id: (value) => Number.isSafeInteger(value),
}

function contentOf(cursor: string): unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(content) ? content : []
  } catch {
    return []
  }
}

const fingerprint = (bound: unknown): string => createHash('sha256').update(JSON.stringify(bound)).digest('base64url').slice(0, 8)
