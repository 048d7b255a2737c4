/** Reviews: the state of a version, decided directly, and who could be asked (spec 2, 3, 4.5; contract-gaps 6a, 9). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Id, nullable, oneOf, reviewStates, Timestamp, UserStub } from './shapes.ts'

/** What was decided of a version; a draft has none. `request_id`: the round that it came from. */
export const ReviewRecord = Type.Object({
  object_id: Id,
  state: oneOf(reviewStates),
  assignee: nullable(UserStub),
  decided_by: UserStub,
  decided_at: Timestamp,
  note: nullable(Type.String()),
  request_id: nullable(Id),
})
export type ReviewRecord = Static<typeof ReviewRecord>
export type ReviewState = (typeof reviewStates)[number]

/** Why someone could review an entry: what they did with it, or with a prop that uses it directly. */
export const suggestionReasons = [
  'reviewed',
  'pushed',
  'commented',
  'reviewed_dependent',
  'pushed_dependent',
  'commented_dependent',
] as const
export type SuggestionReason = (typeof suggestionReasons)[number]

export const reviews = routes({
  decide: {
    method: 'PUT',
    path: '/entries/{entry_id}/review',
    scope: 'write',
    summary: 'Decide on the current version directly; an open round is superseded by it.',
    input: Type.Object({
      entry_id: Id,
      object_id: Id,
      state: oneOf(reviewStates),
      /** Null: nobody. Left out: as before. */
      assignee_id: absentOrNull(Id),
      note: absentOrNull(Type.String({ maxLength: limits.note })),
    }),
    output: Type.Object({
      entry_id: Id,
      object_id: Id,
      review_status: oneOf(reviewStates),
      review: nullable(ReviewRecord),
    }),
    errors: ['ENTRY_NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT', 'FORBIDDEN', 'VALIDATION'],
  },
  suggestions: {
    method: 'GET',
    path: '/entries/{entry_id}/review-suggestions',
    scope: 'read',
    summary: 'Name people who could review an entry, best first: who pushed, reviewed or commented on it or on what uses it.',
    input: Type.Object({ entry_id: Id }),
    output: Type.Object({
      people: Type.Array(Type.Object({ user: UserStub, reasons: Type.Array(oneOf(suggestionReasons)) })),
    }),
    extension: true,
    errors: ['ENTRY_NOT_FOUND'],
  },
})
