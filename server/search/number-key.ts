/** Rows sorted by one of their numbers. */
import { type Columns, type Measured, unknown } from './columns.ts'
import type { SortKey } from './orders.ts'

export class NumberKey implements SortKey<number> {
  readonly #columns: Columns
  readonly #name: Measured

  constructor(columns: Columns, name: Measured) {
    this.#columns = columns
    this.#name = name
  }

  isUnknown(row: number): boolean {
    return this.valueOf(row) === unknown
  }

  compare(a: number, b: number): number {
    return this.valueOf(a) - this.valueOf(b)
  }

  compareTo(row: number, value: number): number {
    return this.valueOf(row) - value
  }

  valueOf(row: number): number {
    return this.#columns.numbers[this.#name][row] as number
  }
}
