/** What became of deliveries, written down for many at once: settled, due again at its time, or free for another server (spec 3, 6). */
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'

export interface Outcome {
  webhook_id: number
  id: number
  attempt: number
  result: 'delivered' | 'failed' | 'interrupted'
  error: string | null
}

/** A server that was away for hours does not send what it missed in one moment. */
const leastPauseMs = 30_000

interface Recording {
  workspaceId: number
  now: Date
  outcomes: readonly Outcome[]
}

/**
 * The rows of their endpoints are held. What was delivered is so, however late its server says it; any other word counts only while nobody
 * else has sent it again meanwhile.
 */
export async function recordOutcomes(sql: Sql, { workspaceId, now, outcomes }: Recording): Promise<void> {
  if (outcomes.length === 0) return
  const at = now.toISOString()
  const leastAt = new Date(now.getTime() + leastPauseMs).toISOString()
  const rows = outcomes.map((outcome) => ({ ...outcome }))
  const delays = `{${limits.webhook.retryMinutes.join(',')}}`
  await sql`
    with reported as (
      select r.*, d.failures + case when r.result = 'failed' then 1 else 0 end as failures_now
        from (
         select * from jsonb_to_recordset(${sql.json(rows)}) as r (webhook_id bigint, id bigint, attempt int, result text, error text)
          limit ${rows.length}::int) r
       cross join lateral (
         -- By the key alone, and few: to the planner, which knows nothing yet of a new table, all that is pending seems less.
         select status, attempt, failures from webhook_deliveries
          where workspace_id = ${workspaceId} and webhook_id = r.webhook_id and id = r.id offset 0) d
       where d.status = 'pending' and (d.attempt = r.attempt or r.result = 'delivered')),
    judged as (
      select *, case when result = 'delivered' then 'delivered' when failures_now >= ${limits.webhook.attempts}::int then 'failed' else 'pending' end as status
        from reported),
    changed as (
      update webhook_deliveries d
         set status = j.status, failures = j.failures_now, leased_until = null, last_error = coalesce(j.error, d.last_error),
             delivered_at = case when j.status = 'delivered' then ${at}::timestamptz end,
             next_attempt_at = case
               when j.status <> 'pending' then null
               when j.result = 'interrupted' then d.next_attempt_at
               else greatest(d.first_attempt_at + (${delays}::int[])[j.failures_now] * interval '1 minute', ${leastAt}::timestamptz) end
        from judged j where d.workspace_id = ${workspaceId} and d.webhook_id = j.webhook_id and d.id = j.id
      returning d.webhook_id, d.status),
    sums as (
      select webhook_id, count(*) filter (where status <> 'pending') as settled, count(*) filter (where status = 'delivered') as delivered,
             count(*) filter (where status = 'failed') as failed
        from changed group by webhook_id)
    update webhooks w set pending = w.pending - s.settled, delivered = w.delivered + s.delivered, failed = w.failed + s.failed
      from sums s where w.workspace_id = ${workspaceId} and w.id = s.webhook_id and s.settled > 0`
}

/** Where one server alone has the database, those that were sending when it ended are gone: their work need not wait for them. */
export async function endDeliveryLeases(sql: Sql): Promise<void> {
  await sql`update webhook_deliveries set leased_until = null where leased_until is not null`
}
