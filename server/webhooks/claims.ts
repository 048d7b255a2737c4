/**
 * Which deliveries a server sends next. Servers on one database share them: one holds the row of an endpoint while it takes from its queue,
 * others pass it over, and what is under way is known by its lease.
 */

import { limits } from '../../contract/limits.ts'
import type { UserStub } from '../../contract/shapes.ts'
import type { Webhook } from '../../contract/webhooks.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { closedStates } from '../front-door/states.ts'
import { momentOf, stubOf } from '../rows/json.ts'

/** Twice as long as a request may take: after that the server that sent it is gone. */
export const leaseMs = 2 * limits.webhook.timeoutSeconds * 1000
/** No attempt is put off further: a time beyond comes from a clock that was wrong, and counts as passed. */
const furthestMs = 2 * 60_000 * Math.max(...limits.webhook.retryMinutes)

/** d = webhook_deliveries that are pending. */
const isLeased = (sql: Sql, now: Date): Fragment =>
  sql`(d.leased_until > ${now.toISOString()} and d.leased_until <= ${after(now, 2 * leaseMs)})`
const isDue = (sql: Sql, now: Date): Fragment => sql`d.next_attempt_at <= ${now.toISOString()}`
const isFarAhead = (sql: Sql, now: Date): Fragment => sql`d.next_attempt_at > ${after(now, furthestMs)}`

const after = (now: Date, ms: number): string => new Date(now.getTime() + ms).toISOString()

/** w = webhooks, h = feed_heads: something is to be queued or sent. */
const hasWork = (sql: Sql, now: Date): Fragment => sql`
  (w.cursor < h.activity_id or w.replay_to is not null or (w.pending > 0 and (
    exists (select from webhook_deliveries d where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.status = 'pending'
                   and ${isDue(sql, now)} and not coalesce(${isLeased(sql, now)}, false))
    or exists (select from webhook_deliveries d where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.status = 'pending'
                      and ${isFarAhead(sql, now)}))))`

export interface Found {
  workspace_id: number
  has_work: boolean
}

/** s = workspaces. Where nobody gets in nothing goes out: what waits stays, and is sent when the workspace is open again. */
const isOpen = (sql: Sql): Fragment => sql`s.state <> all(${[...closedStates]}::text[])`

/** Every workspace, or those among `ids`, that has an endpoint that is not paused. */
export const selectWorkspaces = (sql: Sql, now: Date, ids?: readonly number[]) => sql<Found[]>`
  select w.workspace_id, bool_or(${isOpen(sql)} and ${hasWork(sql, now)}) as has_work
    from webhooks w
    join feed_heads h on h.workspace_id = w.workspace_id
    join workspaces s on s.id = w.workspace_id
   where w.active ${ids ? sql`and w.workspace_id = any(${[...ids]}::bigint[])` : sql``} group by w.workspace_id`

export interface Where {
  workspaceId: number
  now: Date
}

/** `is_behind`: there are events to be queued for it. */
export interface HeldEndpoint {
  id: number
  is_behind: boolean
}

/** Until the transaction ends. Those of `reported` are waited for; of the others that have work, `most` at most, those that nobody holds. */
export async function holdEndpoints(
  sql: Sql,
  { workspaceId, now }: Where,
  { reported, most }: { reported: readonly number[]; most: number },
): Promise<HeldEndpoint[]> {
  const endpoint = sql`
    select w.id, w.active and (w.cursor < h.activity_id or w.replay_to is not null) as is_behind
      from webhooks w join feed_heads h on h.workspace_id = w.workspace_id
     where w.workspace_id = ${workspaceId}`
  const ids = [...reported]
  const held =
    ids.length > 0 ? await sql<HeldEndpoint[]>`${endpoint} and w.id = any(${ids}::bigint[]) order by w.id for update of w` : []
  if (most === 0) return [...held]
  const free = await sql<HeldEndpoint[]>`
    ${endpoint} and w.active and w.id <> all(${ids}::bigint[]) and ${hasWork(sql, now)}
     order by random() limit ${most} for update of w skip locked`
  return [...held, ...free]
}

/** A delivery that is this server's to send, with its event; `actor_id` and what follows are null where the event is kept no longer. */
export interface Claimed {
  webhook_id: number
  id: number
  attempt: number
  url: string
  secret: string
  format: Webhook['format']
  event_id: number
  event_type: string
  is_kept: boolean
  actor: UserStub | null
  entry_id: number | null
  lineage_id: string | null
  object_id: number | null
  batch_key: string | null
  payload: Record<string, unknown>
  created_at: string
  entry_name: string | null
}

interface Claiming extends Where {
  /** Endpoints whose rows are held. */
  ids: readonly number[]
  /** Deliveries that this server has room for. */
  most: number
}

/**
 * As many of each endpoint as may be under way at once, those that have been due the longest. Where there is room for fewer, endpoints with
 * the fewest under way come first: what one has waiting keeps no other back.
 */
export const claimDue = (sql: Sql, { workspaceId, now, ids, most }: Claiming) => sql<Claimed[]>`
  with endpoints as (
    select w.id, w.url, w.secret, w.format,
           greatest(0, ${limits.webhook.atOnce}::int - (
             -- Of the few that are leased, not of all that are pending.
             select count(*) filter (where d.status = 'pending') from webhook_deliveries d
              where d.workspace_id = w.workspace_id and d.webhook_id = w.id and ${isLeased(sql, now)})) as free
      from webhooks w join workspaces s on s.id = w.workspace_id
     where w.workspace_id = ${workspaceId} and w.id = any(${[...ids]}::bigint[]) and w.active and w.pending > 0 and ${isOpen(sql)}),
  due as (
    select e.id as webhook_id, found.id
      from endpoints e cross join lateral (
        select early.id, early.next_attempt_at,
               -- Which request of this endpoint it would be among those that are under way at once.
               ${limits.webhook.atOnce}::int - e.free + row_number() over (order by early.place, early.next_attempt_at, early.id) as turn from (
          (select d.id, 0 as place, d.next_attempt_at from webhook_deliveries d
            where d.workspace_id = ${workspaceId} and d.webhook_id = e.id and d.status = 'pending' and ${isDue(sql, now)}
              and not coalesce(${isLeased(sql, now)}, false)
            order by d.next_attempt_at, d.id limit ${limits.webhook.atOnce})
          union all
          (select d.id, 1, d.next_attempt_at from webhook_deliveries d
            where d.workspace_id = ${workspaceId} and d.webhook_id = e.id and d.status = 'pending' and ${isFarAhead(sql, now)}
              and not coalesce(${isLeased(sql, now)}, false)
            order by d.next_attempt_at desc limit ${limits.webhook.atOnce})) early
         order by early.place, early.next_attempt_at, early.id limit e.free) found
     order by found.turn, found.next_attempt_at, found.id limit ${most}),
  claimed as (
    update webhook_deliveries d
       set attempt = d.attempt + 1, leased_until = ${after(now, leaseMs)}, first_attempt_at = coalesce(d.first_attempt_at, ${now.toISOString()})
      from due where d.workspace_id = ${workspaceId} and d.webhook_id = due.webhook_id and d.id = due.id
    returning d.webhook_id, d.id, d.attempt, d.event_id, d.event_type)
  select c.webhook_id, c.id, c.attempt, e.url, e.secret, e.format, c.event_id, c.event_type, a.id is not null as is_kept,
         ${stubOf(sql, 'm')} as actor, a.entry_id, a.lineage_id, a.object_id, a.batch_key, a.payload, ${momentOf(sql, sql`a.created_at`)} as created_at,
         n.name as entry_name
    from claimed c
    join endpoints e on e.id = c.webhook_id
    left join activity a on a.workspace_id = ${workspaceId} and a.id = c.event_id
    left join members m on m.workspace_id = a.workspace_id and m.id = a.actor_id
    left join entries n on n.workspace_id = a.workspace_id and n.id = a.entry_id
   order by c.id`
