/** A catalog's rows in one order: made when someone first asks for it, fixed after changes by merging. */
import { type Compare, sortInPieces } from './merge-sort.ts'
import type { RowNumbers } from './row-numbers.ts'
import { grown } from './runs.ts'

/** What rows are sorted by. Rows that are equal in it follow each other by id. */
export interface SortKey<V extends string | number> {
  /** Rows without a value come last, whichever way the others go; as a value that is a number below 0. */
  isUnknown(row: number): boolean
  compare(a: number, b: number): number
  compareTo(row: number, value: V): number
  valueOf(row: number): V
}

type AnyKey = SortKey<string | number>

/** Where a page ended: the value of its last row, and its id. */
export interface Position {
  value: string | number
  id: number
}

/** Rows that follow each other in the answer: `order.rows[first]`, then one step further each, until `past`. */
export interface Stretch {
  first: number
  past: number
  step: 1 | -1
}

export class Order {
  /** Ascending, those without a value last; only the first `length` count. */
  rows: Uint32Array
  length: number
  readonly #key: AnyKey
  readonly #entries: RowNumbers
  /** Rows whose position is wrong, or that have none yet, or that hold no entry any more. */
  readonly #moved = new Set<number>()

  private constructor(rows: Uint32Array, key: AnyKey, entries: RowNumbers) {
    this.rows = rows
    this.length = rows.length
    this.#key = key
    this.#entries = entries
  }

  /** Of the given rows, which it takes over. Nothing of them may change before it is made. */
  static async of<V extends string | number>(rows: Uint32Array, key: SortKey<V>, entries: RowNumbers): Promise<Order> {
    const order = new Order(rows, key as unknown as AnyKey, entries)
    await sortInPieces(rows, order.compare)
    return order
  }

  readonly compare: Compare = (a, b) => {
    const key = this.#key
    const { ids } = this.#entries
    return Number(key.isUnknown(a)) - Number(key.isUnknown(b)) || key.compare(a, b) || (ids[a] as number) - (ids[b] as number)
  }

  valueOf(row: number): string | number {
    return this.#key.valueOf(row)
  }

  /** The row holds another entry from now on, or none. */
  move(row: number): void {
    this.#moved.add(row)
  }

  /** To be called before something of an entry changes; what it gives, after that. */
  watch(row: number): () => void {
    const value = this.valueOf(row)
    return () => {
      if (this.valueOf(row) !== value) this.#moved.add(row)
    }
  }

  /** Takes out the rows that moved, and puts them in again where they belong: two passes over all rows at most. */
  repair(): void {
    if (this.#moved.size === 0) return
    const { ids, end } = this.#entries
    const isMoved = new Uint8Array(end)
    for (const row of this.#moved) isMoved[row] = 1
    let kept = 0
    for (let index = 0; index < this.length; index++) {
      const row = this.rows[index] as number
      if (isMoved[row] === 0) this.rows[kept++] = row
    }
    this.length = kept
    const coming = [...this.#moved].filter((row) => ids[row] !== 0)
    this.#putIn(Uint32Array.from(coming).sort(this.compare))
    this.#moved.clear()
  }

  /** From the last one on, so that every row behind moves once. */
  #putIn(coming: Uint32Array): void {
    const length = this.length + coming.length
    if (length > this.rows.length) this.rows = grown(this.rows, Math.ceil(length * 1.25))
    let end = this.length
    for (let left = coming.length; left > 0; left--) {
      const row = coming[left - 1] as number
      const index = firstWhere(end, (at) => this.compare(this.rows[at] as number, row) > 0)
      this.rows.copyWithin(index + left, index, end)
      this.rows[index + left - 1] = row
      end = index
    }
    this.length = length
  }

  /** What comes after a position, or everything; `fix` comes first. */
  beyond(after: Position | undefined, isDescending: boolean): Stretch[] {
    const known = firstWhere(this.length, (index) => this.#key.isUnknown(this.rows[index] as number))
    const whole: Stretch[] = isDescending
      ? [
          { first: known - 1, past: -1, step: -1 },
          { first: this.length - 1, past: known - 1, step: -1 },
        ]
      : [{ first: 0, past: this.length, step: 1 }]
    if (!after) return whole
    return whole.map(({ first, past, step }) => {
      const rowAt = (index: number) => this.rows[first + index * step] as number
      const skipped = firstWhere((past - first) * step, (index) => this.isBeyond(rowAt(index), after, isDescending))
      return { first: first + skipped * step, past, step }
    })
  }

  /** The rows that have the value. */
  equalTo(value: string | number): Uint32Array {
    const compareAt = (index: number) => this.#key.compareTo(this.rows[index] as number, value)
    const from = firstWhere(this.length, (index) => compareAt(index) >= 0)
    const to = firstWhere(this.length, (index) => compareAt(index) > 0)
    return this.rows.slice(from, to)
  }

  comparing(isDescending: boolean): Compare {
    if (!isDescending) return this.compare
    const key = this.#key
    return (a, b) => (key.isUnknown(a) === key.isUnknown(b) ? this.compare(b, a) : this.compare(a, b))
  }

  isBeyond(row: number, after: Position, isDescending: boolean): boolean {
    const isUnknown = this.#key.isUnknown(row)
    const wasUnknown = typeof after.value === 'number' && after.value < 0
    if (isUnknown !== wasUnknown) return isUnknown
    const step = this.#key.compareTo(row, after.value) || (this.#entries.ids[row] as number) - after.id
    return isDescending ? step < 0 : step > 0
  }
}

/** The first of `count` indexes for which it holds; from there on it holds for all. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}
