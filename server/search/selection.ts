/** Which rows of a catalog a question is about, and a page of them in one order. */
import type { Catalog, SortName } from './catalog.ts'
import { type Filter, outside } from './filters.ts'
import type { Order, Place, Stretch } from './orders.ts'

/** For as long as nobody else has a turn. */
export interface Selection {
  filters: readonly Filter[]
  /** Only these rows, each once, where there is such a list. */
  among: Uint32Array | undefined
}

export interface Wanted {
  sort: SortName
  isDescending: boolean
  after: Place | undefined
  limit: number
}

/** The rows of a page, and where it ended; undefined when nothing follows. */
export interface Page {
  rows: number[]
  end: Place | undefined
}

/** Rows that are sorted for one page sooner than looked for among all. */
const fewRows = 4_096
/** Rows that are asked one by one before every row is looked at: most pages are full by then. */
const patience = 2_048

/** `catalog.prepare(sort)` comes first. */
export function pageOf(catalog: Catalog, selection: Selection, wanted: Wanted): Page {
  const order = catalog.order(wanted.sort)
  const isFew = selection.among !== undefined && selection.among.length <= fewRows
  const found = isFew ? sorted(order, selection, wanted) : walked(catalog, selection, { order, wanted })
  const rows = found.slice(0, wanted.limit)
  const last = found.length > wanted.limit ? rows.at(-1) : undefined
  return { rows, end: last === undefined ? undefined : { value: order.valueOf(last), id: catalog.entries.ids[last] as number } }
}

function sorted(order: Order, { among, filters }: Selection, { after, isDescending, limit }: Wanted): number[] {
  const isIn = (row: number) =>
    filters.every((filter) => filter.passes(row)) && (after === undefined || order.isBeyond(row, after, isDescending))
  return [...(among ?? [])]
    .filter(isIn)
    .sort(order.comparing(isDescending))
    .slice(0, limit + 1)
}

function walked(catalog: Catalog, selection: Selection, { order, wanted }: { order: Order; wanted: Wanted }): number[] {
  const { filters, among } = selection
  const walk = new Walk(order, order.beyond(wanted.after, wanted.isDescending), wanted.limit + 1)
  const only = among && failing(catalog, { among, filters: [] })
  const isIn = (row: number) => (only === undefined || only[row] === 0) && filters.every((filter) => filter.passes(row))
  if (walk.go(isIn, patience)) return walk.found
  const fails = failing(catalog, selection)
  walk.go((row) => fails[row] === 0, Number.POSITIVE_INFINITY)
  return walk.found
}

/** Of every row: 0 when it is in, else the bits of what it fails. */
export function failing(catalog: Catalog, { filters, among }: Selection): Uint16Array {
  const fails = new Uint16Array(catalog.entries.end)
  if (among) {
    fails.fill(outside)
    for (const row of among) fails[row] = 0
  }
  for (const filter of filters) filter.sweep(fails)
  return fails
}

/** A walk along an order that can be taken up again. */
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
    for (const stretch of this.#stretches) {
      for (; stretch.first !== stretch.past; stretch.first += stretch.step) {
        if (this.found.length === this.#most) return true
        if (left-- === 0) return false
        const row = this.#rows[stretch.first] as number
        if (isIn(row)) this.found.push(row)
      }
    }
    return true
  }
}
