/** One page of the entries of a selection, in one order. */
import type { Catalog, SortName } from './catalog/catalog.ts'
import type { Compare } from './catalog/merge-sort.ts'
import type { Order, Position, Stretch } from './catalog/orders.ts'
import { passing, type Selection } from './selection.ts'

export interface PageQuery {
  sort: SortName
  isDescending: boolean
  after: Position | undefined
  limit: number
}

/** The rows of a page, and where it ended; undefined when nothing follows. */
export interface Page {
  rows: number[]
  end: Position | undefined
}

/** Rows of which the first are found by comparing sooner than by walking along the order. */
const fewRows = 8_192
/** Rows that are tested one by one before every row is looked at: most pages are full by then. */
const patience = 2_048

/** `catalog.prepare(sort)` comes first. */
export function pageOf(catalog: Catalog, selection: Selection, query: PageQuery): Page {
  const order = catalog.order(query.sort)
  const found = selection.among ? chosen(catalog, selection, { order, query }) : walked(catalog, selection, { order, query })
  const rows = found.slice(0, query.limit)
  const last = found.length > query.limit ? rows.at(-1) : undefined
  return { rows, end: last === undefined ? undefined : { value: order.valueOf(last), id: catalog.entries.ids[last] as number } }
}

interface Along {
  order: Order
  query: PageQuery
}

function walked(catalog: Catalog, selection: Selection, along: Along): number[] {
  const { order, query } = along
  const walk = new Walk(order, order.beyond(query.after, query.isDescending), query.limit + 1)
  const isOver = walk.go((row) => selection.filters.every((filter) => filter.passes(row)), patience)
  return isOver ? walk.found : chosen(catalog, selection, along)
}

function chosen(catalog: Catalog, selection: Selection, { order, query }: Along): number[] {
  const { after, isDescending, limit } = query
  const { rows, fails } = passing(catalog, selection)
  if (rows.length <= fewRows) {
    const left = after ? rows.filter((row) => order.isBeyond(row, after, isDescending)) : rows
    return firstOf(left, order.comparing(isDescending), limit + 1)
  }
  const walk = new Walk(order, order.beyond(after, isDescending), limit + 1)
  walk.go((row) => fails[row] === 0, Number.POSITIVE_INFINITY)
  return walk.found
}

/** The first `most` in order. Most rows are compared with the last of them only. */
export function firstOf(rows: Uint32Array, compare: Compare, most: number): number[] {
  const first: number[] = []
  for (const row of rows) {
    if (first.length === most && compare(row, first[most - 1] as number) > 0) continue
    let index = first.length
    while (index > 0 && compare(first[index - 1] as number, row) > 0) index--
    first.splice(index, 0, row)
    if (first.length > most) first.pop()
  }
  return first
}

/** A walk along an order. */
class Walk {
  readonly found: number[] = []
  readonly #rows: Uint32Array
  readonly #stretches: Stretch[]
  readonly #most: number

  constructor({ rows }: Order, stretches: Stretch[], most: number) {
    this.#rows = rows
    this.#stretches = stretches
    this.#most = most
  }

  /** Whether it is over: enough is found, or nothing is left. */
  go(isIn: (row: number) => boolean, steps: number): boolean {
    let left = steps
    for (const { first, past, step } of this.#stretches) {
      for (let index = first; index !== past; index += step) {
        if (this.found.length === this.#most) return true
        if (left-- === 0) return false
        const row = this.#rows[index] as number
        if (isIn(row)) this.found.push(row)
      }
    }
    return true
  }
}
