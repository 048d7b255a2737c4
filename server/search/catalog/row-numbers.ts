/** Which row of a catalog holds which entry: a hash table in two typed arrays. Rows that entries left are given out again. */
import { grown } from './runs.ts'

export class RowNumbers {
  /** Of each row; 0 where no entry is. Replaced as it grows. */
  ids = new Float64Array(0)
  /** Rows from here on never held an entry. */
  end = 0
  /** A power of two, at least a third of them empty: row + 1, or 0. */
  #slots = new Int32Array(16)
  readonly #free: number[] = []

  find(id: number): number | undefined {
    const row = (this.#slots[this.#slotOf(id)] as number) - 1
    return row < 0 ? undefined : row
  }

  /** The row of an entry that has none yet. */
  take(id: number): number {
    const row = this.#free.pop() ?? this.end++
    if (row >= this.ids.length) this.reserve(Math.ceil(row * 1.125) + 16)
    this.ids[row] = id
    if (this.end * 1.5 > this.#slots.length) this.#spread(this.#slots.length * 2)
    else this.#slots[this.#slotOf(id)] = row + 1
    return row
  }

  release(row: number): void {
    this.#empty(this.#slotOf(this.ids[row] as number))
    this.ids[row] = 0
    this.#free.push(row)
  }

  /** Takes so many rows without growing again. */
  reserve(rows: number): void {
    this.ids = grown(this.ids, rows)
    let slots = this.#slots.length
    while (rows * 1.5 > slots) slots *= 2
    this.#spread(slots)
  }

  /** Where the id is, or would be put. */
  #slotOf(id: number): number {
    const { ids } = this
    const slots = this.#slots
    let slot = homeOf(id, slots.length)
    for (;;) {
      const row = (slots[slot] as number) - 1
      if (row < 0 || ids[row] === id) return slot
      slot = (slot + 1) & (slots.length - 1)
    }
  }

  #spread(slots: number): void {
    this.#slots = new Int32Array(slots)
    for (let row = 0; row < this.end; row++) {
      const id = this.ids[row] as number
      if (id !== 0) this.#slots[this.#slotOf(id)] = row + 1
    }
  }

  /** Whatever stands behind the gap, and would be looked for before it, moves up. */
  #empty(slot: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let gap = slot
    for (let next = (gap + 1) & mask; slots[next] !== 0; next = (next + 1) & mask) {
      const home = homeOf(this.ids[(slots[next] as number) - 1] as number, slots.length)
      if (((next - home) & mask) < ((next - gap) & mask)) continue
      slots[gap] = slots[next] as number
      gap = next
    }
    slots[gap] = 0
  }
}

/** Ids follow each other; multiplied by 2^32 divided by the golden ratio they do not stand in one heap. */
const homeOf = (id: number, slots: number): number => (Math.imul(id, 0x9e3779b1) >>> 7) & (slots - 1)
