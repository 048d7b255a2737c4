/** Takes the lines of a dump back into an empty database, all of them or none. */
import { migrate } from '../../database/migrate.ts'
import type { Database } from '../../database/open.ts'
import type { Sql } from '../../database/sql.ts'
import { type Mark, tablesOf } from './dump.ts'
import { damagedBackup } from './manifest.ts'

interface Loading {
  sql: Sql
  kind: Database['kind']
  now: Date
  /** The newest one that the dump was taken with. */
  migration: number
  lines: AsyncIterable<string[]>
}

/** In a transaction. References are looked up at the end, all at once. Gives how many rows there are. */
export async function load({ sql, kind, now, migration, lines }: Loading): Promise<number> {
  await migrate({ kind, sql }, now, migration)
  if (kind === 'postgresql') await sql`select set_config('statement_timeout', '0', true)`
  const keys = await dropForeignKeys(sql)
  const tables = await tablesOf(sql)
  await sql`truncate ${sql(tables)}`
  const rows = await new Loader(sql, new Set(tables)).takeAll(lines)
  for (const { table, name, definition } of keys) await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`)
  return rows
}

interface ForeignKey {
  table: string
  name: string
  definition: string
}

async function dropForeignKeys(sql: Sql): Promise<ForeignKey[]> {
  const keys = await sql<ForeignKey[]>`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by oid`
  for (const { table, name } of keys) await sql.unsafe(`alter table ${table} drop constraint ${name}`)
  return keys
}

/** Of one statement. */
const batch = { rows: 1_000, chars: 4 * 1024 * 1024 }

class Loader {
  readonly #sql: Sql
  readonly #tables: ReadonlySet<string>
  #table: { name: string; columns: string[] } | undefined
  #waiting: string[] = []
  #chars = 0
  #rows = 0

  constructor(sql: Sql, tables: ReadonlySet<string>) {
    this.#sql = sql
    this.#tables = tables
  }

  async takeAll(pages: AsyncIterable<string[]>): Promise<number> {
    let isWhole = false
    for await (const lines of pages)
      for (const line of lines) {
        if (!line.startsWith('{"#')) await this.#takeRow(line)
        else isWhole = await this.#takeMark(JSON.parse(line) as Mark)
      }
    if (!isWhole) throw damagedBackup('The database of the backup has no end.')
    return this.#rows
  }

  async #takeRow(line: string): Promise<void> {
    this.#waiting.push(line)
    this.#chars += line.length
    if (this.#waiting.length >= batch.rows || this.#chars >= batch.chars) await this.#insert()
  }

  /** True at the end. */
  async #takeMark(mark: Mark): Promise<boolean> {
    await this.#insert()
    if ('#end' in mark) {
      if (mark.rows !== this.#rows) throw damagedBackup(`The database of the backup has ${this.#rows} of ${mark.rows} rows.`)
      return true
    }
    if ('#sequence' in mark) {
      await this.#sql`select setval(quote_ident(${mark['#sequence']})::regclass, ${mark.last})`
      return false
    }
    const name = mark['#table']
    if (!this.#tables.has(name)) throw damagedBackup(`The database of the backup has a table ${name}, which no migration makes.`)
    this.#table = { name, columns: await columnsOf(this.#sql, name) }
    return false
  }

  async #insert(): Promise<void> {
    if (this.#waiting.length === 0) return
    const { name, columns } = this.#table ?? { name: '', columns: [] }
    const rows = `[${this.#waiting.join(',')}]`
    const sql = this.#sql
    await sql`
      insert into ${sql(name)} (${sql(columns)}) overriding system value
      select ${sql(columns)} from json_populate_recordset(null::${sql(name)}, ${rows}::text::json)`
    this.#rows += this.#waiting.length
    this.#waiting = []
    this.#chars = 0
  }
}

/** Without those that the database computes. */
async function columnsOf(sql: Sql, table: string): Promise<string[]> {
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
     where attrelid = quote_ident(${table})::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`
  return columns.map(({ name }) => name)
}
