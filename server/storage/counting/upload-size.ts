/** Limits on the size of uploads: what to say when one is too large, before a byte of it is read where it can be known. */
import { type ApiError, validationError } from '../../../contract/errors.ts'

export const tooLarge = (maxBytes: number): ApiError =>
  validationError([{ path: 'body', message: `is larger than the ${maxBytes} bytes that are taken here` }])

/** `contentLength` is undefined when the client did not announce it; then the bytes are counted as they come. */
export function requireFits(contentLength: number | undefined, maxBytes: number): void {
  if (contentLength !== undefined && contentLength > maxBytes) throw tooLarge(maxBytes)
}
