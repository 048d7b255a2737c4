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
  /** The same for the few statements of the front door, which are planned once; asked for anew as well. */
  readonly doorSql: Pool
  kind: 'embedded' | 'postgresql'
  /** Its folder, or the setting that holds its address. */
  place: string
  /** Throws UNAVAILABLE `disk_full` when its disk, as far as it is known, has little room left. */
  requireRoom(): void
  statistics: Statistics
  /** Why it was closed for good: another process has it now. Mostly for ever pending. */
  lost: Promise<string>
  close(): Promise<void>
}

const libraryConnections = 16
const doorConnections = 4
/** Of one server to PostgreSQL, at most. */
export const poolConnections = libraryConnections + doorConnections

const options = {
  types: values,
  fetch_types: false,
  onnotice: () => {},
  // Compiling a statement takes longer than any of ours.
  connection: { application_name: 'prop-house', plan_cache_mode: planning, jit: 'off' },
}

/**
 * Every request begins with the front door's statement, and planning it would take longer than it does. It looks up rows by their keys,
 * whatever the tables hold: one plan is right for ever, as long as it never reads whole tables.
 */
const doorOptions = {
  ...options,
  connection: { application_name: 'prop-house door', plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' },
  max: doorConnections,
}

interface Where {
  /** A postgres:// address, which wins. */
  databaseUrl?: string | undefined
  /** The data folder of PGlite. */
  embeddedDir: string
  /** PGlite may lie on a disk of the network. */
  networkDisk?: boolean
  /** Hears when the embedded database cannot go on, and when it can again. */
  tell?: TellTrouble
}

export async function openDatabase({ databaseUrl, embeddedDir, networkDisk = false, tell = () => {} }: Where): Promise<Database> {
  const statistics = new Statistics()
  if (databaseUrl) {
    const pool = new RenewedPool((lines) => postgres(databaseUrl, { ...options, ...lines, max: libraryConnections }))
    const door = new RenewedPool((lines) => postgres(databaseUrl, { ...doorOptions, ...lines }))
    return {
      get sql() {
        return pool.sql
      },
      get doorSql() {
        return door.sql
      },
      kind: 'postgresql',
      place: 'PostgreSQL at PH_DATABASE_URL',
      requireRoom: () => {},
      statistics,
      lost: new Promise(() => {}),
      async close() {
        await Promise.all([pool.close(), door.close()])
      },
    }
  }
  const embedded = await startEmbedded(embeddedDir, { tell, networkDisk })
  const to = { path: embedded.socketPath, username: 'postgres', database: 'postgres', max: embedded.connections }
  const pool = new RenewedPool((lines) => postgres({ ...options, ...lines, ...to }))
  return {
    get sql() {
      return pool.sql
    },
    get doorSql() {
      return pool.sql
    },
    kind: 'embedded',
    place: embeddedDir,
    requireRoom: () => requireRoom(embeddedDir),
    statistics,
    lost: embedded.lost,
    async close() {
      await pool.close()
      await embedded.stop()
    },
  }
}
