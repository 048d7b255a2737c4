/** What the database says when it cannot work at the moment, as an error that names the database and the next step. */
import { ApiError } from '../../contract/errors.ts'

/** SQLSTATE classes and codes (PostgreSQL, appendix A), and codes of the driver and the system when there is no connection. */
const diskFull = /^53100$/
const diskFailed = /^(58030|25006)$/
/** Connection exceptions, no memory or connection left, being shut down, crashed, starting, idle for too long. */
const away = /^(08...|53[234]00|57P0[1235]|25P03)$/
const lost = /^(CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|CONNECT_TIMEOUT)$/
/** A lock was waited for too long. A statement took too long: in the eyes of the database, or in ours. */
const locked = /^55P03$/
const slow = /^(57014|STATEMENT_LIMIT)$/
/** Between two lives of the embedded database there is no socket: ENOENT. */
const unreachable = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/

/** Whether the error means that the connection is gone or cannot be had; it says nothing about the statement. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  const code = String(error.code)
  // The driver attaches the statement to what it fails with; the connections of clients break with the same codes.
  return lost.test(code) || ('query' in error && (away.test(code) || unreachable.test(code)))
}

export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && locked.test(String(error.code))

/** Seconds that clients are asked to wait after such an error; about as long as a database takes to start again. */
export const retrySecondsOf: Readonly<Record<string, string | undefined>> = { database_away: '2', busy: '2', database_slow: '5' }

/** Gives other errors back as they are. `location` names the database as its owner knows it. */
export function explainDatabase(error: unknown, location: string): unknown {
  if (error instanceof ApiError) return error
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  const is = (codes: RegExp) => typeof code === 'string' && codes.test(code)
  const unavailable = (reason: string, message: string) => new ApiError('UNAVAILABLE', message, { reason })
  if (is(diskFull))
    return unavailable('disk_full', `The disk of the database (${location}) is full. Free some space there, then try again.`)
  if (is(diskFailed))
    return unavailable('disk_failed', `The database (${location}) cannot write to its disk (${code}). Fix that, then try again.`)
  if (is(locked))
    return unavailable(
      'busy',
      'Another change kept this one waiting for too long, so this one was rolled back. Nothing was changed; try again in a few seconds.',
    )
  if (is(slow))
    return unavailable(
      'database_slow',
      `The database (${location}) took too long over a statement, so the request was ended. Try again in a few seconds; if it stays so, see how busy the database is.`,
    )
  if (isAway(error))
    return unavailable(
      'database_away',
      `The database (${location}) does not answer (${code}). See the log of the server, then try again.`,
    )
  return error
}
