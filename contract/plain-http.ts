/** Addresses to which everything travels unencrypted. */

/** Whether what is sent there can be read on the way: plain HTTP to another machine than this one. */
export function isPlainHttp(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'http:' && !isLoopback(url.hostname)
}

/** As a URL writes it: IPv4 in four parts, IPv6 in brackets and shortened. */
const isLoopback = (host: string): boolean =>
  /^(localhost|[^.]+(\.[^.]+)*\.localhost|127(\.\d+){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])\.?$/i.test(host)
