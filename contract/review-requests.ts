/** Review requests: rounds in which several people are asked about one version (spec 2, 3, 4.5; contract-gaps 6a, 9). */
import { type Static, Type } from 'typebox'
import { Attachment, AttachmentIds } from './attachments.ts'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import {
  absentOrNull,
  Count,
  entryStatuses,
  Id,
  LineageId,
  nullable,
  oneOf,
  PageLimit,
  previewStatuses,
  reviewStates,
  Timestamp,
  UserStub,
} from './shapes.ts'

export const requestStatuses = ['open', 'completed', 'cancelled', 'superseded'] as const
export type RequestStatus = (typeof requestStatuses)[number]
export const responses = ['approved', 'changes_requested'] as const
export const requestViews = ['waiting_on_me', 'requested_by_me', 'all'] as const

const Note = absentOrNull(Type.String({ maxLength: limits.note }))
const said = { note: nullable(Type.String()), attachments: Type.Array(Attachment), mentions: Type.Array(UserStub) }

/** What one person was asked and answered. `assign_to`: who is to make the changes. */
export const Reviewer = Type.Object({
  user: UserStub,
  response: oneOf(['pending', ...responses]),
  ...said,
  assign_to: nullable(Id),
  responded_at: nullable(Timestamp),
})
export type Reviewer = Static<typeof Reviewer>

/** What a queue shows of the entry. When `face_object_id` is not the round's `object_id`, the round reviews another version. */
export const ReviewedEntry = Type.Object({
  id: Id,
  name: Type.String(),
  entry_type: Type.String(),
  asset_class: Type.String(),
  status: oneOf(entryStatuses),
  has_thumbnail: Type.Boolean(),
  preview_status: oneOf(previewStatuses),
  preview_kind: nullable(Type.String()),
  review_status: oneOf(reviewStates),
  face_object_id: Id,
  date_updated: Timestamp,
})
export type ReviewedEntry = Static<typeof ReviewedEntry>

/**
 * How many entries use a version of the lineage, directly and in all, and into which projects it was pulled. `at_least`: more than
 * `limits.graph.counted` versions lead to it, or they name one another more than `limits.graph.edges` times, and the counts are those of
 * the nearest.
 */
export const Impact = Type.Object({
  direct_entries: Count,
  entries: Count,
  projects: Type.Array(Type.String()),
  at_least: Type.Optional(Type.Boolean()),
})
export type Impact = Static<typeof Impact>

/** A round. `entry` in queues and single reads, `impact` in single reads. */
export const ReviewRequest = Type.Object({
  id: Id,
  entry_id: Id,
  object_id: Id,
  lineage_id: LineageId,
  status: oneOf(requestStatuses),
  requested_by: UserStub,
  ...said,
  created_at: Timestamp,
  closed_at: nullable(Timestamp),
  closed_by: nullable(Id),
  reviewers: Type.Array(Reviewer),
  entry: Type.Optional(ReviewedEntry),
  impact: Type.Optional(Impact),
})
export type ReviewRequest = Static<typeof ReviewRequest>

const Answer = Type.Object({ request: ReviewRequest })
const ofRequest = Type.Object({ request_id: Id })
/** Those who are named twice count once; how many there are is checked after that. */
const People = Type.Array(Id, { maxItems: limits.bulk })

export const reviewRequests = routes({
  create: {
    method: 'POST',
    path: '/entries/{entry_id}/review-requests',
    scope: 'write',
    summary: 'Ask people to review the current version.',
    input: Type.Object({
      entry_id: Id,
      object_id: Id,
      reviewer_ids: Type.Array(Id, { minItems: 1, maxItems: limits.bulk }),
      note: Note,
      attachment_ids: absentOrNull(AttachmentIds),
    }),
    output: Answer,
    status: 201,
    errors: ['ENTRY_NOT_FOUND', 'USER_NOT_FOUND', 'NOT_FOUND', 'CONFLICT', 'FORBIDDEN', 'VALIDATION'],
  },
  ofEntry: {
    method: 'GET',
    path: '/entries/{entry_id}/review-requests',
    scope: 'read',
    summary: 'List the rounds of an entry, newest first.',
    input: Type.Object({ entry_id: Id, status: Type.Optional(oneOf(requestStatuses)) }),
    output: Type.Object({ requests: Type.Array(ReviewRequest) }),
    errors: ['ENTRY_NOT_FOUND', 'VALIDATION'],
  },
  list: {
    method: 'GET',
    path: '/review-requests',
    scope: 'read',
    summary: 'List rounds, newest first: those that wait for you, those you asked for, or all.',
    input: Type.Object({
      view: Type.Optional(oneOf(requestViews)),
      status: Type.Optional(oneOf(requestStatuses)),
      cursor: Type.Optional(Id),
      limit: Type.Optional(PageLimit),
    }),
    output: Type.Object({ requests: Type.Array(ReviewRequest), next_cursor: nullable(Id) }),
    errors: ['VALIDATION'],
  },
  waitingCount: {
    method: 'GET',
    path: '/review-requests/waiting-count',
    scope: 'read',
    summary: 'Count the rounds that wait for your answer.',
    output: Type.Object({ waiting: Count }),
  },
  get: {
    method: 'GET',
    path: '/review-requests/{request_id}',
    scope: 'read',
    summary: 'Show a round with its entry, and what depends on it.',
    input: ofRequest,
    output: Type.Object({ request: ReviewRequest, entry: ReviewedEntry }),
    errors: ['REVIEW_REQUEST_NOT_FOUND'],
  },
  respond: {
    method: 'POST',
    path: '/review-requests/{request_id}/respond',
    scope: 'write',
    summary: 'Answer a round that you were asked in: approve, or request changes of someone.',
    input: Type.Object({
      request_id: Id,
      response: oneOf(responses),
      note: Note,
      assign_to: absentOrNull(Id),
      /** Those of an earlier answer stay where the list is left out. */
      attachment_ids: absentOrNull(AttachmentIds),
    }),
    output: Answer,
    errors: ['REVIEW_REQUEST_NOT_FOUND', 'USER_NOT_FOUND', 'NOT_FOUND', 'CONFLICT', 'FORBIDDEN', 'VALIDATION'],
  },
  update: {
    method: 'PATCH',
    path: '/review-requests/{request_id}',
    scope: 'write',
    summary: 'Add people to an open round, or take them out.',
    input: Type.Object({
      request_id: Id,
      add_reviewer_ids: absentOrNull(People),
      remove_reviewer_ids: absentOrNull(People),
    }),
    output: Answer,
    errors: ['REVIEW_REQUEST_NOT_FOUND', 'USER_NOT_FOUND', 'CONFLICT', 'FORBIDDEN', 'VALIDATION'],
  },
  cancel: {
    method: 'POST',
    path: '/review-requests/{request_id}/cancel',
    scope: 'write',
    effect: 'replaces',
    summary: 'Close an open round; a version that nobody answered about is a draft again.',
    input: ofRequest,
    output: Answer,
    errors: ['REVIEW_REQUEST_NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
  },
})
