/** What the answers to a round make of its version (spec 3; contract-gaps 6a). Pure. Without a round, decide.ts. */
import type { ReviewState } from '../../contract/reviews.ts'
import type { Round } from './round.ts'

/** What is kept of the review of a version that is no draft. */
export interface Decision {
  state: Exclude<ReviewState, 'draft'>
  assigneeId: number | null
  decidedBy: number
  decidedAt: Date | string
  note: string | null
  requestId: number | null
}

/** One who requests changes outweighs all who approve; nobody approves alone where others were asked too. */
export function verdictOf(round: Round): Decision & { isComplete: boolean } {
  const answered = round.reviewers.filter((one) => one.response !== 'pending').sort(byTime)
  const refusal = answered.findLast((one) => one.response === 'changes_requested')
  const last = answered.at(-1)
  const isComplete = !refusal && last !== undefined && answered.length === round.reviewers.length
  const deciding = refusal ?? (isComplete ? last : undefined)
  return {
    state: refusal ? 'changes_requested' : isComplete ? 'approved' : 'in_review',
    assigneeId: refusal?.assign_to ?? null,
    decidedBy: deciding?.member_id ?? round.requested_by.id,
    decidedAt: deciding?.responded_at ?? round.created_at,
    note: deciding ? deciding.note : round.note,
    requestId: round.id,
    isComplete,
  }
}

const byTime = (a: Round['reviewers'][number], b: Round['reviewers'][number]): number =>
  momentOf(a.responded_at) - momentOf(b.responded_at) || a.id - b.id

const momentOf = (at: string | null): number => (at === null ? 0 : new Date(at).getTime())
