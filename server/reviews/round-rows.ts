/** The only place that lists the columns of a review round, of the answers to it, and of the entry beside it. */
import type { ReviewedEntry, Reviewer, ReviewRequest } from '../../contract/review-requests.ts'
import { amongIds, lookupIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { stubOf } from '../rows/json.ts'

/** `mention_ids` instead of the people, and nothing of what lies in other rooms. */
export interface RequestRow extends Omit<ReviewRequest, 'mentions' | 'attachments' | 'reviewers' | 'entry' | 'impact'> {
  mention_ids: number[]
}

export interface ReviewerRow extends Omit<Reviewer, 'mentions' | 'attachments'> {
  id: number
  request_id: number
  member_id: number
  mention_ids: number[]
}

/** The newest first. `which` says which, of `review_requests`, and ends with a limit where there is one. */
export const selectRequestRows = (sql: Sql, workspaceId: number, which: Fragment): PromiseLike<RequestRow[]> =>
  sql<RequestRow[]>`
    select r.id, r.entry_id, r.object_id, r.lineage_id, r.status, ${stubOf(sql, 'm')} as requested_by, r.note, r.mention_ids, r.created_at,
           r.closed_at, r.closed_by
      from (select * from review_requests where workspace_id = ${workspaceId} ${which}) r
      join members m on m.workspace_id = ${workspaceId} and m.id = r.requested_by
     order by r.id desc`

/** In the order in which they were asked. */
export const selectReviewerRows = (sql: Sql, workspaceId: number, requestIds: readonly number[]): PromiseLike<ReviewerRow[]> =>
  sql<ReviewerRow[]>`
    select w.id, w.request_id, w.member_id, ${stubOf(sql, 'm')} as user, w.response, w.note, w.mention_ids, w.assign_to, w.responded_at
      from ${lookupIds(sql, requestIds)}
     cross join lateral (select * from review_reviewers where workspace_id = ${workspaceId} and request_id = lookup.key offset 0) w
      join members m on m.workspace_id = ${workspaceId} and m.id = w.member_id
     order by w.id`

export async function selectReviewedEntries(
  sql: Sql,
  workspaceId: number,
  ids: Iterable<number>,
): Promise<Map<number, ReviewedEntry>> {
  const rows = await sql<ReviewedEntry[]>`
    select e.id, e.name, e.entry_type, o.asset_class, e.status, o.thumbnail_artifact_id is not null as has_thumbnail, o.preview_status,
           o.preview_kind, o.review_status, o.id as face_object_id, e.date_updated
      from ${lookupIds(sql, new Set(ids))}
     cross join lateral (select * from entries where workspace_id = ${workspaceId} and id = lookup.key offset 0) e
     cross join lateral (select face_object_id from lineages where workspace_id = ${workspaceId} and id = e.lineage_id offset 0) l
     cross join lateral (select * from objects where workspace_id = ${workspaceId} and id = l.face_object_id offset 0) o`
  return new Map(rows.map((row) => [row.id, row]))
}

/** The rounds that wait for an answer of someone, the newest first. */
export async function selectWaitingIds(
  sql: Sql,
  workspaceId: number,
  of: { memberId: number; before: number | undefined; limit: number },
): Promise<number[]> {
  const rows = await sql<{ request_id: number }[]>`
    select request_id from review_reviewers
     where workspace_id = ${workspaceId} and member_id = ${of.memberId} and is_waiting
       ${of.before === undefined ? sql`` : sql`and request_id < ${of.before}`}
     order by request_id desc limit ${of.limit}`
  return rows.map((row) => row.request_id)
}

export const amongRequests = (sql: Sql, ids: readonly number[]): Fragment => sql`and id ${amongIds(sql, ids)}`
