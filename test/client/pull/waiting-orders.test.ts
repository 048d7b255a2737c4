/** Which jobs that wait were ordered at once, told by the slices that they bring. */
import { expect, test } from 'vitest'
import { ordersOf } from '../../../client/pull/orders/waiting-jobs.ts'

const slice = (from: number, { key = 'a', total = 12_000 } = {}) => ({
  ...{ key, from, count: Math.min(5000, total - from), total },
})
const job = (id: number, part: ReturnType<typeof slice> | null = null, requested_by = 1) => ({
  ...{ id, requested_by, delivery: 'agent' as const, slice: part },
})
const told = (jobs: Parameters<typeof ordersOf>[0]) =>
  ordersOf(jobs).map((order) => [order.jobs.map(({ id }) => id), order.isWhole])

test('slices of one list are one order, jobs without a slice are each their own', () => {
  expect(told([job(1), job(2, slice(0)), job(3, slice(5000)), job(4), job(5, slice(10_000))])).toEqual([
    [[1], true],
    [[2, 3, 5], true],
    [[4], true],
  ])
})

test('the same list ordered twice is two orders, also where two people send it at once', () => {
  expect(told([job(1, slice(0)), job(2, slice(0), 2), job(3, slice(5000)), job(4, slice(5000), 2), job(5, slice(0))])).toEqual([
    [[1, 3], false],
    [[2, 4], false],
    [[5], false],
  ])
})

test('an order of which a slice is gone, or not ordered yet, is not whole', () => {
  expect(told([job(1, slice(0)), job(3, slice(10_000))])).toEqual([[[1, 3], false]])
  expect(told([job(1, slice(5000)), job(3, slice(10_000))])).toEqual([[[1, 3], false]])
  expect(told([job(1, slice(0)), job(2, slice(5000))])).toEqual([[[1, 2], false]])
})
