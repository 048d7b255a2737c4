/** How long waits in the database may take; after that the request is refused and can be sent again. */

export interface Waits {
  /** For a lock, a row, a slot among those who write. */
  lockMs: number
  /** A session may do nothing so long while it has a transaction open: the database then ends it, with all that it holds. */
  idleMs: number
  /** For one statement: of the front door, which takes a millisecond; that reads; that writes, maybe of every entry of a pack. */
  doorMs: number
  readMs: number
  writeMs: number
}

export const usualWaits: Waits = { lockMs: 10_000, idleMs: 10_000, doorMs: 5_000, readMs: 30_000, writeMs: 120_000 }

/** A statement that reads a whole library takes as long as that is large. */
export const libraryMs = 600_000

/** The row of one key must not keep the requests with others waiting (front-door/held-keys.ts). */
export const doorLockMs = 400

/** The database answers its own limits in time; if it says nothing, for so much longer, it does not answer. */
export const graceMs = 5_000

/** TCP keepalives for a session that is silent: seconds before the first, between them, how many; and how long unread bytes may wait. */
const keepAlive = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
}

export interface SessionLimits {
  lockMs: number
  idleMs: number
  statementMs: number
}

/** What each session tells PostgreSQL when it begins, in ms. The address in PH_DATABASE_URL may say otherwise (`?lock_timeout=5000`). */
export const sessionSettings = ({ lockMs, idleMs, statementMs }: SessionLimits) => ({
  lock_timeout: lockMs,
  idle_in_transaction_session_timeout: idleMs,
  statement_timeout: statementMs,
  // Whether the client is there still, while a statement waits.
  client_connection_check_interval: 5_000,
  ...keepAlive,
})

/** What PostgreSQL shows of each session (pg_stat_activity). */
export const sessionNames = {
  reading: 'prop-house reading',
  moment: 'prop-house reading',
  writing: 'prop-house',
  long: 'prop-house long reading',
  door: 'prop-house door',
} as const
