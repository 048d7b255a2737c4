/** Notifications: what a person is told of what others did (spec 2, 4.11, 6). */

/** Why somebody is told, the most specific reason first: of several that apply to one person the first one counts. */
export const notificationReasons = [
  'review.requested',
  'review.responded',
  'review.assigned',
  'review.mention',
  'comment.mention',
  'comment.reply',
  'comment.new',
  'comment.resolved',
] as const
export type NotificationReason = (typeof notificationReasons)[number]
