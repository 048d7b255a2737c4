/** Who is asked in an open round: people are added and taken out, never all of them (spec 4.5; contract-gaps 6a). */
import { validationError } from '../../contract/errors.ts'
import type { ReviewRequest, reviewRequests } from '../../contract/review-requests.ts'
import type { InputOf } from '../../contract/route.ts'
import { amongIds } from '../database/among.ts'
import { attach } from '../discussion/attachments.ts'
import type { Context } from '../handler.ts'
import { notify } from '../notifications/notify.ts'
import { settle } from './answer.ts'
import { requireReviewers, requireRoundSize } from './people.ts'
import { holdRound, type Round, requireOpen, requireRequester, requireRound } from './round.ts'
import { showRound } from './shown.ts'

type Changing = Context & { input: InputOf<(typeof reviewRequests)['update']> }

export async function changeReviewers(request: Changing): Promise<ReviewRequest> {
  const { sql, workspace, input } = request
  const { add, remove } = sentLists(input)
  const round = await holdRound(request, input.request_id)
  requireRequester(request, round)
  requireOpen(round)
  const asked = new Set(round.reviewers.map((one) => one.member_id))
  const added = add.filter((id) => !asked.has(id))
  const removed = round.reviewers.filter((one) => remove.includes(one.member_id))
  await requireReviewers(request, added, 'add_reviewer_ids')
  requireRoundSize(asked.size + added.length - removed.length, added.length > 0 ? 'add_reviewer_ids' : 'remove_reviewer_ids')
  await takeOut(request, removed)
  await takeIn(request, round, added)
  if (added.length + removed.length > 0) await settle(request, await requireRound(sql, workspace.id, round.id))
  return showRound(sql, workspace.id, round.id)
}

/** VALIDATION when nobody is named, someone in both lists, or too many in one. */
function sentLists({ add_reviewer_ids, remove_reviewer_ids }: Changing['input']): { add: number[]; remove: number[] } {
  const add = [...new Set(add_reviewer_ids)]
  const remove = [...new Set(remove_reviewer_ids)]
  if (add.length + remove.length === 0)
    throw validationError([{ path: 'body', message: 'must name someone in add_reviewer_ids or remove_reviewer_ids' }])
  const both = add.find((id) => remove.includes(id))
  if (both !== undefined)
    throw validationError([{ path: 'remove_reviewer_ids', message: `names ${both}, as add_reviewer_ids does` }])
  if (add.length > 0) requireRoundSize(add.length, 'add_reviewer_ids')
  if (remove.length > 0) requireRoundSize(remove.length, 'remove_reviewer_ids')
  return { add, remove }
}

/** Their pictures are theirs again, until they are cleaned up. */
async function takeOut(request: Changing, removed: Round['reviewers']): Promise<void> {
  const { sql, workspace } = request
  const [first] = removed
  if (!first) return
  await sql`
    delete from review_reviewers
     where workspace_id = ${workspace.id} and request_id = ${first.request_id} and member_id ${amongIds(
       sql,
       removed.map((one) => one.member_id),
     )}`
  for (const { id, response } of removed)
    if (response !== 'pending') await attach(request, { ids: [], to: { kind: 'response', id }, replace: true })
}

async function takeIn(request: Changing, round: Round, added: readonly number[]): Promise<void> {
  const { sql, workspace } = request
  if (added.length === 0) return
  await sql`
    insert into review_reviewers (workspace_id, request_id, member_id)
    select ${workspace.id}, ${round.id}, reviewer.id from unnest(${[...added]}::bigint[]) with ordinality as reviewer (id, place)
     order by reviewer.place`
  const about = { entryId: round.entry_id, lineageId: round.lineage_id, objectId: round.object_id, requestId: round.id }
  await notify(request, about, [{ reason: 'review.requested', memberIds: added }])
}
