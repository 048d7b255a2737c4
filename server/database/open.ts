/** Opens the database: the embedded PGlite in its worker, or PostgreSQL by address; both through one postgres.js `sql`. */

import postgres from 'postgres'
import { requireRoom } from '../disk/reserve.ts'
import { startEmbedded, type TellTrouble } from './embedded/embedded.ts'
import { planning } from './planning.ts'
import { type DriverPool, type Lines, neverFull, RenewedPool } from './pool.ts'
import type { Pool } from './sql.ts'
import { watchSessions } from './stalled-sessions.ts'
import { Statistics } from './statistics.ts'
import {
  doorLockMs,
  graceMs,
  libraryMs,
  type SessionLimits,
  sessionNames,
  sessionSettings,
  usualWaits,
  type Waits,
} from './waits.ts'
import { Moments, Writers } from './writers.ts'

export interface Database {
  /** Asked for anew by every request: it changes when connections were lost. */
  readonly sql: Pool
  /** The same for the few statements of the front door, which are planned once; asked for anew as well. */
  readonly frontDoorSql: DriverPool
  /** The same for statements that take long, as many as a library is large: others need not wait for them. */
  readonly longSql: DriverPool
  kind: 'embedded' | 'postgresql'
  /** Its folder, or the setting that holds its address. */
  location: string
  /** Throws UNAVAILABLE `disk_full` when its disk, as far as it is known, has little room left. */
  requireRoom(): void
  statistics: Statistics
  /** Resolves when it was closed for good because another process has it, with the reason. Usually never. */
  lost: Promise<string>
  close(): Promise<void>
}

/** Connections for reading; for reading as of one moment; for writing (one workspace never gets all of these); for whole libraries; for the front door. */
const connections = { reading: 6, moment: 6, writing: 8, long: 2, door: 4 }
const writingEach = 3
/** Of one server to PostgreSQL, at most. */
export const poolConnections = Object.values(connections).reduce((sum, count) => sum + count, 0)

/** With the one session of PGlite a writer waits for whole commits of others, not for locks: so it may wait this many times longer. */
const embeddedLocks = 3

/** A connection that runs a statement takes no second one: that one goes to another connection. */
const oneByOne = { max_pipeline: 0 }

/** bigint columns are ids, sizes and sequence numbers: all below 2^53. */
const bigint = { to: 20, from: [20], parse: (text: string) => Number(text), serialize: (value: number) => String(value) }

// The driver would ask each new connection which kinds of lists there are, and bring the process down when that one is lost.
const texts = {
  to: 1009,
  from: [1009],
  parse: (): never => {
    throw new Error('A list of texts is not to be answered; answer rows or JSON.')
  },
  serialize: (values: readonly string[]) => `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`,
}
const bigints = {
  to: 1016,
  from: [1016],
  parse: (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)),
  serialize: (values: readonly number[]) => `{${values.join(',')}}`,
}

const values = { bigint, texts, bigints }

const options = {
  types: values,
  fetch_types: false,
  onnotice: () => {},
  connect_timeout: 10,
  keep_alive: 10,
}

/** Compiling a statement takes longer than any of ours. */
const session = { plan_cache_mode: planning, jit: 'off' }

/**
 * Every request begins with the front door's statement, and planning it would take longer than it does. It looks up rows by their keys,
 * whatever the tables hold: one plan is right for ever, as long as it never reads whole tables.
 */
const doorSession = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' }

interface Where {
  /** A postgres:// address, which wins. */
  databaseUrl?: string | undefined
  /** The data folder of PGlite. */
  embeddedDir: string
  /** Memory in which PGlite keeps what it reads. */
  cacheMiB?: number | undefined
  /** PGlite may lie on a disk of the network. */
  networkDisk?: boolean
  /** Hears when the embedded database cannot go on, and when it can again. */
  tell?: TellTrouble
  waits?: Waits | undefined
}

export async function openDatabase({ databaseUrl, waits = usualWaits, ...where }: Where): Promise<Database> {
  return databaseUrl ? openPostgres(databaseUrl, waits) : openEmbedded({ ...where, waits })
}

function openPostgres(url: string, waits: Waits): Database {
  const pool = (name: keyof typeof connections, limits: SessionLimits, over: Parameters<typeof postgres>[1] & object) =>
    new RenewedPool(limits.statementMs + graceMs, (lines: Lines) => {
      const connection = { ...session, ...over.connection, ...sessionSettings(limits), application_name: sessionNames[name] }
      return postgres(name === 'door' ? withoutLockTimeout(url) : url, {
        ...options,
        ...lines,
        max: connections[name],
        ...over,
        types: values,
        connection,
      })
    })
  const reading = pool('reading', { ...waits, statementMs: waits.readMs }, oneByOne)
  const moment = pool('moment', { ...waits, statementMs: waits.readMs }, {})
  const writing = pool('writing', { ...waits, statementMs: waits.writeMs }, {})
  const long = pool('long', { ...waits, statementMs: libraryMs }, oneByOne)
  const door = pool('door', { ...waits, lockMs: doorLockMs, statementMs: waits.doorMs }, { connection: doorSession })
  const writers = new Writers({ pool: writing, slots: connections.writing, slotsEach: writingEach, isShared: true, waits })
  const moments = new Moments(moment, { slots: connections.moment, waitMs: waits.lockMs })
  const watch = watchSessions(() => door.current.sql, waits.idleMs)
  return {
    get sql() {
      return withTransactions(reading.current.sql, { writers, moments })
    },
    get frontDoorSql() {
      return door.current.sql
    },
    get longSql() {
      return long.current.sql
    },
    kind: 'postgresql',
    location: 'PostgreSQL at PH_DATABASE_URL',
    requireRoom: () => {},
    statistics: new Statistics(() => long.current.sql),
    lost: new Promise(() => {}),
    async close() {
      watch.end()
      await Promise.all([reading.close(), moment.close(), writing.close(), long.close(), door.close()])
    },
  }
}

/** Session settings in the address win, except for this one: one key must not keep the front door waiting. */
function withoutLockTimeout(url: string): string {
  const own = new URL(url)
  own.searchParams.delete('lock_timeout')
  return own.href
}

/** PGlite has one session: a writer keeps it until the commit. Readers that came meanwhile get it before the next writer. */
async function openEmbedded({
  embeddedDir,
  cacheMiB = 128,
  networkDisk = false,
  tell = () => {},
  waits,
}: Omit<Where, 'databaseUrl'> & { waits: Waits }): Promise<Database> {
  const embedded = await startEmbedded(embeddedDir, { tell, networkDisk, cacheMiB })
  const to = { path: embedded.socketPath, username: 'postgres', database: 'postgres', max: embedded.connections }
  const connection = { ...session, application_name: 'prop-house' }
  const pool = new RenewedPool(libraryMs, (lines) => postgres({ ...options, ...neverFull.pipeline, ...lines, ...to, connection }))
  const slots = { slots: embedded.connections, slotsEach: embedded.connections }
  const writers = new Writers({ pool, ...slots, isShared: false, waits: { ...waits, lockMs: embeddedLocks * waits.lockMs } })
  const moments = new Moments(pool)
  return {
    get sql() {
      return withTransactions(pool.current.sql, { writers, moments })
    },
    get frontDoorSql() {
      return pool.current.sql
    },
    get longSql() {
      return pool.current.sql
    },
    kind: 'embedded',
    location: embeddedDir,
    requireRoom: () => requireRoom(embeddedDir),
    statistics: new Statistics(() => pool.current.sql),
    lost: embedded.lost,
    async close() {
      await pool.close()
      await embedded.stop()
    },
  }
}

/** The driver could not begin a transaction where statements go one by one. */
const withTransactions = (sql: DriverPool, own: { writers: Writers; moments: Moments }): Pool =>
  Object.assign(sql, own, { begin: own.writers.pool.driver.begin })
