/** Opens the database: the embedded PGlite in its worker, or PostgreSQL by address; both through one postgres.js `sql`. */

import postgres from 'postgres'
import { requireRoom } from '../disk/reserve.ts'
import type { DriverOptions } from './driver/line.ts'
import { options } from './driver/options.ts'
import { ConnectionPool } from './driver/pool.ts'
import type { DriverPool } from './driver/statement.ts'
import { startEmbedded, type TellTrouble } from './embedded/embedded.ts'
import { planning } from './planning.ts'
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
  readonly sql: Pool
  /** The same for the few statements of the front door, which are planned once. */
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
  const pool = (name: keyof typeof connections, limits: SessionLimits, session: Record<string, string>) =>
    new ConnectionPool({ connections: connections[name], answerMs: limits.statementMs + graceMs }, (own: DriverOptions) => {
      const connection = { ...session, ...sessionSettings(limits), application_name: sessionNames[name] }
      return postgres(name === 'door' ? withoutLockTimeout(url) : url, { ...options, ...own, connection })
    })
  const reading = pool('reading', { ...waits, statementMs: waits.readMs }, session)
  const moment = pool('moment', { ...waits, statementMs: waits.readMs }, session)
  const writing = pool('writing', { ...waits, statementMs: waits.writeMs }, session)
  const long = pool('long', { ...waits, statementMs: libraryMs }, session)
  const door = pool('door', { ...waits, lockMs: doorLockMs, statementMs: waits.doorMs }, doorSession)
  const writers = new Writers({ pool: writing, slots: connections.writing, slotsEach: writingEach, isShared: true, waits })
  const moments = new Moments(moment, { slots: connections.moment, waitMs: waits.lockMs })
  const watch = watchSessions(() => door.sql, waits.idleMs)
  return {
    sql: withTransactions(reading.sql, { writers, moments }),
    frontDoorSql: door.sql,
    longSql: long.sql,
    kind: 'postgresql',
    location: 'PostgreSQL at PH_DATABASE_URL',
    requireRoom: () => {},
    statistics: new Statistics(() => long.sql),
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
  const to = { path: embedded.socketPath, username: 'postgres', database: 'postgres' }
  const connection = { ...session, application_name: 'prop-house' }
  const limits = { connections: embedded.connections, answerMs: libraryMs }
  const pool = new ConnectionPool(limits, (own) => postgres({ ...options, ...own, ...to, connection }))
  const slots = { slots: embedded.connections, slotsEach: embedded.connections }
  const writers = new Writers({ pool, ...slots, isShared: false, waits: { ...waits, lockMs: embeddedLocks * waits.lockMs } })
  const moments = new Moments(pool)
  return {
    sql: withTransactions(pool.sql, { writers, moments }),
    frontDoorSql: pool.sql,
    longSql: pool.sql,
    kind: 'embedded',
    location: embeddedDir,
    requireRoom: () => requireRoom(embeddedDir),
    statistics: new Statistics(() => pool.sql),
    lost: embedded.lost,
    async close() {
      await pool.close()
      await embedded.stop()
    },
  }
}

/** Transactions have other connections than statements of their own. */
const withTransactions = (sql: DriverPool, own: { writers: Writers; moments: Moments }): Pool =>
  Object.assign(sql, own, { begin: own.writers.pool.begin })
