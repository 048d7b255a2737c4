// Ids of mesh descriptions: which are in use, and how many before each.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PackageReader } from '../../formats/uasset/reader.ts'
import { IdSet } from '../../formats/unreal-mesh/id-set.ts'
import { PackageBytes } from '../../sample/package-bytes.ts'

const read = (bytes: Uint8Array) => IdSet.read(new PackageReader(bytes, { what: 'mesh', pastEnd: 'damaged' }), 'vertices')

/** A bit array; what is over of its last word is set, as no reader may count on zeros. */
function bitArray(inUse: readonly boolean[]): Uint8Array {
  const bytes = new PackageBytes(false).i32(inUse.length)
  for (let start = 0; start < inUse.length; start += 32) {
    const bits = Array.from({ length: 32 }, (_, bit) => ((inUse[start + bit] ?? true) ? 2 ** bit : 0))
    bytes.u32(bits.reduce((sum, bit) => sum + bit, 0))
  }
  return bytes.toBuffer()
}

test('ids in use are given in order, each with how many are before it, whatever they are', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (inUse) => {
      const ids = read(bitArray(inUse))
      const expected = inUse.flatMap((used, id) => (used ? [id] : []))
      expect([...ids]).toEqual(expected)
      expect(ids.count).toBe(expected.length)
      expect(inUse.map((_, id) => ids.rank(id))).toEqual(inUse.map((used, id) => (used ? expected.indexOf(id) : -1)))
    }),
    { seed: 5, numRuns: 300 },
  )
})

test('numbers that are no ids have no rank', () => {
  const ids = read(bitArray([true, true, true]))
  for (const id of [3, 31, 32, -1, -32, 0x7fffffff, -0x80000000]) expect([id, ids.rank(id)]).toEqual([id, -1])
})

test('more ids than there are bits for, or less than none, are damage', () => {
  for (const count of [33, 0x7fffffff, -1]) {
    const bytes = Buffer.from(bitArray([true]))
    bytes.writeInt32LE(count)
    expect(() => read(bytes)).toThrow(expect.objectContaining({ name: 'FormatError', reason: 'damaged' }))
  }
})
