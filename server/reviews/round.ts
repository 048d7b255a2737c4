/** A round and its answers, held: who changes one holds the lineage first, as who moves its current version does. */
import { ApiError } from '../../contract/errors.ts'
import type { RequestStatus } from '../../contract/review-requests.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'
import { holdLineagesOf } from '../rows/hold.ts'
import { amongRequests, type RequestRow, type ReviewerRow, selectRequestRows, selectReviewerRows } from './round-rows.ts'

export interface Round extends RequestRow {
  reviewers: ReviewerRow[]
}

/** As it is once it is held; REVIEW_REQUEST_NOT_FOUND otherwise. */
export async function holdRound({ sql, workspace }: Pick<Context, 'sql' | 'workspace'>, id: number): Promise<Round> {
  await holdLineagesOf(
    sql,
    workspace.id,
    sql`select lineage_id from review_requests where workspace_id = ${workspace.id} and id = ${id}`,
  )
  return requireRound(sql, workspace.id, id)
}

/** REVIEW_REQUEST_NOT_FOUND otherwise. */
export async function requireRound(sql: Sql, workspaceId: number, id: number): Promise<Round> {
  const [request] = await selectRequestRows(sql, workspaceId, amongRequests(sql, [id]))
  if (!request) throw requestNotFound(id)
  return { ...request, reviewers: await selectReviewerRows(sql, workspaceId, [id]) }
}

export const requestNotFound = (id: number): ApiError =>
  new ApiError('REVIEW_REQUEST_NOT_FOUND', `There is no review request ${id} in this workspace.`)

/** CONFLICT otherwise. */
export function requireOpen({ id, status }: Round): void {
  if (status === 'open') return
  throw new ApiError('CONFLICT', `Review request ${id} is closed: it was ${status}.`, { status })
}

/** FORBIDDEN for anyone but who asked for it, and admins. */
export function requireRequester({ actor }: Pick<Context, 'actor'>, { id, requested_by }: Round): void {
  if (actor.id === requested_by.id || actor.role === 'admin') return
  throw new ApiError(
    'FORBIDDEN',
    `Only ${requested_by.display_name}, who asked for review request ${id}, or an admin may do that.`,
  )
}

type Closing = Pick<Context, 'sql' | 'workspace' | 'actor' | 'now'>

/** Nobody has to answer them any more. The caller holds their lineage. */
export async function closeRounds(
  { sql, workspace, actor, now }: Closing,
  ids: readonly number[],
  status: Exclude<RequestStatus, 'open'>,
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update review_requests set status = ${status}, closed_at = ${now.toISOString()}, closed_by = ${actor.id}
     where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`
  await sql`
    update review_reviewers set is_waiting = false where workspace_id = ${workspace.id} and request_id ${amongIds(sql, ids)} and is_waiting`
}

/** The open round of a version. */
export async function findOpenRound(
  sql: Sql,
  workspaceId: number,
  objectId: number,
): Promise<Pick<RequestRow, 'id' | 'requested_by'> | undefined> {
  const [row] = await selectRequestRows(sql, workspaceId, sql`and object_id = ${objectId} and status = 'open'`)
  return row
}
