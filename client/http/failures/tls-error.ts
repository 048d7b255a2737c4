/** Certificates that are refused, in words: which one, who signed it, and what helps. */
import { printable } from '../../../system/printable.ts'
import { systemCode } from '../../client-error.ts'
import type { Presented } from '../certificates.ts'

/** Signed by someone whom nobody here knows. */
const unknownSigner = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
])

/** Codes of TLS, which no repetition fixes: `CERT_HAS_EXPIRED`, `ERR_TLS_CERT_ALTNAME_INVALID`, `DEPTH_ZERO_SELF_SIGNED_CERT`. */
export const isTlsCode = (code: string): boolean => unknownSigner.has(code) || /CERT|TLS|SSL/.test(code)
/** What answered spoke something else, such as plain http. */
const notTls = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'])

/** Of its certificate: not that it spoke no TLS at all. */
export const isOfCertificate = (error: unknown): boolean => {
  const code = systemCode(error) ?? ''
  return isTlsCode(code) && !notTls.has(code)
}

/** One more authority to trust might do. */
export const isUntrusted = (error: unknown): boolean => unknownSigner.has(systemCode(error) ?? '')

/** What was shown, kept with the error until it is told. */
const shown = new WeakMap<object, Presented>()
export function keepPresented(error: unknown, presented: Presented | undefined): void {
  if (typeof error === 'object' && error !== null && presented) shown.set(error, presented)
}

/** Why a certificate was refused, as the end of a sentence. */
export function tlsReason(error: unknown, code: string): string {
  if (notTls.has(code)) return `it does not answer https; the address may begin with http:// (${code})`
  const { issuer, validFrom, validTo, names } = (typeof error === 'object' && error !== null && shown.get(error)) || {}
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired${validTo ? ` on ${printable(validTo)}` : ''}`
  if (code === 'CERT_NOT_YET_VALID')
    return `its certificate is not valid before ${validFrom ? printable(validFrom) : 'some time to come'}`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name${names ? `: ${printable(names).slice(0, 200)}` : ''}`
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT') return `its certificate is not trusted: nobody but itself has signed it (${code})`
  const signer = issuer === undefined ? 'the authority that signed it' : `${printable(issuer).slice(0, 100)}, which signed it,`
  return `its certificate is not trusted: ${signer} is not known on this machine (${code})`
}

/** Undefined where it is not about a certificate. */
export function tlsNext(error: unknown): string | undefined {
  const code = systemCode(error) ?? ''
  if (!isOfCertificate(error)) return undefined
  if (unknownSigner.has(code))
    return 'Where your own authority signed it, let the system trust that authority, or name its certificate with NODE_EXTRA_CA_CERTS=<file>.'
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return 'Check the clock of this machine; if it is right, ask the administrator of the server for a new certificate.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Use the address that the certificate is for.'
  return 'Ask the administrator of the server, or of a proxy in between, what it shows.'
}
