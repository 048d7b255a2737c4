/** The test call: an event that nobody recorded, sent at once, once, and no matter whether the endpoint is paused (spec 4.10). */

import { randomId } from '../clock.ts'
import type { Sql } from '../database/sql.ts'
import { selectStubs } from '../rows/json.ts'
import type { HeldWebhook } from './endpoint-rows.ts'
import { webhookNotFound } from './endpoint-rows.ts'
import { bodyOf } from './message.ts'
import type { Sender } from './sender.ts'

interface TestCall {
  sql: Sql
  workspace: { id: number }
  actor: { id: number }
  now: Date
  deliveries: { sender: Sender }
}

export interface TestAnswer {
  delivered: boolean
  status_code?: number
  error?: string
}

/** Its event has the id 0, which no event of the feed has. WEBHOOK_NOT_FOUND otherwise. */
export async function sendTest({ sql, workspace, actor, now, deliveries }: TestCall, id: number): Promise<TestAnswer> {
  const [endpoint] = await sql<Omit<HeldWebhook, 'cursor'>[]>`
    select id, url, secret, format from webhooks where workspace_id = ${workspace.id} and id = ${id} and deleted_at is null`
  if (!endpoint) throw webhookNotFound(id)
  const by = (await selectStubs(sql, workspace.id, [actor.id])).get(actor.id) ?? null
  const none = { entry_id: null, lineage_id: null, object_id: null, batch_key: null }
  const type = 'webhook.test'
  const event = { id: 0, type, actor: by, ...none, payload: { webhook_id: id }, created_at: now.toISOString() }
  const message = { eventType: type, delivery: `${randomId('test')}.1`, body: bodyOf(endpoint.format, event, null) }
  const sent = await deliveries.sender.send({ url: endpoint.url, secret: endpoint.secret, ...message })
  if (sent.result === 'delivered') return { delivered: true, status_code: sent.status }
  const error = sent.result === 'failed' ? sent.error : 'The server is about to stop.'
  return { delivered: false, error, ...(sent.result === 'failed' && sent.status ? { status_code: sent.status } : {}) }
}
