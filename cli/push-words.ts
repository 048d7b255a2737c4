/** What a push came to, in words: sums first, then everything that somebody should look at, with what to do about it. */
import type { Problem, ProblemWeight } from '../client/push-problem.ts'
import type { PushedItem, PushReport, PushStatus } from '../client/push-report.ts'
import { count, duration, number, size } from './amounts.ts'
import { flagsFor } from './held-questions.ts'
import type { Paint } from './output.ts'
import { printable } from './printable.ts'
import { wrap } from './wrap.ts'

export interface PushLook {
  paint: Paint
  width: number
  cwd: string
  /** Name every file, however many there are. */
  verbose: boolean
  /** Lines of the terminal: when the report is longer, its sums stand at the end once more. */
  rows?: number | undefined
}

/** Lists of files longer than this end in a line that says how many more there are. */
const mostFiles = 5
/** Of problems of one kind, so many are told in full. */
const mostAlike = 3
/** A push of at most so many new files names each. */
const mostNamed = 12

/** The whole report as lines. */
export function pushWords(report: PushReport, look: PushLook): string[] {
  const lines = [
    ...sums(report, look),
    ...newItems(report, look),
    ...heldItems(report, look),
    ...setAside(report, look),
    ...(['failed', 'left-out', 'note'] as const).flatMap((weight) => problems(report, weight, look)),
  ]
  const short = sumParts(report).map(([amount, what]) => `${number(amount)} ${what}`)
  if (short.length === 0 || lines.length < (look.rows ?? Number.POSITIVE_INFINITY)) return lines
  return [...lines, '', ...wrap(`In all: ${short.join(', ')}.`, look.width)]
}

/** How many files met which fate; none that nothing met. */
function sumParts({ summary, items }: PushReport): [number, string][] {
  const versions = items.filter(({ status, parent_object_id }) => status === 'new' && parent_object_id !== null).length
  const parts: [number, string][] = [
    [summary.new - versions, 'new'],
    [versions, versions === 1 ? 'new version' : 'new versions'],
    [summary.dedup, 'there already'],
    [summary.held, 'held'],
    [summary.outdated, 'outdated'],
    [summary.locked, 'locked'],
    [summary.denied, 'denied'],
    [summary.failed, 'failed'],
    [summary.left_out, 'left out'],
  ]
  return parts.filter(([amount]) => amount > 0)
}

function sums(report: PushReport, { paint, width: columns }: PushLook): string[] {
  const { summary, bytes, took_ms, dry_run, url } = report
  const shown = sumParts(report)
  const sent = dry_run ? (['to send', bytes.to_upload ?? 0] as const) : (['sent', bytes.uploaded] as const)
  const head = dry_run ? `A push to ${url} would come to this; nothing was changed.` : `Pushed to ${url} in ${duration(took_ms)}.`
  const made = [
    ...(summary.entries_created > 0 ? [count(summary.entries_created, 'new entry', 'new entries')] : []),
    ...(summary.thumbnails > 0 ? [count(summary.thumbnails, 'picture')] : []),
    ...(sent[1] > 0 ? [`${size(sent[1])} ${sent[0]}`] : []),
  ]
  const width = Math.max(0, ...shown.map(([amount]) => number(amount).length))
  const lines = shown.map(([amount, what]) => `  ${paint('bold', number(amount).padStart(width))} ${what}`)
  return [
    ...wrap(head, columns),
    ...(lines.length > 0 ? lines : ['  nothing to do']),
    ...(made.length > 0 ? [`  ${paint('dim', made.join(', '))}`] : []),
  ]
}

/** Few new files are named; many are a number. */
function newItems({ items }: PushReport, { paint, verbose }: PushLook): string[] {
  const fresh = items.filter(({ status }) => status === 'new')
  if (fresh.length === 0 || (fresh.length > mostNamed && !verbose)) return []
  const line = ({ name, asset_class, parent_object_id, entry_id }: PushedItem) => {
    const what = parent_object_id === null ? '' : `, new version${entry_id ? ` of entry ${entry_id}` : ''}`
    return `  + ${printable(name)}  ${paint('dim', `${asset_class}${what}`)}`
  }
  return ['', ...fresh.map(line)]
}

/** Held files with the flags that decide about them, ready to be copied. */
function heldItems({ items, root }: PushReport, { paint, cwd, width, verbose }: PushLook): string[] {
  const held = items.filter(({ status }) => status === 'held')
  const asked = held.filter(({ reason }) => reason === 'probable_lost_stamp')
  const waiting = held.length - asked.length
  if (held.length === 0) return []
  const shown = verbose ? asked : asked.slice(0, mostFiles)
  const lines = shown.flatMap(({ file, candidate_lineage_id }) => {
    const { attach, asNew } = flagsFor(file, { cwd, root })
    return [
      `  ${printable(file)}`,
      ...(candidate_lineage_id ? [`    ${attach}   ${paint('dim', 'it is a new version of that prop')}`] : []),
      `    ${asNew}   ${paint('dim', 'it is a prop of its own')}`,
    ]
  })
  return [
    '',
    paint(['yellow', 'bold'], 'Held:'),
    ...wrap(
      'These look like new versions of props that the library has, but do not say so. Push again with the flags that are true, or decide for all at once with --held attach or --held new.',
      width,
      '  ',
    ),
    ...lines,
    ...more(asked.length - shown.length),
    ...(waiting > 0 ? [`  ${count(waiting, 'other file')} need these and ${waiting === 1 ? 'waits' : 'wait'} for them.`] : []),
  ]
}

const more = (hidden: number): string[] => (hidden > 0 ? [`  and ${number(hidden)} more (--verbose)`] : [])

const asideWords = {
  outdated: [
    'Outdated:',
    'Somebody made another version current after yours was taken. Look at it with `ph history`, bring your change to it, and push again.',
  ],
  locked: ['Locked:', 'Somebody else has these checked out. Ask them to push or to release them, then push again.'],
  denied: ['Denied:', 'These are on the denylist of the workspace, or need something that is. Ask an admin why.'],
} as const satisfies Partial<Record<PushStatus, readonly [string, string]>>

function setAside({ items }: PushReport, look: PushLook): string[] {
  return (Object.keys(asideWords) as (keyof typeof asideWords)[]).flatMap((status) => {
    const files = items
      .filter((item) => item.status === status)
      .map(({ file, entry_id }) => (entry_id ? `${file} (entry ${entry_id})` : file))
    const [title, advice] = asideWords[status]
    if (files.length === 0) return []
    return ['', look.paint(['yellow', 'bold'], title), ...wrap(advice, look.width, '  '), ...fileLines(files, look)]
  })
}

function fileLines(files: readonly string[], { verbose }: PushLook): string[] {
  const shown = verbose ? files : files.slice(0, mostFiles)
  return [...shown.map((file) => `    ${printable(file)}`), ...more(files.length - shown.length).map((line) => `  ${line}`)]
}

const weightTitles: Record<ProblemWeight, string> = { failed: 'Failed:', 'left-out': 'Left out:', note: 'Worth knowing:' }

function problems(report: PushReport, weight: ProblemWeight, look: PushLook): string[] {
  const found = report.problems.filter((problem) => problem.weight === weight)
  if (found.length === 0) return []
  const title = look.paint(weight === 'failed' ? ['red', 'bold'] : 'bold', weightTitles[weight])
  const alike = Map.groupBy(found, ({ kind, next }) => `${kind} ${next}`)
  return ['', title, ...[...alike.values()].flatMap((group) => alikeLines(group, look))]
}

/** Problems of one kind: the first few of them, and once what to do. */
function alikeLines(group: readonly Problem[], look: PushLook): string[] {
  const shown = look.verbose ? group : group.slice(0, mostAlike)
  const [first] = group
  return [
    ...shown.flatMap((problem) => problemLines(problem, look)),
    ...(group.length > shown.length ? [`  and ${number(group.length - shown.length)} more like this (--verbose)`] : []),
    ...wrap(`→ ${first?.next ?? ''}`, look.width, '    ').map((line) => look.paint('dim', line)),
  ]
}

/** The sentence, and the files unless it names them itself. */
function problemLines({ message, files }: Problem, look: PushLook): string[] {
  const named = files.length <= 2 && files.every((file) => message.includes(file))
  return [...wrap(printable(message), look.width, '  '), ...(named ? [] : fileLines(files, look))]
}
