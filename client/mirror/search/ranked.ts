/**
 * Entries that say a question, and what each is worth: the words are weighed as the server weighs them (words/field-weights.ts), by the
 * index alone. One thing is told more roughly: several words that together say a typed one count as whole only where the text ends there
 * (`earthcore` in `Old EarthCore`, not in `EarthCore Old`).
 */
import type Database from 'better-sqlite3'
import type { EntrySummary } from '../../../contract/entries.ts'
import { begunShare, bestWeight, fieldWeights } from '../../../words/field-weights.ts'
import { absent, findIn, toPattern } from '../../../words/folded-text.ts'
import type { Clause, Question } from '../../../words/query-words.ts'
import { wordsOf } from '../../../words/tokenizer.ts'
import { queryOf, wholeNameQuery } from '../tokens.ts'
import { type Condition, whereOf } from './filters.ts'
import { exclude, holds, intersect, noneWeighed, only, raise, unite, type Weighed } from './weighed.ts'

/** Comments are not in a mirror. */
const fields = ['name', 'category', 'tags', 'pack'] as const

export interface RankedHits {
  /** Ascending. */
  ids: Float64Array
  /** The best so many; those that are worth the same by name. */
  best(count: number): { id: number; score: number }[]
}

interface Among {
  conditions: readonly Condition[]
  withDeprecated: boolean
}

export function rankedHits(
  db: Database.Database,
  question: Question,
  { conditions, withDeprecated }: Among = { conditions: [], withDeprecated: true },
): RankedHits {
  const clauses = question.clauses.map((clause) => weigh(db, clause))
  const all = clauses.reduce(intersect)
  const left = passing(db, withDeprecated ? all : exclude(all, deprecatedIds(db)), conditions)
  const words = question.clauses.flatMap(({ words: some }) => some)
  raise(left, idsOf(db, wholeNameQuery(words)), 1)
  const most = bestWeight(question.wordCount)
  return { ids: left.ids, best: (count) => best(db, left, count).map(({ id, weight }) => ({ id, score: weight / most })) }
}

const idsOf = (db: Database.Database, query: string): number[] =>
  db.prepare('select rowid from words where words match ? order by rowid').pluck().all(query) as number[]

const deprecatedIds = (db: Database.Database): number[] =>
  db.prepare('select id from entries where is_deprecated order by id').pluck().all() as number[]

/** Every entry that says a clause, by the best of its fields. */
function weigh(db: Database.Database, clause: Clause): Weighed {
  const query = queryOf(clause)
  let found = noneWeighed
  for (const field of fields) {
    const weight = fieldWeights[field] * clause.words.length
    if (query.begun !== undefined) found = unite(found, idsOf(db, `${field} : ${query.begun}`), weight * begunShare)
    found = unite(found, idsOf(db, `${field} : ${query.whole}`), weight)
  }
  return query.isRough ? only(found, (id) => says(db, id, clause)) : found
}

function says(db: Database.Database, id: number, clause: Clause): boolean {
  return textsOf(db, id).some(([, text]) => isSaid(text, clause))
}

function isSaid(text: string, { words, open }: Clause): boolean {
  const bytes = Buffer.from(wordsOf(text).join(' '))
  return findIn({ bytes, from: 0, to: bytes.length }, toPattern(words, open)) !== absent
}

/** What an entry says, with the field that says it. */
function textsOf(db: Database.Database, id: number, known?: EntrySummary): [(typeof fields)[number], string][] {
  const row = db.prepare('select summary, tags from records where id = ?').get(id) as
    | { summary: string; tags: string }
    | undefined
  if (!row) return []
  const { name, category, pack } = known ?? (JSON.parse(row.summary) as EntrySummary)
  const tags = JSON.parse(row.tags) as { name: string }[]
  return [
    ['name', name],
    ...(category === null ? [] : [['category', category] as ['category', string]]),
    ...tags.map((tag) => ['tags', tag.name] as ['tags', string]),
    ['pack', pack.name],
  ]
}

/** Where it says what was asked, strongest first. */
export function matchedFields(db: Database.Database, entry: EntrySummary, { clauses }: Question): (typeof fields)[number][] {
  const texts = textsOf(db, entry.id, entry)
  const saying = new Set(texts.flatMap(([field, text]) => (clauses.some((clause) => isSaid(text, clause)) ? field : [])))
  return fields.filter((field) => saying.has(field))
}

/** So many ids are sooner looked up than the whole table is asked. */
const few = 5000

function passing(db: Database.Database, hits: Weighed, conditions: readonly Condition[]): Weighed {
  if (conditions.length === 0) return hits
  const { sql, values } = whereOf(conditions)
  const among = hits.ids.length <= few ? 'and id in (select value from json_each(?))' : ''
  const given = among === '' ? values : [...values, JSON.stringify([...hits.ids])]
  const ids = db
    .prepare(`select id from entries where ${sql} ${among} order by id`)
    .pluck()
    .all(...given) as number[]
  return intersect(hits, { ids: Float64Array.from(ids), weights: new Uint16Array(ids.length) })
}

interface Hit {
  id: number
  weight: number
}

/** Whole classes of one weight first; of the last class those that come first by name. */
function best(db: Database.Database, hits: Weighed, count: number): Hit[] {
  const classes = [...new Set(hits.weights)].sort((a, b) => b - a)
  const found: Hit[] = []
  for (const weight of classes) {
    if (found.length >= count) break
    const ids = hits.ids.filter((_, at) => hits.weights[at] === weight)
    for (const id of firstByName(db, ids, count - found.length)) found.push({ id, weight })
  }
  return found
}

/** Looking up a name takes about as long as so many steps along all names. */
const stepsPerName = 4

/** Along all names for as long as looking them all up would take: those that are asked for may stand at the end. */
function firstByName(db: Database.Database, ids: Float64Array, count: number): number[] {
  const most = Math.min(count, ids.length)
  const found: number[] = []
  const names = db.prepare('select id from entries order by name_key, id limit ?').pluck()
  for (const id of names.iterate(ids.length * stepsPerName) as Iterable<number>) {
    if (!holds(ids, id)) continue
    if (found.push(id) === most) return found
  }
  const named = 'select e.id from json_each(?) j join entries e on e.id = j.value order by e.name_key, e.id limit ?'
  return db
    .prepare(named)
    .pluck()
    .all(JSON.stringify([...ids]), count) as number[]
}
