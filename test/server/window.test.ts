// A sliding window lets through what a full log of a minute would, however the clock jumps, and stays small.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Window, windowMs } from '../../server/front-door/windows.ts'

/** Every request with its time: what the window stands for. */
class FullLog {
  #times: number[] = []
  take(nowMs: number, limit: number): number {
    this.#times = this.#times.map((time) => Math.min(time, nowMs)).filter((time) => time > nowMs - windowMs)
    if (this.#times.length < limit) {
      this.#times.push(nowMs)
      return 0
    }
    const nth = this.#times.toSorted((a, b) => b - a)[limit - 1]
    return nth === undefined ? windowMs : nth + windowMs - nowMs
  }
}

const jumps = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: -100_000, max: 100_000 })), { maxLength: 400 })

test('up to 240 requests a minute are counted one by one', () => {
  fc.assert(
    fc.property(jumps, fc.integer({ min: 0, max: 240 }), (steps, limit) => {
      const [window, log] = [new Window(), new FullLog()]
      let now = 1_000_000
      for (const step of steps) {
        now += step
        expect(window.take(now, limit)).toBe(log.take(now, limit))
      }
    }),
  )
})

test('larger budgets never let more through within a minute, and give a place back at most a quarter of a second late', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 500, maxLength: 2000 }), (steps) => {
      const [window, limit] = [new Window(), 300]
      const let_in: number[] = []
      let now = 1_000_000
      for (const step of steps) {
        now += step
        const within = (ms: number) => let_in.filter((time) => time > now - ms).length
        const before = within(windowMs)
        const late = within(windowMs + 250)
        const waitMs = window.take(now, limit)
        expect(waitMs).toBeLessThanOrEqual(windowMs)
        if (waitMs === 0) {
          expect(before).toBeLessThan(limit)
          let_in.push(now)
        } else expect(late).toBeGreaterThanOrEqual(limit)
      }
    }),
    { numRuns: 20 },
  )
})
