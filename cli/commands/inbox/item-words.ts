/** Things that wait for a person, in words: one line or two each, grouped where there is no terminal. */

import type { Inbox, InboxItem, InboxKind } from '../../../client/inbox/inbox.ts'
import { printable } from '../../../system/printable.ts'
import { personName } from '../../discussion/people.ts'
import { age, count, number, timeLeft } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { wrap, wrapAfter } from '../../terminal/wrap.ts'

/** What people wrote, on one line. */
export const oneLine = (text: string | null): string => printable((text ?? '').replaceAll(/\s+/g, ' ').trim())

/** The word before a name in the list. */
export const kindWords: Record<InboxKind, string> = {
  lock: 'ends soon',
  review: 'review',
  changes: 'changes',
  mention: 'mention',
  reply: 'reply',
}

/** `2 reviews, 1 mention, 1 check-out ends soon`; the emptiness where nothing waits. */
export function countWords({ counts }: Pick<Inbox, 'counts'>): string {
  const { review, changes, mention, reply, lock } = counts
  const parts = [
    review > 0 && count(review, 'review'),
    changes > 0 && `changes to ${count(changes, 'prop')}`,
    mention > 0 && count(mention, 'mention'),
    reply > 0 && count(reply, 'reply', 'replies'),
    lock > 0 && (lock === 1 ? '1 check-out ends soon' : `${number(lock)} check-outs end soon`),
  ].filter(Boolean)
  return parts.length > 0 ? parts.join(', ') : 'Nothing waits for you'
}

/** `Mia asks for your review, 2 hours ago` */
export function eventWords({ kind, who, at, lock, request_id, comment_id }: InboxItem, now: Date): string {
  const name = personName(who)
  if (lock) return `you have it checked out, ${timeLeft(lock.expires_at, now)} left`
  if (kind === 'review') return `${name} asks for your review, ${age(at, now)}`
  if (kind === 'changes') return `${name} requests changes of you, ${age(at, now)}`
  if (kind === 'reply') return `${name} replied, ${age(at, now)}`
  return `${name} mentioned you${request_id !== null && comment_id === null ? ' in a review' : ''}, ${age(at, now)}`
}

/** The same for a narrow list, where the kind stands before it. */
export const briefWords = ({ who, at, lock }: InboxItem, now: Date): string =>
  lock ? `${timeLeft(lock.expires_at, now)} left` : `${personName(who)}, ${age(at, now)}`

const headings: Record<InboxKind, (amount: number) => string> = {
  lock: (amount) => (amount === 1 ? 'A check-out of yours ends soon' : `${number(amount)} check-outs of yours end soon`),
  review: (amount) => `${count(amount, 'review')} ${amount === 1 ? 'waits' : 'wait'} for your answer`,
  changes: (amount) => `Changes are requested of you: ${count(amount, 'prop')}`,
  mention: (amount) => count(amount, 'mention'),
  reply: (amount) => count(amount, 'reply', 'replies'),
}

/** Everything, for pipes, screen readers and those who like it plain. */
export function plainLines(inbox: Inbox, { paint, width }: Pick<Output, 'paint' | 'width'>, now: Date): string[] {
  const groups = Map.groupBy(inbox.items, ({ kind }) => kind)
  const lines = [...groups].flatMap(([kind, items]) => [
    ...wrap(headings[kind](inbox.counts[kind]), width).map((line) => paint('bold', line)),
    ...items.flatMap((item) => itemLines(item, width, now)),
    ...(inbox.counts[kind] > items.length ? [`  and ${number(inbox.counts[kind] - items.length)} more`] : []),
    '',
  ])
  return [...(lines.length > 0 ? lines : ['Nothing waits for you.']), ...otherLines(inbox, width)]
}

function itemLines(item: InboxItem, width: number, now: Date): string[] {
  const said = oneLine(item.text)
  const id = item.entry_id === null ? '' : ` (${item.entry_id})`
  return [
    ...wrapAfter('  ', `${printable(item.name)}${id}: ${eventWords(item, now)}`, width),
    ...(said === '' ? [] : wrapAfter('    ', said, width)),
  ]
}

export const otherLines = ({ other_unread }: Inbox, width: number): string[] =>
  other_unread === 0 ? [] : wrap(`${count(other_unread, 'more notification')} not read yet.`, width)
