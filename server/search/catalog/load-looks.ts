/** Reads the looks of a catalog's entries: all of them when a search first needs them, then those that changed. */
import { inPieces } from '../../../system/event-loop.ts'
import type { EmbedderFacts } from '../../looks/embedder-answers.ts'
import { type PackedLooks, selectLookNews, selectLookRange, selectLooksOf } from '../../rows/look.ts'
import { Vectors } from '../looks/vectors.ts'
import type { Catalog } from './catalog.ts'
import { type Head, readHead, type Source, selectBatchEnds } from './source.ts'

const batchRows = 2_000

/**
 * Gives the catalog its vectors, as they were at some moment after the call, or later: whatever changes meanwhile is brought in by
 * `advanceLooks`, and is not overwritten by what was read before.
 */
export async function loadLooks(source: Source, catalog: Catalog, facts: EmbedderFacts): Promise<void> {
  const vectors = new Vectors(facts)
  vectors.head = (await readHead(source)).looks
  const newer = new Set<number>()
  vectors.newer = newer
  catalog.looks = vectors
  try {
    const { longSql } = source.database
    const ends = [...(await selectBatchEnds(source, batchRows)), Number.MAX_SAFE_INTEGER]
    for (const [index, upTo] of ends.entries()) {
      const range = { of: rowsOf(vectors), after: ends[index - 1] ?? 0, upTo }
      const packed = await selectLookRange(longSql, source.workspaceId, range)
      await takeIn(catalog, packed, { vectors, isKnown: (row) => newer.has(row) })
    }
    vectors.newer = undefined
  } catch (error) {
    if (catalog.looks === vectors) catalog.looks = undefined
    throw error
  }
}

/** After the entries with these ids were taken in: their looks, and what is new of those of others. */
export async function advanceLooks(source: Source, catalog: Catalog, { ids, head }: { ids: readonly number[]; head: Head }) {
  const vectors = catalog.looks
  if (!vectors) return
  const { sql } = source.database
  const news = { embedder: vectors.embedder, after: vectors.head, most: batchRows }
  const { entryIds, read, last } =
    vectors.head < head.looks
      ? await selectLookNews(sql, source.workspaceId, news)
      : { entryIds: [], read: 0, last: vectors.head }
  const changed = [...new Set([...ids, ...entryIds])]
  if (changed.length > 0) {
    const packed = await selectLooksOf(sql, source.workspaceId, { of: rowsOf(vectors), ids: changed })
    const found = new Set(packed.entryIds)
    for (const id of changed) if (!found.has(id)) forget(catalog, vectors, id)
    const isKnown = (row: number) => {
      vectors.newer?.add(row)
      return false
    }
    await takeIn(catalog, packed, { vectors, isKnown })
  }
  // Those of other embedders have numbers, too.
  vectors.head = read < batchRows ? Math.max(vectors.head, head.looks) : last
}

const rowsOf = ({ embedder, vectorBytes }: Vectors) => ({ embedder, vectorBytes })

function forget(catalog: Catalog, vectors: Vectors, id: number): void {
  const row = catalog.entries.find(id)
  if (row === undefined) return
  vectors.remove(row)
  vectors.newer?.add(row)
}

/** Entries that the catalog does not have yet come with the change record that tells of them. */
async function takeIn(
  catalog: Catalog,
  { entryIds, vectors: bytes }: PackedLooks,
  { vectors, isKnown }: { vectors: Vectors; isKnown: (row: number) => boolean },
): Promise<void> {
  const { vectorBytes } = vectors
  await inPieces(entryIds.entries(), ([index, id]) => {
    const row = catalog.entries.find(id)
    if (row !== undefined && !isKnown(row)) vectors.set(row, bytes.subarray(index * vectorBytes, (index + 1) * vectorBytes))
  })
}
