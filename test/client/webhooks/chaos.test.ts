// What goes wrong on purpose between the feed and a receiver at a desk: as often as it says, and never what was not asked for.
import { expect, test } from 'vitest'
import { type ChaosKind, chaosKinds, sendingsOf } from '../../../client/webhooks/chaos.ts'

/** Numbers that look random and are the same each time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function thousand(kinds: readonly ChaosKind[]) {
  const random = numbers(21)
  const all = Array.from({ length: 1000 }, () => sendingsOf(new Set(kinds), random))
  const firsts = all.flatMap((sendings) => sendings.slice(0, 1))
  return {
    lost: all.filter((sendings) => sendings.length === 0).length,
    twice: all.filter((sendings) => sendings.length === 2 && sendings[1]?.attempt === 2).length,
    aside: firsts.filter((one) => one.aside).length,
    late: firsts.filter((one) => one.waitMs > 0 && !one.aside).length,
    longest: Math.max(0, ...all.flat().map(({ waitMs }) => waitMs)),
  }
}

test('without chaos each event is sent once, at once and in order', () => {
  expect(thousand([])).toEqual({ lost: 0, twice: 0, aside: 0, late: 0, longest: 0 })
})

test.each([
  ['dup', 'twice'],
  ['reorder', 'aside'],
  ['delay', 'late'],
  ['drop', 'lost'],
] as const)('%s alone does what it says, and nothing else', (kind, shows) => {
  const { longest, ...counts } = thousand([kind])
  expect(counts[shows]).toBeGreaterThan(50)
  expect(counts[shows]).toBeLessThan(350)
  expect(Object.entries(counts).filter(([name, n]) => name !== shows && n > 0)).toEqual([])
  expect(longest).toBeLessThanOrEqual(3_000)
})

test('all of it together happens', () => {
  expect(Object.values(thousand(chaosKinds)).every((n) => n > 0)).toBe(true)
})
