/** A pool of one connection, as the server's pools are made: what a statement leaves there, the next one meets. */
import postgres from 'postgres'
import { options } from '../../server/database/driver/options.ts'
import { ConnectionPool } from '../../server/database/driver/pool.ts'
import type { DriverPool } from '../../server/database/driver/statement.ts'
import type { Sql } from '../../server/database/sql.ts'
import { afterFile } from './after-file.ts'
import type { TestServer } from './server.ts'

/** On the database of the server; the embedded one has a single connection. Closed after the test file. */
export function singleConnection({ settings, database }: TestServer): DriverPool {
  const { databaseUrl } = settings
  if (databaseUrl === undefined) return database.longSql
  const pool = new ConnectionPool({ connections: 1, answerMs: 60_000 }, (own) => postgres(databaseUrl, { ...options, ...own }))
  afterFile(() => pool.close())
  return pool.sql
}

/** Whatever a pool answers next is whole and right, on every connection that it has. */
export async function nextAnswers(sql: Sql): Promise<void> {
  const ask = async (number: number) => {
    const [one, some] = [
      await sql`select ${number}::int as number`,
      await sql`select i from generate_series(1, ${number}::int) i`,
    ]
    const isRight =
      one.length === 1 && one[0]?.number === number && some.length === number && some.every(({ i }, at) => i === at + 1)
    if (!isRight) throw new Error(`${number} was answered with ${JSON.stringify([one, some])}`)
  }
  await Promise.all(Array.from({ length: 12 }, (_, number) => ask(number)))
}

interface ByRow {
  forEach(take: () => void): Promise<unknown>
}

/** Executes the statement and tells of each row as it comes. */
export const byRow = (statement: ByRow, take: () => void): Promise<unknown> => statement.forEach(take)

/** A statement whose first row has come, and which goes on. `ended` is done when it is. */
export async function begun(statement: ByRow): Promise<{ ended: Promise<unknown> }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const ended = byRow(statement, resolve)
  await Promise.race([promise, ended])
  return { ended }
}
