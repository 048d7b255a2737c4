/** Opens a round: the version is in review at once, rounds on older versions are over, and those who are asked hear of it (spec 3, 4.5). */
import { ApiError } from '../../contract/errors.ts'
import type { ReviewRequest, reviewRequests } from '../../contract/review-requests.ts'
import type { InputOf } from '../../contract/route.ts'
import { attach } from '../discussion/attachments.ts'
import { mentionsIn } from '../discussion/mentions.ts'
import type { Context } from '../handler.ts'
import { notify } from '../notifications/notify.ts'
import { startWatching } from '../notifications/watching.ts'
import { type EntryFace, requireEntryFace } from '../rows/entry.ts'
import { notCurrent } from '../rows/version.ts'
import { writeDecision } from './decision.ts'
import { requireReviewers, requireRoundSize } from './people.ts'
import { closeRounds, findOpenRound } from './round.ts'
import { showRound } from './shown.ts'

type Opening = Context & { input: InputOf<(typeof reviewRequests)['create']> }

export async function openRound(request: Opening): Promise<ReviewRequest> {
  const { sql, workspace, input } = request
  const reviewerIds = [...new Set(input.reviewer_ids)]
  requireRoundSize(reviewerIds.length, 'reviewer_ids')
  const face = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: true })
  await requireUnreviewed(request, face)
  await requireReviewers(request, reviewerIds, 'reviewer_ids')
  await closeRounds(request, await selectOlderRounds(request, face), 'superseded')
  const mentionIds = await mentionsIn(sql, workspace.id, input.note ?? '')
  const id = await insertRound(request, face, { reviewerIds, mentionIds })
  await attach(request, { ids: input.attachment_ids ?? [], to: { kind: 'request', id } })
  await tell(request, face, { id, reviewerIds, mentionIds })
  return showRound(sql, workspace.id, id)
}

/** CONFLICT when it is not about the current version, or that one is under review. The caller holds the lineage. */
async function requireUnreviewed({ sql, workspace, input }: Opening, face: EntryFace): Promise<void> {
  const { object_id: objectId } = input
  if (objectId !== face.object_id) throw notCurrent({ entryId: face.entry_id, currentId: face.object_id, objectId })
  const open = await findOpenRound(sql, workspace.id, objectId)
  if (!open) return
  throw new ApiError('CONFLICT', `${open.requested_by.display_name} has asked for a review of this version already.`, {
    open_request_id: open.id,
  })
}

async function selectOlderRounds({ sql, workspace }: Opening, face: EntryFace): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from review_requests
     where workspace_id = ${workspace.id} and lineage_id = ${face.lineage_id} and status = 'open' and object_id < ${face.object_id}`
  return rows.map((row) => row.id)
}

interface Asked {
  reviewerIds: readonly number[]
  mentionIds: readonly number[]
}

async function insertRound(
  { sql, workspace, actor, now, input }: Opening,
  face: EntryFace,
  { reviewerIds, mentionIds }: Asked,
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with made as (
      insert into review_requests (workspace_id, entry_id, object_id, lineage_id, requested_by, note, mention_ids, created_at)
      values (${workspace.id}, ${face.entry_id}, ${face.object_id}, ${face.lineage_id}, ${actor.id}, ${input.note ?? null},
              ${[...mentionIds]}::bigint[], ${now.toISOString()})
      returning id),
    asked as (
      insert into review_reviewers (workspace_id, request_id, member_id)
      select ${workspace.id}, made.id, reviewer.id from made, unnest(${[...reviewerIds]}::bigint[]) with ordinality as reviewer (id, place)
       order by reviewer.place)
    select id from made`
  if (!row) throw new Error('the round was not recorded')
  return row.id
}

async function tell(request: Opening, face: EntryFace, { id, reviewerIds, mentionIds }: Asked & { id: number }): Promise<void> {
  const { actor, now, feed, input } = request
  const version = { entryId: face.entry_id, lineageId: face.lineage_id, objectId: face.object_id }
  const note = input.note ?? null
  await writeDecision(request, version, {
    decision: { state: 'in_review', assigneeId: null, decidedBy: actor.id, decidedAt: now, note, requestId: id },
  })
  feed.happened({ type: 'review.request', ...version, payload: { request_id: id, reviewer_ids: [...reviewerIds] } })
  await notify(request, { ...version, requestId: id }, [
    { reason: 'review.requested', memberIds: reviewerIds },
    { reason: 'review.mention', memberIds: mentionIds },
  ])
  await startWatching(request, face.entry_id)
}
