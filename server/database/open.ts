/** Opens the database: the embedded PGlite in its worker, or PostgreSQL by address; both through one postgres.js `sql`. */
import postgres from 'postgres'
import { startEmbedded } from './embedded.ts'
import { planning } from './planning.ts'
import { Statistics } from './statistics.ts'

/** A connection pool, or the one connection of a transaction. Every statement goes through it. */
export type Sql = postgres.Sql<{ bigint: number }> | postgres.TransactionSql<{ bigint: number }>
export type Fragment = postgres.Fragment

export interface Database {
  sql: postgres.Sql<{ bigint: number }>
  kind: 'embedded' | 'postgresql'
  statistics: Statistics
  close(): Promise<void>
}

/** bigint columns are ids, sizes and sequence numbers: all below 2^53. */
const bigint = { to: 20, from: [20], parse: (text: string) => Number(text), serialize: (value: number) => String(value) }

/** `embeddedDir`: the data folder of PGlite; `databaseUrl`: a postgres:// address, which wins. */
export async function openDatabase(where: { databaseUrl?: string | undefined; embeddedDir: string }): Promise<Database> {
  if (where.databaseUrl) {
    const sql = connect(where.databaseUrl, 16)
    return { sql, kind: 'postgresql', statistics: new Statistics(), close: () => sql.end({ timeout: 5 }) }
  }
  const embedded = await startEmbedded(where.embeddedDir)
  const sql = connect({ host: embedded.socketPath, username: 'postgres', database: 'postgres' }, embedded.connections)
  return {
    sql,
    kind: 'embedded',
    statistics: new Statistics(),
    async close() {
      await sql.end({ timeout: 5 })
      await embedded.stop()
    },
  }
}

function connect(to: string | { host: string; username: string; database: string }, max: number) {
  const connection = { application_name: 'prop-house', plan_cache_mode: planning }
  const options = { max, types: { bigint }, onnotice: () => {}, connection }
  return typeof to === 'string'
    ? postgres(to, options)
    : postgres({ ...options, path: to.host, username: to.username, database: to.database })
}
