/** What a push came to, in words: what is new, what to know, what to decide, what failed, and last of all the sums. */
import { join, relative } from 'node:path'
import { partNameOf } from '../../../client/entries/part-names.ts'
import { twoWaysOut } from '../../../client/latest/ways-out.ts'
import type { PushedItem, PushReport, PushStatus } from '../../../client/push/report.ts'
import { isLevelPart, isPartOf } from '../../../contract/level-parts.ts'
import { printable } from '../../../system/printable.ts'
import { className } from '../../entries/type-names.ts'
import { count, duration, number, size } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { wrap } from '../../terminal/wrap.ts'
import { answeredWords } from './answered-words.ts'
import { heldWords } from './held-words.ts'
import { lockedWords } from './locked-words.ts'
import { adviceLines, fileLines, problemWords } from './notes.ts'

export interface PushLook {
  paint: Paint
  width: number
  cwd: string
  now: Date
  /** Name every file, however many there are, and tell every note. */
  verbose: boolean
}

/** Of each level, so many actors are named. */
const mostLabels = 5
/** A push of at most so many new files names each. */
const mostNamed = 12

/** The whole report as lines. The sums stand at the end, where the eye is when a push is done. */
export function pushWords(report: PushReport, look: PushLook): string[] {
  const lines = [
    ...newItems(report, look),
    ...levelWords(report, look),
    ...answeredWords(report, look),
    ...problemWords(report, 'left-out', look),
    ...problemWords(report, 'note', look),
    ...problemWords(report, 'warning', look),
    ...setAside(report, look),
    ...lockedWords(report, look),
    ...heldWords(report, look),
    ...problemWords(report, 'failed', look),
  ]
  const above = lines[0] === '' ? lines.slice(1) : lines
  return [...above, ...(above.length > 0 ? [''] : []), ...sums(report, look)]
}

/** How many files had which outcome; outcomes without a file are left out. */
function sumParts({ summary, items }: PushReport): [number, string][] {
  const versions = items.filter(({ status, parent_object_id }) => status === 'new' && parent_object_id !== null).length
  const parts: [number, string][] = [
    [summary.new - versions, 'new'],
    [versions, versions === 1 ? 'new version' : 'new versions'],
    [summary.dedup, 'there already'],
    [summary.left_out, 'skipped'],
    [summary.held, 'held'],
    [summary.outdated, 'outdated'],
    [summary.locked, 'locked'],
    [summary.denied, 'denied'],
    [summary.failed, 'failed'],
  ]
  return parts.filter(([amount]) => amount > 0)
}

function sums(report: PushReport, { paint, width: columns }: PushLook): string[] {
  const { summary, bytes, took_ms, dry_run, url, note_dropped } = report
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
    ...(note_dropped
      ? wrap(`The note was not kept: notes belong to new versions, and there ${dry_run ? 'would be' : 'is'} none.`, columns, '  ')
      : []),
  ]
}

/** What became of the actors of levels, by their labels: `L_Inn: 3 added, 1 changed (Door_2), 1 removed`. */
function levelWords({ items, root }: PushReport, { width, paint, verbose }: PushLook): string[] {
  const fresh = items.filter(({ status }) => status === 'new')
  const lines = items.flatMap(({ name, parts, origin_path }) => {
    if (!parts || parts.added + parts.changed + parts.removed === 0) return []
    const own = fresh.filter((item) => isPartOf(item.origin_path ?? '', origin_path ?? ''))
    const said = [
      amountOf([parts.added, 'added'], labelsOf(root, { items: own.filter(isFirst), verbose })),
      amountOf([parts.changed, 'changed'], labelsOf(root, { items: own.filter((item) => !isFirst(item)), verbose })),
      amountOf([parts.removed, 'removed'], ''),
    ].flat()
    return wrap(`${printable(name)}: ${said.join(', ')}`, width, '  ')
  })
  return lines.length > 0 ? ['', paint('bold', 'Actors of levels:'), ...lines] : []
}

const isFirst = ({ parent_object_id }: PushedItem): boolean => parent_object_id === null

const amountOf = ([amount, what]: readonly [number, string], labels: string): string[] =>
  amount > 0 ? [`${number(amount)} ${what}${labels}`] : []

function labelsOf(root: string, { items, verbose }: { items: readonly PushedItem[]; verbose: boolean }): string {
  const shown = verbose ? items : items.slice(0, mostLabels)
  const labels = shown
    .flatMap(({ file, asset_class: className }) => partNameOf(root, file, { className })?.label ?? [])
    .map((label) => printable(label))
  const more = items.length > shown.length ? ['…'] : []
  return labels.length > 0 ? ` (${[...labels, ...more].join(', ')})` : ''
}

/** Few new files are named; many are a number. Those of one name are told apart by their folders. */
function newItems({ items }: PushReport, { paint, verbose }: PushLook): string[] {
  const fresh = items.filter(({ status, origin_path }) => status === 'new' && !isLevelPart(origin_path ?? ''))
  if (fresh.length === 0 || (fresh.length > mostNamed && !verbose)) return []
  const named = Map.groupBy(fresh, ({ name }) => name.toLowerCase())
  const line = ({ name, asset_class, parent_object_id, file, renamed_from }: PushedItem) => {
    const folder = (named.get(name.toLowerCase()) ?? []).length > 1 ? [`in ${folderOf(file)}`] : []
    const version = parent_object_id === null ? [] : ['new version']
    const renamed = renamed_from === undefined ? [] : [`renamed from ${renamed_from}`]
    const what = [className(asset_class), ...version, ...renamed, ...folder].join(', ')
    return `  + ${printable(name)}  ${paint('dim', printable(what))}`
  }
  return fresh.map(line)
}

const folderOf = (file: string): string => file.slice(0, Math.max(file.lastIndexOf('/'), 0)) || 'the folder itself'

const asideWords = {
  outdated: ['Outdated:', 'Another version became current after yours was taken, so these were not sent.'],
  denied: ['Denied:', 'These are on the denylist of the workspace, or need something that is. Ask an admin why.'],
} as const satisfies Partial<Record<PushStatus, readonly [string, string]>>

function setAside(report: PushReport, look: PushLook): string[] {
  const { items } = report
  return (Object.keys(asideWords) as (keyof typeof asideWords)[]).flatMap((status) => {
    const files = items
      .filter((item) => item.status === status)
      .map(({ file, entry_id }) => (entry_id ? `${file} (entry ${entry_id})` : file))
    const [title, advice] = asideWords[status]
    if (files.length === 0) return []
    const ways = status === 'outdated' ? outdatedWays(report, look) : []
    return ['', look.paint(['yellow', 'bold'], title), ...adviceLines(advice, look), ...fileLines(files, look), ...ways]
  })
}

function outdatedWays({ items, root }: PushReport, { cwd, width, paint }: PushLook): string[] {
  const files = items.flatMap(({ status, file, asset_class }) =>
    status === 'outdated' && asset_class !== 'ObjectRedirector' ? relative(cwd, join(root, file)) : [],
  )
  return twoWaysOut(files).flatMap((text) => wrap(`→ ${text}`, width, '    ').map((line) => paint('dim', line)))
}
