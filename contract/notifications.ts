/** Notifications: what a person is told of what others did (spec 2, 4.11, 6). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Id, LineageId, nullable, oneOf, PageLimit, Timestamp, UserStub } from './shapes.ts'

/** Why someone is told, the most specific reason first: of several that apply to one person the first one counts. */
export const notificationReasons = [
  'review.requested',
  'review.responded',
  'review.assigned',
  'review.mention',
  'comment.mention',
  'comment.reply',
  'comment.new',
  'comment.resolved',
  'entry.deleted',
] as const
export type NotificationReason = (typeof notificationReasons)[number]

/**
 * The list of reasons may grow: clients take any. `entry.deleted`: someone deleted what you had checked out or were reviewing; there is no
 * `entry_id` then, and `payload` is `{name, because: checked_out | under_review}`.
 */
export const Notification = Type.Object({
  id: Id,
  reason: Type.String(),
  actor: nullable(UserStub),
  entry_id: nullable(Id),
  lineage_id: nullable(LineageId),
  object_id: nullable(Id),
  comment_id: nullable(Id),
  request_id: nullable(Id),
  payload: Type.Object({}, { additionalProperties: true }),
  seen_at: nullable(Timestamp),
  read_at: nullable(Timestamp),
  created_at: Timestamp,
})
export type Notification = Static<typeof Notification>

/** `*` stands for all reasons that have no override of their own. */
const Override = Type.Object({ reason: oneOf([...notificationReasons, '*']), enabled: Type.Boolean() })
const ShownOverride = Type.Object({ reason: Type.String(), enabled: Type.Boolean() })
const Prefs = Type.Object({ prefs: Type.Array(ShownOverride), reasons: Type.Array(Type.String()) })
export type Prefs = Static<typeof Prefs>

export const notifications = routes({
  list: {
    method: 'GET',
    path: '/notifications',
    scope: 'read',
    summary: 'List your notifications, newest first.',
    input: Type.Object({
      unread: Type.Optional(Type.Boolean()),
      cursor: Type.Optional(Id),
      limit: Type.Optional(PageLimit),
    }),
    output: Type.Object({ notifications: Type.Array(Notification), next_cursor: nullable(Id) }),
    errors: ['VALIDATION'],
  },
  unreadCount: {
    method: 'GET',
    path: '/notifications/unread-count',
    scope: 'read',
    summary: 'Count your unread notifications.',
    output: Type.Object({ unread: Count }),
  },
  read: {
    method: 'POST',
    path: '/notifications/read',
    scope: 'write',
    summary: 'Mark notifications as read: those named, or all, up to one where `before_id` says so.',
    input: Type.Object({
      ids: absentOrNull(Type.Array(Id, { minItems: 1, maxItems: limits.notifications.read })),
      all: absentOrNull(Type.Boolean()),
      before_id: absentOrNull(Id),
    }),
    output: Type.Object({ updated: Count, unread: Count }),
    repeatable: true,
    errors: ['VALIDATION'],
  },
  seen: {
    method: 'POST',
    path: '/notifications/seen',
    scope: 'write',
    summary: 'Clear the badge without marking anything as read.',
    input: Type.Object({ before_id: absentOrNull(Id) }),
    output: Type.Object({ updated: Count }),
    repeatable: true,
    errors: ['VALIDATION'],
  },
  prefs: {
    method: 'GET',
    path: '/notifications/prefs',
    scope: 'read',
    summary: 'Show which reasons you switched on or off, and which there are.',
    output: Prefs,
  },
  setPrefs: {
    method: 'PUT',
    path: '/notifications/prefs',
    scope: 'write',
    summary: 'Replace what you switched on or off; reasons that are not listed are on.',
    input: Type.Object({ prefs: Type.Array(Override, { maxItems: limits.notifications.prefs }) }),
    output: Prefs,
    errors: ['VALIDATION'],
  },
})
