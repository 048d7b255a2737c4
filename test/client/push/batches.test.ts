/** Order and size of manifests. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderBatches } from '../../../client/push/plan/batches.ts'

const order = (edges: number[][], wanted: number, { most = 1000, together = [] as number[][] } = {}) =>
  orderBatches(edges.length, { needs: (index) => edges[index] ?? [], together }, { usual: wanted, most })

test('what is needed comes first, and batches are filled', () => {
  expect(order([[1], [2], [], [0]], 2)).toEqual([
    [2, 1],
    [0, 3],
  ])
})

test('a ring stays in one batch, and makes it larger when it must', () => {
  expect(order([[1], [2], [0], []], 2)).toEqual([[0, 1, 2], [3]])
})

test('beyond what the library takes even a ring is cut', () => {
  const ring = Array.from({ length: 10 }, (_, i) => [(i + 1) % 10])
  expect(order(ring, 2, { most: 4 }).map((batch) => batch.length)).toEqual([4, 4, 2])
})

test('what must be seen together is not torn apart', () => {
  expect(order([[], [], [], []], 2, { together: [[0, 3]] })).toEqual([
    [0, 3],
    [1, 2],
  ])
})

test('a chain as long as a large project is ordered without running out of stack', () => {
  const chain = Array.from({ length: 100_000 }, (_, i) => (i + 1 < 100_000 ? [i + 1] : []))
  const batches = order(chain, 500)
  expect(batches).toHaveLength(200)
  expect(batches[0]?.[0]).toBe(99_999)
})

test('in any graph every index is in one batch, with all it needs there or before', () => {
  const graph = fc
    .integer({ min: 1, max: 40 })
    .chain((size) =>
      fc.array(fc.array(fc.integer({ min: 0, max: size - 1 }), { maxLength: 4 }), { minLength: size, maxLength: size }),
    )
  fc.assert(
    fc.property(graph, fc.integer({ min: 1, max: 10 }), (edges, wanted) => {
      const batches = order(edges, wanted)
      const batchOf = new Map(batches.flatMap((batch, at) => batch.map((index) => [index, at] as const)))
      expect(batches.flat().sort((a, b) => a - b)).toEqual(edges.map((_, index) => index))
      for (const [index, needs] of edges.entries())
        for (const need of needs) expect(batchOf.get(need)).toBeLessThanOrEqual(batchOf.get(index) ?? -1)
    }),
  )
})
