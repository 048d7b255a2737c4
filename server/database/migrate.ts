/** Brings the database to the newest schema: numbered .sql files, forward only, one process at a time. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beAlone } from './one-process.ts'
import type { Database } from './open.ts'
import type { Sql } from './sql.ts'
import { inTransaction } from './transaction.ts'

const folder = fileURLToPath(new URL('./migrations/', import.meta.url))
/** A migration of a large library takes as long as that is large; a process that stopped in the middle of one is ended sooner. */
const alone = {
  what: 'migrating',
  waitMs: 60_000,
  message:
    'Another server has been bringing the database up to date for a minute. Start this one again when it is done; its log says how it goes.',
} as const

/** Which migrations a database has, compared with this program. */
export interface SchemaState {
  known: number
  /** Numbers of those that are still to be applied. */
  waiting: number[]
  /** The number of the newest one, where a newer program applied it. */
  newer: number | undefined
  isEmpty: boolean
}

/** Changes nothing. */
export async function schemaState(sql: Sql): Promise<SchemaState> {
  const known = migrationFiles().map((name) => Number(name.slice(0, 3)))
  const [table] = await sql<{ found: string | null }[]>`select to_regclass('schema_migrations')::text as found`
  const done = table?.found
    ? (await sql<{ number: number }[]>`select number from schema_migrations`).map((row) => row.number)
    : []
  const newest = Math.max(0, ...done)
  return {
    known: known.length,
    waiting: known.filter((number) => !done.includes(number)),
    newer: newest > (known.at(-1) ?? 0) ? newest : undefined,
    isEmpty: done.length === 0,
  }
}

/** The number of the newest one that this program knows. */
export const newestMigration = (): number => Number(migrationFiles().at(-1)?.slice(0, 3))

/** The names of all that this program knows, in order. */
const migrationFiles = (): string[] =>
  readdirSync(folder)
    .filter((name) => /^\d{3}-[a-z-]+\.sql$/.test(name))
    .sort()

/** Returns the numbers of the migrations that were applied: all that wait, or those up to `last`. */
export async function migrate(
  database: { kind: Database['kind']; sql: Sql },
  now: Date,
  last = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const files = migrationFiles()
  return inTransaction(database.sql, async (sql) => {
    if (database.kind === 'postgresql') {
      await beAlone(sql, alone)
      await sql`select set_config('statement_timeout', '0', true)`
    }
    await sql`create table if not exists schema_migrations (number integer primary key, name text not null, applied_at timestamptz not null)`
    const done = new Set((await sql<{ number: number }[]>`select number from schema_migrations`).map((row) => row.number))
    refuseNewer(done, files)
    const applied: number[] = []
    for (const name of files) {
      const number = Number(name.slice(0, 3))
      if (done.has(number) || number > last) continue
      await apply(sql, { name, number, now })
      applied.push(number)
    }
    return applied
  })
}

/** A database from a newer program may mean things this one does not understand. */
function refuseNewer(done: Set<number>, files: string[]): void {
  const newest = Number(files.at(-1)?.slice(0, 3))
  const newer = [...done].filter((number) => number > newest)
  if (newer.length > 0)
    throw new Error(
      `The database was made by a newer Prop House (migration ${Math.max(...newer)}; this one knows ${newest}). Update this server.`,
    )
}

async function apply(sql: Sql, migration: { name: string; number: number; now: Date }): Promise<void> {
  await sql.unsafe(readFileSync(join(folder, migration.name), 'utf8')).simple()
  await sql`insert into schema_migrations (number, name, applied_at) values (${migration.number}, ${migration.name}, ${migration.now.toISOString()})`
}
