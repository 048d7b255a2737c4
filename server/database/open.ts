/** Opens the database: the embedded PGlite in its worker, or PostgreSQL by address; both through one postgres.js `sql`. */
import postgres from 'postgres'
import { requireRoom } from '../free-space.ts'
import { startEmbedded, type TellTrouble } from './embedded.ts'
import { planning } from './planning.ts'
import { type Pool, RenewedPool } from './pool.ts'
import { Statistics } from './statistics.ts'
import { values } from './values.ts'

/** A connection pool, or the one connection of a transaction. Every statement goes through it. */
export type Sql = Pool | postgres.TransactionSql<{ bigint: number }>
export type Fragment = postgres.Fragment

export interface Database {
  /** Asked for anew by every request: it changes when connections were lost. */
  readonly sql: Pool
  kind: 'embedded' | 'postgresql'
  /** Its folder, or the setting that holds its address. */
  place: string
  /** Throws UNAVAILABLE `disk_full` when its disk, as far as it is known, has little room left. */
  requireRoom(): void
  statistics: Statistics
  close(): Promise<void>
}

/** Of one server to PostgreSQL, at most. */
export const poolConnections = 16

const options = {
  types: values,
  fetch_types: false,
  onnotice: () => {},
  connection: { application_name: 'prop-house', plan_cache_mode: planning },
}

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
    const pool = new RenewedPool((lines) => postgres(databaseUrl, { ...options, ...lines, max: poolConnections }))
    return {
      get sql() {
        return pool.sql
      },
      kind: 'postgresql',
      place: 'PostgreSQL at PH_DATABASE_URL',
      requireRoom: () => {},
      statistics,
      close: () => pool.close(),
    }
  }
  const embedded = await startEmbedded(embeddedDir, tell)
  const to = { path: embedded.socketPath, username: 'postgres', database: 'postgres', max: embedded.connections }
  const pool = new RenewedPool((lines) => postgres({ ...options, ...lines, ...to }))
  return {
    get sql() {
      return pool.sql
    },
    kind: 'embedded',
    place: embeddedDir,
    requireRoom: () => requireRoom(embeddedDir),
    statistics,
    async close() {
      await pool.close()
      await embedded.stop()
    },
  }
}
