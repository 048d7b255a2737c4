// The source data of real packages: compressed buffers, by the ids that the packages call them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixtureFolder } from './real-packages.ts'

/** `buffer` begins with the payload and goes on with the rest of the package. */
export type RealPayload = { path: string; id: string; rawSize: number; buffer: Buffer }

const trailerTag = Buffer.from('97f6a5802e3bc4d1', 'hex')
const bufferTag = Buffer.from('b7756362', 'hex')
const entryBytes = 49

export function realPayloads(): RealPayload[] {
  if (fixtureFolder === undefined) return []
  const folder = fixtureFolder
  const packages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(uasset|umap)$/.test(path))
  return packages.toSorted().flatMap((path) => payloadsOf(path, readFileSync(join(folder, path))))
}

/** The entries of a package's trailer. Packages of 5.0 have none: there the buffer's own header holds the hash. */
function payloadsOf(path: string, bytes: Buffer): RealPayload[] {
  const trailer = bytes.indexOf(trailerTag)
  if (trailer < 0) {
    const at = bytes.indexOf(bufferTag)
    if (at < 0) return []
    const id = bytes.toString('hex', at + 32, at + 52)
    return [{ path, id, rawSize: Number(bytes.readBigUInt64BE(at + 16)), buffer: bytes.subarray(at) }]
  }
  const payloads = trailer + bytes.readUInt32LE(trailer + 12)
  return Array.from({ length: bytes.readInt32LE(trailer + 24) }, (_, i) => {
    const entry = trailer + 28 + i * entryBytes
    return {
      path,
      id: bytes.toString('hex', entry, entry + 20),
      rawSize: Number(bytes.readBigUInt64LE(entry + 36)),
      buffer: bytes.subarray(payloads + Number(bytes.readBigInt64LE(entry + 20))),
    }
  })
}
