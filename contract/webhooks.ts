/** Webhooks: addresses that are told of events, and what became of each delivery (spec 4.10, 6). Everything here needs the admin role. */
import { type Static, Type } from 'typebox'
import { activityTypes } from './activity.ts'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Id, nullable, oneOf, PageLimit, Timestamp, UserStub } from './shapes.ts'

export const webhookFormats = ['json', 'slack'] as const
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

/** `attempt`: how often it was sent. `next_attempt_at`: null once it is settled. */
export const WebhookDelivery = Type.Object({
  id: Id,
  event_id: Id,
  event_type: Type.String(),
  attempt: Count,
  status: oneOf(deliveryStatuses),
  next_attempt_at: nullable(Timestamp),
  delivered_at: nullable(Timestamp),
  last_error: nullable(Type.String()),
  created_at: Timestamp,
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

const webhook = {
  id: Id,
  url: Type.String(),
  events: nullable(Type.Array(Type.String())),
  format: oneOf(webhookFormats),
  active: Type.Boolean(),
  cursor: Count,
  created_by: nullable(UserStub),
  created_at: Timestamp,
  deliveries: Type.Object({ pending: Count, delivered: Count, failed: Count }),
  last_delivery: nullable(WebhookDelivery),
}

/** `cursor`: the last event that was queued for it, or that it does not want. */
export const Webhook = Type.Object(webhook)
export type Webhook = Static<typeof Webhook>

/** What is sent as the body of a delivery in the format `json`. */
export interface WebhookEvent {
  id: number
  type: string
  actor: UserStub | null
  entry_id: number | null
  lineage_id: string | null
  object_id: number | null
  batch_key: string | null
  payload: Record<string, unknown>
  created_at: string
}

const { minSecret, maxSecret, url } = limits.webhook
const Url = Type.String({ minLength: 1, maxLength: url })
const Secret = Type.String({ minLength: minSecret, maxLength: maxSecret, pattern: '^\\P{Cc}+$' })
const Events = Type.Array(oneOf(activityTypes), { minItems: 1, maxItems: 200 })
const WebhookId = Type.Object({ webhook_id: Id })

export const webhooks = routes({
  list: {
    method: 'GET',
    path: '/admin/webhooks',
    scope: 'admin',
    summary: 'List webhooks, with how many deliveries wait, came in and failed, and the newest of each.',
    output: Type.Object({ webhooks: Type.Array(Webhook) }),
    errors: ['FORBIDDEN'],
  },
  create: {
    method: 'POST',
    path: '/admin/webhooks',
    scope: 'admin',
    summary: 'Register an address that is told of events from now on. The secret is shown only in this answer.',
    input: Type.Object({
      url: Url,
      secret: Type.Optional(Secret),
      events: absentOrNull(Events),
      format: Type.Optional(oneOf(webhookFormats)),
      active: Type.Optional(Type.Boolean()),
    }),
    output: Type.Object({ ...webhook, secret: Type.String() }),
    status: 201,
    // The name in the address is looked up before anything is written.
    transaction: false,
    errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION'],
  },
  update: {
    method: 'PATCH',
    path: '/admin/webhooks/{webhook_id}',
    scope: 'admin',
    summary: 'Change a webhook, pause it (`active: false`), or give it another secret, which is shown only in this answer.',
    input: Type.Object({
      webhook_id: Id,
      url: Type.Optional(Url),
      secret: Type.Optional(Secret),
      events: absentOrNull(Events),
      format: Type.Optional(oneOf(webhookFormats)),
      active: Type.Optional(Type.Boolean()),
    }),
    output: Type.Object({ ...webhook, secret: Type.Optional(Type.String()) }),
    transaction: false,
    errors: ['FORBIDDEN', 'WEBHOOK_NOT_FOUND', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/admin/webhooks/{webhook_id}',
    scope: 'admin',
    summary: 'Delete a webhook and what is known of its deliveries.',
    input: WebhookId,
    errors: ['FORBIDDEN', 'WEBHOOK_NOT_FOUND'],
  },
  test: {
    method: 'POST',
    path: '/admin/webhooks/{webhook_id}/test',
    scope: 'admin',
    summary: 'Send a `webhook.test` event at once, also to a paused webhook, and say what came of it.',
    input: WebhookId,
    output: Type.Object({
      delivered: Type.Boolean(),
      status_code: Type.Optional(Type.Integer()),
      error: Type.Optional(Type.String()),
    }),
    transaction: false,
    errors: ['FORBIDDEN', 'WEBHOOK_NOT_FOUND'],
  },
  deliveries: {
    method: 'GET',
    path: '/admin/webhooks/{webhook_id}/deliveries',
    scope: 'admin',
    summary: `List the deliveries of a webhook, newest first; they are kept for ${limits.webhook.keptDays} days.`,
    input: Type.Object({ webhook_id: Id, limit: Type.Optional(PageLimit) }),
    output: Type.Object({ deliveries: Type.Array(WebhookDelivery) }),
    errors: ['FORBIDDEN', 'WEBHOOK_NOT_FOUND', 'VALIDATION'],
  },
  replay: {
    method: 'POST',
    path: '/admin/webhooks/{webhook_id}/replay',
    scope: 'admin',
    summary: 'Deliver the events since a moment again, as new deliveries with the same event ids.',
    input: Type.Object({ webhook_id: Id, since: Type.String({ minLength: 1, maxLength: 40 }) }),
    output: Type.Object({ queued: Count }),
    // What was queued is sent as soon as it is committed.
    transaction: false,
    extension: true,
    errors: ['FORBIDDEN', 'WEBHOOK_NOT_FOUND', 'VALIDATION'],
  },
})
