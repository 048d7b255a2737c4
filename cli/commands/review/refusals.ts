/** Why the library refuses something about a review, in words that name it, and who may do it instead. */
import { type FoundRound, roundName } from '../../../client/reviews/find-rounds.ts'
import { type ApiError, exits } from '../../../contract/errors.ts'
import type { ReviewRequest } from '../../../contract/review-requests.ts'
import type { UserStub } from '../../../contract/shapes.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { personName } from '../../discussion/people.ts'
import { Refusal } from '../../refusal.ts'

type Told = Pick<Refusal, 'message' | 'next'>

const refusalWith = ({ code, details }: ApiError, exit: number, told: Told): Refusal =>
  new Refusal({ code, exit, details, ...told })

/** Of an answer to a round, of its end, or of a change of its people. `doing` completes "may …". */
export function explainRound(
  error: ApiError,
  request: ReviewRequest,
  { doing, canAdd = false }: { doing: 'answer' | 'cancel it' | 'change who reviews'; canAdd?: boolean },
): Refusal | undefined {
  const round = roundName(request.id)
  if (error.code === 'CONFLICT' && typeof error.details.status === 'string')
    return refusalWith(error, exits.conflict, {
      message: `This review is closed: it was ${error.details.status}.`,
      next: `See what came of it: \`ph review show ${round}\``,
    })
  if (error.code !== 'FORBIDDEN') return undefined
  const asker = personName(request.requested_by)
  if (doing !== 'answer')
    return refusalWith(error, exits.failed, {
      message: `Only ${asker}, who asked for it, or an admin may ${doing}.`,
      next: `Ask ${asker}, or an admin of the workspace.`,
    })
  return refusalWith(error, exits.failed, {
    message: 'You were not asked to review it.',
    next: canAdd
      ? `Add yourself with \`ph review assign ${round} --add me\`, or decide with \`ph review decide\`.`
      : `${asker}, who asked for it, or an admin can add you: \`ph review assign ${round} --add <you>\``,
  })
}

/** Refuses an answer that names the prop, because its review is of another version than the current one. */
export function otherVersion(
  { request, version }: Pick<FoundRound, 'request' | 'version'>,
  verb: 'approve' | 'changes',
): Refusal {
  const round = roundName(request.id)
  return new Refusal({
    code: 'CONFLICT',
    exit: exits.conflict,
    message: `Its review, ${round}, is of ${version}, and another version is current by now.`,
    next: `See both with \`ph review show ${round}\`. To answer about ${version} all the same, name the review: \`ph review ${verb} ${round}\``,
    details: { request_id: request.id, object_id: request.object_id },
  })
}

/** Of a new round. */
export function explainRequest(error: ApiError, name: string): Refusal | undefined {
  const { open_request_id: open, current_object_id: current } = error.details
  if (error.code !== 'CONFLICT') return undefined
  if (typeof open === 'number')
    return refusalWith(error, exits.conflict, {
      message: `${withoutStop(error.message)}: ${roundName(open)}.`,
      next: `See it with \`ph review show ${roundName(open)}\`; \`ph review assign ${roundName(open)} --add <who>\` asks more people.`,
    })
  return current === undefined ? undefined : outdated(error, name)
}

/** Of a direct decision. */
export function explainDecision(error: ApiError, name: string, assignee?: UserStub | null): Refusal | undefined {
  const { open_request_id: open, current_object_id: current } = error.details
  if (error.code === 'CONFLICT' && typeof open === 'number')
    return refusalWith(error, exits.conflict, {
      message: error.message,
      next: `If you were asked in it, answer: \`ph review approve ${roundName(open)}\` or \`ph review changes ${roundName(open)}\`. An admin of the workspace can decide.`,
    })
  if (error.code === 'CONFLICT' && current !== undefined) return outdated(error, name)
  if (error.code !== 'FORBIDDEN') return undefined
  const who = assignee ? personName(assignee) : 'the one it is assigned to'
  return refusalWith(error, exits.failed, {
    message: assignee ? `It is assigned to ${who}, who decides on it, as admins do.` : error.message,
    next: `Ask ${who}, or an admin of the workspace.`,
  })
}

const outdated = (error: ApiError, name: string): Refusal =>
  refusalWith(error, exits.conflict, {
    message: 'Another version became current meanwhile.',
    next: `Look at it with \`ph history ${shellWord(printable(name))}\`, then run the same command again.`,
  })

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')
