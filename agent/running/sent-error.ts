/** Errors on their way from process to process, which keeps no classes: taken apart, and put together again. */
import { ClientError, type ClientErrorCode } from '../../client/client-error.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'

export type SentError =
  | { of: 'client'; code: ClientErrorCode; message: string; next: string; details: object }
  | { of: 'api'; code: ErrorCode; message: string; details: Record<string, unknown>; status: number }
  | { of: 'other'; message: string; stack: string | undefined }

export function sendable(error: unknown): SentError {
  if (error instanceof ClientError) {
    const { code, message, next, details } = error
    return { of: 'client', code, message, next, details }
  }
  if (error instanceof ApiError) {
    const { code, message, details, status } = error
    return { of: 'api', code, message, details, status }
  }
  return {
    of: 'other',
    message: error instanceof Error ? error.message : String(error),
    stack: (error as Error | undefined)?.stack,
  }
}

export function received(sent: SentError): Error {
  if (sent.of === 'client') return new ClientError(sent.code, sent.message, { next: sent.next, details: sent.details })
  if (sent.of === 'api') return new ApiError(sent.code, sent.message, { ...sent.details, httpStatus: sent.status })
  return Object.assign(new Error(sent.message), sent.stack === undefined ? {} : { stack: sent.stack })
}
