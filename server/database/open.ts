/** Opens the database: the embedded PGlite in its worker, or PostgreSQL by address; both through one postgres.js `sql`. */
import postgres from 'postgres'
import { requireRoom } from '../free-space.ts'
import { startEmbedded, type TellTrouble } from './embedded.ts'
import { planning } from './planning.ts'
import { Statistics } from './statistics.ts'

/** A connection pool, or the one connection of a transaction. Every statement goes through it. */
export type Sql = postgres.Sql<{ bigint: number }> | postgres.TransactionSql<{ bigint: number }>
export type Fragment = postgres.Fragment

export interface Database {
  sql: postgres.Sql<{ bigint: number }>
  kind: 'embedded' | 'postgresql'
  /** Its folder, or the setting that holds its address. */
  place: string
  /** Throws UNAVAILABLE `disk_full` when its disk, as far as it is known, has little room left. */
  requireRoom(): void
  statistics: Statistics
  close(): Promise<void>
}

/** bigint columns are ids, sizes and sequence numbers: all below 2^53. */
const bigint = { to: 20, from: [20], parse: (text: string) => Number(text), serialize: (value: number) => String(value) }

interface Where {
  /** A postgres:// address, which wins. */
  databaseUrl?: string | undefined
  /** The data folder of PGlite. */
  embeddedDir: string
  /** Hears when the embedded database cannot go on, and when it can again. */
  tell?: TellTrouble
}

export async function openDatabase({ databaseUrl, embeddedDir, tell = () => {} }: Where): Promise<Database> {
  const statistics = new Statistics()
  if (databaseUrl) {
    const sql = connect(databaseUrl, 16)
    const place = 'PostgreSQL at PH_DATABASE_URL'
    return { sql, kind: 'postgresql', place, requireRoom: () => {}, statistics, close: () => sql.end({ timeout: 5 }) }
  }
  const embedded = await startEmbedded(embeddedDir, tell)
  const sql = connect({ host: embedded.socketPath, username: 'postgres', database: 'postgres' }, embedded.connections)
  return {
    sql,
    kind: 'embedded',
    place: embeddedDir,
    requireRoom: () => requireRoom(embeddedDir),
    statistics,
    async close() {
      await sql.end({ timeout: 5 })
      await embedded.stop()
    },
  }
}

/** The embedded database is back as soon as it can; the driver would wait up to 20 seconds. */
const embeddedBackoffSeconds = 0.2

function connect(to: string | { host: string; username: string; database: string }, max: number) {
  const connection = { application_name: 'prop-house', plan_cache_mode: planning }
  const options = { max, types: { bigint }, onnotice: () => {}, connection }
  return typeof to === 'string'
    ? postgres(to, options)
    : postgres({ ...options, path: to.host, username: to.username, database: to.database, backoff: () => embeddedBackoffSeconds })
}
