/** A review in words, as `ph review show` tells it. */
import { versionName } from '../../../client/entries/current-version.ts'
import { roundName } from '../../../client/reviews/find-rounds.ts'
import type { ReviewReport } from '../../../client/reviews/report.ts'
import type { LineageObject } from '../../../contract/lineages.ts'
import type { Impact, Reviewer, ReviewRequest } from '../../../contract/review-requests.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { listed, personName } from '../../discussion/people.ts'
import { comparisonLines } from '../../entries/comparison-words.ts'
import { className } from '../../entries/type-names.ts'
import { noteLine } from '../../entries/version-name.ts'
import { age, count, number } from '../../terminal/amounts.ts'
import { pad, shorten } from '../../terminal/table.ts'
import { columnsWide, wrap, wrapAfter } from '../../terminal/wrap.ts'
import { stateWords } from './decide.ts'
import type { Team } from './people.ts'
import { standingWords, waitingFor } from './round-words.ts'

type Look = Pick<Context, 'out' | 'now'>

const labelWidth = 11
const mostNames = 6
const mostOthers = 5
const longestName = 24

/** Title and facts, in lines of at most `width` columns. */
export function headWords(report: ReviewReport, { out, now }: Look, width: number): string[] {
  const { entry, request, version, current, review } = report
  const fact = (name: string, text: string) => wrapAfter(out.paint('dim', pad(name, labelWidth)), text, width)
  const title = `${printable(entry.name)} ${versionName(version)}`
  const round = request ? `  ${roundName(request.id)}, ${printable(request.status)}` : ''
  const isCurrent = version.object_id === current.object_id
  return [
    `${out.paint('bold', shorten(title, width - round.length, 'middle'))}${round}`,
    `${printable(className(entry.asset_class))}${isCurrent ? '' : `, not the current version: that is ${versionName(current)}`}`,
    '',
    ...fact('state', stateOf(report)),
    ...(request ? fact('asked by', `${personName(request.requested_by)}, ${age(request.created_at, now())}`) : []),
    ...(request?.closed_at ? fact('closed', age(request.closed_at, now())) : []),
    ...(!request && review ? fact('decided by', `${personName(review.decided_by)}, ${age(review.decided_at, now())}`) : []),
    ...fact('pushed', pushedWords(version, now())),
    ...said(request ? request.note : (review?.note ?? null), { indent: '', width }, (line) => fact('note', line)),
    ...(request && request.attachments.length > 0 ? fact('pictures', pictureWords(request)) : []),
  ]
}

function stateOf({ version, current, review }: ReviewReport): string {
  const state = printable(stateWords(version.review_status))
  const assignee = version.object_id === current.object_id ? review?.assignee : null
  return assignee ? `${state}, assigned to ${personName(assignee)}` : state
}

const pushedWords = (version: LineageObject, now: Date): string => {
  const note = noteLine(version.push_note)
  return `${age(version.date_ingested, now)}${version.published_by ? ` by ${printable(version.published_by.name)}` : ''}${note ? `: ${printable(note)}` : ''}`
}

const pictureWords = ({ attachments }: Pick<ReviewRequest, 'attachments'>): string =>
  attachments.map(({ id, width, height }) => `${width} x ${height} (attachment ${id})`).join(', ')

/** What someone wrote, line by line; the first of them as `first` sets it, the others below it. */
function said(
  note: string | null,
  { indent, width }: { indent: string; width: number },
  first?: (line: string) => string[],
): string[] {
  const lines = (note ?? '').trim().split(/\r\n|[\r\n]/)
  if (lines.length === 1 && lines[0] === '') return []
  const inset = first ? ' '.repeat(labelWidth) : indent
  return lines.flatMap((line, at) =>
    at === 0 && first ? first(printable(line)) : line.trim() === '' ? [''] : wrap(printable(line), width, inset),
  )
}

export interface ReviewLook extends Look {
  team: Team
}

/** Each part begins with an empty line. */
export function reviewWords(report: ReviewReport, look: ReviewLook): string[] {
  const { request, impact } = report
  return [
    ...(request ? section('Answers', answerLines(request, look), look) : []),
    ...(impact ? section('What depends on it', impactLines(impact, look.out.width), look) : []),
    ...sinceApproved(report, look),
    ...section(`Other reviews of ${printable(report.entry.name)}`, otherLines(report, look), look),
    ...nextSteps(report, look),
  ]
}

const section = (heading: string, lines: readonly string[], { out }: Look): string[] =>
  lines.length === 0 ? [] : ['', out.paint('bold', shorten(heading, out.width)), ...lines]

function answerLines(request: ReviewRequest, look: ReviewLook): string[] {
  const width = Math.min(longestName, Math.max(...request.reviewers.map(({ user }) => columnsWide(personName(user)))))
  return request.reviewers.flatMap((reviewer) => [
    ...wrapAfter(
      `  ${pad(shorten(personName(reviewer.user), width), width)}  `,
      responseWords(reviewer, request, look),
      look.out.width,
    ),
    ...said(reviewer.note, { indent: '      ', width: look.out.width }),
    ...(reviewer.attachments.length > 0 ? wrap(`pictures: ${pictureWords(reviewer)}`, look.out.width, '      ') : []),
  ])
}

function responseWords(
  { response, responded_at, assign_to }: Reviewer,
  { status }: ReviewRequest,
  { out, now, team }: ReviewLook,
): string {
  if (response === 'pending') return out.paint('dim', status === 'open' ? 'has not answered' : 'did not answer')
  const when = responded_at ? `, ${age(responded_at, now())}` : ''
  if (response === 'approved') return `${out.paint('green', 'approved')}${when}`
  const assignee = team.members.find(({ id }) => id === assign_to)
  return `${out.paint('yellow', 'changes requested')}${assignee ? ` of ${personName(assignee)}` : ''}${when}`
}

/** What a new version would reach. */
export function impactLines({ direct_entries, entries, projects, at_least = false }: Impact, width: number): string[] {
  const directly =
    direct_entries === entries
      ? 'directly'
      : direct_entries === 0
        ? 'none directly'
        : `${number(direct_entries)} of them directly`
  const many = `${at_least ? 'At least ' : ''}${count(entries, 'entry uses', 'entries use')} it`
  const users = entries === 0 && !at_least ? 'No entry uses it.' : `${many}, ${directly}.`
  const where =
    projects.length === 0 ? 'It was pulled into no project.' : `It was pulled into ${listed(projects.map(printable), mostNames)}.`
  return wrap(`${users} ${where}`, width, '  ')
}

/** The version that was approved last, what is different now, and the versions between. */
function sinceApproved({ approved, against_approved, since_approved }: ReviewReport, look: ReviewLook): string[] {
  if (!approved) return []
  const comparison = against_approved?.comparison
  const heading = `Since ${versionName(approved)}, which was approved`
  const shown = since_approved.slice(0, mostOthers)
  const hidden = since_approved.length - shown.length
  return section(
    heading,
    [
      ...(comparison ? comparisonLines(comparison, look.out) : []),
      ...shown.flatMap((one) => wrapAfter(`  ${versionName(one)}  `, pushedWords(one, look.now()), look.out.width)),
      ...(hidden > 0 ? [`  and ${number(hidden)} more versions`] : []),
    ],
    look,
  )
}

function otherLines({ other_requests }: ReviewReport, { out, now }: ReviewLook): string[] {
  const shown = other_requests.slice(0, mostOthers)
  const hidden = other_requests.length - shown.length
  return [
    ...shown.flatMap(({ id, status, requested_by, created_at, ...round }) =>
      wrapAfter(
        `  ${roundName(id)}  `,
        [status, `asked by ${personName(requested_by)} ${age(created_at, now())}`, standingWords({ status, ...round })]
          .filter(Boolean)
          .join('; '),
        out.width,
      ),
    ),
    ...(hidden > 0 ? [`  and ${number(hidden)} more`] : []),
  ]
}

/** What who looks at it can do about it. */
function nextSteps(report: ReviewReport, { out, team: { me } }: ReviewLook): string[] {
  const { request, entry, version } = report
  const round = request && roundName(request.id)
  const isAsked = request?.status === 'open' && request.reviewers.some(({ user }) => user.id === me.id)
  const isMine = request?.status === 'open' && request.requested_by.id === me.id
  const steps = [
    ...(isAsked ? [`\`ph review approve ${round}\` or \`ph review changes ${round} --note "<what>"\` answers.`] : []),
    ...(isMine && request && waitingFor(request).length > 0
      ? [`\`ph review assign ${round} --add <who>\` asks more people, \`ph review cancel ${round}\` closes it.`]
      : []),
    ...(request?.status !== 'open' && version.is_face && version.review_status !== 'approved'
      ? [`\`ph review request ${entry.id}\` asks for a review.`]
      : []),
  ]
  if (steps.length === 0) return []
  return ['', ...steps.flatMap((step) => wrapAfter('→ ', step, out.width)).map((line) => out.paint('dim', line))]
}
