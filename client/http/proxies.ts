/** The proxies that the environment names: HTTP_PROXY, HTTPS_PROXY. */
import { ClientError } from '../client-error.ts'

/** Never reached through a proxy, whatever the environment says: they would mean another machine there. */
export const thisMachine = ['localhost', '127.0.0.1', '[::1]']

export type Environment = Record<string, string | undefined>

/** The address of a proxy that a variable names, with `http://` filled in. Throws ClientError `WRONG_ADDRESS`. */
function proxyIn(env: Environment, name: 'http_proxy' | 'https_proxy'): string {
  const given = env[name] || env[name.toUpperCase()]
  if (!given) return ''
  const address = given.includes('://') ? given : `http://${given}`
  if (/^(https?|socks5?):\/\//i.test(address) && URL.canParse(address)) return address
  throw new ClientError('WRONG_ADDRESS', `${name.toUpperCase()} does not hold the address of a proxy.`, {
    next: `Write it like http://proxy.example.com:8080, or unset ${name.toUpperCase()}.`,
  })
}

/**
 * The host of the proxy that the environment names for an address, without name and password; undefined for this machine, and
 * where there is none. NO_PROXY is not looked at. Throws ClientError `WRONG_ADDRESS`.
 */
export function proxyFor(url: string, env: Environment): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (thisMachine.includes(hostname)) return undefined
  const proxy = (protocol === 'https:' && proxyIn(env, 'https_proxy')) || proxyIn(env, 'http_proxy')
  return proxy === '' ? undefined : new URL(proxy).host
}

export const proxiesIn = (env: Environment) => ({
  httpProxy: proxyIn(env, 'http_proxy'),
  httpsProxy: proxyIn(env, 'https_proxy'),
})

interface ConnectError extends NodeJS.ErrnoException {
  hostname?: string
  port?: number
  errors?: unknown[]
}

/** The host of the proxy, where no connection to it came about: the server behind it was not asked at all. */
export function unreachedProxy(error: unknown, url: string, env: Environment): string | undefined {
  const proxy = proxyFor(url, env)
  if (proxy === undefined) return undefined
  const { hostname, port } = new URL(`http://${proxy}`)
  const ports = port === '' ? [80, 443] : [Number(port)]
  const isOf = (one: unknown): boolean => {
    if (!(one instanceof Error)) return false
    const { syscall, hostname: looked, port: tried, errors = [], cause } = one as ConnectError
    if (syscall === 'getaddrinfo') return looked === hostname
    if (syscall === 'connect' && tried !== undefined) return ports.includes(tried)
    return one.message.includes(`attempted address: ${hostname}:`) || [...errors, cause].some(isOf)
  }
  return isOf(error) ? proxy : undefined
}
