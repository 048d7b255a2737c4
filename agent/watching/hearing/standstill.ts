/** Files that change at this moment: programs save in several steps, so each is handed on once nothing happens any more. */

/** Nothing happened to a file for so long: it is saved. */
export const stillMs = 300
/** Where something happens all the time, those that stand still are handed on after so long. */
const longestMs = 1000

export class Standstill {
  /** When each was last touched, by the clock that nobody sets. */
  readonly #touched = new Map<string, number>()
  readonly #handOn: (files: Set<string>) => void
  #timer: NodeJS.Timeout | undefined
  #firstMs = 0
  #lastMs = 0

  constructor(handOn: (files: Set<string>) => void) {
    this.#handOn = handOn
  }

  touch(file: string): void {
    const nowMs = performance.now()
    if (this.#touched.size === 0) this.#firstMs = nowMs
    this.#lastMs = nowMs
    this.#touched.set(file, nowMs)
    this.#timer ??= setTimeout(() => this.#look(), stillMs)
  }

  files(): Iterable<string> {
    return this.#touched.keys()
  }

  has(file: string): boolean {
    return this.#touched.has(file)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#touched.clear()
  }

  /** All in one go when it is quiet; what is quiet when it never is. */
  #look(): void {
    const nowMs = performance.now()
    const isQuiet = nowMs - this.#lastMs >= stillMs
    const isLate = nowMs - this.#firstMs >= longestMs
    const still = new Set<string>()
    if (isQuiet || isLate) for (const [file, atMs] of this.#touched) if (nowMs - atMs >= stillMs) still.add(file)
    for (const file of still) this.#touched.delete(file)
    if (still.size > 0) this.#firstMs = nowMs
    const waitMs = Math.max(20, isQuiet ? stillMs : this.#lastMs + stillMs - nowMs)
    this.#timer = this.#touched.size > 0 ? setTimeout(() => this.#look(), waitMs) : undefined
    if (still.size > 0) this.#handOn(still)
  }
}
