/** How long deliveries are known: 30 days once they are settled (spec 4.10), and not at all after their endpoint was deleted. */
import { limits } from '../../contract/limits.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'

const keptMs = limits.webhook.keptDays * 24 * 3_600_000
/** Of one step. */
const stepRows = 1_000

interface Step {
  workspaceId: number
  now: Date
}

interface Forgotten {
  gone: number
  isMore: boolean
}

/** One bounded step. What waits stays, however old: its endpoint may be paused. */
export async function forgetDeliveries({ sql }: { sql: Sql }, step: Step): Promise<Forgotten> {
  const old = await inTransaction(sql, (inside) => forgetOld(inside, step), step.workspaceId)
  const orphaned = await inTransaction(sql, (inside) => forgetDeleted(inside, step), step.workspaceId)
  return { gone: old + orphaned.gone, isMore: old === stepRows || orphaned.isMore }
}

/** w = webhooks, d = webhook_deliveries: those that would go. */
export const isForgettable = (sql: Sql, now: Date): Fragment => sql`
  (w.deleted_at is not null or (d.status <> 'pending' and d.created_at < ${keptSince(now)}))`

const keptSince = (now: Date): string => new Date(now.getTime() - keptMs).toISOString()

/** Endpoints are held first, as by everyone who writes their deliveries. */
async function forgetOld(sql: Sql, { workspaceId, now }: Step): Promise<number> {
  const before = keptSince(now)
  const oldest = sql`
    select d.webhook_id, d.id from webhook_deliveries d
     where d.workspace_id = ${workspaceId} and d.status <> 'pending' and d.created_at < ${before}`
  const held = await sql<{ id: number }[]>`
    select w.id from webhooks w
     where w.workspace_id = ${workspaceId} and w.id in (select webhook_id from (${oldest} order by d.created_at limit ${stepRows}) old)
     order by w.id for update`
  const ids = held.map(({ id }) => id)
  const [gone] = await sql<{ count: number }[]>`
    with old as (${oldest} and d.webhook_id = any(${ids}::bigint[]) order by d.created_at limit ${stepRows}),
    gone as (
      delete from webhook_deliveries d using old where d.workspace_id = ${workspaceId} and d.webhook_id = old.webhook_id and d.id = old.id
      returning d.webhook_id, d.status),
    sums as (
      select webhook_id, count(*) as count, count(*) filter (where status = 'delivered') as delivered, count(*) filter (where status = 'failed') as failed
        from gone group by webhook_id),
    counted as (
      update webhooks w set delivered = w.delivered - s.delivered, failed = w.failed - s.failed
        from sums s where w.workspace_id = ${workspaceId} and w.id = s.webhook_id)
    select coalesce(sum(count), 0)::bigint as count from sums`
  return gone?.count ?? 0
}

/** First the deliveries, then the endpoint. */
async function forgetDeleted(sql: Sql, { workspaceId }: Step): Promise<Forgotten> {
  const [deleted] = await sql<{ id: number }[]>`
    select id from webhooks where workspace_id = ${workspaceId} and deleted_at is not null order by id limit 1 for update`
  if (!deleted) return { gone: 0, isMore: false }
  const gone = await sql`
    delete from webhook_deliveries d using (
      select id from webhook_deliveries where workspace_id = ${workspaceId} and webhook_id = ${deleted.id} order by id limit ${stepRows}) old
     where d.workspace_id = ${workspaceId} and d.webhook_id = ${deleted.id} and d.id = old.id`
  if (gone.count < stepRows) await sql`delete from webhooks where workspace_id = ${workspaceId} and id = ${deleted.id}`
  // Another one may have been deleted too.
  return { gone: gone.count, isMore: true }
}
