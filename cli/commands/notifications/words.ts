/** Notifications: page after page, and each in words. */
import type { Api } from '../../../client/http/api.ts'
import { pagesOf } from '../../../client/http/paging.ts'
import type { EntryDetail } from '../../../contract/entries.ts'
import { limits } from '../../../contract/limits.ts'
import type { Notification, NotificationReason } from '../../../contract/notifications.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { excerpt } from '../../discussion/comment-words.ts'
import { personName } from '../../discussion/people.ts'
import { age, number } from '../../terminal/amounts.ts'
import { wrap, wrapAfter } from '../../terminal/wrap.ts'

interface Question {
  unread: boolean
  limit: number
  cursor: number | undefined
}

export async function readNotifications(
  api: Api,
  { unread, limit, cursor }: Question,
): Promise<{ notifications: Notification[]; next_cursor: number | null }> {
  const notifications: Notification[] = []
  const ask = (next: string | undefined) =>
    api.notifications.list({
      limit: Math.min(limit - notifications.length, limits.page.max),
      ...(unread ? { unread } : {}),
      ...(next ? { cursor: Number(next) } : {}),
    })
  let next_cursor: number | null = null
  for await (const page of pagesOf(ask, cursor === undefined ? undefined : String(cursor))) {
    notifications.push(...page.notifications)
    next_cursor = page.next_cursor
    if (notifications.length >= limit) break
  }
  return { notifications, next_cursor }
}

interface Look {
  entries: ReadonlyMap<number, EntryDetail>
  unread: number
  context: Context
}

export function notificationLines(notifications: readonly Notification[], { entries, unread, context }: Look): string[] {
  const { out, now } = context
  const today = now()
  const lines = notifications.flatMap((one) => {
    const entry = entries.get(one.entry_id ?? 0)
    const mark = one.read_at === null ? out.paint('bold', '*') : ' '
    const said = entry?.comments.find(({ id }) => id === one.comment_id)?.body
    return [
      ...wrapAfter(
        `${mark} ${out.paint('dim', String(one.id))} `,
        `${sentence(one, entry)}, ${age(one.created_at, today)}`,
        out.width,
      ),
      ...(said === undefined ? [] : wrap(`"${excerpt(said)}"`, out.width, '    ').map((line) => out.paint('dim', line))),
    ]
  })
  const [first] = notifications
  const howTo = first
    ? `\`ph notifications read ${first.id}\` marks one as read, \`--all\` all; \`ph comments <entry>\` shows what was said.`
    : ''
  const advice = unread === 0 ? 'Nothing is unread.' : `${number(unread)} unread. ${howTo}`
  return [...lines, '', ...wrap(advice, out.width).map((line) => out.paint('dim', line))]
}

/** What follows who did it. */
const sentences: Record<NotificationReason, (name: string, one: Notification) => string> = {
  'review.requested': (name) => `asks you to review ${name}`,
  'review.responded': (name, { payload }) =>
    (payload as { response?: unknown }).response === 'approved' ? `approved ${name}` : `requests changes to ${name}`,
  'review.assigned': (name) => `assigned the changes to ${name} to you`,
  'review.mention': (name) => `named you in the review of ${name}`,
  'comment.mention': (name) => `named you in a comment on ${name}`,
  'comment.reply': (name) => `replied to you on ${name}`,
  'comment.new': (name) => `commented on ${name}`,
  'comment.resolved': (name) => `resolved your thread on ${name}`,
  'entry.deleted': (_, { payload }) => {
    const { name, because } = payload as { name?: unknown; because?: unknown }
    const what = typeof name === 'string' ? printable(name) : 'a prop'
    return `deleted ${what}, which ${because === 'checked_out' ? 'you have checked out' : 'was under review'}`
  },
}

/** Reasons that this program does not know are told by their name. */
function sentence(one: Notification, entry: EntryDetail | undefined): string {
  const name = entry ? printable(entry.name) : one.entry_id === null ? 'the library' : `entry ${one.entry_id}, which is gone`
  const words = sentences[one.reason as NotificationReason] as ((name: string, one: Notification) => string) | undefined
  const did = words ? words(name, one) : `${printable(one.reason)}: ${name}`
  return `${personName(one.actor)} ${did}`
}
