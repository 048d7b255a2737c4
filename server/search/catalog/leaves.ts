/** The last segments of the package paths of a catalog's rows, as bytes. Most are the name of the entry, which is there already. */

import { nameKey } from '../../../contract/names.ts'
import type { Glob } from '../globs.ts'
import type { Names } from './names.ts'
import { Runs } from './runs.ts'

/** Of a path key, with the slash behind; null where there is none. */
export const folderOf = (pathKey: string | null): string | null => pathKey?.slice(0, pathKey.lastIndexOf('/') + 1) ?? null

export class Leaves {
  readonly #names: Names
  /** Only of rows whose path does not end with their name. */
  readonly #others = new Runs(new Uint8Array(1))

  constructor(names: Names) {
    this.#names = names
  }

  reserve(rows: number): void {
    this.#others.reserve(rows)
  }

  set(row: number, { name, path_key }: { name: string; path_key: string | null }): void {
    const leaf = path_key?.slice(path_key.lastIndexOf('/') + 1) ?? ''
    this.#others.set(row, leaf === nameKey(name) ? [] : Buffer.from(leaf))
  }

  /** Good until the next turn of the event loop. */
  matching({ pieces }: Glob): (row: number) => boolean {
    const sought = pieces.map((piece) => Buffer.from(piece))
    const { cells: names, starts: nameStarts } = this.#names.bytes
    const { cells: others, starts } = this.#others
    return (row) =>
      starts[row] === 0 ? matches(names, nameStarts[row] as number, sought) : matches(others, starts[row] as number, sought)
  }
}

/**
 * Whether the run that begins there is the pieces in their order, with anything between two of them. No piece holds a 0, so none
 * reaches beyond the end of a run.
 */
function matches(cells: Uint8Array, start: number, pieces: readonly Uint8Array[]): boolean {
  const first = pieces[0] as Uint8Array
  if (!standsAt(cells, start, first)) return false
  let at = start + first.length
  if (pieces.length === 1) return cells[at] === 0
  for (let next = 1; next < pieces.length - 1; next++) {
    const piece = pieces[next] as Uint8Array
    const letter = piece[0]
    for (; cells[at] !== letter || !standsAt(cells, at, piece); at++) if (cells[at] === 0) return false
    at += piece.length
  }
  const last = pieces[pieces.length - 1] as Uint8Array
  if (last.length === 0) return true
  let end = at
  while (cells[end] !== 0) end++
  return end - last.length >= at && standsAt(cells, end - last.length, last)
}

function standsAt(cells: Uint8Array, at: number, piece: Uint8Array): boolean {
  for (let step = 0; step < piece.length; step++) if (cells[at + step] !== piece[step]) return false
  return true
}
