/** The right side of the inbox: all there is to see of one thing that waits, as lines that fit a width. */
import type { AgainstApproved } from '../../../client/compare/approved.ts'
import type { InboxItem } from '../../../client/inbox/inbox.ts'
import type { ItemDetail } from '../../../client/inbox/item.ts'
import type { Comment } from '../../../contract/comments.ts'
import type { Impact, Reviewer, ReviewRequest } from '../../../contract/review-requests.ts'
import { printable } from '../../../system/printable.ts'
import { personName } from '../../discussion/people.ts'
import { comparisonLines, sideName } from '../../entries/comparison-words.ts'
import { lockWords } from '../../entries/lock-words.ts'
import { age, count, number } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { wrap, wrapAfter } from '../../terminal/wrap.ts'
import { eventWords, oneLine } from './item-words.ts'

export interface DetailLook {
  paint: Paint
  width: number
  now: Date
}

export interface Shown {
  /** Undefined while it is on its way. */
  detail: ItemDetail | undefined
  /** Lines that are drawn already. */
  picture: readonly string[]
}

export function detailLines(item: InboxItem, { detail, picture }: Shown, look: DetailLook): string[] {
  const { paint, width, now } = look
  const head = [
    ...wrap(printable(item.name), width).map((line) => paint('bold', line)),
    ...wrap(
      `${eventWords(item, now)}.`.replace(/^./, (first) => first.toUpperCase()),
      width,
    ),
    ...quoted(item.text, width),
  ]
  if (!detail) return [...head, '', paint('dim', 'Loading …')]
  const { entry, round, against, thread } = detail
  return [
    ...head,
    ...(picture.length > 0 ? ['', ...picture] : []),
    ...(entry === null && item.entry_id !== null ? ['', ...wrap('It is not in the library any more.', width)] : []),
    ...(item.lock ? ['', ...wrap(`Checked out by ${lockWords(item.lock, now, 'you')}`, width)] : []),
    ...(against ? againstLines(against, look) : []),
    ...(round?.impact ? ['', ...wrap(impactWords(round.impact), width)] : []),
    ...(round ? reviewerLines(round, look) : []),
    ...threadLines(thread, look),
  ]
}

/** As many lines as were written, with a bar before each. */
function quoted(text: string | null, width: number): string[] {
  if (text === null || text.trim() === '') return []
  return text
    .trim()
    .split(/\r\n|\r|\n/)
    .flatMap((line) => wrapAfter('| ', printable(line.replaceAll('\t', '  ')), width))
}

function againstLines({ version, approved, comparison }: AgainstApproved, look: DetailLook): string[] {
  const { paint, width } = look
  const pushed = `${sideName(version)}${version.pushed_by === null ? '' : `, pushed by ${printable(version.pushed_by)}`}`
  const note = oneLine(version.push_note)
  const title =
    approved && comparison ? `${pushed}, beside ${sideName(approved)}, approved` : `${pushed}; no version is approved yet`
  return [
    '',
    ...wrap(title, width).map((line) => paint('bold', line)),
    ...(note === '' ? [] : wrap(note, width)),
    ...(comparison ? comparisonLines(comparison, look) : []),
  ]
}

/** `Used by 12 entries, 3 of them directly; pulled into Castle and Inn.` */
export function impactWords({ direct_entries, entries, projects, at_least = false }: Impact): string {
  const directly =
    direct_entries === entries ? 'directly' : direct_entries === 0 ? 'not directly' : `${number(direct_entries)} of them directly`
  const many = `Used by ${at_least ? 'at least ' : ''}${count(entries, 'entry', 'entries')}`
  const used = entries === 0 && !at_least ? 'No other entry uses it' : `${many}, ${directly}`
  const shown = projects.slice(0, 5).map((name) => printable(name))
  const more = projects.length > shown.length ? ` and ${number(projects.length - shown.length)} more` : ''
  return `${used}; ${shown.length === 0 ? 'pulled into no project' : `pulled into ${shown.join(', ')}${more}`}.`
}

const answerWords: Record<Reviewer['response'], string> = {
  pending: 'has not answered',
  approved: 'approved',
  changes_requested: 'requested changes',
}

function reviewerLines({ id, status, reviewers }: ReviewRequest, { paint, width, now }: DetailLook): string[] {
  return [
    '',
    paint('bold', `Review ${id}${status === 'open' ? '' : `, ${status}`}`),
    ...reviewers.flatMap(({ user, response, responded_at, note }) => {
      const when = responded_at === null ? '' : `, ${age(responded_at, now)}`
      const said = oneLine(note)
      return wrapAfter('  ', `${personName(user)} ${answerWords[response]}${when}${said === '' ? '' : `: ${said}`}`, width)
    }),
  ]
}

/** Replies stand set in below what they answer. */
function threadLines(thread: readonly Comment[], look: DetailLook): string[] {
  if (thread.length === 0) return []
  const tops = thread.filter(({ parent_id }) => parent_id === null)
  const ordered = tops.flatMap((top) => [top, ...thread.filter(({ parent_id }) => parent_id === top.id)])
  return ['', look.paint('bold', count(thread.length, 'comment')), ...ordered.flatMap((comment) => commentLines(comment, look))]
}

function commentLines({ author, created_at, body, parent_id, resolved_at, attachments }: Comment, look: DetailLook): string[] {
  const { width, now, paint } = look
  const indent = parent_id === null ? '  ' : '    '
  const marks = [resolved_at !== null && 'resolved', attachments.length > 0 && count(attachments.length, 'picture')].filter(
    Boolean,
  )
  const about = [age(created_at, now), ...marks].join(', ')
  return [
    ...wrapAfter(indent, `${paint('bold', personName(author))}, ${about}`, width),
    ...quoted(body, width - indent.length - 2).map((line) => `${indent}  ${line.slice(2)}`),
  ]
}
