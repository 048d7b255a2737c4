/** Bytes of JSON to a value, or VALIDATION. */
import { validationError } from '../../contract/errors.ts'
import { requireStorable } from '../validation.ts'

const byteOrderMark = /^\ufeff/

/** Also refuses what could not be stored. */
export function parseJson(blocks: readonly Uint8Array[]): unknown {
  const text = Buffer.concat(blocks).toString('utf8').replace(byteOrderMark, '')
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
