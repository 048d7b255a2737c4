/** The server's part in webhooks, played at a desk: the feed is followed, and a local receiver gets the same bodies, headers and signatures. */
import { type Dispatcher, request } from 'undici'
import type { ActivityEvent } from '../../contract/activity.ts'
import { limits } from '../../contract/limits.ts'
import type { WebhookEvent } from '../../contract/webhooks.ts'
import { messageHeaders } from '../../serving/webhook-signature.ts'
import { type Following, followActivity } from '../activity/follow.ts'
import type { Api } from '../http/api.ts'
import { type ChaosKind, sendingsOf } from './chaos.ts'

const mostAnswerBytes = 64 * 1024

export interface Listening extends Following {
  /** Only printed, where there is none. */
  forwardTo: string | undefined
  secret: string
  chaos: ReadonlySet<ChaosKind>
  random(): number
  now(): Date
  /** Told of each event and each request, when it has come to its end. */
  heard(what: Heard): Promise<void>
}

/** `result`: `seen` where nothing is forwarded; `lost`, by the chaos that was asked for. */
export interface Heard {
  event: WebhookEvent
  /** Of the request, as the header says it: `<event id>.<attempt>`. */
  sent_as: string | null
  result: 'delivered' | 'failed' | 'lost' | 'seen'
  status_code: number | null
  error: string | null
}

/** Ends only by its signal, or by what waiting does not help. */
export async function listen(api: Api, listening: Listening): Promise<never> {
  const { signal, pause } = listening
  const aside = new Set<Promise<void>>()
  for await (const one of followActivity(api, listening)) {
    const event = eventOf(one)
    if (listening.forwardTo === undefined) {
      await listening.heard({ event, sent_as: null, result: 'seen', status_code: null, error: null })
      continue
    }
    const sendings = sendingsOf(listening.chaos, listening.random)
    if (sendings.length === 0) await listening.heard({ event, sent_as: null, result: 'lost', status_code: null, error: null })
    for (const { attempt, waitMs, aside: isAside } of sendings) {
      const sent = async () => {
        if (waitMs > 0) await pause(waitMs, signal)
        await listening.heard(await forward(event, attempt, listening))
      }
      if (!isAside) await sent()
      else {
        const task = sent()
          .catch(() => {})
          .finally(() => aside.delete(task))
        aside.add(task)
      }
    }
  }
  throw new Error('the feed ended')
}

async function forward(event: WebhookEvent, attempt: number, { forwardTo = '', secret, now, signal }: Listening): Promise<Heard> {
  const delivery = `${event.id}.${attempt}`
  const body = Buffer.from(JSON.stringify(event))
  const headers = messageHeaders({ type: event.type, delivery }, { secret, body, now: now() })
  const ended = AbortSignal.any([signal, AbortSignal.timeout(limits.webhook.timeoutSeconds * 1000)])
  try {
    const answer: Dispatcher.ResponseData = await request(forwardTo, { method: 'POST', headers, body, signal: ended })
    await answer.body.dump({ limit: mostAnswerBytes, signal: ended }).catch(() => {})
    const { statusCode: status_code } = answer
    const isDelivered = status_code >= 200 && status_code < 300
    return { event, sent_as: delivery, result: isDelivered ? 'delivered' : 'failed', status_code, error: null }
  } catch (error) {
    signal.throwIfAborted()
    const { message, code } = error as NodeJS.ErrnoException
    return { event, sent_as: delivery, result: 'failed', status_code: null, error: message || code || 'the request failed' }
  }
}

/** As the server builds it (server/webhooks/message.ts). */
function eventOf({ event_type: type, count: _count, id, ...event }: ActivityEvent): WebhookEvent {
  const { actor, entry_id, lineage_id, object_id, batch_key, payload, created_at } = event
  return { id, type, actor, entry_id, lineage_id, object_id, batch_key, payload: { ...payload }, created_at }
}

/** The last event before a moment: from there on the feed is read. 0 where there is none. */
export async function eventBefore({ activity }: Pick<Api, 'activity'>, since: Date): Promise<number> {
  for (let cursor: number | null | undefined; ; ) {
    const page: { events: ActivityEvent[]; next_cursor: number | null } = await activity.list({
      limit: limits.page.max,
      collapse: false,
      ...(cursor ? { cursor } : {}),
    })
    const before = page.events.find(({ created_at }) => Date.parse(created_at) < since.getTime())
    if (before) return before.id
    if (page.next_cursor === null) return 0
    cursor = page.next_cursor
  }
}
