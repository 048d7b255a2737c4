/** What a pull came to, in words: sums first, then everything that someone should look at, with what to do about it. */
import { join, relative } from 'node:path'
import { partNameOf } from '../../../client/entries/part-names.ts'
import { twoWaysOut } from '../../../client/latest/ways-out.ts'
import type { Obstacle } from '../../../client/pull/obstacle.ts'
import { type LeavingReason, type LeftFile, type LeftReason, leftReasons } from '../../../client/pull/removing/take-away.ts'
import type { JobReport, Outcome, PullReport } from '../../../client/pull/report.ts'
import { outcomes } from '../../../client/pull/report.ts'
import { printable } from '../../../system/printable.ts'
import { partGroups } from '../../entries/levels/part-groups.ts'
import { missingWords } from '../../entries/missing-dependency-words.ts'
import { jobsNamed, sentLines } from '../../pull-orders/job-words.ts'
import { waitingWords } from '../../pull-orders/waiting-words.ts'
import { warningLines } from '../../pull-orders/warning-lines.ts'
import { count, duration, number, size } from '../../terminal/amounts.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'
import { keptFiles, otherProps } from './conflict-words.ts'
import { filesOf, listed, more, type PullLook } from './listed.ts'

/** A pull of at most so many new files names each. */
const mostNamed = 12
/** Obstacles of one kind that are told in full. */
const mostAlike = 3

/** The whole report as lines. */
export function pullWords(report: PullReport, look: PullLook): string[] {
  const { project, jobs, notes, took_ms } = report
  const lines = jobs.flatMap((job, index) => [...(index > 0 ? [''] : []), ...jobWords(job, report, look)])
  const nothing = jobs.length + report.waiting.length === 0 ? [`No pull job waits for ${printable(project)}.`] : []
  const said = notes.flatMap((note) => wrap(printable(note), look.out.width))
  const took = jobs.length > 1 ? ['', `Took ${duration(took_ms)} together.`] : []
  const above = [...said, ...nothing, ...lines, ...took]
  const waiting = waitingWords(report.waiting, project, { ...look.out, now: look.now })
  return above.length > 0 && waiting.length > 0 ? [...above, '', ...waiting] : [...above, ...waiting]
}

const sumWords: Record<Outcome, string> = {
  added: 'added',
  updated: 'replaced by another version',
  identical: 'there already',
  newer: 'newer here than when it was sent, left as it is',
  overwritten: 'overwritten, with a backup',
  kept: 'kept, different from the library',
  skipped: 'skipped, different from the library',
  left_out: 'left out, not for a project',
  failed: 'not placed',
}

function jobWords(job: JobReport, report: PullReport, look: PullLook): string[] {
  return [
    ...heading(job, report, look),
    ...sentLines(job, look.out),
    ...sums(job, look),
    ...newFiles(job, look),
    ...keptFiles(job, report, look),
    ...otherProps(job, report, look),
    ...overwrittenFiles(job, look),
    ...takenAway(job, report, look),
    ...leftFiles(job.not_taken_away, report.root, look),
    ...restoredFiles(job.files, look),
    ...olderVersions(job, look),
    ...obstacles(job, look),
    ...missingWords(job, { out: look.out, entries: job.entries.length, all: look.verbose, allFlag: '--verbose' }),
    ...warningLines(job.warnings, look.out),
  ]
}

/** What the entries are called, or how many there are. */
function subject({ entries, job_ids }: JobReport): string {
  const [only] = entries
  if (entries.length === 1 && only) return printable(only.name)
  return `${count(entries.length, 'entry', 'entries')} of ${jobsNamed(job_ids)}`
}

/** It came up while files were placed, so some lie in the project and some do not. */
const isPartly = ({ status, summary: { added, updated, overwritten } }: JobReport): boolean =>
  status === 'failed' && added + updated + overwritten > 0

function heading(job: JobReport, { project, root, jobs, took_ms }: PullReport, { out }: PullLook): string[] {
  const { paint, width } = out
  const where = `${printable(project)} (${printable(root)})`
  const again = job.resumed ? ', going on where an earlier pull stopped' : ''
  const took = jobs.length === 1 ? ` in ${duration(took_ms)}` : ''
  if (job.status === 'done') return wrap(`Pulled ${subject(job)} into ${where}${took}${again}.`, width)
  const titles = {
    failed: isPartly(job) ? 'Not wholly pulled:' : 'Not pulled:',
    refused: 'Not taken:',
    lost: 'Claim lost:',
  } as const
  const reason = job.status === 'failed' ? `${subject(job)} into ${where}` : `job ${job.job_id}. ${printable(job.reason ?? '')}`
  return wrap(`${paint(['red', 'bold'], titles[job.status])} ${reason}`, width)
}

function sums({ summary, bytes, status, taken_away }: JobReport, { out: { paint } }: PullLook): string[] {
  const shown = outcomes.filter((outcome) => (summary[outcome] ?? 0) > 0)
  const width = Math.max(0, ...shown.map((outcome) => number(summary[outcome] ?? 0).length))
  const moved = [
    ...(bytes.downloaded > 0 ? [`${size(bytes.downloaded)} downloaded`] : []),
    ...(bytes.from_cache > 0 ? [`${size(bytes.from_cache)} were on this machine`] : []),
  ]
  const lines = shown.map((outcome) => `  ${paint('bold', number(summary[outcome] ?? 0).padStart(width))} ${sumWords[outcome]}`)
  if (taken_away.length > 0) lines.push(`  ${paint('bold', number(taken_away.length).padStart(width))} taken away, with a backup`)
  return [
    ...(lines.length > 0 || status !== 'done' ? lines : ['  nothing to do']),
    ...(moved.length > 0 ? [`  ${paint('dim', moved.join(', '))}`] : []),
  ]
}

/** Few new files are named; many are a number. */
function newFiles({ files }: JobReport, { out: { paint, width }, verbose }: PullLook): string[] {
  const fresh = files.filter(({ outcome }) => outcome === 'added' || outcome === 'updated')
  if (fresh.length === 0 || (fresh.length > mostNamed && !verbose)) return []
  const sign = { added: '+', updated: '~' } as Partial<Record<Outcome, string>>
  return [
    '',
    ...fresh.flatMap(({ file, outcome, size: bytes }) =>
      remarked(`  ${sign[outcome]} ${printable(file)}`, paint('dim', size(bytes)), width),
    ),
  ]
}

const overwrittenFiles = (job: JobReport, look: PullLook): string[] =>
  listed(
    ['Overwritten:', 'What was here before is kept:'],
    filesOf(job, 'overwritten', 'updated').flatMap(({ backup, file, outcome }) => backup ?? (outcome === 'updated' ? [] : file)),
    look,
  )

const takenAway = ({ taken_away }: JobReport, { root }: PullReport, look: PullLook): string[] => {
  const { moved = [], removed = [] } = Object.groupBy(taken_away, ({ why }) => why)
  const kept = 'are kept for 30 days, and `ph undo` brings them back:'
  return [
    ...listed(
      ['Moved:', `These props lie elsewhere now. Their old files ${kept}`],
      moved.map(({ file, to }) => (to === undefined ? file : `${file} → ${to}`)),
      look,
    ),
    ...listed(['Taken away:', `These left their level in the library. They ${kept}`], partWords(root, removed, look), look),
  ]
}

/** Read from where they are kept by now. */
const partWords = (root: string, files: readonly { file: string; backup?: string }[], { verbose }: PullLook): string[] =>
  partGroups(
    files.flatMap(({ file, backup = file }) => partNameOf(root, backup) ?? []),
    { all: verbose, more: '--verbose' },
  )

const stayingWords: Record<LeavingReason, [title: string, words: string]> = {
  moved: ['Still in the old place:', 'The props of these lie elsewhere now, and their old files stay.'],
  removed: ['Still here:', 'These left their level in the library, and stay in the project.'],
}

/** Grouped by why they stay. */
export function leftFiles(left: readonly LeftFile[], root: string, look: PullLook): string[] {
  return [...Map.groupBy(left, ({ why, reason }) => `${why} ${reason}`).values()].flatMap((group) => {
    const [{ why, reason }] = group as [LeftFile, ...LeftFile[]]
    const named = group.map(({ file, to, referred_by }) => {
      const by = referred_by === undefined ? '' : ` (${referred_by})`
      return to === undefined ? file : `${file} → ${to}${by}`
    })
    const [title, words] = stayingWords[why]
    const shown = why === 'removed' ? partWords(root, group, look) : named
    return [
      ...listed([title, `${words} ${leftReasons[reason]}`], shown, look),
      ...adviceFor(group, (file) => relative(look.cwd, join(root, file))).flatMap((text) =>
        wrap(`→ ${text}`, look.out.width, '    ').map((line) => look.out.paint('dim', line)),
      ),
    ]
  })
}

function adviceFor(group: readonly LeftFile[], shown: (file: string) => string): readonly string[] {
  const [{ why, reason }] = group as [LeftFile, ...LeftFile[]]
  if (reason !== 'modified') return leftAdvice[reason]
  if (why === 'moved') return twoWaysOut(group.map(({ file }) => shown(file)))
  return ['Delete what nobody needs. What is pushed again is in its level again.']
}

const leftAdvice: Record<Exclude<LeftReason, 'modified'>, readonly string[]> = {
  referred: ['Open and save what is named in the editor, and push it: the next pull takes the old file away then.'],
  open: ['Close it there, then `ph pull` again.'],
  not_ours: ['Remove it by hand where nobody needs it.'],
  no_file: ['Remove it by hand where nobody needs it.'],
  not_allowed: ['The same command with `--yes` takes them away, into a backup.'],
}

/** The same words before a pull and after it. */
export const restoredFiles = (files: readonly { file: string; restored_by?: string | null }[], look: PullLook): string[] =>
  listed(
    ['Restored:', 'Earlier versions of these are current again in the library:'],
    files.flatMap(({ file, restored_by }) =>
      restored_by === undefined ? [] : `${file}, restored by ${restored_by ?? 'someone who left'}`,
    ),
    look,
  )

const olderVersions = (job: JobReport, look: PullLook): string[] =>
  listed(
    [
      'Older than before:',
      'This pull brings earlier versions of these files than were here. The library has both. `ph status` names what is newer in the library.',
    ],
    filesOf(job, 'updated').flatMap(({ file, object_id, replaced_object_id, restored_by }) =>
      restored_by === undefined && replaced_object_id !== undefined && replaced_object_id > object_id ? [file] : [],
    ),
    look,
  )

function obstacles(job: JobReport, look: PullLook): string[] {
  const { obstacles: found, status } = job
  if (found.length === 0) return []
  const title = status === 'failed' && !isPartly(job) ? 'Nothing is placed until all can be:' : 'In the way:'
  return ['', look.out.paint(['red', 'bold'], title), ...obstacleLines(found, look)]
}

/** Obstacles of one kind: the first few of them, and once what to do. */
export function obstacleLines(found: readonly Obstacle[], { out, verbose }: PullLook): string[] {
  return [...Map.groupBy(found, ({ kind }) => kind).values()].flatMap((group) => {
    const shown = verbose ? group : group.slice(0, mostAlike)
    return [
      ...shown.flatMap(({ message }) => wrap(printable(message), out.width, '  ')),
      ...more(group.length - shown.length),
      ...wrap(`→ ${group[0]?.next ?? ''}`, out.width, '    ').map((line) => out.paint('dim', line)),
    ]
  })
}
