/** The tags of a catalog's rows, as codes; 0 stands for no tag, as it ends every run. */
import { grown, Runs } from './runs.ts'

export class TagLists {
  readonly #runs = new Runs(new Uint32Array(1))
  /** One bit for every 32nd code: most rows that lack a tag are told by it. */
  #traces = new Uint32Array(0)

  reserve(rows: number): void {
    this.#runs.reserve(rows)
    this.#traces = grown(this.#traces, rows)
  }

  set(row: number, codes: readonly number[]): void {
    this.#runs.set(row, codes)
    this.#traces[row] = traceOf(codes)
  }

  /** A question about rows that have one of some tags. `chosen`: 1 for their codes, else 0. Good until the next change. */
  havingOneOf(chosen: Uint8Array): (row: number) => number {
    const { cells, starts } = this.#runs
    const traces = this.#traces
    const trace = traceOf([...chosen.keys()].filter((code) => chosen[code] === 1))
    return (row) => {
      let has = 0
      if (((traces[row] as number) & trace) === 0) return has
      for (let at = starts[row] as number; cells[at] !== 0; at++) has |= chosen[cells[at] as number] as number
      return has
    }
  }

  /** By code, how many of the rows have it. */
  count(rows: Uint32Array, codes: number): Uint32Array {
    const { cells, starts } = this.#runs
    const counts = new Uint32Array(codes)
    for (let index = 0; index < rows.length; index++) {
      for (let at = starts[rows[index] as number] as number; cells[at] !== 0; at++) {
        const code = cells[at] as number
        counts[code] = (counts[code] as number) + 1
      }
    }
    return counts
  }

  /** By code, how many rows have it: along all runs at once, several times faster than from row to row. */
  countAll(codes: number): Uint32Array {
    const { cells } = this.#runs
    const counts = new Uint32Array(codes)
    for (let at = 0; at < cells.length; at++) {
      const code = cells[at] as number
      counts[code] = (counts[code] as number) + 1
    }
    return counts
  }
}

function traceOf(codes: readonly number[]): number {
  let trace = 0
  for (const code of codes) trace |= 1 << (code & 31)
  return trace
}
