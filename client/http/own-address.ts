/** Addresses of a library's own store, and the way there on which the library is reached already. */

/** Where a library keeps bytes itself, and what it signs such addresses with; an object storage does neither. */
const isOwnStore = ({ pathname, searchParams }: URL): boolean =>
  pathname.startsWith('/storage/') && searchParams.has('signature') && searchParams.has('expires')

/**
 * Behind a proxy a library may not know how it is reached, without PH_PUBLIC_URL, and then names addresses that lead past the proxy, or nowhere.
 * Their signature is of path and query: they are good wherever the library itself answers.
 */
export function onOwnWay(url: URL, library: string): URL {
  const { origin } = new URL(library)
  return url.origin === origin || !isOwnStore(url) ? url : new URL(url.pathname + url.search, origin)
}

/** Where it says that it is, when that is not where it was reached. */
export function otherOrigin(address: string, library: string): string | undefined {
  const url = URL.parse(address, library)
  const isOther = url !== null && isOwnStore(url) && url.origin !== new URL(library).origin
  return isOther ? url.origin : undefined
}
