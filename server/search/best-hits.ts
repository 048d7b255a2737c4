/** The best of what a question found: at most a thousand, by weight, then by name and id (spec 4.2, 8). */
import { limits } from '../../contract/limits.ts'
import type { Catalog } from './catalog.ts'
import type { Hits } from './postings.ts'
import { failing, type Selection } from './selection.ts'

/** Where a page of ranked answers ended. */
export interface RankedPlace {
  weight: number
  name: string
  id: number
}

export interface RankedPage {
  hits: { row: number; position: number; weight: number }[]
  end: RankedPlace | undefined
}

/** Rows of one weight that are sorted sooner than looked for along the order of all names. */
const fewRows = 2_048

export function rankedPage(
  catalog: Catalog,
  { hits, selection }: { hits: Hits; selection: Selection },
  { after, limit }: { after: RankedPlace | undefined; limit: number },
): RankedPage {
  const order = catalog.order('name')
  const isBeyond = ({ row, weight }: { row: number; weight: number }) =>
    after === undefined ||
    weight < after.weight ||
    (weight === after.weight && order.isBeyond(row, { value: after.name, id: after.id }, false))
  const found = bestOf(catalog, hits, selection).filter(isBeyond)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const end = last && { weight: last.weight, name: catalog.names.valueOf(last.row), id: catalog.entries.ids[last.row] as number }
  return { hits: page, end }
}

interface Hit {
  row: number
  position: number
  weight: number
}

/** Counting the rows of each weight tells the one at which the thousand are full; its rows go by name, those above it all come in. */
function bestOf(catalog: Catalog, hits: Hits, selection: Selection): Hit[] {
  const isIn = membership(catalog, hits, selection)
  const perWeight = new Uint32Array(65_536)
  const passing = new Uint32Array(hits.rows.length)
  let count = 0
  for (let position = 0; position < hits.rows.length; position++) {
    if (!isIn(hits.rows[position] as number)) continue
    const weight = hits.weights[position] as number
    perWeight[weight] = (perWeight[weight] as number) + 1
    passing[count++] = position
  }
  let [lowest, room] = [perWeight.length - 1, limits.ranked as number]
  for (; lowest > 0 && room > (perWeight[lowest] as number); lowest--) room -= perWeight[lowest] as number
  const best = passing.subarray(0, count).filter((position) => (hits.weights[position] as number) > lowest)
  const last = passing.subarray(0, count).filter((position) => hits.weights[position] === lowest)
  const order = catalog.order('name')
  return [...best, ...firstByName(catalog, hits, { positions: last, most: room })]
    .map((position) => ({ row: hits.rows[position] as number, position, weight: hits.weights[position] as number }))
    .sort((a, b) => b.weight - a.weight || order.compare(a.row, b.row))
}

function membership(catalog: Catalog, { rows }: Hits, selection: Selection): (row: number) => boolean {
  if (selection.among === rows && rows.length * 8 < catalog.entries.end)
    return (row) => selection.filters.every((filter) => filter.passes(row))
  const fails = failing(catalog, selection)
  return (row) => fails[row] === 0
}

function firstByName(
  catalog: Catalog,
  { rows }: Hits,
  { positions, most }: { positions: Uint32Array; most: number },
): Iterable<number> {
  if (positions.length <= most) return positions
  const order = catalog.order('name')
  if (positions.length <= fewRows)
    return positions.sort((a, b) => order.compare(rows[a] as number, rows[b] as number)).subarray(0, most)
  const positionOf = new Int32Array(catalog.entries.end).fill(-1)
  for (const position of positions) positionOf[rows[position] as number] = position
  const first: number[] = []
  for (let place = 0; first.length < most; place++) {
    const position = positionOf[order.rows[place] as number] as number
    if (position >= 0) first.push(position)
  }
  return first
}
