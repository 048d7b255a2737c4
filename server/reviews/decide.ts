/** Decides on the current version directly, without a round or over one (spec 4.5; contract-gaps 6a). */
import { ApiError, validationError } from '../../contract/errors.ts'
import type { ReviewRecord, ReviewState, reviews } from '../../contract/reviews.ts'
import type { InputOf } from '../../contract/route.ts'
import type { Context } from '../handler.ts'
import { notify } from '../notifications/notify.ts'
import { startWatching } from '../notifications/watching.ts'
import { requireEntryFace } from '../rows/entry.ts'
import { notCurrent, selectReview } from '../rows/version.ts'
import { type ReviewedVersion, type Standing, standingOf, writeDecision } from './decision.ts'
import { requireAssignee } from './people.ts'
import { closeRounds, findOpenRound } from './round.ts'

type Deciding = Context & { input: InputOf<(typeof reviews)['decide']> }

interface Decided {
  entry_id: number
  object_id: number
  review_status: ReviewState
  review: ReviewRecord | null
}

export async function decide(request: Deciding): Promise<Decided> {
  const { sql, workspace, actor, now, input } = request
  requireFits(input)
  const face = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: true })
  const { object_id: objectId, state, note = null } = input
  if (objectId !== face.object_id) throw notCurrent({ entryId: face.entry_id, currentId: face.object_id, objectId })
  const version = { entryId: face.entry_id, lineageId: face.lineage_id, objectId }
  const before = await standingOf(request, objectId)
  const openId = await requireMayDecide(request, objectId, before)
  const assigneeId = input.assignee_id === undefined ? before.assigneeId : input.assignee_id
  if (input.assignee_id) await requireAssignee(request, input.assignee_id, 'assignee_id')
  await closeRounds(request, openId === undefined ? [] : [openId], 'superseded')
  await writeDecision(request, version, {
    decision: state === 'draft' ? null : { state, assigneeId, decidedBy: actor.id, decidedAt: now, note, requestId: null },
    isSaid: true,
    before,
  })
  await tell(request, version, { before, assigneeId })
  return {
    entry_id: face.entry_id,
    object_id: objectId,
    review_status: state,
    review: await selectReview(sql, workspace.id, objectId),
  }
}

/** VALIDATION for what a draft has not. */
function requireFits({ state, assignee_id, note }: Deciding['input']): void {
  if (state !== 'draft') return
  const path = assignee_id !== undefined ? 'assignee_id' : note !== undefined ? 'note' : undefined
  if (path) throw validationError([{ path, message: 'goes with other states than draft only' }])
}

/** CONFLICT while someone else's round is open, else FORBIDDEN where the version is assigned to someone else. Gives the open round. */
async function requireMayDecide(
  { sql, workspace, actor }: Deciding,
  objectId: number,
  before: Standing,
): Promise<number | undefined> {
  const open = await findOpenRound(sql, workspace.id, objectId)
  const isAdmin = actor.role === 'admin'
  if (open && open.requested_by.id !== actor.id && !isAdmin)
    throw new ApiError(
      'CONFLICT',
      `${open.requested_by.display_name} has asked for a review of this version, and decides on it until that is closed.`,
      { open_request_id: open.id },
    )
  if (!open && before.assigneeId !== null && before.assigneeId !== actor.id && !isAdmin)
    throw new ApiError('FORBIDDEN', 'This version is assigned to someone else, who decides on it, as admins do.')
  return open?.id
}

/** Of changes that someone is asked to make for the first time. */
async function tell(
  request: Deciding,
  version: ReviewedVersion,
  { before, assigneeId }: { before: Standing; assigneeId: number | null },
): Promise<void> {
  const { state } = request.input
  const isNew = before.state !== state || before.assigneeId !== assigneeId
  if (state === 'changes_requested' && assigneeId !== null && isNew)
    await notify(request, { ...version, payload: { state } }, [{ reason: 'review.assigned', memberIds: [assigneeId] }])
  await startWatching(request, version.entryId)
}
