/** Pull jobs in words: lists, what one brings, and how it went. */
import { versionName } from '../../client/entries/current-version.ts'
import type { MissingInProject } from '../../client/pull/missing-in-project.ts'
import type { PullJob, PullJobDetail } from '../../contract/pull-jobs.ts'
import type { PullReport } from '../../contract/pull-reports.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import type { Context } from '../context.ts'
import { missingWords } from '../entries/missing-dependency-words.ts'
import { typeWords } from '../entries/type-names.ts'
import { age, count, number, size } from '../terminal/amounts.ts'
import type { Output } from '../terminal/output.ts'
import { type Column, pad, table } from '../terminal/table.ts'
import { wrapAfter } from '../terminal/wrap.ts'

/** Names of people by their id in the library. */
export type People = ReadonlyMap<number, string>

/** `job 4`, `jobs 4 and 5`: those that one order came to. */
export const jobsNamed = (ids: readonly number[]): string =>
  ids.length === 1 ? `job ${ids[0]}` : `jobs ${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}`

const personOf = (people: People, id: number | null): string => (id === null ? '-' : (people.get(id) ?? `user ${id}`))

export function jobTable(jobs: readonly PullJob[], people: People, { out, now }: Context): string[] {
  const today = now()
  const columns: Column<PullJob>[] = [
    { title: 'JOB', value: (job) => job.id, right: true },
    { title: 'PROJECT', value: (job) => job.target_project, cut: 'end' },
    { title: 'STATUS', value: (job) => job.status },
    { title: 'ENTRIES', value: (job) => job.entry_count, right: true, spare: true },
    { title: 'FILES', value: (job) => job.object_count, right: true, spare: 'late' },
    { title: 'SIZE', value: (job) => size(job.total_bytes), right: true, spare: 'late' },
    { title: 'FOR', value: (job) => personOf(people, job.requested_by), cut: 'end' },
    { title: 'ORDERED', value: (job) => age(job.created_at, today), spare: 'late' },
    { title: 'CLAIMED BY', value: (job) => personOf(people, job.claimed_by), cut: 'end', spare: true },
    { title: 'DELIVERY', value: (job) => job.delivery, spare: true },
    ...(jobs.some(({ note }) => note)
      ? [{ title: 'NOTE', value: ({ note }: PullJob) => note ?? '', cut: 'end', spare: true } as const]
      : []),
  ]
  return table(jobs, columns, out)
}

const mostEntries = 20
const labelWidth = 12

/** One job: facts, entries, and its report once there is one. */
export function jobDescription(
  job: PullJobDetail & MissingInProject,
  people: People,
  context: Context & { all: boolean },
): string[] {
  const { out, all } = context
  const title = (text: string) => ['', out.paint('bold', text)]
  const entries = all ? job.entries : job.entries.slice(0, mostEntries)
  const hidden = job.entries.length - entries.length
  return [
    `${out.paint('bold', `Pull job ${job.id}`)}  ${printable(job.status)}`,
    '',
    ...jobFacts(job, people, context),
    ...title(count(job.entry_count, 'entry', 'entries')),
    ...entryTable(entries, out),
    ...(hidden > 0 ? [`and ${hidden} more (--all)`] : []),
    ...missingWords(job, { out, entries: job.entries.length, all, allFlag: '--all' }),
    ...(job.report_json ? [...title('Report'), ...reportTable(job.report_json, context)] : []),
  ]
}

function jobFacts(job: PullJobDetail, people: People, { out, now }: Context): string[] {
  const today = now()
  const facts: [name: string, value: string | null][] = [
    ['project', job.target_project],
    ['into', job.target_root],
    ['files', `${count(job.object_count, 'file')}, ${size(job.total_bytes)}`],
    ['note', job.note ?? null],
    ['part', job.slice ? partWords(job.slice) : null],
    ['ordered', `${age(job.created_at, today)} by ${personOf(people, job.requested_by)}`],
    ['claimed', job.claimed_by === null ? null : `by ${personOf(people, job.claimed_by)}`],
    ['engine', job.engine_version],
    [
      'delivery',
      job.delivery === 'agent'
        ? `by the desktop agent, a colleague’s once they allow it; or by hand: ph pull --project ${shellWord(job.target_project)}`
        : `by hand: ph pull --project ${shellWord(job.target_project)}`,
    ],
    ['changed', age(job.updated_at, today)],
    ['failed', job.failure_reason],
  ]
  return facts.flatMap(([name, value]) =>
    value === null ? [] : wrapAfter(out.paint('dim', pad(name, labelWidth)), printable(value), out.width),
  )
}

/** Why something was sent, in the words of its sender. */
export const noteLines = (note: string | null | undefined, { width }: Output): string[] =>
  note ? wrapAfter('  ', `“${printable(note)}”`, width) : []

/** Who sent jobs that waited, and why. */
export function sentLines({ sent_by, note }: { sent_by: string | null; note: string | null }, out: Output): string[] {
  const by = sent_by === null ? [] : wrapAfter('  ', `sent by ${printable(sent_by)}`, out.width)
  return [...by, ...noteLines(note, out)]
}

const partWords = ({ from, count: files, total }: NonNullable<PullJob['slice']>): string =>
  `files ${number(from + 1)} to ${number(from + files)} of ${number(total)} of one order`

export function entryTable(entries: PullJobDetail['entries'], out: Output): string[] {
  const columns: Column<PullJobDetail['entries'][number]>[] = [
    { title: 'ENTRY', value: (entry) => entry.entry_id, right: true },
    { title: 'NAME', value: (entry) => entry.name, cut: 'middle' },
    { title: 'TYPE', value: (entry) => typeWords(entry.entry_type) + (entry.status === 'deprecated' ? ' (deprecated)' : '') },
    { title: 'VERSION', value: versionName, right: true, spare: true },
  ]
  return table(entries, columns, out)
}

interface ReportLine {
  outcome: string
  asset_name: string | null
  destination: string
  remark: string
}

/** What needs a look comes first. */
function reportLines({ added, skipped_identical, conflicts, failed }: PullReport): ReportLine[] {
  const line = (
    outcome: string,
    { asset_name, destination }: PullReport['skipped_identical'][number],
    remark = '',
  ): ReportLine => ({
    outcome,
    asset_name,
    destination,
    remark,
  })
  const resolutions = { keep_local: 'the local file was kept', overwrite: 'the local file was replaced', skip: 'left alone' }
  return [
    ...failed.map((item) => line('failed', item, item.error)),
    ...conflicts.map((item) => line('conflict', item, resolutions[item.resolution])),
    ...added.map((item) => line(item.action === 'add' ? 'added' : 'replaced', item)),
    ...skipped_identical.map((item) => line('identical', item)),
  ]
}

function reportTable(report: PullReport, { out, all }: Context & { all: boolean }): string[] {
  const { added, skipped_identical, conflicts, failed } = report
  const sums: [number, string][] = [
    [added.length, 'added'],
    [skipped_identical.length, 'there already'],
    [conflicts.length, conflicts.length === 1 ? 'conflict' : 'conflicts'],
    [failed.length, 'failed'],
  ]
  const said = sums.flatMap(([amount, what]) => (amount > 0 ? [`${amount} ${what}`] : []))
  const lines = reportLines(report)
  const shown = all ? lines : lines.slice(0, mostEntries)
  const columns: Column<ReportLine>[] = [
    { title: 'OUTCOME', value: ({ outcome }) => outcome },
    { title: 'NAME', value: ({ asset_name }) => asset_name ?? '-', cut: 'middle' },
    { title: 'PLACE', value: ({ destination }) => destination, cut: 'middle' },
    { title: 'REMARK', value: ({ remark }) => remark, cut: 'end', spare: lines.every(({ remark }) => remark === '') },
  ]
  return [
    said.join(', '),
    ...table(shown, columns, out),
    ...(lines.length > shown.length ? [`and ${lines.length - shown.length} more (--all)`] : []),
  ]
}
