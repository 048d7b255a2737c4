/** Values that many rows share, such as categories, as small numbers. */

/** Codes are given out from 0 and never taken back: a catalog that is built anew forgets what nothing has any more. */
export class ValueCodes<K> {
  /** By code. */
  readonly keys: K[] = []
  readonly #codes = new Map<K, number>()

  constructor(first: readonly K[] = []) {
    for (const key of first) this.code(key)
  }

  code(key: K): number {
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    this.#codes.set(key, this.keys.length)
    return this.keys.push(key) - 1
  }

  find(key: K): number | undefined {
    return this.#codes.get(key)
  }
}
