/** The one way to write: a transaction whose last statements are the feed's records. */
import type { Database } from './database/open.ts'
import type { Context } from './handler.ts'

/** Runs `work` with the transaction's own `sql`; all of it is committed, feed included, or nothing is. */
export async function transact<C extends Context, T>(context: C, work: (context: C) => Promise<T>): Promise<T> {
  const { feed, workspace, actor, now } = context
  const result = await (context.sql as Database['sql']).begin(async (sql) => {
    const answer = await work({ ...context, sql })
    await feed.write(sql, { workspaceId: workspace.id, actorId: actor.id, now })
    return [answer] as const
  })
  return result[0]
}
