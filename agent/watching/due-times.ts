/** When something is due, by the clock that nobody sets; rests until then, or until it is woken. */
export class DueTimes<What extends string> {
  readonly #due: Record<What, number>
  #wake = () => {}

  constructor(...all: readonly What[]) {
    this.#due = Object.fromEntries(all.map((what) => [what, 0])) as Record<What, number>
  }

  isDue = (what: What): boolean => performance.now() >= this.#due[what]

  at = (what: What): number => this.#due[what]

  set(what: What, inMs: number): void {
    this.#due[what] = performance.now() + inMs
  }

  hasten(what: What, inMs: number): void {
    this.#due[what] = Math.min(this.#due[what], performance.now() + inMs)
    this.#wake()
  }

  delay(what: What, inMs: number): void {
    this.#due[what] = Math.max(this.#due[what], performance.now() + inMs)
  }

  wake = (): void => this.#wake()

  /** Until a time of this clock. */
  rest(untilMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const timer = setTimeout(resolve, Math.max(0, untilMs - performance.now()))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
