/** The one way to write: a transaction whose last statements are the feed's records; and the one way to read several things as of one moment. */
import { isAway } from './database/database-failure.ts'
import type { Sql } from './database/open.ts'
import type { Pool } from './database/pool.ts'
import type { Context } from './handler.ts'

/** Runs `work` with the transaction's own `sql`; all of it is committed, feed included, or nothing is. */
export async function transact<C extends Context, T>(context: C, work: (context: C) => Promise<T>): Promise<T> {
  const { feed, workspace, actor, now } = context
  return begin(context.sql as Pool, async (sql) => {
    const answer = await work({ ...context, sql })
    await feed.write(sql, { workspaceId: workspace.id, actorId: actor.id, now })
    return answer
  })
}

/** Runs `work` as `transact` does, and takes back what it wrote: for requests that only ask what would be answered. */
export async function rehearse<C extends Context, T>(context: C, work: (context: C) => Promise<T>): Promise<T> {
  const takenBack = new Error('a rehearsal is never committed')
  const answers: T[] = []
  try {
    await begin(context.sql as Pool, async (sql) => {
      answers.push(await work({ ...context, sql }))
      throw takenBack
    })
  } catch (error) {
    if (error !== takenBack) throw error
  }
  return answers[0] as T
}

/** One transaction around `work`: a new one, or the one that `sql` is already. */
export const inTransaction = <T>(sql: Sql, work: (sql: Sql) => Promise<T>): Promise<T> =>
  'begin' in sql ? begin(sql, work) : work(sql)

/**
 * For answers that take several statements: all of them see the library as it was at the first one, so that the answer never contradicts
 * itself. Writers do not wait for it. The embedded database has one session, which is this reader's until `work` is done: what only
 * calculates does not belong in there.
 */
export const atOneMoment = <T>(sql: Sql, work: (sql: Sql) => Promise<T>): Promise<T> =>
  'begin' in sql ? begin(sql, work, 'isolation level repeatable read read only') : work(sql)

/**
 * The driver's `begin`, made safe for a connection that is lost on the way: `work` and the driver's own rollback would go on to a
 * connection that is none, or is another one's by then. They are stopped; what fails is `begin` itself, which hears of the loss.
 */
async function begin<T>(pool: Pool, work: (sql: Sql) => Promise<T>, mode = ''): Promise<T> {
  let loss: unknown
  const isLost = () => loss !== undefined
  try {
    const { answer } = await pool.begin(mode, async (sql) => {
      const done = await settled(work(refusing(sql, () => loss)))
      if (isLost() || ('error' in done && isAway(done.error))) return new Promise<never>(() => {})
      if ('error' in done) throw done.error
      return done
    })
    return answer
  } catch (error) {
    loss = error
    throw error
  }
}

async function settled<T>(work: Promise<T>): Promise<{ answer: T } | { error: unknown }> {
  try {
    return { answer: await work }
  } catch (error) {
    return { error }
  }
}

const refusing = <S extends Sql>(sql: S, loss: () => unknown): S =>
  new Proxy(sql, {
    apply(target, self, statement) {
      if (loss() !== undefined) throw loss()
      return Reflect.apply(target as (...parts: unknown[]) => unknown, self, statement)
    },
  })
