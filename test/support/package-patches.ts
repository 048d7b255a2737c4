// Changes single fields of a generated package, the way damage, other engines and attackers do.
import { PackageReader } from '../../formats/uasset/reader.ts'
import { readOpening, readPreamble, readSummary, type Summary } from '../../formats/uasset/summary.ts'

export function summaryOf(bytes: Uint8Array): Summary {
  const reader = new PackageReader(bytes, { what: 'package' })
  return readSummary(reader, readPreamble(reader, readOpening(reader)))
}

/** A copy with little-endian 32-bit numbers put at byte offsets. */
export function patched(bytes: Uint8Array, ...changes: [offset: number, value: number][]): Buffer {
  const copy = Buffer.from(bytes)
  for (const [offset, value] of changes) copy.writeInt32LE(value | 0, offset)
  return copy
}

/** Where in the summary the only field with this value is. */
export function fieldAt(bytes: Uint8Array, value: number): number {
  const copy = Buffer.from(bytes)
  const found: number[] = []
  for (let at = 0; at < summaryOf(bytes).endOffset && at + 4 <= copy.length; at++)
    if (copy.readInt32LE(at) === value) found.push(at)
  const [only] = found
  if (only === undefined || found.length > 1) throw new Error(`The value ${value} stands ${found.length} times in the summary.`)
  return only
}
