/** Ranks the entries of a selection by how they look. */
import type { Look } from '../../looks/embedder.ts'
import type { RoundedLook } from '../../looks/rounding.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Matching } from '../query.ts'
import { failing, passing, type Selection } from '../selection.ts'
import { bestOf, type LikeHit, type Likened } from './best.ts'
import type { Vectors } from './vectors.ts'

export interface LookRanking {
  /** The most like first. */
  best: LikeHit[]
  /** How many were ranked, also behind the best. */
  total: number
  /** What they were ranked among. */
  among: Matching
}

interface Ranking {
  vectors: Vectors
  /** The views of a picture. */
  questions: readonly (Look | RoundedLook)[]
  /** Of the catalog as it is when this is called: once, and again where the catalog changes while a large library is scanned. */
  select(): Matching
  /** An entry is not like itself. */
  without?: number | undefined
  /** Less like ones are left out. */
  least: number
  most: number
}

/** So many are compared at once; a scan of more is interrupted for others. */
const atOnce = 131_072

/** Few of many are picked out; else everything is scanned, which is quicker for each. */
const pickedShare = 1 / 4

/** Good until the next turn of the event loop. */
export async function rankByLook(catalog: Catalog, ranking: Ranking): Promise<LookRanking> {
  const { among, likened } = await likenedTo(catalog, ranking)
  return { best: bestOf(likened, catalog.entries.ids, ranking.most), total: likened.rows.length, among }
}

async function likenedTo(
  catalog: Catalog,
  { vectors, questions, select, without, least }: Ranking,
): Promise<{ among: Matching; likened: Likened }> {
  const found = select()
  const kept = (): Kept => ({ without: without === undefined ? undefined : catalog.entries.find(without), least })
  const rows = pickedRows(catalog, vectors, found.selection)
  if (rows) return { among: found, likened: keep(picked(vectors, rows, questions), kept()) }
  const { changes } = catalog
  const likenesses = await vectors.scan(questions)
  const among = catalog.changes === changes ? found : select()
  return { among, likened: scanned(catalog, { vectors, likenesses, selection: among.selection, kept: kept() }) }
}

/** The rows of a selection that leaves so few that they are compared one by one. */
function pickedRows(catalog: Catalog, vectors: Vectors, selection: Selection): Uint32Array | undefined {
  const few = Math.min(atOnce, vectors.count * pickedShare)
  const { filters, among } = selection
  if (among && among.length <= few) return among.filter((row) => filters.every((filter) => filter.passes(row)))
  if (leavesMost(catalog, selection)) return undefined
  const { rows } = passing(catalog, selection)
  return rows.length <= few ? rows : undefined
}

const samples = 256

/** By a sample: looking at every row, only to learn that they are too many, would be done again after the scan. */
function leavesMost({ entries: { end } }: Catalog, { filters, among }: Selection): boolean {
  const step = Math.max(1, Math.floor((among?.length ?? end) / samples))
  let [seen, passed] = [0, 0]
  for (let index = 0; index < (among?.length ?? end); index += step) {
    const row = among ? (among[index] as number) : index
    seen++
    passed += Number(filters.every((filter) => filter.passes(row)))
  }
  return passed > seen / 2 && (among?.length ?? end) > end / 2
}

function picked(vectors: Vectors, rows: Uint32Array, questions: readonly (Look | RoundedLook)[]): Likened {
  const withLook = rows.filter((row) => vectors.find(row) !== undefined)
  const numbers = withLook.map((row) => vectors.find(row) ?? 0)
  return { rows: withLook, likenesses: vectors.compare(numbers, questions) }
}

/** What is listed at all. */
interface Kept {
  /** A row. */
  without: number | undefined
  least: number
}

interface Scanned {
  vectors: Vectors
  likenesses: Int32Array
  selection: Selection
  kept: Kept
}

function scanned(catalog: Catalog, { vectors, likenesses, selection, kept: { without, least } }: Scanned): Likened {
  const fails = failing(catalog, selection)
  const { rows: rowOf, count } = vectors
  const likened: Likened = { rows: new Uint32Array(count), likenesses: new Int32Array(count) }
  let kept = 0
  for (let number = 0; number < count; number++) {
    const [row, likeness] = [rowOf[number] as number, likenesses[number] as number]
    likened.rows[kept] = row
    likened.likenesses[kept] = likeness
    kept += Number(fails[row] === 0 && row !== without && likeness >= least)
  }
  return first(likened, kept)
}

/** In their place. */
function keep(likened: Likened, { without, least }: Kept): Likened {
  const { rows, likenesses } = likened
  let kept = 0
  for (let index = 0; index < rows.length; index++) {
    const [row, likeness] = [rows[index] as number, likenesses[index] as number]
    rows[kept] = row
    likenesses[kept] = likeness
    kept += Number(row !== without && likeness >= least)
  }
  return first(likened, kept)
}

const first = ({ rows, likenesses }: Likened, count: number): Likened => ({
  rows: rows.subarray(0, count),
  likenesses: likenesses.subarray(0, count),
})
