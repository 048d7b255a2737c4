/** Whose connections and requests count together, as far as an address tells it. */
import { BlockList, isIPv6 } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** IPv4 as a socket that listens for both says it. */
const mapped = /^::ffff:(?=\d+\.)/i

/**
 * What shares are counted by; undefined where that could be anyone: everything that a proxy on this machine passes on comes from
 * loopback. Who has one address of IPv6 has the 2^64 beside it too.
 */
export function clientOf(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  const plain = address.replace(mapped, '')
  const isSix = isIPv6(plain)
  if (loopback.check(plain, isSix ? 'ipv6' : 'ipv4')) return undefined
  return isSix ? networkOf(plain) : plain
}

/** The first 64 bits: `2001:db8:0:1::`. */
function networkOf(address: string): string {
  const [bare = ''] = address.split('%', 1)
  const [head = '', tail] = bare.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = [...left, ...zeros, ...right].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::`
}
