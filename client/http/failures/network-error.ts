/** What failures of the network mean: whether the request got through, and how to say it. */
import { ApiError } from '../../../contract/errors.ts'
import { ClientError, systemCode } from '../../client-error.ts'
import { isTlsCode, tlsReason } from './tls-error.ts'

/** Failures before any connection stood: the server cannot have seen the request. */
const beforeConnection: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no network',
  UND_ERR_CONNECT_TIMEOUT: 'nothing answers',
  UND_ERR_ABORTED: 'the proxy does not lead there',
}
const afterConnection: Record<string, string> = {
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ECONNABORTED: 'the connection was cut',
  ETIMEDOUT: 'the connection went silent',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut off',
}

/** A failure of name lookup, connection or transfer that the same request may survive when sent again. */
export function isNetworkError(error: unknown): boolean {
  const code = systemCode(error)
  return code !== undefined && (code in beforeConnection || code in afterConnection || isTlsCode(code))
}

/** Whether the server may have acted on the request. */
export const wasReached = (error: unknown): boolean => !((systemCode(error) ?? '') in beforeConnection)

/** Why a request failed, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof ClientError) return error.message
  const code = systemCode(error) ?? ''
  const [, status] = /^Proxy response \((\d{3})\)/.exec(messageOf(error)) ?? []
  if (status !== undefined)
    return `the proxy does not lead there: it answers ${status}${status === '407' ? ' and asks for a sign-in' : ''}`
  if (isTlsCode(code)) return tlsReason(error, code)
  return beforeConnection[code] ?? afterConnection[code] ?? code
}

/** Of the innermost error that says something. */
const messageOf = (error: unknown): string => (error instanceof Error ? messageOf(error.cause) || error.message : '')

/** Not the server is away: nobody could ask it. */
export const proxyAway = (proxy: string, origin: string, cause: unknown): ClientError =>
  new ClientError('UNREACHABLE', `Cannot reach the proxy ${proxy} on the way to ${origin}: ${reasonOf(cause)}.`, {
    cause,
    next: `Check HTTPS_PROXY and HTTP_PROXY, or name ${new URL(origin).hostname} in NO_PROXY where it is reached without a proxy.`,
  })
