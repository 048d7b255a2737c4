/** Held files in words: what has to be decided about each, with the flags and commands that do it, ready to be copied. */
import { join, relative } from 'node:path'
import type { CurrentVersion } from '../../../client/entries/current-version.ts'
import { deletedBy } from '../../../client/entries/deletion.ts'
import { whoseProp } from '../../../client/entries/whose-prop.ts'
import { findProjectName } from '../../../client/project/unreal-project.ts'
import { isShared, unknownBase, wasDeleted } from '../../../client/push/held/why-held.ts'
import type { PushedItem, PushReport } from '../../../client/push/report.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { lockSentence } from '../../entries/lock-words.ts'
import { age, count, number } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { wrap } from '../../terminal/wrap.ts'

export interface HeldLook {
  paint: Paint
  width: number
  cwd: string
  now: Date
  verbose: boolean
}

/** Lists of held files longer than this end in a line that says how many more there are. */
const mostFiles = 5

/** The exact flags that decide about a held file, as they are typed here. */
export function flagsFor(file: string, { cwd, root }: { cwd: string; root: string }): { attach: string; asNew: string } {
  const typed = shellWord(relative(cwd, join(root, file)) || file)
  return { attach: `--attach ${typed}`, asNew: `--new ${typed}` }
}

/** `Harbor`, `Harbor and Castle`. */
export const namesInWords = (names: readonly string[]): string => printable(new Intl.ListFormat('en').format(names))

/** `v3 of entry 12 of Harbor was pushed by ada 2 hours ago; is yours made from it?` */
export const madeFromIt = ({ version, pushed_by, pushed_at, ...prop }: CurrentVersion, now: Date): string =>
  `v${version} of ${whoseProp(prop)} was pushed${pushed_by === null ? '' : ` by ${pushed_by}`} ${age(pushed_at, now)}; is yours made from it?`

/** `Harbor has it as /Game/Props/SM_Barrel (entry 12).` */
export function whoHasIt(others: readonly string[], { origin_path, entry_id }: CurrentVersion): string {
  const entry = entry_id === null ? '' : ` (entry ${entry_id})`
  return `${namesInWords(others)} ${others.length === 1 ? 'has' : 'have'} it${origin_path === null ? '' : ` as ${origin_path}`}${entry}.`
}

/** The command that brings the version of the library; a prop without a place under /Game can only be downloaded. */
export function takeTheirs({ entry_id, origin_path }: CurrentVersion, root: string): string | undefined {
  const project = findProjectName(root)
  if (entry_id === null) return undefined
  if (origin_path === null || project === undefined) return `ph download ${entry_id}`
  return `ph pull ${entry_id} --project ${shellWord(project)} --on-conflict overwrite`
}

export function heldWords({ items, root }: PushReport, look: HeldLook): string[] {
  const held = items.filter(({ status }) => status === 'held')
  const because = (because: string) => held.filter(({ reason }) => reason === because)
  const [unsure, alike, deleted] = [because(unknownBase), because('probable_lost_stamp'), because(wasDeleted)]
  const [shared, changed] = [because(isShared), because('parts_conflict')]
  const waiting = held.length - [unsure, alike, deleted, shared, changed].reduce((sum, list) => sum + list.length, 0)
  const project = findProjectName(root) ?? 'This folder'
  const advice = 'Push again with the flags that are true, or decide for all at once with'
  const section = (title: string, text: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', look.paint(['yellow', 'bold'], title), ...wrap(text, look.width, '  '), ...lines]
  const listed = (list: readonly PushedItem[]) => {
    const shown = look.verbose ? list : list.slice(0, mostFiles)
    const hidden = list.length - shown.length
    const more = hidden > 0 ? [`  and ${number(hidden)} more (--verbose)`] : []
    return [...shown.flatMap((item) => itemLines(item, { ...look, root })), ...more]
  }
  return [
    ...section(
      'Held: not sent yet',
      `Nothing on this machine says which version these were made from. ${advice} --held attach or --held new.`,
      listed(unsure),
    ),
    ...section(
      'Held: probably new versions',
      `These look like new versions of props that the library has, but do not say so. ${advice} --held attach or --held new.`,
      listed(alike),
    ),
    ...section(
      `Held: ${namesOf(shared)} ${othersOf(shared).length === 1 ? 'has' : 'have'} them too`,
      `${project} and ${namesOf(shared)} pushed the same files, and these are edits. A version for both would come to ${namesOf(shared)} with the next pull. Say with --held new that they are props of ${project} alone, or with --held attach that they are for all; the answer is remembered for this folder.`,
      listed(shared),
    ),
    ...section(
      'Held: deleted in the library',
      `Someone deleted these props. Remove the files, or bring them back as new props. ${advice} --held new.`,
      listed(deleted),
    ),
    ...section(
      'Held: others changed these actors too',
      'The level has theirs, and all else that you changed. Pull the level, which asks about each with `--on-conflict ask`, then push again.',
      changed.slice(0, look.verbose ? changed.length : mostFiles).map(({ file }) => `    ${printable(file)}`),
    ),
    ...(waiting > 0
      ? [`  ${count(waiting, 'other file')} ${waiting === 1 ? 'needs these and waits' : 'need these and wait'} for them.`]
      : []),
  ]
}

/** Names of the projects that have these props too. */
const othersOf = (items: readonly PushedItem[]): string[] => [
  ...new Set(items.flatMap(({ other_projects = [] }) => other_projects)),
]

const namesOf = (items: readonly PushedItem[]): string => namesInWords(othersOf(items))

type RootLook = HeldLook & { root: string }

/** The question, the flags that answer it, and the way to take theirs first. */
function itemLines(item: PushedItem, look: RootLook): string[] {
  const { file, candidate_lineage_id, current_version: current, deleted, other_projects: others } = item
  const { attach, asNew } = flagsFor(file, look)
  const isOfBoth = item.reason === isShared
  const theirs = current && !isOfBoth ? takeTheirs(current, look.root) : undefined
  const list: (readonly [typed: string, meaning: string])[] = [
    [asNew, deleted ? 'bring it back as a new prop' : isOfBoth ? 'a prop of this project alone' : 'no, it is a prop of its own'],
  ]
  if (candidate_lineage_id) list.unshift([attach, isOfBoth ? 'the next version, for all of them' : 'yes, it is the next version'])
  if (theirs !== undefined) list.push([theirs, tellTheirs(theirs)])
  return [
    `  ${look.paint('bold', printable(file))}`,
    ...(deleted ? wrap(`It was deleted ${printable(deletedBy(deleted))}.`, look.width, '    ') : []),
    ...(others && current ? wrap(printable(whoHasIt(others, current)), look.width, '    ') : []),
    ...(current && !isOfBoth ? wrap(printable(madeFromIt(current, look.now)), look.width, '    ') : []),
    ...(item.lock ? wrap(lockSentence(item.lock, look.now), look.width, '    ') : []),
    ...choices(list, look),
  ]
}

const tellTheirs = (theirs: string): string =>
  theirs.startsWith('ph pull') ? 'take theirs first; yours is kept as a backup' : 'look at theirs first'

/** What to type, and what it means: beside it, or below where there is no room. */
function choices(list: readonly (readonly [typed: string, meaning: string])[], { paint, width }: HeldLook): string[] {
  return list.flatMap(([typed, meaning]) =>
    4 + typed.length + 3 + meaning.length <= width
      ? [`    ${typed}   ${paint('dim', meaning)}`]
      : [`    ${typed}`, `      ${paint('dim', meaning)}`],
  )
}
