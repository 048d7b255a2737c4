/** What a look at a project came to, in words: sums first, then what differs, and what brings it together. */
import { basename, join, relative } from 'node:path'
import { type FileState, fileStates, type StatusFile, type StatusReport } from '../client/status-report.ts'
import { count, number } from './amounts.ts'
import type { Paint } from './output.ts'
import { printable } from './printable.ts'
import { shellWord } from './shell-word.ts'
import { wrap } from './wrap.ts'

export interface StatusLook {
  paint: Paint
  width: number
  cwd: string
  /** Name every file, identical ones too. */
  all: boolean
  /** Name of the project that pulls are for; undefined where there is none. */
  project: string | undefined
}

/** Of each state, so many files are named. */
const mostNamed = 20
/** So many entries still make a command line that can be copied. */
const mostInCommand = 8

/** What stands before each file, what its state is called in the sums, and as a title. */
const stateWords: Record<FileState, readonly [sign: string, sum: string, title: string]> = {
  identical: ['=', 'identical', 'Identical'],
  changed: ['M', 'changed here', 'Changed here'],
  newer: ['<', 'newer there', 'Newer there'],
  both: ['!', 'changed here and newer there', 'Changed here and newer there'],
  unknown: ['?', 'unknown to the library', 'Unknown to the library'],
  missing: ['-', 'missing here', 'Missing here'],
}

export function statusWords(report: StatusReport, look: StatusLook): string[] {
  const groups = Map.groupBy(report.files, ({ state }) => state)
  return [
    ...sums(report, look),
    ...fileStates.flatMap((state) => group(state, groups.get(state) ?? [], { ...look, root: report.root })),
    ...problems(report, look),
  ]
}

function sums({ summary, root, url }: StatusReport, { paint, width: columns }: StatusLook): string[] {
  const parts: [number, string][] = [
    ...fileStates.map((state): [number, string] => [summary[state], stateWords[state][1]]),
    [summary.left_out, 'no props'],
    [summary.failed, 'could not be read'],
  ]
  const shown = parts.filter(([amount]) => amount > 0)
  const width = Math.max(0, ...shown.map(([amount]) => number(amount).length))
  const lines = shown.map(([amount, what]) => `  ${paint('bold', number(amount).padStart(width))} ${what}`)
  return [...wrap(`${basename(root)} beside ${url}:`, columns), ...(lines.length > 0 ? lines : ['  no props here'])]
}

type GroupLook = StatusLook & { root: string }

function group(state: FileState, files: readonly StatusFile[], look: GroupLook): string[] {
  if (files.length === 0) return []
  const [, , title] = stateWords[state]
  const shown = look.all ? files : files.slice(0, mostNamed)
  const hidden = files.length - shown.length
  return [
    '',
    look.paint(state === 'identical' ? 'bold' : ['yellow', 'bold'], `${title}:`),
    ...shown.map((file) => line(file, look)),
    ...(hidden > 0 ? [`  and ${number(hidden)} more (--all)`] : []),
    ...advice(state, files, look).flatMap((text) =>
      wrap(`→ ${text}`, look.width, '    ').map((words) => look.paint('dim', words)),
    ),
  ]
}

/** The path from where the person stands, and how it is known where that is not plain. */
function line({ file, state, known_by, entry_id }: StatusFile, { root, cwd, paint }: GroupLook): string {
  const [sign] = stateWords[state]
  const path = relative(cwd, join(root, file))
  const entry = entry_id === null ? '' : `entry ${entry_id}`
  const remarks = [
    ...(state === 'unknown' && known_by === 'path' ? [`${entry || 'another file'} is in this place`] : []),
    ...(known_by === 'guid' ? [`moved, ${entry}`] : []),
    ...(known_by === 'memory' && (state === 'newer' || state === 'both' || state === 'missing') && entry ? [entry] : []),
  ]
  return `  ${sign} ${printable(path)}${remarks.length > 0 ? `  ${paint('dim', remarks.join(', '))}` : ''}`
}

function advice(state: FileState, files: readonly StatusFile[], { root, cwd, project }: GroupLook): string[] {
  if (state === 'changed' || state === 'unknown') return [`ph push ${pushed(files, root, cwd)}`]
  if (state === 'newer' || state === 'missing') return [pulled(files, project)]
  if (state === 'both')
    return [
      'Look at the newer version with `ph history <entry>`, bring your change to it, then `ph push`. Until then a push leaves these alone.',
    ]
  return []
}

/** One file by its name, more by the folder that holds them all. */
function pushed(files: readonly StatusFile[], root: string, cwd: string): string {
  const [first, ...others] = files.map(({ file }) => file.split('/'))
  if (!first) return '.'
  let common = others.length === 0 ? first : first.slice(0, -1)
  for (const parts of others) {
    const end = common.findIndex((part, at) => parts[at] !== part)
    if (end !== -1) common = common.slice(0, end)
  }
  return shellWord(relative(cwd, join(root, ...common)) || '.')
}

function pulled(files: readonly StatusFile[], project: string | undefined): string {
  const entries = [...new Set(files.flatMap(({ entry_id }) => entry_id ?? []))]
  const named = entries.length > 0 && entries.length <= mostInCommand ? entries.join(' ') : '<entries>'
  return `ph pull ${named} --project ${project === undefined ? '<name>' : shellWord(project)}`
}

/** What could not be looked at. */
function problems(report: StatusReport, { paint, width, all }: StatusLook): string[] {
  const failed = report.problems.filter(({ weight }) => weight === 'failed')
  const shown = all ? failed : failed.slice(0, mostNamed)
  if (failed.length === 0) return []
  return [
    '',
    paint(['red', 'bold'], 'Could not be looked at:'),
    ...shown.flatMap(({ message }) => wrap(printable(message), width, '  ')),
    ...(failed.length > shown.length ? [`  and ${count(failed.length - shown.length, 'more problem')} (--all)`] : []),
  ]
}
