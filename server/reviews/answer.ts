/** What becomes of an open round: answers to it, other people in it, its end (spec 3, 4.5; contract-gaps 6a). */
import { ApiError, validationError } from '../../contract/errors.ts'
import type { ReviewRequest, reviewRequests } from '../../contract/review-requests.ts'
import type { InputOf } from '../../contract/route.ts'
import { attach } from '../discussion/attachments.ts'
import { mentionsIn } from '../discussion/mentions.ts'
import type { Context } from '../handler.ts'
import { notify } from '../notifications/notify.ts'
import { startWatching } from '../notifications/watching.ts'
import { type ReviewedVersion, writeDecision } from './decision.ts'
import { isActive, requireAssignee } from './people.ts'
import { closeRounds, holdRound, type Round, requireOpen, requireRequester } from './round.ts'
import type { ReviewerRow } from './round-rows.ts'
import { showRound } from './shown.ts'
import { verdictOf } from './verdict.ts'

type Verb = 'respond' | 'cancel'
type Request<V extends Verb> = Context & { input: InputOf<(typeof reviewRequests)[V]> }

const versionOf = (round: Round): ReviewedVersion => ({
  entryId: round.entry_id,
  lineageId: round.lineage_id,
  objectId: round.object_id,
})

export async function respond(request: Request<'respond'>): Promise<ReviewRequest> {
  const { sql, workspace, actor, now, input } = request
  const { response, attachment_ids } = input
  if (response === 'approved' && input.assign_to)
    throw validationError([{ path: 'assign_to', message: 'goes with changes_requested only' }])
  const round = await holdRound(request, input.request_id)
  const reviewer = round.reviewers.find((one) => one.member_id === actor.id)
  if (!reviewer) throw new ApiError('FORBIDDEN', `You were not asked in review request ${round.id}.`)
  requireOpen(round)
  const assigneeId = response === 'approved' ? null : await assigneeOf(request, round)
  const mentionIds = await mentionsIn(sql, workspace.id, input.note ?? '')
  await writeAnswer(request, reviewer, { assigneeId, mentionIds })
  if (attachment_ids) await attach(request, { ids: attachment_ids, to: { kind: 'response', id: reviewer.id }, replace: true })
  const answer = { response, note: input.note ?? null, assign_to: assigneeId, responded_at: now.toISOString() }
  const reviewers = round.reviewers.map((one) => (one === reviewer ? { ...one, ...answer } : one))
  await settle(request, { ...round, reviewers })
  await tell(request, round, { assigneeId, mentionIds })
  return showRound(sql, workspace.id, round.id)
}

/** Who is named, else who asked for the round, unless they have left. */
async function assigneeOf(request: Request<'respond'>, round: Round): Promise<number | null> {
  const named = request.input.assign_to
  if (named) {
    await requireAssignee(request, named, 'assign_to')
    return named
  }
  const requesterId = round.requested_by.id
  return (await isActive(request, requesterId)) ? requesterId : null
}

interface Said {
  assigneeId: number | null
  mentionIds: readonly number[]
}

async function writeAnswer({ sql, workspace, now, input }: Request<'respond'>, reviewer: ReviewerRow, said: Said): Promise<void> {
  await sql`
    update review_reviewers
       set response = ${input.response}, note = ${input.note ?? null}, mention_ids = ${[...said.mentionIds]}::bigint[],
           assign_to = ${said.assigneeId}, responded_at = ${now.toISOString()}, is_waiting = false
     where workspace_id = ${workspace.id} and request_id = ${reviewer.request_id} and member_id = ${reviewer.member_id}`
}

/** Makes of the version what the answers say, as they are now, and ends a round that everyone has approved. The caller holds the round. */
export async function settle(context: Context, round: Round): Promise<void> {
  const { isComplete, ...decision } = verdictOf(round)
  if (isComplete) await closeRounds(context, [round.id], 'completed')
  await writeDecision(context, versionOf(round), { decision })
}

async function tell(request: Request<'respond'>, round: Round, { assigneeId, mentionIds }: Said): Promise<void> {
  const { feed, input } = request
  const version = versionOf(round)
  const { response } = input
  feed.happened({ type: 'review.response', ...version, payload: { request_id: round.id, response } })
  await notify(request, { ...version, requestId: round.id, payload: { response } }, [
    { reason: 'review.responded', memberIds: [round.requested_by.id] },
    { reason: 'review.assigned', memberIds: assigneeId === null ? [] : [assigneeId] },
    { reason: 'review.mention', memberIds: mentionIds },
  ])
  await startWatching(request, round.entry_id)
}

export async function cancel(request: Request<'cancel'>): Promise<ReviewRequest> {
  const { sql, workspace, feed, input } = request
  const round = await holdRound(request, input.request_id)
  requireRequester(request, round)
  requireOpen(round)
  await closeRounds(request, [round.id], 'cancelled')
  const isUnanswered = round.reviewers.every((one) => one.response === 'pending')
  if (isUnanswered) await writeDecision(request, versionOf(round), { decision: null })
  feed.happened({ type: 'review.cancel', ...versionOf(round), payload: { request_id: round.id } })
  return showRound(sql, workspace.id, round.id)
}
