/** A page of entries, and how it is put together from what is written of each entry. */
import type { EntrySummary } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { WrittenJson } from '../../serving/written-json.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import type { Sql } from '../database/sql.ts'
import { selectEntries } from '../rows/entry.ts'
import type { Catalog } from './catalog/catalog.ts'

/** What only a ranked answer says of an entry. */
type Ranked = Pick<EntrySummary, 'score' | 'matched' | 'reason'>

/** What a page of a list is made of, before the database is asked what its entries look like. */
export interface ListPage {
  rows: ({ id: number } & Ranked)[]
  next_cursor: string | null
  total: number
}

/** A row among the best, which are ranked by `rank`, higher is better, then by id. */
export interface BestRow extends Ranked {
  id: number
  /** A whole number. */
  rank: number
}

interface BestPage {
  total: number
  /** What the cursors are made for. */
  bound: readonly unknown[]
  cursor?: string | undefined
  limit?: number | undefined
}

/** A page of the best, at most `limits.ranked` on all pages together. */
export function pageOfBest(best: readonly BestRow[], { total, bound, cursor, limit = limits.page.default }: BestPage): ListPage {
  const at = cursor === undefined ? undefined : fromCursor(bound, cursor, ['id', 'id', 'id'])
  const [seen, rank, id] = at ?? [0, Number.POSITIVE_INFINITY, 0]
  const left = best.filter((row) => row.rank < rank || (row.rank === rank && row.id > id))
  const most = Math.max(0, Math.min(limit, limits.ranked - seen))
  const page = left.slice(0, most)
  const last = page.at(-1)
  const isMore = last !== undefined && left.length > most && seen + most < limits.ranked
  return {
    rows: page.map(({ rank: _, ...row }) => row),
    next_cursor: isMore ? toCursor(bound, [seen + most, last.rank, last.id]) : null,
    total,
  }
}

interface Answering {
  sql: Sql
  workspace: { id: number }
}

/** The entries of a page, as they are written. */
export async function textsOf({ sql, workspace }: Answering, catalog: Catalog, { rows }: ListPage): Promise<Buffer[]> {
  const texts = await catalog.texts.of(
    rows.map(({ id }) => id),
    (missing) => selectEntries(sql, { workspaceId: workspace.id, ids: missing }),
  )
  return rows.flatMap(({ id, ...more }) => withMore(texts.get(id), more))
}

/** What is written of an entry, with what only this answer says of it; nothing of one that was deleted meanwhile. */
function withMore(text: Buffer | undefined, more: Ranked): Buffer[] {
  if (!text) return []
  return [
    more.score === undefined ? text : Buffer.concat([text.subarray(0, -1), comma, Buffer.from(JSON.stringify(more).slice(1))]),
  ]
}

/** `{"entries":[…], …rest}`. */
export function listOfTexts(texts: readonly Buffer[], rest: Record<string, unknown>): WrittenJson {
  const parts = texts.flatMap((text, at) => (at === 0 ? [text] : [comma, text]))
  return new WrittenJson(Buffer.concat([opening, ...parts, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)]))
}

const opening = Buffer.from('{"entries":[')
const comma = Buffer.from(',')
