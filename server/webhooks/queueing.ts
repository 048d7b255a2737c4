/** From the activity feed into the queues of endpoints: a bounded step for each, under its row (spec 4.10). */
import type { Sql } from '../database/sql.ts'

/** Events that are looked at for one endpoint in one step. */
const stepEvents = 500

export interface Queueing {
  workspaceId: number
  /** Endpoints whose rows are held. */
  ids: readonly number[]
  now: Date
}

/**
 * Numbers of events become visible in their order (server/feed.ts), so what lies between cursor and head is all there is: none is left out,
 * and none is queued twice. A step ends at its last event, as numbers may jump (server/epoch.ts). True when there is more to queue.
 */
export async function queueEvents(sql: Sql, { workspaceId, ids, now }: Queueing): Promise<boolean> {
  const at = now.toISOString()
  const moved = await sql<{ is_more: boolean }[]>`
    with endpoints as (
      select w.id, w.events, w.cursor, w.replay_after, w.replay_to, h.activity_id as head
        from webhooks w join feed_heads h on h.workspace_id = w.workspace_id
       where w.workspace_id = ${workspaceId} and w.id = any(${[...ids]}::bigint[]) and w.active
         and (w.cursor < h.activity_id or w.replay_to is not null)),
    asked as (
      select id, events, cursor as after, head as last, false as is_replay from endpoints where cursor < head
      union all
      select id, events, replay_after, replay_to, true from endpoints where replay_to is not null),
    ranges as (
      select id, events, after, least(coalesce(step.last, asked.last), asked.last) as up_to, is_replay
        from asked left join lateral (
          select a.id as last from activity a where a.workspace_id = ${workspaceId} and a.id > asked.after
           order by a.id offset ${stepEvents - 1} limit 1) as step on true),
    queued as (
      insert into webhook_deliveries (workspace_id, webhook_id, event_id, event_type, next_attempt_at, created_at)
      select a.workspace_id, r.id, a.id, a.event_type, ${at}::timestamptz, ${at}::timestamptz
        from ranges r
        join activity a on a.workspace_id = ${workspaceId} and a.id > r.after and a.id <= r.up_to
       where r.events is null or r.events ? a.event_type
       order by a.id, r.id
      returning webhook_id),
    counts as (select webhook_id, count(*) as queued from queued group by webhook_id),
    reached as (
      select id, max(up_to) filter (where not is_replay) as cursor_to, max(up_to) filter (where is_replay) as replayed_to from ranges group by id)
    update webhooks w
       set cursor = coalesce(r.cursor_to, w.cursor), pending = w.pending + coalesce(c.queued, 0),
           replay_after = case when r.replayed_to < w.replay_to then r.replayed_to end,
           replay_to = case when r.replayed_to < w.replay_to then w.replay_to end
      from endpoints e join reached r on r.id = e.id left join counts c on c.webhook_id = e.id
     where w.workspace_id = ${workspaceId} and w.id = e.id
    returning w.cursor < e.head or w.replay_to is not null as is_more`
  return moved.some(({ is_more }) => is_more)
}
