/** Bytes of JSON to a value, or VALIDATION. */
import { isUtf8 } from 'node:buffer'
import { validationError } from '../../contract/errors.ts'
import { requireStorable } from '../validation.ts'

const byteOrderMark = /^\ufeff/

/** Also refuses what could not be stored. */
export function parseJson(blocks: readonly Uint8Array[]): unknown {
  const bytes = Buffer.concat(blocks)
  // Decoding would put U+FFFD for what it cannot read.
  if (!isUtf8(bytes)) throw validationError([{ path: 'body', message: 'is not valid UTF-8' }])
  const text = bytes.toString('utf8').replace(byteOrderMark, '')
  const body = parse(text)
  requireStorable(text, body)
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw validationError([{ path: 'body', message: `is not valid JSON: ${(error as Error).message}` }])
  }
}
