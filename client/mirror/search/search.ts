/** GET /entries as a mirror answers it: filters, words, orders and pages as the server has them (spec 4.2). */
import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { EntrySummary } from '../../../contract/entries.ts'
import { validationError } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import { toQuestion } from '../../../words/query-words.ts'
import type { EntryPage, EntryQuestion } from '../../entries/pages.ts'
import type { Mirror } from '../mirror.ts'
import { type Condition, conditionsOf, notDeprecated, whereOf } from './filters.ts'
import { matchedFields, rankedHits } from './ranked.ts'

export type ListQuestion = EntryQuestion & { limit?: number; cursor?: string }

type SortName = Exclude<NonNullable<EntryQuestion['sort']>, 'relevance'>

const columns: Record<SortName, string> = {
  name: 'name_key',
  date_indexed: 'date_indexed',
  date_updated: 'date_updated',
  blob_size: 'blob_size',
  tri_count: 'tri',
}

/** One page. Throws ClientError `NO_MIRROR`, `NOT_OFFLINE`; ApiError `VALIDATION` as the server does. */
export function searchMirror(mirror: Mirror, question: ListQuestion): EntryPage & { total: number } {
  return mirror.guard(() => {
    const db = mirror.loaded
    const asked = question.q === undefined ? undefined : toQuestion(question.q)
    const conditions = conditionsOf(db, question)
    const active = question.include_deprecated ? [] : [notDeprecated]
    const bound = createHash('sha256')
      .update(JSON.stringify({ ...question, limit: 0, cursor: '' }))
      .digest('base64url')
      .slice(0, 8)
    const at = question.cursor === undefined ? undefined : readCursor(question.cursor, bound)
    const sort = question.sort ?? (asked ? 'relevance' : 'name')
    if (sort !== 'relevance' && question.min_score !== undefined)
      throw validationError([{ path: 'min_score', message: 'goes with relevance only: with words in q' }])
    if (sort === 'relevance') {
      if (!asked) throw validationError([{ path: 'sort', message: 'relevance needs words in q' }])
      return rankedPage(db, { question, asked, conditions, at, bound })
    }
    const found = asked ? [wordCondition(db, asked)] : []
    return sortedPage(db, { question, sort, at, bound, conditions: [...conditions, ...active, ...found] })
  })
}

interface PageQuestion {
  question: ListQuestion
  conditions: readonly Condition[]
  at: readonly (string | number | null)[] | undefined
  bound: string
}

/** Ids that are many come as one value. */
export const wordCondition = (db: Database.Database, asked: NonNullable<ReturnType<typeof toQuestion>>): Condition => ({
  sql: 'id in (select value from json_each(?))',
  values: [JSON.stringify([...rankedHits(db, asked).ids])],
})

function sortedPage(db: Database.Database, { question, sort, conditions, at, bound }: PageQuestion & { sort: SortName }) {
  const { order = 'asc', limit = limits.page.default } = question
  const column = columns[sort]
  const where = whereOf(conditions)
  const total = db
    .prepare(`select count(*) from entries where ${where.sql}`)
    .pluck()
    .get(...where.values) as number
  const page = pageOf(db, { where, column, order, beyond: at && behind(column, order, at), count: limit + 1 })
  const rows = page.slice(0, limit)
  const last = rows.at(-1)
  const next_cursor = page.length > limit && last ? writeCursor(bound, [last.value, last.id]) : null
  const entries = summariesOf(
    db,
    rows.map(({ id }) => id),
  )
  return { entries, next_cursor, total }
}

interface Sorted {
  where: Condition
  column: string
  order: 'asc' | 'desc'
  beyond: Condition | undefined
  count: number
}

/** So many of an order are looked at before all that pass are sorted instead. */
const lookedAtFirst = 1000

/** Most pages lie at the beginning of their order; one that does not may lie behind all others. */
function pageOf(db: Database.Database, { where, column, order, beyond, count }: Sorted) {
  // Those without a value come last, whichever way the others go.
  const by = (key: string) => (order === 'asc' ? `${key} asc nulls last, id asc` : `${key} desc, id desc`)
  const rest = beyond?.sql ?? 'true'
  const near = `select * from entries where ${rest} order by ${by(column)} limit ${lookedAtFirst}`
  const values = beyond?.values ?? []
  const first = db
    .prepare(`select id, ${column} as value from (${near}) where ${where.sql} order by ${by(column)} limit ?`)
    .all(...values, ...where.values, count) as SortedRow[]
  if (first.length === count) return first
  return db
    .prepare(`select id, ${column} as value from entries where ${where.sql} and ${rest} order by ${by(`+${column}`)} limit ?`)
    .all(...where.values, ...values, count) as SortedRow[]
}

interface SortedRow {
  id: number
  value: string | number | null
}

/** Behind a value and an id, where what has no value comes last. */
function behind(column: string, order: 'asc' | 'desc', [value = null, id = 0]: readonly (string | number | null)[]): Condition {
  const than = order === 'asc' ? '>' : '<'
  if (value === null) return { sql: `(${column} is null and id ${than} ?)`, values: [id] }
  return { sql: `((${column}, id) ${than} (?, ?) or ${column} is null)`, values: [value, id] }
}

function rankedPage(
  db: Database.Database,
  { question, asked, conditions, at, bound }: PageQuestion & { asked: NonNullable<ReturnType<typeof toQuestion>> },
) {
  const limit = question.limit ?? limits.page.default
  const seen = Number(at?.[0] ?? 0)
  const hits = rankedHits(db, asked, { conditions, withDeprecated: question.include_deprecated === true })
  const { min_score: least } = question
  const reaching = least === undefined ? undefined : hits.best(hits.ids.length).filter(({ score }) => score >= least)
  const total = reaching?.length ?? hits.ids.length
  const most = Math.min(seen + limit, limits.ranked)
  const best = (reaching ?? hits.best(most)).slice(seen, most)
  const scores = new Map(best.map(({ id, score }) => [id, score]))
  const entries = summariesOf(
    db,
    best.map(({ id }) => id),
  ).map((entry) => {
    const matched = matchedFields(db, entry, asked)
    return { ...entry, score: scores.get(entry.id) ?? 0, matched, reason: { words: matched, looks: null } }
  })
  const isMore = most < Math.min(total, limits.ranked)
  return { entries, next_cursor: isMore ? writeCursor(bound, [most]) : null, total }
}

/** In the order of the ids. */
export function summariesOf(db: Database.Database, ids: readonly number[]): EntrySummary[] {
  const read = db.prepare('select summary from records where id = ?').pluck()
  return ids.flatMap((id) => {
    const text = read.get(id) as string | undefined
    return text === undefined ? [] : (JSON.parse(text) as EntrySummary)
  })
}

const writeCursor = (bound: string, position: readonly (string | number | null)[]): string =>
  Buffer.from(JSON.stringify([`offline ${bound}`, ...position])).toString('base64url')

function readCursor(cursor: string, bound: string): (string | number | null)[] {
  const [mark, ...position] = contentOf(cursor)
  if (mark === `offline ${bound}`) return position
  throw validationError([{ path: 'cursor', message: 'was made for another request, or by the server; start again without it' }])
}

function contentOf(cursor: string): (string | number | null)[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(content) ? content : []
  } catch {
    return []
  }
}
