/** Rounds in words: how far they are, who has answered what, who has not. */
import type { Reviewer, ReviewRequest } from '../../../contract/review-requests.ts'
import { listed, personName } from '../../discussion/people.ts'

type Answered = Pick<ReviewRequest, 'status' | 'reviewers'>

const byResponse = ({ reviewers }: Answered, response: Reviewer['response']): Reviewer[] =>
  reviewers.filter((one) => one.response === response)

export const namesOf = (reviewers: readonly Reviewer[]): string => listed(reviewers.map(({ user }) => personName(user)))

export const waitingFor = (round: Answered): Reviewer[] => (round.status === 'open' ? byResponse(round, 'pending') : [])

/** `1 of 3 approved`, `changes`: short, as lists have little room. */
export const progressWords = (round: Answered): string =>
  byResponse(round, 'changes_requested').length > 0
    ? 'changes'
    : `${byResponse(round, 'approved').length} of ${round.reviewers.length} approved`

/** How a sentence about a round goes on: `mia has not answered`, `everyone has approved`. What `me` answered is said already. */
export function standingWords(round: Answered, me?: number): string {
  const waiting = waitingFor(round)
  const refused = byResponse(round, 'changes_requested').filter(({ user }) => user.id !== me)
  if (waiting.length === 0 && round.status === 'completed') return 'everyone who was asked has approved'
  return [
    ...(refused.length > 0 ? [`${namesOf(refused)} requested changes`] : []),
    ...(waiting.length > 0 ? [`${namesOf(waiting)} ${waiting.length === 1 ? 'has' : 'have'} not answered`] : []),
  ].join('; ')
}
