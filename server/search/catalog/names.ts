/** The names of a catalog's rows without their case, as bytes, which compare faster than a million strings and burden nobody. */
import { nameKey } from '../../../contract/names.ts'
import type { SortKey } from './orders.ts'
import { Runs } from './runs.ts'

/** UTF-8, so that they sort by code point; no name holds a NUL, which no database takes. */
export class Names implements SortKey<string> {
  readonly #runs = new Runs(new Uint8Array(1))

  reserve(rows: number): void {
    this.#runs.reserve(rows)
  }

  set(row: number, name: string): void {
    this.#runs.set(row, Buffer.from(nameKey(name)))
  }

  /** Of every row, its name and a 0; good until a name changes. */
  get bytes(): Pick<Runs<Uint8Array>, 'cells' | 'starts'> {
    return this.#runs
  }

  /** Every entry has one. */
  isUnknown(): boolean {
    return false
  }

  compare(a: number, b: number): number {
    const { cells, starts } = this.#runs
    return compareBytes(cells, starts[a] as number, { bytes: cells, at: starts[b] as number })
  }

  compareTo(row: number, name: string): number {
    const { cells, starts } = this.#runs
    return compareBytes(cells, starts[row] as number, { bytes: Buffer.from(`${nameKey(name)}\0`), at: 0 })
  }

  valueOf(row: number): string {
    const { cells, starts } = this.#runs
    const start = starts[row] as number
    return Buffer.from(cells.buffer, cells.byteOffset + start, cells.indexOf(0, start) - start).toString()
  }
}

function compareBytes(one: Uint8Array, from: number, other: { bytes: Uint8Array; at: number }): number {
  const { bytes, at } = other
  let step = 0
  while (one[from + step] === bytes[at + step] && one[from + step] !== 0) step++
  return (one[from + step] as number) - (bytes[at + step] as number)
}
