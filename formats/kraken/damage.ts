// The errors of compressed data: it contradicts itself, or it is of a variant that no reader here knows.
import { FormatError } from '../format-error.ts'

/** `problem` completes "it …". */
export function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The compressed data is damaged: it ${problem}.`)
}

/** `variant` is what cannot be read: `Mermaid compression`. */
export function unsupported(variant: string): FormatError {
  return new FormatError('unsupported', `The compressed data uses ${variant}, which is not supported.`)
}
