/** What a look at a project came to, in words: sums first, then what differs, and what brings it together. */
import { basename, join, relative } from 'node:path'
import { deletedBy } from '../../../client/entries/deletion.ts'
import { inItsPlace } from '../../../client/entries/whose-prop.ts'
import { deletedWaysOut, twoWaysOut } from '../../../client/latest/ways-out.ts'
import { isSettled, type StatusFile, type StatusReport } from '../../../client/status/report.ts'
import { type FileState, fileStates } from '../../../contract/file-states.ts'
import { nameKey } from '../../../contract/names.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { waitingWords } from '../../pull-orders/waiting-words.ts'
import { count, number } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'
import { checkedOutWords } from './checked-out-words.ts'
import { actorLines, levelNews, levelsOf, partAdvice } from './level-words.ts'

export interface StatusLook {
  paint: Paint
  width: number
  cwd: string
  /** Name every file, current ones too. */
  all: boolean
  now: Date
}

/** Of each state, so many files are named. */
const mostNamed = 20
/** So many files that are not for the library are named. */
const mostSkipped = 3
/** So many ids still make a command line that can be copied. */
const mostInCommand = 50

/** What stands before each file, what its state is called in the sums, and as a title. */
const stateWords: Record<FileState, readonly [sign: string, sum: string, title: string]> = {
  current: ['=', 'current', 'Current'],
  modified: ['M', 'modified here', 'Modified here'],
  outdated: ['<', 'outdated, newer in the library', 'Outdated, newer in the library'],
  diverged: ['!', 'diverged, modified here and outdated', 'Diverged, modified here and outdated'],
  untracked: ['?', 'untracked, not in the library', 'Untracked, not in the library'],
  missing: ['-', 'missing here', 'Missing here'],
  moved: ['R', 'moved here', 'Moved here'],
  deleted: ['x', 'deleted in the library', 'Deleted in the library'],
  redirector: ['>', 'left by renames: redirectors', 'Redirectors, which renames left behind'],
}

export function statusWords(report: StatusReport, look: StatusLook): string[] {
  const groups = Map.groupBy(report.files, ({ state }) => state)
  const theirs = new Set(report.locks.flatMap(({ file, mine }) => (mine ? [] : file)))
  return [
    ...sums(report, look),
    ...fileStates.flatMap((state) =>
      group(state, groups.get(state) ?? [], { ...look, root: report.root, project: report.project, theirs }),
    ),
    ...levelNews(report, look),
    ...problems(report, look),
    ...skipped(report, look),
    ...checkedOutWords(report, look),
    ...waiting(report, look),
  ]
}

function waiting({ project, waiting: jobs }: StatusReport, look: StatusLook): string[] {
  const lines = project === null ? [] : waitingWords(jobs, project, look)
  return lines.length > 0 ? ['', ...lines] : []
}

function sums({ summary, root, url }: StatusReport, { paint, width: columns }: StatusLook): string[] {
  const parts: [number, string][] = [
    ...fileStates.map((state): [number, string] => [summary[state], stateWords[state][1]]),
    [summary.left_out, 'left out: no props'],
    [summary.failed, 'could not be read'],
  ]
  const shown = parts.filter(([amount]) => amount > 0)
  const width = Math.max(0, ...shown.map(([amount]) => number(amount).length))
  const lines = shown.map(([amount, what]) => `  ${paint('bold', number(amount).padStart(width))} ${what}`)
  return [...wrap(`${basename(root)} compared with ${url}:`, columns), ...(lines.length > 0 ? lines : ['  no props here'])]
}

type GroupLook = StatusLook &
  Pick<StatusReport, 'root' | 'project'> & {
    /** Files that someone else has checked out. */
    theirs: ReadonlySet<string>
  }

function group(state: FileState, files: readonly StatusFile[], look: GroupLook): string[] {
  if (files.length === 0) return []
  const [sign, , title] = stateWords[state]
  const { true: parts = [], false: others = [] } = Object.groupBy(files, ({ part }) => (part ? 'true' : 'false'))
  const shown = look.all ? others : others.slice(0, mostNamed)
  const hidden = others.length - shown.length
  return [
    '',
    look.paint(isSettled(state) ? 'bold' : ['yellow', 'bold'], `${title}:`),
    ...shown.flatMap((file) => lines(file, look)),
    ...(hidden > 0 ? [`  and ${number(hidden)} more (--all)`] : []),
    ...actorLines(sign, parts, look),
    ...[
      ...advice(state, state === 'deleted' ? others : files, look),
      ...partAdvice(state, parts, look),
      ...restoreAdvice(shown, look.project),
    ].flatMap((text) => wrap(`→ ${text}`, look.width, '    ').map((words) => look.paint('dim', words))),
  ]
}

/** The path from where the person stands, and how it is known where that is not plain. */
function lines(one: StatusFile, look: GroupLook): string[] {
  const { file, state, known_by, reverted_to, undone, deleted, redirects_to } = one
  const { root, cwd, paint, width } = look
  const [sign] = stateWords[state]
  const path = relative(cwd, join(root, file))
  const remarks = [
    ...(reverted_to ? [`${reverted_to.name} again`] : []),
    ...(undone ? [`${undone.name}, which is not current`] : []),
    ...(state === 'untracked' && known_by === 'path' ? [inItsPlace(one, look.project)] : []),
    ...(deleted ? [deletedBy(deleted)] : []),
    ...(redirects_to ? [`leads to ${redirects_to}`] : []),
    ...((known_by === 'guid' || known_by === 'redirector') && state !== 'deleted' && state !== 'moved' ? ['moved here'] : []),
    ...(look.theirs.has(file) && !isSettled(state) ? ['checked out by someone else, as below'] : []),
  ]
  const named = `  ${sign} ${printable(path)}`
  return remarks.length > 0 ? remarked(named, paint('dim', remarks.join(', ')), width) : [named]
}

/** A push sends nothing of these: the library has the bytes. */
function restoreAdvice(files: readonly StatusFile[], project: string | null): string[] {
  const versions = files.flatMap(({ reverted_to, undone }) => reverted_to ?? undone ?? [])
  const restoring = versions.map(({ name, restore }) => `To make ${name} current again: \`${restore}\``)
  if (versions.length === 0 || project === null) return restoring
  return [...restoring, `To bring what is current: \`ph pull --project ${shellWord(project)}\``]
}

function advice(state: FileState, all: readonly StatusFile[], { root, cwd, project, theirs }: GroupLook): string[] {
  const files = all.filter(({ reverted_to, undone }) => !reverted_to && !undone)
  if (files.length === 0) return []
  if (state === 'modified' || state === 'untracked' || state === 'moved') {
    const free = files.filter(({ file }) => !theirs.has(file))
    return free.length > 0 ? [`ph push ${pushed(free, root, cwd)}`] : []
  }
  if (state === 'outdated' || state === 'missing') return brought(files, project)
  if (state === 'diverged')
    return [
      'Until you choose one of these, a push does not send them:',
      ...twoWaysOut(files.map(({ file }) => relative(cwd, join(root, file)))),
    ]
  if (state === 'deleted')
    return ['A push does not send these by itself.', ...deletedWaysOut(files.map(({ file }) => relative(cwd, join(root, file))))]
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

/** Where the library was not asked: what lies in the project's Content folder has a place under /Game there, most likely. */
const isInContent = ({ file }: StatusFile): boolean => /^Content(\/[A-Za-z0-9_-]+)+\.[A-Za-z0-9]+$/i.test(file)

/** A pull brings what has a place under /Game, into a project; other files are downloaded. */
const canBePulled = (file: StatusFile): boolean =>
  file.face_origin_path === undefined ? isInContent(file) : file.face_origin_path !== null

const isMoved = ({ file, face_origin_path: now }: StatusFile): boolean =>
  typeof now === 'string' &&
  now.startsWith('/Game/') &&
  nameKey(`Content${now.slice('/Game'.length)}`) !== nameKey(file.replace(/\.[^./]*$/, ''))

const isRedirected = ({ entry_id, part }: StatusFile): boolean => entry_id === null && part === undefined

function brought(files: readonly StatusFile[], project: string | null): string[] {
  const { pull = [], download = [] } = Object.groupBy(files, (file) =>
    project !== null && canBePulled(file) ? 'pull' : 'download',
  )
  // In the old place of a prop may lie a redirector, which no entry brings by itself.
  const latest = pull.some((file) => file.state === 'outdated' && (isMoved(file) || isRedirected(file)))
    ? [`ph pull --project ${shellWord(project ?? '')}`]
    : undefined
  return [
    ...(latest ?? commandFor(pull, (ids) => `ph pull ${ids} --project ${shellWord(project ?? '')}`)),
    ...commandFor(download, (ids) => `ph download ${ids} --with-deps --to <folder>`),
  ]
}

/** A command for as many as a line takes: what it brought is not named the next time. Parts of levels have no entries: their levels bring them. */
function commandFor(files: readonly StatusFile[], command: (ids: string) => string): string[] {
  const ids = [...new Set(files.flatMap(({ entry_id }) => entry_id ?? []))]
  const words = [...ids, ...levelsOf(files.filter(({ entry_id }) => entry_id === null))]
  const others = words.length - mostInCommand
  return [
    ...(words.length > 0 ? [command(words.slice(0, mostInCommand).join(' '))] : []),
    ...(others > 0 ? [`Then \`ph status\` again names the other ${number(others)}.`] : []),
  ]
}

/** Names the files that every push leaves out. */
function skipped({ problems: found }: StatusReport, { paint, width, all }: StatusLook): string[] {
  const executables = found.filter(({ kind }) => kind === 'executable')
  return executables.flatMap(({ message, files, next }) => {
    const shown = all ? files : files.slice(0, mostSkipped)
    return [
      '',
      paint('bold', 'Not for the library:'),
      ...wrap(message, width, '  '),
      ...shown.map((file) => `    ${printable(file)}`),
      ...(files.length > shown.length ? [`    and ${number(files.length - shown.length)} more (--all)`] : []),
      ...wrap(`→ ${next}`, width, '    ').map((line) => paint('dim', line)),
    ]
  })
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
