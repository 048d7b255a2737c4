/** The one way to write: a transaction whose last statements are the feed's records; and the one way to read several things as of one moment. */

import type { Feed } from '../feed.ts'
import type { ConnectionPool } from './driver/pool.ts'
import type { Pool, Sql } from './sql.ts'
import { LockTaken, mayHold, WorkspaceLock } from './workspace-lock.ts'
import type { Writer } from './writers.ts'

/** What a change needs: who makes it, where, when, and what to tell of it. */
export interface Writing {
  sql: Sql
  feed: Feed
  workspace: { id: number }
  actor: { id: number }
  now: Date
}

/**
 * Runs `work` with the transaction's own `sql`; all of it is committed, feed included, or nothing is. `work` begins again when the lock
 * of its workspace is another's (`lockWorkspace`); so it takes that one before it does anything else that counts.
 */
export async function transact<C extends Writing, T>(context: C, work: (context: C) => Promise<T>): Promise<T> {
  const { feed, workspace, actor, now } = context
  const pool = poolOf(context.sql)
  try {
    return await begin(pool, workspace.id, async (sql) => {
      if (!feed.isEmpty) throw new Error('a transaction that began again had left something in the feed')
      const answer = await work({ ...context, sql })
      await feed.write(sql, { workspaceId: workspace.id, actorId: actor.id, now })
      return answer
    })
  } finally {
    // Also when it failed: the commit may have come before the failure.
    if (!feed.isEmpty) for (const tell of pool.writers.onFeedMoved) tell(workspace.id)
  }
}

/** Runs `work` as `transact` does, and rolls it back: for requests that only ask what would be answered. */
export async function rehearse<C extends Writing, T>(context: C, work: (context: C) => Promise<T>): Promise<T> {
  const takenBack = new Error('a rehearsal is never committed')
  const answers: T[] = []
  try {
    await begin(poolOf(context.sql), context.workspace.id, async (sql) => {
      answers.push(await work({ ...context, sql }))
      throw takenBack
    })
  } catch (error) {
    if (error !== takenBack) throw error
  }
  return answers[0] as T
}

/** One transaction around `work`: a new one, or the one that `sql` is already. `writer`: whose slot it takes among those who write. */
export const inTransaction = <T>(sql: Sql, work: (sql: Sql) => Promise<T>, writer: Writer = 'accounts'): Promise<T> =>
  'savepoint' in sql ? work(sql) : begin(poolOf(sql), writer, work)

/**
 * For answers that take several statements: all of them see the library as it was at the first one, so that the answer never contradicts
 * itself. Writers do not wait for it. The embedded database has one session, which is this reader's until `work` is done: what only
 * calculates does not belong in there.
 */
export function atOneMoment<T>(sql: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  if ('savepoint' in sql) return work(sql)
  const { moments } = poolOf(sql)
  const attempted = () => attempt({ pool: moments.pool, mode: 'isolation level repeatable read read only' }, work)
  return moments.run(attempted)
}

function poolOf(sql: Sql): Pool {
  if ('writers' in sql) return sql
  throw new Error('transactions begin on the pool of a database only')
}

/** Waits for a slot among those who write, and where it has to, for the workspace's lock; neither with a connection. */
async function begin<T>({ writers }: Pool, writer: Writer, work: (sql: Sql) => Promise<T>): Promise<T> {
  const lock = new WorkspaceLock(writers)
  try {
    for (;;) {
      const leave = await writers.enter(writer)
      let isInVain = true
      try {
        const answer = await attempt({ pool: writers.pool, lock }, work)
        isInVain = false
        return answer
      } catch (error) {
        if (!(error instanceof LockTaken)) throw error
      } finally {
        leave(isInVain)
      }
      await lock.wait()
    }
  } finally {
    lock.letGo()
  }
}

interface Attempt {
  pool: ConnectionPool
  /** Of who may take the lock of a workspace. */
  lock?: WorkspaceLock
  /** As `begin` takes it. */
  mode?: string
}

const attempt = <T>({ pool, lock, mode = '' }: Attempt, work: (sql: Sql) => Promise<T>): Promise<T> =>
  pool.begin(mode, (sql) => {
    if (lock) mayHold(sql, lock)
    return work(sql)
  })
