/** What the address of an endpoint, or one that it redirects to, may be (spec 4.10). Names are looked into when they are resolved. */
import { isIP } from 'node:net'
import { withoutEnd } from '../../system/text/text-end.ts'
import { isPublic } from './public-address.ts'

/** Why nothing is sent to an address; the message is a whole sentence. */
export class RefusedAddress extends Error {}

/**
 * As it is connected to. The parser has made `https://0x7f.1` and `https://①27.0.0.1` into 127.0.0.1, and names of other scripts into
 * their ASCII form, so what is looked at here is what is meant. Throws RefusedAddress.
 */
export function endpointUrl(text: string, { allowPrivate }: { allowPrivate: boolean }): URL {
  if (!URL.canParse(text))
    throw new RefusedAddress('It is not a web address. Write it whole, such as https://ci.example.com/hooks/props.')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw new RefusedAddress(`It begins with ${url.protocol}// and has to begin with https://.`)
  if (url.username || url.password)
    throw new RefusedAddress('It holds a user name or password. Leave them out; the receiver checks the signature instead.')
  if (url.port === '0') throw new RefusedAddress('Its port is 0, at which nothing can listen.')
  if (!allowPrivate) requirePublicHost(url.hostname)
  return url
}

/**
 * Names that mean this machine or this network whatever a resolver says:
 * - names without a dot;
 * - names that are reserved for it (RFC 6761, 6762 and 8375; `internal` by ICANN);
 * - names that private networks use, so that no public registry gives them out (RFC 6762, appendix G).
 */
const privateName = /^[^.]+$|\.(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** An address is looked at here, a name when it is resolved. */
function requirePublicHost(hostname: string): void {
  const host = withoutEnd(hostname.replace(/^\[|\]$/g, ''), '.')
  if (isIP(host)) requirePublic(host, host)
  else if (privateName.test(host))
    throw new RefusedAddress(`${host} is a name of this machine or of a private network. Only public addresses are sent to.`)
}

export function requirePublic(address: string, host: string): void {
  if (isPublic(address)) return
  const means = address === host ? `${address} is` : `${host} stands for ${address},`
  throw new RefusedAddress(`${means} an address of this machine or of a private network. Only public addresses are sent to.`)
}
