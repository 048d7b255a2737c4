/** Why a delivery did not arrive, in a sentence for who looks after the endpoint. */
import { limits } from '../../contract/limits.ts'
import { RefusedAddress } from './endpoint-url.ts'

const sentences: Record<string, string> = {
  ENOTFOUND: 'Its name is unknown to the name servers.',
  ENODATA: 'Its name has no address.',
  ESERVFAIL: 'The name servers could not look its name up.',
  ETIMEOUT: 'The name servers did not answer.',
  ECONNREFUSED: 'Nothing listens at its address and port.',
  ECONNRESET: 'It closed the connection without an answer.',
  EHOSTUNREACH: 'There is no way to its address.',
  ENETUNREACH: 'There is no way to its address.',
  ETIMEDOUT: 'Its address did not take the connection.',
  UND_ERR_CONNECT_TIMEOUT: 'Its address did not take the connection.',
  UND_ERR_SOCKET: 'It closed the connection without an answer.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of its answer are too long.',
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed, and this server does not know it.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate comes from an authority that this server does not know.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate comes from an authority that this server does not know.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Its certificate comes from an authority that this server does not know.',
}

const mostLetters = 500

/** Bounded, whatever the error says. */
export function sendingFailure(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `It did not answer within ${limits.webhook.timeoutSeconds} seconds.`
  const {
    name,
    code,
    message,
    errors: several,
  } = error as { name?: unknown; code?: unknown; message?: unknown; errors?: unknown[] }
  if (error instanceof RefusedAddress) return String(message).slice(0, mostLetters)
  // Several addresses were tried.
  if (Array.isArray(several) && several.length > 0) return sendingFailure(several[0])
  if (typeof code === 'string' && sentences[code]) return `${sentences[code]} (${code})`
  if (name === 'HTTPParserError') return 'Its answer is not HTTP.'
  return (typeof message === 'string' && message !== '' ? message : 'The request failed.').slice(0, mostLetters)
}
