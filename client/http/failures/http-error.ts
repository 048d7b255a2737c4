/** Turns a refusing answer into the error that commands and callers handle (spec 7), and says what a repetition has to know of it. */
import type { Dispatcher } from 'undici'
import { ApiError, type ErrorCode, errors } from '../../../contract/errors.ts'
import type { ClientError } from '../../client-error.ts'
import { readText } from '../body.ts'
import type { Exchange } from '../request.ts'
import { type Failure, parseRetryAfter } from '../retry.ts'
import { foreignAnswer, isForeign } from './foreign-answer.ts'
import { isNetworkError, wasReached } from './network-error.ts'
import { storageRefusal } from './storage-refusal.ts'
import { isOfCertificate } from './tls-error.ts'

/** The codes that the front door's plain `{error: string}` stands for (spec 7, front-door errors). */
const frontDoorCodes: Record<number, ErrorCode> = {
  400: 'VALIDATION',
  401: 'UNAUTHORIZED',
  402: 'FORBIDDEN',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  412: 'CONFLICT',
  413: 'VALIDATION',
  422: 'VALIDATION',
  426: 'UPGRADE_REQUIRED',
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && code in errors

const codeOfStatus = (status: number): ErrorCode => frontDoorCodes[status] ?? (status >= 500 ? 'INTERNAL' : 'VALIDATION')

/**
 * The ApiError that a refusal stands for. `body` is its text: the library's envelope, the front door's sentence, or what an object storage says;
 * undefined where it is none of these. `details.request_id` names the request, `details.front_door` says that no library was reached.
 */
export function decodeError(status: number, body: string, requestId?: string): ApiError | undefined {
  const stored = storageRefusal(status, body)
  if (stored) return stored
  const traced = requestId ? { request_id: requestId } : {}
  const error = errorField(body)
  if (typeof error === 'string')
    return new ApiError(codeOfStatus(status), error, { ...traced, httpStatus: status, front_door: true })
  if (typeof error === 'object' && error !== null) {
    const { code, message, details } = error as { code?: unknown; message?: unknown; details?: unknown }
    const known = isCode(code) ? code : codeOfStatus(status)
    const text = typeof message === 'string' ? message : undefined
    const unknownCode = isCode(code) ? {} : { code }
    return new ApiError(known, text, { ...(details as object | undefined), ...unknownCode, ...traced, httpStatus: status })
  }
  return undefined
}

function errorField(body: string): unknown {
  try {
    return (JSON.parse(body) as { error?: unknown } | null)?.error
  } catch {
    return undefined
  }
}

/** The error of an answer, read to its end; `details.retry_after_seconds` is what the answer or its header says. */
export async function refusalOf(answer: Dispatcher.ResponseData, exchange: Exchange): Promise<ApiError | ClientError> {
  const { statusCode: status, headers } = answer
  const id = headers['x-request-id']
  const answered = { status, headers, body: await readText(answer.body) }
  const error =
    decodeError(status, answered.body, typeof id === 'string' ? id : undefined) ??
    (isForeign(answered, exchange) ? foreignAnswer(answered, exchange) : withoutReason(status))
  const after = headers['retry-after']
  const waitMs = parseRetryAfter(typeof after === 'string' ? after : undefined, Date.now())
  if (waitMs !== undefined) error.details.retry_after_seconds ??= Math.ceil(waitMs / 1000)
  return error
}

const withoutReason = (status: number): ApiError =>
  new ApiError(codeOfStatus(status), `The storage answered with status ${status} and no reason.`, { httpStatus: status })

/** Undefined for what no repetition can fix. */
export function failureOf(error: unknown): Failure | undefined {
  if (isOfCertificate(error)) return undefined
  if (isNetworkError(error)) return { kind: 'network', reached: wasReached(error) }
  if (!(error instanceof ApiError)) return undefined
  const { retry_after_seconds: seconds, reason } = error.details
  return {
    kind: 'status',
    status: error.status,
    retryAfterMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
    reason: error.code === 'EMBEDDINGS_UNAVAILABLE' ? error.code : typeof reason === 'string' ? reason : undefined,
  }
}

/** What a wait is for. `budget`: the key asked too often (429). `server`: it is busy or starting. `network`: it cannot be reached. */
/** `machine`: for the share of the budget that is left to people here (shared-count.ts). */
export type WaitCause = 'budget' | 'machine' | 'server' | 'network'

export const causeOf = (failure: Failure): WaitCause =>
  failure.kind === 'network' ? 'network' : failure.status === 429 ? 'budget' : 'server'
