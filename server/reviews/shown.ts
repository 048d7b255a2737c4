/** Rounds as they are answered: with people, pictures and, where a queue shows them, their entries. */
import type { ReviewedEntry, ReviewRequest } from '../../contract/review-requests.ts'
import type { UserStub } from '../../contract/shapes.ts'
import type { Sql } from '../database/sql.ts'
import { attachmentsOf } from '../discussion/attachments.ts'
import { selectStubs } from '../rows/json.ts'
import { amongRequests, type RequestRow, selectRequestRows, selectReviewedEntries, selectReviewerRows } from './round-rows.ts'

/** By several statements: of one moment where `sql` is. */
export async function showRounds(sql: Sql, workspaceId: number, rows: readonly RequestRow[]): Promise<ReviewRequest[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const reviewers = await selectReviewerRows(sql, workspaceId, ids)
  const answers = reviewers.filter((one) => one.response !== 'pending').map((one) => one.id)
  const ofRequest = await attachmentsOf(sql, workspaceId, { kind: 'request', ids })
  const ofAnswer = await attachmentsOf(sql, workspaceId, { kind: 'response', ids: answers })
  const stubs = await selectStubs(
    sql,
    workspaceId,
    [...rows, ...reviewers].flatMap((row) => row.mention_ids),
  )
  const mentionsOf = (memberIds: readonly number[]): UserStub[] => memberIds.flatMap((id) => stubs.get(id) ?? [])
  const byRequest = Map.groupBy(reviewers, (one) => one.request_id)
  return rows.map(({ mention_ids, ...row }) => ({
    ...row,
    attachments: ofRequest.get(row.id) ?? [],
    mentions: mentionsOf(mention_ids),
    reviewers: (byRequest.get(row.id) ?? []).map(({ user, response, note, assign_to, responded_at, ...reviewer }) => ({
      ...{ user, response, note, assign_to, responded_at },
      attachments: ofAnswer.get(reviewer.id) ?? [],
      mentions: mentionsOf(reviewer.mention_ids),
    })),
  }))
}

/** One that is there. */
export async function showRound(sql: Sql, workspaceId: number, id: number): Promise<ReviewRequest> {
  const [shown] = await showRounds(sql, workspaceId, await selectRequestRows(sql, workspaceId, amongRequests(sql, [id])))
  if (!shown) throw new Error('a round that was written is gone')
  return shown
}

/** With their entries, as queues show them. */
export async function showQueue(
  sql: Sql,
  workspaceId: number,
  rows: readonly RequestRow[],
): Promise<(ReviewRequest & { entry: ReviewedEntry })[]> {
  const entries = await selectReviewedEntries(
    sql,
    workspaceId,
    rows.map((row) => row.entry_id),
  )
  const shown = await showRounds(sql, workspaceId, rows)
  return shown.flatMap((request) => {
    const entry = entries.get(request.entry_id)
    return entry ? [{ ...request, entry }] : []
  })
}
