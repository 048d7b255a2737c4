/**
 * The database as lines of JSON, as of one moment: the same from PGlite and from PostgreSQL, and taken back by both (load.ts). A line names a
 * table, those behind it are its rows; then come the sequences.
 */
import type { Sql } from '../../database/sql.ts'
import { eachNamedFile } from '../../storage/named-files.ts'
import type { SpooledFile } from './spooled-file.ts'

/** What a line that is no row says. Rows are objects of columns, and no table has a column of these names alone. */
export type Mark = { '#table': string } | { '#sequence': string; last: number } | { '#end': true; rows: number }

/** What the next start makes anew, and who holds files for a backup. Budgets of requests are not kept by the database either. */
const leftOut = ['schema_migrations', 'backup_holds']

/** Rows of one answer: vectors and documents take some KiB each. */
const rowsAtOnce = 500
/** Those that are longer come one by one: reports and documents may have some MiB, and 500 of them would fill the memory. */
const shortChars = 16 * 1024

/** In a transaction that sees one moment. `database` takes the rows, `files` what they name. */
export async function dump(sql: Sql, { database, files }: { database: SpooledFile; files: SpooledFile }): Promise<void> {
  let rows = 0
  for (const table of await tablesOf(sql)) {
    await database.write([line({ '#table': table })])
    rows += await dumpTable(sql, table, database)
  }
  for await (const named of eachNamedFile(sql, false))
    await files.write(
      named.map(({ key, size, sha256, madeAt }) => JSON.stringify({ key, size, sha256: isBlob(key) ? sha256 : null, madeAt })),
    )
  // They move on whatever becomes of a transaction: read last, none lies behind an id of a row.
  await database.write((await sequencesOf(sql)).map(({ name, last }) => line({ '#sequence': name, last })))
  await database.write([line({ '#end': true, rows })])
}

const line = (mark: Mark): string => JSON.stringify(mark)
const isBlob = (key: string): boolean => key.includes('/blobs/')

/** The tables that last. */
export async function tablesOf(sql: Sql): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p' order by relname`
  return tables.map(({ name }) => name).filter((name) => !leftOut.includes(name))
}

async function dumpTable(sql: Sql, table: string, into: SpooledFile): Promise<number> {
  let rows = 0
  await sql`
    declare dumped no scroll cursor for
     select case when length(r.line) <= ${sql.unsafe(String(shortChars))} then r.line end as line, t.ctid::text as place
       from ${sql(table)} t, lateral (select row_to_json(t)::text as line offset 0) r`
  for (;;) {
    const found = await sql<Dumped[]>`fetch ${sql.unsafe(String(rowsAtOnce))} from dumped`
    await into.write(found.flatMap(({ line }) => line ?? []))
    for (const { line, place } of found) if (line === null) await into.write([await longLine(sql, table, place)])
    rows += found.length
    if (found.length < rowsAtOnce) break
  }
  await sql`close dumped`
  return rows
}

interface Dumped {
  /** Null where it is long. */
  line: string | null
  /** Where the row lies: the same for as long as the transaction sees one moment. */
  place: string
}

async function longLine(sql: Sql, table: string, place: string): Promise<string> {
  const [row] = await sql<{ line: string }[]>`
    select row_to_json(t)::text as line from ${sql(table)} t where ctid = ${place}::text::tid`
  if (!row) throw new Error(`a row of ${table} is gone from under a transaction`)
  return row.line
}

async function sequencesOf(sql: Sql): Promise<{ name: string; last: number }[]> {
  return sql<{ name: string; last: number }[]>`
    select sequencename as name, last_value as last from pg_sequences where schemaname = current_schema() and last_value is not null`
}
