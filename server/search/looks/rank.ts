/** Ranks the entries of a selection by how they look. */
import type { Look } from '../../looks/embedder.ts'
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
  questions: readonly Look[]
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
  const { without, least, most } = ranking
  const { among, likened } = await likenedTo(catalog, ranking)
  const kept = keep(likened, { without: without === undefined ? undefined : catalog.entries.find(without), least })
  return { best: bestOf(kept, catalog.entries.ids, most), total: kept.rows.length, among }
}

async function likenedTo(
  catalog: Catalog,
  { vectors, questions, select }: Ranking,
): Promise<{ among: Matching; likened: Likened }> {
  const found = select()
  const rows = pickedRows(catalog, vectors, found.selection)
  if (rows) return { among: found, likened: picked(vectors, rows, questions) }
  const { changes } = catalog
  const likenesses = await vectors.scan(questions)
  const among = catalog.changes === changes ? found : select()
  return { among, likened: scanned(catalog, { vectors, likenesses, selection: among.selection }) }
}

/** The rows of a selection that leaves so few that they are compared one by one. */
function pickedRows(catalog: Catalog, vectors: Vectors, selection: Selection): Uint32Array | undefined {
  const few = Math.min(atOnce, vectors.count * pickedShare)
  const { filters, among } = selection
  if (among && among.length <= few) return among.filter((row) => filters.every((filter) => filter.passes(row)))
  const { rows } = passing(catalog, selection)
  return rows.length <= few ? rows : undefined
}

function picked(vectors: Vectors, rows: Uint32Array, questions: readonly Look[]): Likened {
  const withLook = rows.filter((row) => vectors.find(row) !== undefined)
  const numbers = withLook.map((row) => vectors.find(row) ?? 0)
  return { rows: withLook, likenesses: vectors.compare(numbers, questions) }
}

interface Scanned {
  vectors: Vectors
  likenesses: Int32Array
  selection: Selection
}

function scanned(catalog: Catalog, { vectors, likenesses, selection }: Scanned): Likened {
  const fails = failing(catalog, selection)
  const { rows: rowOf, count } = vectors
  const kept: Likened = { rows: new Uint32Array(count), likenesses: new Int32Array(count) }
  let passed = 0
  for (let number = 0; number < count; number++) {
    const row = rowOf[number] as number
    kept.rows[passed] = row
    kept.likenesses[passed] = likenesses[number] as number
    passed += Number(fails[row] === 0)
  }
  return { rows: kept.rows.subarray(0, passed), likenesses: kept.likenesses.subarray(0, passed) }
}

/** In their place. */
function keep({ rows, likenesses }: Likened, { without, least }: { without: number | undefined; least: number }): Likened {
  let kept = 0
  for (let index = 0; index < rows.length; index++) {
    const [row, likeness] = [rows[index] as number, likenesses[index] as number]
    rows[kept] = row
    likenesses[kept] = likeness
    kept += Number(row !== without && likeness >= least)
  }
  return { rows: rows.subarray(0, kept), likenesses: likenesses.subarray(0, kept) }
}
