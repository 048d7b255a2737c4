/** The only place that lists the columns of webhooks and deliveries as they are answered, and how an endpoint is held. */
import { ApiError } from '../../contract/errors.ts'
import type { Webhook, WebhookDelivery } from '../../contract/webhooks.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { momentOf, stubOf } from '../rows/json.ts'

/** As JSON; d = webhook_deliveries. */
const deliveryJson = (sql: Sql): Fragment => sql`
  json_build_object('id', d.id, 'event_id', d.event_id, 'event_type', d.event_type, 'attempt', d.attempt, 'status', d.status,
    'next_attempt_at', ${momentOf(sql, sql`d.next_attempt_at`)}, 'delivered_at', ${momentOf(sql, sql`d.delivered_at`)},
    'last_error', d.last_error, 'created_at', ${momentOf(sql, sql`d.created_at`)})`

/** `tail` may use the alias w and begins with `and` or `order by`. */
export const selectWebhooks = (sql: Sql, workspaceId: number, tail: Fragment) => sql<Webhook[]>`
  select w.id, w.url, w.events, w.format, w.active, w.cursor, ${stubOf(sql, 'm')} as created_by, w.created_at,
         json_build_object('pending', w.pending, 'delivered', w.delivered, 'failed', w.failed) as deliveries, last.delivery as last_delivery
    from webhooks w
    left join members m on m.workspace_id = w.workspace_id and m.id = w.created_by
    left join lateral (
      select ${deliveryJson(sql)} as delivery from webhook_deliveries d
       where d.workspace_id = w.workspace_id and d.webhook_id = w.id order by d.id desc limit 1) last on true
   where w.workspace_id = ${workspaceId} and w.deleted_at is null ${tail}`

/** WEBHOOK_NOT_FOUND otherwise. */
export async function requireWebhook(sql: Sql, workspaceId: number, id: number): Promise<Webhook> {
  const [webhook] = await selectWebhooks(sql, workspaceId, sql`and w.id = ${id}`)
  if (!webhook) throw webhookNotFound(id)
  return webhook
}

/** Newest first. */
export async function selectDeliveries(
  sql: Sql,
  workspaceId: number,
  of: { id: number; limit: number },
): Promise<WebhookDelivery[]> {
  const rows = await sql<{ delivery: WebhookDelivery }[]>`
    select ${deliveryJson(sql)} as delivery from webhook_deliveries d
     where d.workspace_id = ${workspaceId} and d.webhook_id = ${of.id} order by d.id desc limit ${of.limit}`
  return rows.map(({ delivery }) => delivery)
}

export interface HeldWebhook {
  id: number
  url: string
  secret: string
  format: Webhook['format']
  cursor: number
}

/** Until the transaction ends: nothing is queued for it or taken from its queue meanwhile. WEBHOOK_NOT_FOUND otherwise. */
export async function holdWebhook(sql: Sql, workspaceId: number, id: number): Promise<HeldWebhook> {
  const [held] = await sql<HeldWebhook[]>`
    select id, url, secret, format, cursor from webhooks
     where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null for update`
  if (!held) throw webhookNotFound(id)
  return held
}

export const webhookNotFound = (id: number) => new ApiError('WEBHOOK_NOT_FOUND', `There is no webhook ${id} in this workspace.`)
