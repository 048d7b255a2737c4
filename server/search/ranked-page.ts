/** A page of the best that a question found: at most a thousand, by weight, then by name and id (spec 4.2, 8). */

import { limits } from '../../contract/limits.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Order, Position } from './catalog/orders.ts'
import { firstOf } from './page.ts'
import { failing, type Selection } from './selection.ts'
import type { Scored } from './words/scoring.ts'
import type { Hits } from './words/word-index.ts'

/** Where a page of ranked answers ended. */
export interface RankedPosition extends Position {
  weight: number
  /** Hits up to here, of which at most `limits.ranked` are listed. */
  seen: number
}

export interface RankedHit {
  row: number
  weight: number
}

/** The hits of a page, and where it ended; undefined when nothing follows. */
export interface RankedPage {
  hits: RankedHit[]
  /** On all pages, and behind the best. */
  total: number
  end: RankedPosition | undefined
}

/** `catalog.prepare('name')` comes first. */
export function rankedPage(
  catalog: Catalog,
  { hits, selection }: { hits: Hits; selection: Selection },
  { after, limit }: { after: RankedPosition | undefined; limit: number },
): RankedPage {
  const order = catalog.order('name')
  const seen = after?.seen ?? 0
  const most = Math.max(0, Math.min(limit, limits.ranked - seen))
  const passed = passing(catalog, hits, selection)
  const total = passed.rows.length
  const classes = new WeightClasses(order, passed, catalog.entries.end)
  const found = classes.best(most + 1, after)
  const page = found.slice(0, most)
  const last = page.at(-1)
  if (!last || found.length <= most || seen + most >= limits.ranked) return { hits: page, total, end: undefined }
  const position = { value: order.valueOf(last.row), id: catalog.entries.ids[last.row] as number }
  return { hits: page, total, end: { ...position, weight: last.weight, seen: seen + most } }
}

/** From this share of the rows on it is quicker to ask every row at once than each hit by itself. */
const denseShare = 1 / 8

/** The hits that the selection leaves; without a branch for each, as nobody guesses which those are. */
function passing(catalog: Catalog, hits: Scored, { filters, among }: Selection): Scored {
  const others = among === hits.rows ? undefined : among
  const isDense = others !== undefined || hits.rows.length > catalog.entries.end * denseShare
  const fails = isDense ? failing(catalog, { filters, among: others }) : undefined
  const rows = new Uint32Array(hits.rows.length)
  const weights = new Uint16Array(hits.rows.length)
  let kept = 0
  for (let at = 0; at < hits.rows.length; at++) {
    const row = hits.rows[at] as number
    rows[kept] = row
    weights[kept] = hits.weights[at] as number
    kept += Number(fails ? fails[row] === 0 : filters.every((filter) => filter.passes(row)))
  }
  return { rows: rows.subarray(0, kept), weights: weights.subarray(0, kept) }
}

/** To compare two names takes as long as so many steps along the order of all names. */
const stepsPerComparison = 64

/** Hits by what they weigh. Weights are small numbers, so that the best classes are found by counting. */
class WeightClasses {
  readonly #order: Order
  readonly #hits: Scored
  readonly #counts: Uint32Array
  /** Rows of the catalog. */
  readonly #end: number

  constructor(order: Order, hits: Scored, end: number) {
    this.#order = order
    this.#hits = hits
    this.#end = end
    this.#counts = countsOf(hits.weights)
  }

  /** So many of the best, after a position where there is one. */
  best(count: number, after: RankedPosition | undefined): RankedHit[] {
    const found = after ? this.#first(after.weight, count, after) : []
    const top = Math.min(after?.weight ?? this.#counts.length, this.#counts.length)
    let last = top
    let counted = found.length
    while (last > 1 && counted + (this.#counts[last - 1] as number) <= count) counted += this.#counts[--last] as number
    found.push(...this.#between(last, top))
    if (last > 1 && found.length < count) found.push(...this.#first(last - 1, count - found.length))
    return found
  }

  /** All of the classes from one up to, not including, another: few. */
  #between(from: number, to: number): RankedHit[] {
    const { rows, weights } = this.#hits
    const found: RankedHit[] = []
    if (from < to) {
      for (let at = 0; at < rows.length; at++) {
        const weight = weights[at] as number
        if (weight >= from && weight < to) found.push({ row: rows[at] as number, weight })
      }
    }
    return found.sort((a, b) => b.weight - a.weight || this.#order.compare(a.row, b.row))
  }

  /** The first of one class by name, after a position where there is one. */
  #first(weight: number, most: number, after?: Position): RankedHit[] {
    const count = this.#counts[weight] ?? 0
    if (count === 0 || most <= 0) return []
    const rows = this.#classOf(weight, count)
    const isSoonCompared = count * stepsPerComparison < (most * this.#end) / count
    const found = isSoonCompared ? this.#compared(rows, most, after) : this.#walked(rows, most, after)
    return found.map((row) => ({ row, weight }))
  }

  #classOf(weight: number, count: number): Uint32Array {
    const { rows, weights } = this.#hits
    const found = new Uint32Array(count)
    let next = 0
    for (let at = 0; next < count; at++) if (weights[at] === weight) found[next++] = rows[at] as number
    return found
  }

  #compared(rows: Uint32Array, most: number, after: Position | undefined): number[] {
    const left = after ? rows.filter((row) => this.#order.isBeyond(row, after, false)) : rows
    return firstOf(left, this.#order.compare, most)
  }

  #walked(rows: Uint32Array, most: number, after: Position | undefined): number[] {
    const isIn = new Uint8Array(this.#end)
    for (const row of rows) isIn[row] = 1
    const found: number[] = []
    for (const { first, past } of this.#order.beyond(after, false)) {
      for (let at = first; at < past && found.length < most; at++) {
        const row = this.#order.rows[at] as number
        if (isIn[row] === 1) found.push(row)
      }
    }
    return found
  }
}

function countsOf(weights: Uint16Array): Uint32Array {
  let highest = 0
  for (let at = 0; at < weights.length; at++) highest = Math.max(highest, weights[at] as number)
  const counts = new Uint32Array(highest + 1)
  for (let at = 0; at < weights.length; at++) {
    const weight = weights[at] as number
    counts[weight] = (counts[weight] as number) + 1
  }
  return counts
}
