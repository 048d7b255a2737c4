/** What an object storage says when it does not do what it was asked, as errors that name it and the next step; and what is asked again. */
import { setTimeout } from 'node:timers/promises'
import { ApiError } from '../../../contract/errors.ts'

/** An answer with a status of 400 and more, as undici got it. */
export class StoreAnswer extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(`${status} ${code}`)
    this.status = status
    this.code = code
  }
}

/** The `<Code>` of an answer in XML; empty where it has none, as answers to HEAD. */
export const codeIn = (body: string): string => /<Code>([A-Za-z0-9.]{1,100})<\/Code>/.exec(body)?.[1] ?? ''

interface Said {
  status: number
  code: string
}

/** The library of AWS and undici say it in ways of their own. */
function saidBy(error: unknown): Said {
  if (error instanceof StoreAnswer) return error
  const { name, code, $metadata } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode ?? 0
  return { status, code: String((status > 0 ? name : code) ?? name) }
}

export const isMissing = (error: unknown): boolean => {
  const { status, code } = saidBy(error)
  return status === 404 && code !== 'NoSuchBucket'
}

export const isThere = (error: unknown): boolean => saidBy(error).status === 412

/** The bytes are not those that were announced. */
export const isOtherBytes = (error: unknown): boolean =>
  /^(XAmzContentSHA256Mismatch|XAmzContentChecksumMismatch|BadDigest|InvalidDigest)$/.test(saidBy(error).code)

/** A range that begins behind the end. */
export const isBeyondEnd = (error: unknown): boolean => saidBy(error).status === 416

const isBusy = ({ status, code }: Said) => status === 503 || status === 429 || /^(SlowDown|ServiceUnavailable)$/.test(code)

/** Another attempt may go better: it is busy, it has failed, or nothing came back. */
function isPassing(error: unknown): boolean {
  const said = saidBy(error)
  if (/^(RequestTimeout|ConditionalRequestConflict|OperationAborted|InternalError)$/.test(said.code)) return true
  return said.status === 0 ? !(error instanceof ApiError) : said.status >= 500 || isBusy(said)
}

const attempts = 4

/** In a few attempts: further ones are for the client, which waits longer. Ends with the last failure as it came. `waitMs`: before the second one. */
export async function asking<T>(waitMs: number, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (attempt === attempts || !isPassing(error)) throw error
      await setTimeout(waitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
    }
  }
}

const refusals: Record<string, string> = {
  AccessDenied: 'The key may not do this there.',
  InvalidAccessKeyId: 'It does not know the key.',
  SignatureDoesNotMatch: 'The secret does not fit the key.',
  RequestTimeTooSkewed: 'The clock of this server differs from its clock by more than 15 minutes.',
  NoSuchBucket: 'There is no such bucket.',
  QuotaExceeded: 'The bucket has reached its quota.',
  ExpiredToken: 'The credentials of the server have expired.',
}

/** `where`: the bucket, as people name it. Errors that are no answer of a store are given back as they are. */
export function explainStore(error: unknown, where: string): unknown {
  if (error instanceof ApiError) return error
  const said = saidBy(error)
  const { status, code } = said
  const unavailable = (message: string, reason: string) =>
    new ApiError('UNAVAILABLE', message, { reason, ...(reason === 'storage_refused' ? {} : { retry_after_seconds: 5 }) })
  if (isBusy(said))
    return unavailable(`The object storage ${where} is busy (${code || status}). Try again in a moment.`, 'storage_busy')
  if (status >= 500)
    return unavailable(`The object storage ${where} has failed (${code || status}). Try again in a moment.`, 'storage_failed')
  if (status > 0)
    return unavailable(
      `The object storage ${where} refuses (${code || status}). ${refusals[code] ?? 'Its log may say why.'}`,
      'storage_refused',
    )
  if (!isOfNetwork(error)) return error
  return unavailable(`The object storage ${where} does not answer (${code}). Try again in a moment.`, 'storage_away')
}

/** Of Node, undici and AWS: connections that are refused or cut, names that are not found, certificates, limits of time. */
const isOfNetwork = (error: unknown): boolean =>
  /^(E[A-Z]{3,}|TimeoutError|AbortError|CredentialsProviderError|ABORT_ERR|\d+)$|^(UND_ERR_|ERR_TLS|ERR_SSL)|CERT/.test(
    saidBy(error).code,
  ) || error instanceof DOMException
