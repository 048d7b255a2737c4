/**
 * Addresses of a host name: from the hosts file, else from the name servers of the machine. Not by the system's own function, which takes one
 * of the few threads that also read files: names that nobody answers would hold up the whole server.
 */

import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { endpointUrl, RefusedAddress, requirePublic } from './endpoint-url.ts'

const tryMs = 2_000
const hostsFile = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
const hostsMs = 5_000

export interface NameRules {
  /** Private addresses may be meant. */
  allowPrivate: boolean
  /** Other name servers than those of the machine; for tests. */
  nameServers?: readonly string[] | undefined
}

export class Names {
  readonly #rules: NameRules
  readonly #resolver = new Resolver({ timeout: tryMs, tries: 2 })
  #hosts: { names: Map<string, LookupAddress[]>; readMs: number } | undefined

  constructor(rules: NameRules) {
    this.#rules = rules
    if (rules.nameServers) this.#resolver.setServers(rules.nameServers)
  }

  /** Those that may be connected to: all that the name has, or none. Throws RefusedAddress, or what the resolver says. */
  async addressesOf(host: string): Promise<LookupAddress[]> {
    const addresses = (await this.#hostsEntry(host)) ?? (await this.#resolve(host))
    if (!this.#rules.allowPrivate) for (const { address } of addresses) requirePublic(address, host)
    return addresses
  }

  /** Looks at the address of an endpoint as it is registered. A name that nobody knows now may be known later. Throws RefusedAddress. */
  async requireEndpoint(text: string): Promise<void> {
    const { hostname } = endpointUrl(text, this.#rules)
    if (this.#rules.allowPrivate || isIP(hostname.replace(/^\[|\]$/g, ''))) return
    await this.addressesOf(hostname).catch((error: unknown) => {
      if (error instanceof RefusedAddress) throw error
    })
  }

  async #hostsEntry(host: string): Promise<LookupAddress[] | undefined> {
    const now = performance.now()
    if (!this.#hosts || now - this.#hosts.readMs > hostsMs) this.#hosts = { names: await readHosts(), readMs: now }
    return this.#hosts.names.get(host.toLowerCase().replace(/\.$/, ''))
  }

  /** Both kinds are asked for at once; one that is not there does no harm. */
  async #resolve(host: string): Promise<LookupAddress[]> {
    const [four, six] = await Promise.allSettled([this.#resolver.resolve4(host), this.#resolver.resolve6(host)])
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (found.length > 0) return found
    throw four.status === 'rejected' ? four.reason : new Error(`${host} has no address`)
  }
}

/** What stands in no file is nowhere. */
async function readHosts(): Promise<Map<string, LookupAddress[]>> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '')
  const names = new Map<string, LookupAddress[]>([
    [
      'localhost',
      [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ],
    ],
  ])
  for (const line of text.split('\n')) {
    const [address = '', ...listed] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of listed) if (name !== 'localhost') names.set(name, [...(names.get(name) ?? []), { address, family }])
  }
  return names
}
