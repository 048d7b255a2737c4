/** Which rows of a catalog a question is about. */
import type { Catalog } from './catalog/catalog.ts'
import { type Filter, outside } from './filters.ts'

/** Good until the next turn of the event loop. */
export interface Selection {
  filters: readonly Filter[]
  /** Only these rows, each once, where there is such a list. */
  among: Uint32Array | undefined
}

/** One set of arrays for every catalog of this process: questions are worked out one after the other. */
const scratch = { fails: new Uint16Array(0), common: new Uint32Array(0), own: new Uint32Array(0) }

/** Of every row: 0 when it is in, else the bits of the dimensions in which it fails. Good until the next question. */
export function failing({ entries: { end } }: Catalog, { filters, among }: Selection): Uint16Array {
  if (scratch.fails.length < end) scratch.fails = new Uint16Array(Math.ceil(end * 1.25))
  const fails = scratch.fails.subarray(0, end).fill(among ? outside : 0)
  for (const row of among ?? []) fails[row] = 0
  for (const filter of filters) filter.sweep(fails)
  return fails
}

/** The rows that fail in nothing but `bits`, ascending. Good until the next call with the same `buffer`. */
export const rowsFailingOnly = (fails: Uint16Array, bits: number, buffer: 'common' | 'own' = 'common'): Uint32Array =>
  rowsOf(fails, buffer, { bits, others: 0 })

/** All other rows, in the buffer `own`. */
export const rowsFailingElse = (fails: Uint16Array, bits: number): Uint32Array => rowsOf(fails, 'own', { bits, others: 1 })

function rowsOf(fails: Uint16Array, buffer: 'common' | 'own', { bits, others }: { bits: number; others: 0 | 1 }): Uint32Array {
  if (scratch[buffer].length < fails.length) scratch[buffer] = new Uint32Array(Math.ceil(fails.length * 1.25))
  const rows = scratch[buffer]
  let count = 0
  for (let row = 0; row < fails.length; row++) {
    rows[count] = row
    count += Number(((fails[row] as number) & ~bits) === 0) ^ others
  }
  return rows.subarray(0, count)
}

/** Rows that tell how much a filter leaves. */
const samples = 256

/** The rows that pass every filter, and for each row 0 when it does. Good until the next question. */
export function passing(catalog: Catalog, { filters, among }: Selection): { rows: Uint32Array; fails: Uint16Array } {
  const [first, ...others] = byShare(filters, catalog.entries.end)
  const fails = failing(catalog, { filters: first ? [first] : [], among })
  const rows = rowsFailingOnly(fails, 0)
  let count = rows.length
  for (const filter of others) {
    let kept = 0
    for (let index = 0; index < count; index++) {
      const row = rows[index] as number
      const isIn = filter.passes(row)
      if (!isIn) fails[row] = outside
      rows[kept] = row
      kept += Number(isIn)
    }
    count = kept
  }
  return { rows: rows.subarray(0, count), fails }
}

/** How many rows are in. */
export function countOf(catalog: Catalog, { filters, among }: Selection): number {
  if (!among) return passing(catalog, { filters, among }).rows.length
  let count = 0
  for (const row of among) count += Number(filters.every((filter) => filter.passes(row)))
  return count
}

/** Those that leave least first: the first looks at every row, the others at what is left. */
function byShare(filters: readonly Filter[], end: number): Filter[] {
  const step = Math.max(1, Math.floor(end / samples))
  const shareOf = (filter: Filter) => {
    let passed = 0
    for (let row = 0; row < end; row += step) passed += Number(filter.passes(row))
    return passed
  }
  return filters
    .map((filter) => ({ filter, share: shareOf(filter) }))
    .sort((a, b) => a.share - b.share)
    .map(({ filter }) => filter)
}
