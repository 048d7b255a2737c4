/** Opaque cursors: where a page ended, bound to what was asked. Clients pass them back and never read them. */
import { createHash } from 'node:crypto'
import { validationError } from '../contract/errors.ts'

type Position = (string | number | null)[]

/** `asked` is whatever must not change between pages, such as sort and order. */
export function toCursor(asked: unknown, position: Position): string {
  return Buffer.from(JSON.stringify([fingerprint(asked), ...position])).toString('base64url')
}

/** The position of a cursor made for the same question; VALIDATION for any other text. */
export function fromCursor(asked: unknown, cursor: string, length: number): Position {
  try {
    const [made, ...position] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, ...Position]
    if (made === fingerprint(asked) && position.length === length) return position
  } catch {
    // told below
  }
  throw validationError([{ path: 'cursor', message: 'was not made for this question; start again without it' }])
}

const fingerprint = (asked: unknown): string => createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 8)
