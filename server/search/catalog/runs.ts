/** For every row a run of numbers that ends with 0, all in one typed array: names as bytes, tags as codes. */

export type Cells = Uint8Array | Uint32Array | Float64Array

/** A longer array that begins with the same cells. */
export function grown<C extends Cells>(cells: C, length: number): C {
  const longer = new (cells.constructor as new (length: number) => C)(length)
  longer.set(cells)
  return longer
}

/** What is never used again is less than half of what is used, but for this much. */
const idleCells = 65_536

/** Million runs are two objects for the garbage collector. No run holds a 0; rows without a run have the empty one, at 0. */
export class Runs<C extends Uint8Array | Uint32Array> {
  /** Read `cells[starts[row]]` and what follows, up to the 0. Both are replaced as they grow: get them anew for each question. */
  cells: C
  starts = new Uint32Array(0)
  #end = 1
  #idle = 0

  constructor(cells: C) {
    this.cells = cells
  }

  reserve(rows: number): void {
    this.starts = grown(this.starts, rows)
  }

  set(row: number, run: ArrayLike<number>): void {
    this.#forget(this.starts[row] as number)
    if (run.length === 0) {
      this.starts[row] = 0
      return
    }
    this.#makeRoom(run.length + 1)
    this.cells.set(run, this.#end)
    this.starts[row] = this.#end
    this.#end += run.length + 1
    this.cells[this.#end - 1] = 0
    if (this.#idle > idleCells && this.#idle > this.#end / 2) this.#pack()
  }

  /** What nothing refers to any more is 0 throughout: who reads all cells reads only what counts. */
  #forget(start: number): void {
    const end = this.cells.indexOf(0, start)
    this.cells.fill(0, start, end)
    if (start > 0) this.#idle += end + 1 - start
  }

  #makeRoom(length: number): void {
    if (this.#end + length > this.cells.length)
      this.cells = grown(this.cells, Math.max(64, this.#end + length, Math.ceil(this.cells.length * 1.5)))
  }

  #pack(): void {
    const { cells, starts } = this
    this.cells = new (cells.constructor as new (length: number) => C)(this.#end - this.#idle)
    this.#end = 1
    this.#idle = 0
    for (let row = 0; row < starts.length; row++) {
      const start = starts[row] as number
      if (start === 0) continue
      const run = cells.subarray(start, cells.indexOf(0, start) + 1)
      this.cells.set(run, this.#end)
      starts[row] = this.#end
      this.#end += run.length
    }
  }
}
