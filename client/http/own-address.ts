/** Addresses of a library's own store, and the way there on which the library is reached already. */

/** Where a library keeps bytes itself, and what it signs such addresses with; an object storage does neither. */
const isOwnStore = ({ pathname, searchParams }: URL): boolean =>
  pathname.startsWith('/storage/') && searchParams.has('signature') && searchParams.has('expires')

const isThisMachine = ({ hostname }: URL): boolean => hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)

/** Without TLS where the library was reached with it, or on another machine than the one that answered. */
function isPastProxy(url: URL, library: URL): boolean {
  if (!isOwnStore(url) || url.protocol !== 'http:' || library.protocol !== 'https:') return false
  const isSame = url.host === library.host || (url.hostname === library.hostname && url.port === '')
  return isSame || (isThisMachine(url) && !isThisMachine(library))
}

/**
 * Behind a proxy with TLS a library does not know how it is reached, without PH_PUBLIC_URL, and then names addresses that lead past the proxy, or
 * nowhere. Their signature is of path and query: they are good wherever the library itself answers.
 */
export function onOwnWay(url: URL, address: string): URL {
  const library = new URL(address)
  return isPastProxy(url, library) ? new URL(url.pathname + url.search, library.origin) : url
}

/** Where a library says that it is, when that leads past the proxy through which it was reached. */
export function otherOrigin(named: string, address: string): string | undefined {
  const library = new URL(address)
  const url = URL.parse(named, library.href)
  return url !== null && isPastProxy(url, library) ? url.origin : undefined
}
