/** Webhooks as people read and type them: rows, moments, events that were forwarded. */
import type { Heard } from '../../../client/webhooks/listening.ts'
import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../refusal.ts'
import { age, moment, timeLeft } from '../../terminal/amounts.ts'
import { table } from '../../terminal/table.ts'

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 }

/** `7d`, `12h`, `30m`, or a date: how far back is meant, as a function of now. */
export function sinceMeant(given: string): (now: Date) => Date {
  const [, amount, unit = ''] = /^(\d{1,5})\s*([mhdw])$/.exec(given.trim().toLowerCase()) ?? []
  if (amount !== undefined) return (now) => new Date(now.getTime() - Number(amount) * (unitMs[unit] ?? 0))
  const date = new Date(given)
  if (/^\d{4}-\d\d-\d\d/.test(given) && !Number.isNaN(date.getTime())) return () => date
  throw wrongUsage(
    `--since does not take "${given}".`,
    'Write how long ago, as 30m, 12h or 7d, or a moment, as 2026-11-26T08:00:00Z.',
  )
}

const wants = ({ events }: Webhook): string => (events === null ? 'all events' : printable(events.join(', ')))

export const webhookRows = (webhooks: readonly Webhook[], { out, now }: Context): string[] =>
  table(
    webhooks,
    [
      { title: 'ID', value: ({ id }) => id, right: true },
      { title: 'URL', value: ({ url }) => printable(url), cut: 'middle' },
      { title: 'EVENTS', value: wants, cut: 'end' },
      { title: 'STATE', value: ({ active }) => (active ? 'active' : 'paused') },
      { title: 'WAIT', value: ({ deliveries }) => deliveries.pending, right: true },
      { title: 'FAILED', value: ({ deliveries }) => deliveries.failed, right: true },
      {
        title: 'LAST',
        value: ({ last_delivery: last }) => (last ? `${last.status} ${age(last.created_at, now())}` : 'nothing yet'),
      },
      { title: 'FORMAT', value: ({ format }) => format, spare: true },
    ],
    out,
  )

/** One of them, after it was made or changed. */
export const webhookLines = (webhook: Webhook & { secret?: string }): string[] => [
  `Webhook ${webhook.id}: ${printable(webhook.url)}`,
  `  ${webhook.active ? 'active' : 'paused'}, ${wants(webhook)}, as ${printable(webhook.format)}`,
  ...(webhook.secret === undefined ? [] : [`  secret: ${printable(webhook.secret)}`]),
]

export const deliveryRows = (deliveries: readonly WebhookDelivery[], { out, now }: Context): string[] =>
  table(
    deliveries,
    [
      { title: 'ID', value: ({ id }) => id, right: true },
      { title: 'EVENT', value: ({ event_id }) => event_id, right: true },
      { title: 'TYPE', value: ({ event_type }) => printable(event_type) },
      { title: 'STATE', value: ({ status }) => status },
      { title: 'TRIES', value: ({ attempt }) => attempt, right: true },
      { title: 'WHEN', value: (one) => whenOf(one, now()) },
      { title: 'LAST ERROR', value: ({ last_error }) => printable(last_error ?? ''), cut: 'end' },
    ],
    out,
  )

function whenOf({ status, delivered_at, next_attempt_at, created_at }: WebhookDelivery, now: Date): string {
  if (delivered_at !== null) return age(delivered_at, now)
  if (status === 'pending' && next_attempt_at !== null)
    return Date.parse(next_attempt_at) > now.getTime() ? `again in ${timeLeft(next_attempt_at, now)}` : 'now'
  return age(created_at, now)
}

/** `12:30: push.commit 42 -> 204`. */
export function heardLine({ event, sent_as, result, status_code, error }: Heard): string {
  const what = `${moment(event.created_at)}: ${printable(event.type)} ${event.id}`
  if (result === 'seen') return what
  if (result === 'lost') return `${what} lost on purpose`
  return `${what} sent as ${sent_as}: ${status_code === null ? printable(error ?? '') : `answered ${status_code}`}`
}
