/** The rows of the search benchmark: what is asked of our server and of each contender, and how fast an answer is wanted. */
import type Database from 'better-sqlite3'
import type postgres from 'postgres'
import { type DeepPage, findPage, type PhAsker } from './ask-ph.ts'
import type { Ask } from './latency.ts'
import { levelSize, randomOf } from './props.ts'
import {
  commonWords,
  facetFilters,
  facetStatements,
  type Listing,
  listings,
  pagePath,
  pageStatement,
  placeQuestions,
  rareWords,
  typedWords,
} from './search-questions.ts'

export interface Row {
  question: string
  /** p95 wanted, and at most. */
  wanted: string
  ph: Ask
  /** SQL of each turn, where the question can be put so. */
  sqlite?: (turn: number) => string[]
  postgres?: (turn: number) => string[]
}

/** Of every list. */
export const pageSize = 50
const deepest = 1000
const deepListings = 8

const inTurn = <T>(list: readonly T[], turn: number): T => {
  const one = list[turn % list.length]
  if (one === undefined) throw new Error('a row has no questions')
  return one
}

const fts = (word: string): string => `select rowid from words where words match '${word}*'`
const sqliteSearch = (word: string): string[] => [
  `select e.id, e.name from words w join entry e on e.id = w.rowid where words match '${word}*' order by bm25(words, 8, 4, 2, 1), w.rowid limit ${pageSize}`,
]
const tsv = (word: string): string => `tsv @@ to_tsquery('simple', '${word}:*')`
const postgresSearch = (word: string): string[] => [
  `select id, name from entry where ${tsv(word)} order by ts_rank(tsv, to_tsquery('simple', '${word}:*')) desc, id limit ${pageSize}`,
]

const searchRow = (question: string, wanted: string, { ph, words }: { ph: PhAsker; words: readonly string[] }): Row => ({
  question,
  wanted,
  ph: (turn) => ph.bytes(`/entries?q=${inTurn(words, turn)}&limit=${pageSize}`),
  sqlite: (turn) => sqliteSearch(inTurn(words, turn)),
  postgres: (turn) => postgresSearch(inTurn(words, turn)),
})

/** No contender finds adjoining words written together. */
const typedNames = (ph: PhAsker): Row => ({
  question: 'ranked q, typed as names are',
  wanted: '25 (60) ms',
  ph: (turn) => ph.bytes(`/entries?q=${inTurn(typedWords, turn)}&limit=${pageSize}`),
})

function firstPages(ph: PhAsker): Row {
  const statements = (turn: number): string[] => [pageStatement(inTurn(listings, turn), pageSize)]
  return {
    question: 'filters and sorts, first page',
    wanted: '8 (25) ms',
    ph: (turn) => ph.bytes(`${pagePath(inTurn(listings, turn))}&limit=${pageSize}`),
    sqlite: statements,
    postgres: statements,
  }
}

const places = (ph: PhAsker): Row => ({
  question: 'paths and projects, first page',
  wanted: '25 (100) ms',
  ph: (turn) => ph.bytes(`/entries?${inTurn(placeQuestions, turn)}&limit=${pageSize}`),
})

async function deepPages(ph: PhAsker): Promise<Row | undefined> {
  const found: { listing: Listing; page: DeepPage }[] = []
  // Each takes 250 requests to get there.
  for (const listing of listings.slice(0, deepListings)) {
    const page = await findPage(ph, listing, { number: deepest, size: pageSize })
    if (page) found.push({ listing, page })
  }
  if (found.length === 0) return undefined
  const deep = found.filter(({ page }) => page.number === deepest)
  const asked = deep.length > 0 ? deep : found
  const statements = (turn: number): string[] => {
    const { listing, page } = inTurn(asked, turn)
    return [pageStatement(listing, pageSize, page.behind)]
  }
  return {
    question: deep.length > 0 ? `filters and sorts, page ${deepest}` : 'filters and sorts, last page',
    wanted: '8 (25) ms',
    ph: (turn) => {
      const { listing, page } = inTurn(asked, turn)
      return ph.bytes(`${pagePath(listing)}&limit=${pageSize}${page.cursor}`)
    },
    sqlite: statements,
    postgres: statements,
  }
}

function facetRows(ph: PhAsker): Row[] {
  const wanted = '35 (100) ms'
  const filtered = (turn: number, hasGroupingSets: boolean): string[] =>
    facetStatements({ filters: inTurn(facetFilters, turn), hasGroupingSets })
  const found = (turn: number) => inTurn(commonWords, turn)
  return [
    {
      question: 'facets, whole library',
      wanted,
      ph: () => ph.bytes('/entries/facets'),
      sqlite: () => facetStatements({ filters: [], hasGroupingSets: false }),
      postgres: () => facetStatements({ filters: [], hasGroupingSets: true }),
    },
    {
      question: 'facets under filters',
      wanted,
      ph: (turn) =>
        ph.bytes(
          `/entries/facets?${inTurn(facetFilters, turn)
            .map(({ query }) => query)
            .join('&')}`,
        ),
      sqlite: (turn) => filtered(turn, false),
      postgres: (turn) => filtered(turn, true),
    },
    {
      question: 'facets under q, common prefix',
      wanted,
      ph: (turn) => ph.bytes(`/entries/facets?q=${found(turn)}`),
      sqlite: (turn) => facetStatements({ filters: [], found: `id in (${fts(found(turn))})`, hasGroupingSets: false }),
      postgres: (turn) => facetStatements({ filters: [], found: tsv(found(turn)), hasGroupingSets: true }),
    },
  ]
}

/** Few enough for each to be asked before it counts. */
const mostLevels = 20

function entryRows(ph: PhAsker, entries: number): Row[] {
  const random = randomOf(7)
  const ids = Array.from({ length: 1000 }, () => 1 + Math.floor(random() * entries))
  const levels = Array.from(
    { length: Math.min(mostLevels, Math.max(1, Math.floor(entries / levelSize))) },
    (_, at) => at * levelSize + 20,
  )
  return [
    { question: 'entry detail', wanted: '4 (10) ms', ph: (turn) => ph.bytes(`/entries/${inTurn(ids, turn)}`) },
    {
      question: `closure of ${Math.min(entries, levelSize).toLocaleString('en')} objects`,
      wanted: '30 (100) ms',
      ph: (turn) => ph.bytes(`/entries/${inTurn(levels, turn)}/closure`),
    },
  ]
}

/** No contender knows where the bytes are. */
const storage = (ph: PhAsker): Row => ({
  question: 'storage, whole library',
  wanted: '2 (5) s',
  ph: () => ph.bytes('/admin/storage'),
})

/** Those that have `part` in their question. Deep pages are looked for first, which takes a while. */
export async function rowsOf(ph: PhAsker, entries: number, part: string): Promise<Row[]> {
  const deep = 'filters and sorts, page'.includes(part) ? await deepPages(ph) : undefined
  const rows = [
    searchRow('ranked q, common prefix', '25 (60) ms', { ph, words: commonWords }),
    searchRow('ranked q, rare word', '6 (15) ms', { ph, words: rareWords(entries) }),
    typedNames(ph),
    firstPages(ph),
    places(ph),
    ...(deep ? [deep] : []),
    ...facetRows(ph),
    ...entryRows(ph, entries),
    storage(ph),
  ]
  return rows.filter(({ question }) => question.includes(part))
}

/** All rows of every statement, read. */
export const asksSqlite =
  (db: Database.Database, statements: (turn: number) => string[]): Ask =>
  (turn) => {
    for (const statement of statements(turn)) db.prepare(statement).all()
  }

export const asksPostgres =
  (sql: postgres.Sql, statements: (turn: number) => string[]): Ask =>
  async (turn) => {
    for (const statement of statements(turn)) await sql.unsafe(statement, [], { prepare: true })
  }
