/** Keeps the planner's statistics true while tables grow fast: the embedded database does not do so by itself, and PostgreSQL only after a minute. */
import type { Sql } from './sql.ts'

/** Growth since the last look, as a share of the table, that makes a new look worth it. */
const share = 0.2

export class Statistics {
  readonly #sql: () => Sql
  #rows: number | undefined
  #added = 0

  /** Asked for anew by every look. */
  constructor(sql: () => Sql) {
    this.#sql = sql
  }

  /** Told after the commit that added `rows` versions; without statistics a batch of 500 may be compared with every row of the library. */
  async grew(rows: number): Promise<void> {
    this.#added += rows
    if (rows === 0 || (this.#rows !== undefined && this.#added < this.#rows * share)) return
    const sql = this.#sql()
    await sql`analyze objects, lineages, entries, dependencies, placings, package_guids, awaited_imports, payload_ids, level_parts`
    const [table] = await sql<{ rows: number }[]>`select reltuples::bigint as rows from pg_class where oid = 'objects'::regclass`
    this.#added = 0
    this.#rows = table?.rows ?? 0
  }
}
