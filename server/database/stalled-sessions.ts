/**
 * Ends sessions of servers that stopped in the middle of a message. PostgreSQL itself ends those that stop between two statements of a
 * transaction (idle_in_transaction_session_timeout), but not one that waits for the rest of a statement: what it holds it would hold for
 * as long as the process stands still. Every server on the database looks after the others.
 */
import type { Sql } from './sql.ts'
import { sessionNames } from './waits.ts'

interface Session {
  pid: number
  /** When it last began anything: the same at two looks means that nothing has moved between them. */
  moved_at: string
}

/** Between two looks. */
const everyMs = 5_000

export interface Watch {
  end(): void
}

/** A session is ended that has not moved for `stalledMs`, as far as looks can tell. A look that fails is followed by the next. */
export function watchSessions(sql: () => Sql, stalledMs: number): Watch {
  let seen = new Map<string, number>()
  let isLooking = false
  const look = async () => {
    const now = performance.now()
    const sessions = await selectUnfinished(sql())
    const since = new Map(sessions.map((session) => [nameOf(session), seen.get(nameOf(session)) ?? now]))
    seen = since
    for (const session of sessions) if (now - (since.get(nameOf(session)) ?? now) >= stalledMs) await endIfStill(sql(), session)
  }
  const timer = setInterval(
    () => {
      if (isLooking) return
      isLooking = true
      void look()
        .catch(() => {})
        .finally(() => (isLooking = false))
    },
    Math.min(everyMs, stalledMs),
  ).unref()
  return { end: () => clearInterval(timer) }
}

const nameOf = ({ pid, moved_at }: Session): string => `${pid} ${moved_at}`

/** Of ours, in a transaction, in the middle of a statement, and waiting for the client to say the rest. */
const unfinished = (sql: Sql) => sql`
  datname = current_database() and usename = current_user and application_name in (${sessionNames.writing}, ${sessionNames.door})
  and state = 'active' and wait_event = 'ClientRead' and xact_start is not null`

const selectUnfinished = (sql: Sql) => sql<Session[]>`
  select pid, state_change::text as moved_at from pg_stat_activity where ${unfinished(sql)}`

const endIfStill = (sql: Sql, { pid, moved_at }: Session) => sql`
  select pg_terminate_backend(pid) from pg_stat_activity
   where pid = ${pid} and state_change::text = ${moved_at} and ${unfinished(sql)}`
