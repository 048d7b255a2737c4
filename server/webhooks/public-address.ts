/** Which internet addresses are someone's on the public internet: not of this machine, a private network, or a special purpose (IANA registries). */
import { BlockList, isIP } from 'node:net'

/** IPv4 that is not public: [network, length of its prefix]. */
const special: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Shared by the customers of a provider.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, and where clouds tell machines their credentials.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Within 2000::/3: protocol assignments with Teredo, documentation, 6to4, which holds any IPv4. */
const special6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

/** IPv6 that stands for IPv4: as sockets say it, and behind a translator of the network. */
const translated = ['::ffff:', '64:ff9b::']
const translatedBits = 96

const refused = new BlockList()
const allowed6 = new BlockList()
allowed6.addSubnet('2000::', 3, 'ipv6')
for (const [network, bits] of special6) refused.addSubnet(network, bits, 'ipv6')
for (const prefix of translated) allowed6.addSubnet(`${prefix}0.0.0.0`, translatedBits, 'ipv6')
for (const [network, bits] of special) {
  refused.addSubnet(network, bits, 'ipv4')
  for (const prefix of translated) refused.addSubnet(`${prefix}${network}`, translatedBits + bits, 'ipv6')
}

/** Of an address in the usual notation, IPv6 without brackets. What is no address is not public. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refused.check(address, 'ipv4')
  return family === 6 && allowed6.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}
