/** Rows sorted by one of their numbers. */
import type { Columns, Measured } from './columns.ts'
import type { SortKey } from './orders.ts'

/** None of the numbers is below 0. */
const unknown = -1

export class NumberKey implements SortKey<number> {
  readonly #columns: Columns
  readonly #name: Measured

  constructor(columns: Columns, name: Measured) {
    this.#columns = columns
    this.#name = name
  }

  isUnknown(row: number): boolean {
    return Number.isNaN(this.#numbers[row])
  }

  /** NaN for rows without a value, which counts as no difference. */
  compare(a: number, b: number): number {
    return (this.#numbers[a] as number) - (this.#numbers[b] as number)
  }

  compareTo(row: number, value: number): number {
    return (this.#numbers[row] as number) - value
  }

  valueOf(row: number): number {
    const value = this.#numbers[row] as number
    return Number.isNaN(value) ? unknown : value
  }

  get #numbers(): Float64Array {
    return this.#columns.numbers[this.#name]
  }
}
