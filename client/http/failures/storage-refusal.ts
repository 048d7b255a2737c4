/** What an object storage says when it refuses, in XML: as the error that the library's own store would answer. */
import { ApiError, type ErrorCode } from '../../../contract/errors.ts'

/** What people can do about it, by the store's own code. Others are named by their code alone. */
const known: Record<string, [ErrorCode, string]> = {
  AccessDenied: ['FORBIDDEN', 'the address has expired, or the storage does not let it be used'],
  ExpiredToken: ['FORBIDDEN', 'the address has expired'],
  SignatureDoesNotMatch: ['FORBIDDEN', 'the address, or what was sent with it, was altered on the way'],
  RequestTimeTooSkewed: ['FORBIDDEN', 'the clocks of the storage and of the library differ'],
  QuotaExceeded: ['FORBIDDEN', 'the storage has reached its quota; its owner can change that'],
  XAmzContentSHA256Mismatch: ['HASH_MISMATCH', 'other bytes arrived than were announced'],
  BadDigest: ['HASH_MISMATCH', 'other bytes arrived than were announced'],
  NoSuchKey: ['NOT_FOUND', 'the storage does not have the file any more'],
  NoSuchBucket: ['NOT_FOUND', 'the bucket of the library is gone'],
  EntityTooLarge: ['VALIDATION', 'the file is larger than the storage takes'],
  SlowDown: ['UNAVAILABLE', 'the storage asks for fewer requests'],
  ServiceUnavailable: ['UNAVAILABLE', 'the storage is busy'],
  // Bytes came too slowly; another file with this name is being stored at this moment: the same request goes better later.
  RequestTimeout: ['UNAVAILABLE', 'the storage has waited too long for the next bytes'],
  ConditionalRequestConflict: ['UNAVAILABLE', 'the same file is being stored by someone else'],
  OperationAborted: ['UNAVAILABLE', 'the same file is being stored by someone else'],
}

/** Undefined where the body is none of an object storage. `details.storage_code` is what the store calls it. */
export function storageRefusal(status: number, body: string): ApiError | undefined {
  if (!body.startsWith('<')) return undefined
  const start = body.indexOf('<Error>')
  const code = start === -1 ? undefined : /<Code>([A-Za-z0-9.]{1,100})<\/Code>/.exec(body.slice(start))?.[1]
  if (code === undefined) return undefined
  const [meant, saying] = known[code] ?? []
  const what =
    saying === undefined ? `The object storage answers ${status} ${code}.` : `The object storage answers ${code}: ${saying}.`
  const isPassing = meant === 'UNAVAILABLE'
  return new ApiError(meant ?? byStatus(status), what, { storage_code: code, httpStatus: isPassing ? 503 : status })
}

function byStatus(status: number): ErrorCode {
  if (status >= 500) return status === 500 ? 'INTERNAL' : 'UNAVAILABLE'
  return status === 403 ? 'FORBIDDEN' : status === 404 ? 'NOT_FOUND' : 'VALIDATION'
}
