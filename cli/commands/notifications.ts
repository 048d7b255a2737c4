/** `ph notifications`: what others did that concerns you, marked as read, and what of it you want to be told. */
import { readEntryDetails } from '../../client/entries/details.ts'
import type { Api } from '../../client/http/api.ts'
import { limits } from '../../contract/limits.ts'
import { command, flag, value } from '../command.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { withLibrary } from '../library.ts'
import { wholeNumber, wrongUsage } from '../refusal.ts'
import { count } from '../terminal/amounts.ts'
import { changedPrefs, prefLines, readChoice, readReason } from './notifications/prefs.ts'
import { notificationLines, readNotifications } from './notifications/words.ts'

const mostShown = 10_000
const idOption = (name: string, summary: string) => value(`${name} <id>`, summary, wholeNumber(name, 1, Number.MAX_SAFE_INTEGER))

export const commands = [
  command({
    usage: 'notifications',
    description:
      'Newest first; a * stands before what you have not read. They come from reviews that want something of you, from comments that name you, reply to you or are on what you watch. They are kept for a year after you read them.',
    options: {
      unread: flag('--unread', 'only those that you have not read'),
      limit: value('--limit <n>', 'at most so many (default 50)', wholeNumber('--limit', 1, mostShown)),
      cursor: idOption('--cursor', 'go on where the `next_cursor` of an earlier answer stopped'),
    },
    examples: [
      ['notifications', 'the 50 newest'],
      ['notifications --unread', 'what you have not read yet'],
      ['notifications --json --limit 1 | jq .unread', 'how many you have not read, for a prompt'],
    ],
    async run(context, { unread: onlyUnread, limit = limits.page.default, cursor }) {
      await withLibrary(context, async ({ api }) => {
        const [found, { unread }] = await Promise.all([
          readNotifications(api, { unread: onlyUnread, limit, cursor }),
          api.notifications.unreadCount(),
        ])
        const ids = found.notifications.flatMap(({ entry_id }) => entry_id ?? [])
        const entries = await readEntryDetails(api, ids)
        const notifications = found.notifications.map((one) => ({
          ...one,
          entry_name: entries.get(one.entry_id ?? 0)?.name ?? null,
        }))
        context.out.result({ unread, notifications, next_cursor: found.next_cursor }, () =>
          notifications.length === 0
            ? `No ${onlyUnread ? 'unread ' : ''}notifications.`
            : notificationLines(found.notifications, { entries, unread, context }),
        )
        if (found.next_cursor !== null)
          context.out.note(`${count(notifications.length, 'notification')} shown; there are more: raise --limit.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'notifications read [ids...]',
    summary: 'Mark notifications as read',
    arguments: { ids: 'as `ph notifications` shows them' },
    options: {
      all: flag('--all', 'all of them'),
      before: idOption('--before', 'with --all: only up to this one, for what came later you have not seen'),
    },
    examples: [
      ['notifications read 41 42', 'two of them'],
      ['notifications read --all', 'all'],
      ['notifications read --all --before 42', 'notification 42 and what came before it'],
    ],
    async run(context, { ids: given, all, before }) {
      const ids = readIds(given, { all, before })
      await withLibrary(context, async ({ api }) => {
        await requireWriter(api)
        const marked = ids.length > 0 ? await readEach(api, ids) : await api.notifications.read({ all: true, before_id: before })
        const left = marked.unread === 0 ? 'Nothing is unread now.' : `${count(marked.unread, 'notification')} still unread.`
        context.out.result(marked, `Marked ${count(marked.updated, 'notification')} as read. ${left}`)
      })
      return undefined
    },
  }),
  command({
    usage: 'notifications seen',
    summary: 'Clear the badge, and leave them unread',
    options: { before: idOption('--before', 'only up to this one') },
    examples: [['notifications seen', 'you know that there are some']],
    async run(context, { before }) {
      await withLibrary(context, async ({ api }) => {
        await requireWriter(api)
        const seen = await api.notifications.seen({ before_id: before })
        context.out.result(seen, `${count(seen.updated, 'notification')} ${seen.updated === 1 ? 'is' : 'are'} no longer new.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'notifications prefs [reason] [choice]',
    summary: 'Show or choose what you are told',
    description:
      'Of several reasons for one and the same thing the first in the list counts; where it is off you are not told at all. `all` stands for every reason that you chose nothing for.',
    arguments: { reason: 'such as comment.new, or all', choice: 'on, off, or default to choose nothing' },
    examples: [
      ['notifications prefs', 'what is on and what is off'],
      ['notifications prefs comment.new off', 'no comments on what you merely watch'],
      ['notifications prefs all off', 'nothing but what you switched on by itself'],
      ['notifications prefs all default', 'back to the beginning'],
    ],
    async run(context, { reason: givenReason, choice: givenChoice }) {
      await withLibrary(context, async ({ api }) => {
        const before = await api.notifications.prefs()
        if (givenReason === undefined) return context.out.result(before, () => prefLines(before, context))
        const reason = readReason(givenReason, before)
        const choice = readChoice(givenChoice, givenReason)
        await requireWriter(api)
        const after = await api.notifications.setPrefs({ prefs: changedPrefs(before, reason, choice) })
        context.out.result(after, () => prefLines(after, context))
      })
      return undefined
    },
  }),
]

function readIds(given: readonly string[], { all, before }: { all: boolean; before: number | undefined }): number[] {
  if (all === given.length > 0)
    throw wrongUsage(
      all ? '--all marks every one, so none can be named beside it.' : 'No notification was named.',
      'Give ids, or --all.',
    )
  if (before !== undefined && !all) throw wrongUsage('--before goes with --all.', 'Leave it out, or add --all.')
  return [...new Set(given)].map((id) => {
    if (/^[1-9]\d{0,14}$/.test(id)) return Number(id)
    throw wrongUsage(`"${id}" is not the id of a notification.`, 'See the ids with `ph notifications`.')
  })
}

async function readEach(api: Api, ids: readonly number[]): Promise<{ updated: number; unread: number }> {
  const sum = { updated: 0, unread: 0 }
  for (let at = 0; at < ids.length; at += limits.notifications.read) {
    const { updated, unread } = await api.notifications.read({ ids: ids.slice(at, at + limits.notifications.read) })
    sum.updated += updated
    sum.unread = unread
  }
  return sum
}
