/** Takes a dump back into an empty database, all of it or nothing. */
import { migrate } from '../../database/migrate.ts'
import type { Database } from '../../database/open.ts'
import type { Sql } from '../../database/sql.ts'
import { tablesOf } from './dump.ts'
import { damagedLine, type Piece, piecesOf, type Rows } from './dump-pieces.ts'
import { damagedBackup } from './manifest.ts'

interface Loading {
  sql: Sql
  kind: Database['kind']
  now: Date
  /** The newest one that the dump was taken with. */
  migration: number
  /** Of the dump. */
  path: string
}

/** In a transaction. References are looked up at the end, all at once. Gives how many rows there are. Throws CONFLICT `damaged_backup`. */
export async function load({ sql, kind, now, migration, path }: Loading): Promise<number> {
  await migrate({ kind, sql }, now, migration)
  if (kind === 'postgresql') await sql`select set_config('statement_timeout', '0', true)`
  const keys = await dropForeignKeys(sql)
  const tables = await tablesOf(sql)
  await sql`truncate ${sql(tables)}`
  const rows = await new Loader(sql, { path, tables }).takeAll()
  for (const key of keys) await addForeignKey(sql, key, path)
  await requireSequencesAhead(sql, path)
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

async function addForeignKey(sql: Sql, { table, name, definition }: ForeignKey, path: string): Promise<void> {
  try {
    await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`)
  } catch (error) {
    const why = refusedRow(error)
    throw why === undefined ? error : damagedBackup(`${path} has a row of ${table} that refers to one that is not there: ${why}.`)
  }
}

/** An id that a sequence gives out must be none that a row has already. */
async function requireSequencesAhead(sql: Sql, path: string): Promise<void> {
  const found = await sql<{ sequence: string; table: string; column: string }[]>`
    select pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence, quote_ident(c.relname) as table,
           quote_ident(a.attname) as column
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attidentity <> ''`
  for (const { sequence, table, column } of found) {
    const [row] = await sql.unsafe<{ is_behind: boolean }[]>(
      `select coalesce((select max(${column}) from ${table}) > (select case when is_called then last_value else 0 end from ${sequence}), false) as is_behind`,
    )
    if (row?.is_behind) throw damagedBackup(`${path} says of ${sequence} that it lies behind the rows of ${table}.`)
  }
}

class Loader {
  readonly #sql: Sql
  readonly #path: string
  readonly #tables: Set<string>

  constructor(sql: Sql, { path, tables }: { path: string; tables: readonly string[] }) {
    this.#sql = sql
    this.#path = path
    this.#tables = new Set(tables)
  }

  async takeAll(): Promise<number> {
    let rows = 0
    for await (const piece of piecesOf(this.#path)) {
      if (piece.kind === 'end') rows = piece.rows
      else if (piece.kind === 'rows') await this.#insert(piece)
      else await this.#takeMark(piece)
    }
    const [missing] = this.#tables
    if (missing !== undefined) throw damagedBackup(`${this.#path} lacks the table ${missing}.`)
    return rows
  }

  async #takeMark(piece: Exclude<Piece, { kind: 'rows' | 'end' }>): Promise<void> {
    const { name, at } = piece
    if (piece.kind === 'table') {
      if (!this.#tables.delete(name)) throw damagedLine(this.#path, at, `names a table ${name}, which no migration makes`)
      return
    }
    const sql = this.#sql
    const [sequence] = await sql`
      select 1 from pg_sequences where schemaname = current_schema() and sequencename = ${name} and max_value >= ${piece.last}`
    if (!sequence) throw damagedLine(this.#path, at, `names a sequence ${name} that no migration makes, or that is not so long`)
    await sql`select setval(quote_ident(${name})::regclass, ${piece.last})`
  }

  async #insert(rows: Rows): Promise<void> {
    const { table, columns: given, at } = rows
    const columns = await columnsOf(this.#sql, table)
    const names = new Set(columns.map(({ name }) => name))
    if (names.size !== given.length || given.some((name) => !names.has(name)))
      throw damagedLine(this.#path, at[0] ?? 0, `has other columns than ${table}`)
    const taken = columns.flatMap(({ name, isComputed }) => (isComputed ? [] : [name]))
    const why = await this.#refusal(rows, taken)
    if (why === undefined) return
    throw damagedLine(this.#path, at[await this.#refusedAt(rows, taken)] ?? 0, `is no row that ${table} takes: ${why}`)
  }

  /** What the database says against these rows; undefined when it has taken them. */
  async #refusal({ table, lines }: Pick<Rows, 'table' | 'lines'>, columns: string[]): Promise<string | undefined> {
    try {
      await inSavepoint(
        this.#sql,
        (sql) => sql`
          insert into ${sql(table)} (${sql(columns)}) overriding system value
          select ${sql(columns)} from json_populate_recordset(null::${sql(table)}, ${`[${lines.join(',')}]`}::text::json)`,
      )
      return undefined
    } catch (error) {
      const why = refusedRow(error)
      if (why === undefined) throw error
      return why
    }
  }

  /** Of rows that were refused together, the first that is: the half that holds it is looked at, until it is one. */
  async #refusedAt({ table, lines }: Rows, columns: string[]): Promise<number> {
    let [from, to] = [0, lines.length]
    while (to - from > 1) {
      const half = (from + to) >> 1
      // Those before are in the table by now: a row may be refused because of one of them.
      if ((await this.#refusal({ table, lines: lines.slice(from, half) }, columns)) === undefined) from = half
      else to = half
    }
    return from
  }
}

/** What fails in here is taken back alone. */
async function inSavepoint(sql: Sql, work: (sql: Sql) => PromiseLike<unknown>): Promise<void> {
  await sql`savepoint loaded`
  try {
    await work(sql)
    await sql`release savepoint loaded`
  } catch (error) {
    await sql`rollback to savepoint loaded`
    throw error
  }
}

/** Data that a table does not take, a rule that a row breaks, or more than there is room for in a row: not that the database failed. */
function refusedRow(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code !== 'string' || !/^(22|23|54)[0-9A-Z]{3}$/.test(code)) return undefined
  const [line = ''] = String(message).split('\n')
  return line.length > mostSaid ? `${line.slice(0, mostSaid)}…` : line.replace(/\.$/, '')
}

/** Letters of what the database says: it repeats the value, however long that is. */
const mostSaid = 300

async function columnsOf(sql: Sql, table: string): Promise<{ name: string; isComputed: boolean }[]> {
  const columns = await sql<{ name: string; is_computed: boolean }[]>`
    select attname as name, attgenerated <> '' as is_computed from pg_attribute
     where attrelid = quote_ident(${table})::regclass and attnum > 0 and not attisdropped order by attnum`
  return columns.map(({ name, is_computed: isComputed }) => ({ name, isComputed }))
}
