/** Keeps work from moving more than so many bytes a second: says how long it has to wait. */

/** What was not used for so long is not made up for. */
const mostCreditMs = 1_000

export class Pace {
  readonly #bytesPerMs: number
  #freeAtMs = performance.now()

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1000
  }

  /** Milliseconds until the next bytes may move. */
  after(bytes: number): number {
    const now = performance.now()
    this.#freeAtMs = Math.max(this.#freeAtMs, now - mostCreditMs) + bytes / this.#bytesPerMs
    return Math.max(0, this.#freeAtMs - now)
  }
}
