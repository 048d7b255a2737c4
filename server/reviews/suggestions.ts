/** Who could review an entry: people whose work is near it, by what is known of the last year (contract-gaps 9). */
import { type SuggestionReason, suggestionReasons } from '../../contract/reviews.ts'
import type { UserStub } from '../../contract/shapes.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'
import { requireEntryFace } from '../rows/entry.ts'

const people = 10
/** Props that use the entry directly, and events of each: what a person did lately says most. */
const [mostUsers, mostEvents] = [200, 200]
/** Who reviewed the prop before is asked first; three reasons of lesser weight make up for that. */
const weights: Record<SuggestionReason, number> = {
  reviewed: 8,
  pushed: 6,
  commented: 4,
  reviewed_dependent: 3,
  pushed_dependent: 2,
  commented_dependent: 1,
}

interface Suggestion {
  user: UserStub
  reasons: SuggestionReason[]
}

/** The best first; neither who asks nor who cannot review. ENTRY_NOT_FOUND otherwise. */
export async function suggestReviewers({ sql, workspace, actor }: Context, entryId: number): Promise<Suggestion[]> {
  const face = await requireEntryFace(sql, workspace.id, { entryId, hold: false })
  const done = await selectDone(sql, workspace.id, face.lineage_id)
  const byPerson = Map.groupBy(
    done.filter((one) => one.member_id !== actor.id),
    (one) => one.member_id,
  )
  const known = await selectReviewers(sql, workspace.id, [...byPerson.keys()])
  return known
    .map((user) => {
      const own = byPerson.get(user.id) ?? []
      const reasons = suggestionReasons.filter((reason) => own.some((one) => one.reason === reason))
      const score = reasons.reduce((sum, reason) => sum + weights[reason], 0)
      return { user, reasons, score, last: Math.max(...own.map((one) => one.last)) }
    })
    .sort((a, b) => b.score - a.score || b.last - a.last)
    .slice(0, people)
    .map(({ user, reasons }) => ({ user, reasons }))
}

interface Done {
  member_id: number
  reason: SuggestionReason
  /** The number of the newest event of that kind. */
  last: number
}

/** Opening a round reviews nothing; what came of an answer is told by the answer. */
const selectDone = (sql: Sql, workspaceId: number, lineageId: string) => sql<Done[]>`
  with users as (
    select distinct o.lineage_id
      from objects own
      join dependencies d on d.workspace_id = own.workspace_id and d.needs_object_id = own.id
      join objects o on o.workspace_id = d.workspace_id and o.id = d.object_id
     where own.workspace_id = ${workspaceId} and own.lineage_id = ${lineageId} and o.lineage_id <> ${lineageId}
     limit ${mostUsers}),
  near as materialized (select ${lineageId}::text as lineage_id, '' as suffix union all select lineage_id, '_dependent' from users)
  select done.actor_id as member_id, done.verb || near.suffix as reason, max(done.id) as last
    from near
   cross join lateral (
     select a.id, a.actor_id,
            case a.event_type when 'push.commit' then 'pushed' when 'comment.create' then 'commented' else 'reviewed' end as verb
       from activity a
      where a.workspace_id = ${workspaceId} and a.lineage_id = near.lineage_id and a.actor_id is not null
        and (a.event_type in ('push.commit', 'comment.create', 'review.response')
             or a.event_type = 'review.change' and a.payload->>'request_id' is null)
      order by a.id desc limit ${mostEvents} offset 0) done
   group by 1, 2`

const selectReviewers = (sql: Sql, workspaceId: number, ids: readonly number[]) => sql<UserStub[]>`
  select id, name, display_name from members
   where workspace_id = ${workspaceId} and id ${amongIds(sql, ids)} and kind = 'person' and status = 'active'`
