/** Tells people what someone else did: one notification per person and action, for the most specific reason: the first in `notificationReasons` (spec 6). */
import { type NotificationReason, notificationReasons } from '../../contract/notifications.ts'
import type { Sql } from '../database/sql.ts'

/** Who did it, where and when; `sql` is the transaction that did. */
export interface Doing {
  sql: Sql
  workspace: { id: number }
  actor: { id: number }
  now: Date
}

export interface About {
  entryId: number
  /** That of the entry, where it is left out. */
  lineageId?: string | undefined
  objectId?: number | null | undefined
  commentId?: number | null | undefined
  requestId?: number | null | undefined
  payload?: Record<string, unknown> | undefined
}

/** People who are told for the same reason. */
export interface Told {
  reason: NotificationReason
  memberIds: readonly number[]
}

/**
 * Never the one who did it, nobody who has left, and no API identity. Who has switched off the most specific reason is told nothing
 * (contract-gaps 6a). The caller holds the entry or its lineage.
 */
export async function notify(context: Doing, about: About, told: readonly Told[]): Promise<void> {
  const { sql, workspace, actor, now } = context
  const reasons = mostSpecific(told)
  reasons.delete(actor.id)
  if (reasons.size === 0) return
  const { entryId, lineageId = null, objectId = null, commentId = null, requestId = null, payload = {} } = about
  await sql`
    insert into notifications (workspace_id, member_id, reason, actor_id, entry_id, lineage_id, object_id, comment_id, request_id, payload,
                               created_at)
    select ${workspace.id}, m.id, told.reason, ${actor.id}, e.id, coalesce(${lineageId}, e.lineage_id), ${objectId}::bigint,
           ${commentId}::bigint, ${requestId}::bigint, ${sql.json(payload as Record<string, string>)}, ${now.toISOString()}
      from unnest(${[...reasons.keys()]}::bigint[], ${[...reasons.values()]}::text[]) as told (member_id, reason)
      join members m on m.workspace_id = ${workspace.id} and m.id = told.member_id and m.kind = 'person' and m.status = 'active'
      join entries e on e.workspace_id = ${workspace.id} and e.id = ${entryId}
      left join notification_prefs p on p.workspace_id = ${workspace.id} and p.member_id = m.id
     where coalesce((p.enabled->>told.reason)::boolean, (p.enabled->>'*')::boolean, true)`
}

/** A prop that is deleted, and someone who worked on it. */
export interface GoneNotice {
  member_id: number
  lineage_id: string
  name: string
  because: 'checked_out' | 'under_review'
}

/** By the same rules as `notify`. No entry is named: there is none any more. */
export async function notifyOfDeletion({ sql, workspace, actor, now }: Doing, notices: readonly GoneNotice[]): Promise<void> {
  const others = notices.filter(({ member_id }) => member_id !== actor.id)
  if (others.length === 0) return
  const reason: NotificationReason = 'entry.deleted'
  await sql`
    insert into notifications (workspace_id, member_id, reason, actor_id, lineage_id, payload, created_at)
    select ${workspace.id}, m.id, ${reason}, ${actor.id}, told.lineage_id,
           jsonb_build_object('name', told.name, 'because', told.because), ${now.toISOString()}
      from jsonb_to_recordset(${sql.json(others as unknown as Record<string, string>[])})
           as told(member_id bigint, lineage_id text, name text, because text)
      join members m on m.workspace_id = ${workspace.id} and m.id = told.member_id and m.kind = 'person' and m.status = 'active'
      left join notification_prefs p on p.workspace_id = ${workspace.id} and p.member_id = m.id
     where coalesce((p.enabled->>${reason})::boolean, (p.enabled->>'*')::boolean, true)`
}

function mostSpecific(told: readonly Told[]): Map<number, NotificationReason> {
  const order = (reason: NotificationReason) => notificationReasons.indexOf(reason)
  const reasons = new Map<number, NotificationReason>()
  for (const { reason, memberIds } of told)
    for (const id of memberIds) {
      const known = reasons.get(id)
      if (known === undefined || order(reason) < order(known)) reasons.set(id, reason)
    }
  return reasons
}
