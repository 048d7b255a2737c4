/** Keys whose rows are locked in the database: counted one by one, so that only their own requests wait. */
import pLimit from 'p-limit'
import { isLockTimeout } from '../database/failure.ts'

/** Counted at once, by themselves: the other connections of the front door are for everyone else. */
const atOnce = 2
/** Waits for the row, each as long as the front door waits for any (database/waits.ts). */
const attempts = 3
/** For this long after a wait in vain, requests with the key are refused at once. */
const refusedMs = 1000

export class HeldKeys {
  readonly #slots = pLimit(atOnce)
  /** Undefined while a key is being counted; else why it could not be. */
  readonly #failures = new Map<string, unknown>()

  has(name: string): boolean {
    return this.#failures.has(name)
  }

  /** Throws what `count` throws in the end. */
  async count(name: string, count: () => Promise<void>): Promise<void> {
    if (!this.has(name)) this.#failures.set(name, undefined)
    await this.#slots(async () => {
      const known = this.#failures.get(name)
      if (known) throw known
      await this.#attempt(name, count)
    })
  }

  async #attempt(name: string, count: () => Promise<void>): Promise<void> {
    for (let left = attempts - 1; ; left--) {
      try {
        await count()
        this.#failures.delete(name)
        return
      } catch (error) {
        if (isLockTimeout(error) && left > 0) continue
        this.#failures.delete(name)
        if (isLockTimeout(error)) this.#refuse(name, error)
        throw error
      }
    }
  }

  #refuse(name: string, error: unknown): void {
    this.#failures.set(name, error)
    setTimeout(() => this.#failures.delete(name), refusedMs).unref()
  }
}
