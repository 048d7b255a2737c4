/** A wait that something else may end early. */
import type { Pause } from '../http/pause.ts'

export class Wake {
  #isCalled = false
  #end: (() => void) | undefined

  now(): void {
    this.#isCalled = true
    this.#end?.()
  }

  /** What was called before this counts no more. */
  heard(): void {
    this.#isCalled = false
  }

  /** Throws the reason of an aborted signal. */
  async within(ms: number, pause: Pause, signal: AbortSignal): Promise<void> {
    if (this.#isCalled || ms <= 0) return
    const early = new AbortController()
    this.#end = () => early.abort()
    try {
      await pause(ms, AbortSignal.any([signal, early.signal]))
    } catch (error) {
      signal.throwIfAborted()
      if (!early.signal.aborted) throw error
    } finally {
      this.#end = undefined
    }
  }
}
