/** Delivering events again: those that were queued before, since a moment, are queued once more by background work (queueing.ts). */
import type { Sql } from '../database/sql.ts'
import { holdWebhook } from './endpoint-rows.ts'

interface Since {
  id: number
  since: Date
}

/**
 * Says how many events there are. What comes after the cursor is queued anyway. Where another replay is not through yet, one goes on from the
 * earlier of both. Events are numbered as they happen, so those since a moment are read back from the newest.
 */
export async function replaySince(sql: Sql, workspaceId: number, { id, since }: Since): Promise<number> {
  const { cursor } = await holdWebhook(sql, workspaceId, id)
  const [before] = await sql<{ id: number }[]>`
    select id from activity where workspace_id = ${workspaceId} and created_at < ${since.toISOString()} and id <= ${cursor}
     order by id desc limit 1`
  const after = before?.id ?? 0
  const [found] = await sql<{ count: number }[]>`
    select count(*) as count from activity a join webhooks w on w.workspace_id = a.workspace_id and w.id = ${id}
     where a.workspace_id = ${workspaceId} and a.id > ${after} and a.id <= ${cursor} and (w.events is null or w.events ? a.event_type)`
  await sql`
    update webhooks set replay_after = least(coalesce(replay_after, ${after}), ${after}), replay_to = greatest(coalesce(replay_to, 0), ${cursor})
     where workspace_id = ${workspaceId} and id = ${id} and ${after}::bigint < ${cursor}::bigint`
  return found?.count ?? 0
}
