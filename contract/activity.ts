/** Activity: what happened, for people, newest first, or onwards from an event (spec 4.6 and 6; contract-gaps 9). */
import { type Static, Type } from 'typebox'
import { routes } from './route.ts'
import { Count, Id, LibraryEpoch, LineageId, nullable, PageLimit, repeatable, Timestamp, UserStub } from './shapes.ts'

/** Event types of the activity feed; the list may grow, clients ignore unknown ones. */
export const activityTypes = [
  'push.commit',
  'push.enrich',
  'push.undo',
  'entry.restore',
  'lock.acquire',
  'lock.release',
  'lock.expire',
  'review.change',
  'review.request',
  'review.response',
  'review.cancel',
  'comment.create',
  'comment.resolve',
  'annotation.create',
  'download.pull',
  'previews.refresh_requested',
  'webhook.test',
] as const
export type ActivityType = (typeof activityTypes)[number]

/** One event; `count` says how many events of one bulk action it stands for, with the references of the newest. */
export const ActivityEvent = Type.Object({
  id: Id,
  event_type: Type.String(),
  actor: nullable(UserStub),
  entry_id: nullable(Id),
  lineage_id: nullable(LineageId),
  object_id: nullable(Id),
  batch_key: nullable(Type.String()),
  count: Count,
  payload: Type.Object({}, { additionalProperties: true }),
  created_at: Timestamp,
})
export type ActivityEvent = Static<typeof ActivityEvent>

export const activity = routes({
  list: {
    method: 'GET',
    path: '/activity',
    scope: 'read',
    summary:
      'List what happened, newest first; with `after`, what came after that event, oldest first. `collapse=false` keeps the events of one bulk action apart. `reset`: the event of `after` lies ahead of the newest one, because the library was set back to an earlier state; begin without it.',
    input: Type.Object({
      entry_id: Type.Optional(Id),
      lineage_id: Type.Optional(LineageId),
      type: Type.Optional(repeatable(Type.String({ minLength: 1, maxLength: 64 }))),
      cursor: Type.Optional(Id),
      after: Type.Optional(Count),
      collapse: Type.Optional(Type.Boolean()),
      limit: Type.Optional(PageLimit),
    }),
    output: Type.Object({
      events: Type.Array(ActivityEvent),
      next_cursor: nullable(Id),
      reset: Type.Optional(Type.Boolean()),
      library_epoch: Type.Optional(LibraryEpoch),
    }),
    errors: ['VALIDATION'],
  },
})
