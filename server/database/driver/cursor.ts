/**
 * The rows of one statement, so many at a time. The driver's own cursors are not used: an error that comes while nobody asks for rows ends
 * them as if they were whole, and is answered by a Sync too many, whose answer the next statement takes for its own.
 */
import type { Statement, TransactionSql } from './statement.ts'

interface Cursor {
  statement: Statement
  rows: number
  /** In its transaction. */
  name: string
}

/** Statements that are read in parts are planned for all of their rows. */
const wholeCursors = `select set_config('cursor_tuple_fraction', '1', true)`

export async function* fetchRows(sql: TransactionSql, { statement, rows, name }: Cursor): AsyncGenerator<unknown[]> {
  await sql.unsafe(wholeCursors)
  await sql`declare ${sql(name)} no scroll cursor for ${statement as never}`
  let isWhole = false
  try {
    while (!isWhole) {
      const fetching = sql.unsafe(`fetch ${rows} from ${name}`)
      const found = await (statement.isRaw ? Object.assign(fetching, { isRaw: statement.isRaw }) : fetching)
      isWhole = found.length < rows
      if (found.length > 0) yield [...found]
    }
  } finally {
    // After a failure the transaction is over, and the cursor with it.
    await sql.unsafe(`close ${name}`).catch(() => {})
  }
}
