/** What the latest of a project left as it is, in words, each with the command that goes on from there. */
import { join, relative, sep } from 'node:path'
import { deletedBy } from '../../../client/entries/deletion.ts'
import type { Latest } from '../../../client/latest/latest.ts'
import { deletedWaysOut, twoWaysOut } from '../../../client/latest/ways-out.ts'
import type { PullTarget } from '../../../client/pull/target-project.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { count, number } from '../../terminal/amounts.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'
import type { PullLook } from './listed.ts'

export interface LatestLook {
  latest: Latest
  /** What is not here was asked for too. */
  all: boolean
  /** The pull has brought something. */
  came: boolean
  /** Files of which the report of the pull has told with their ways out. */
  told?: ReadonlySet<string>
  target: PullTarget
  cwd: string
  look: PullLook
}

/** Lists of files longer than this end in a line that says how many more there are. */
const mostFiles = 5

/** Something here is not current, and was not brought. */
export const staysOpen = ({ diverged, not_pulled }: Latest): boolean => diverged.length + not_pulled.length > 0

export function latestWords(one: LatestLook): string[] {
  const { latest, target } = one
  const typed = (files: readonly string[]) => files.map((file) => relative(one.cwd, join(target.root, file)))
  const isCurrent = latest.outdated.length === 0 && !staysOpen(latest)
  const diverged = latest.diverged.filter((file) => !one.told?.has(file))
  return [
    ...(isCurrent ? currentWords(one) : []),
    ...listed(one, diverged, {
      title: 'Diverged, modified here and outdated:',
      words: 'These stay as they are, and a push does not send them.',
      advice: twoWaysOut(typed(diverged)),
    }),
    ...listed(one, latest.not_pulled, {
      title: 'Outdated, and not pulled:',
      words: 'No prop of this project brings these into it.',
      advice: ['`ph status` names the command that brings each.'],
    }),
    ...listed(one, latest.deleted, {
      title: 'Deleted in the library:',
      words: 'These stay as they are.',
      advice: deletedWaysOut(typed(latest.deleted)),
      remarks: new Map(latest.deletions.map((one) => [one.file, `deleted in the library ${deletedBy(one)}`])),
    }),
    ...kept(one),
    ...notHere(one),
  ]
}

function currentWords({ latest: { from_library: known }, target, look, came }: LatestLook): string[] {
  const project = printable(target.project)
  if (known === null)
    return wrap(`The files of ${project} were not compared: the folder belongs to another project.`, look.out.width)
  if (known > 0) return wrap(`What ${project} has from the library is current.`, look.out.width)
  return came ? [] : wrap(`Nothing in ${project} is from the library.`, look.out.width)
}

interface Section {
  title: string
  words: string
  advice: readonly string[]
  /** What is said of each file, by file. */
  remarks?: ReadonlyMap<string, string>
}

function listed({ look }: LatestLook, files: readonly string[], { title, words, advice, remarks }: Section): string[] {
  const { out, verbose } = look
  if (files.length === 0) return []
  const shown = verbose ? files : files.slice(0, mostFiles)
  const hidden = files.length - shown.length
  return [
    '',
    out.paint(['yellow', 'bold'], title),
    ...wrap(words, out.width, '  '),
    ...shown.flatMap((file) => {
      const remark = remarks?.get(file)
      const named = `    ${printable(file)}`
      return remark === undefined ? [named] : remarked(named, out.paint('dim', printable(remark)), out.width)
    }),
    ...(hidden > 0 ? [`    and ${number(hidden)} more (--verbose)`] : []),
    ...advice.flatMap((text) => wrap(`→ ${text}`, out.width, '    ').map((line) => out.paint('dim', line))),
  ]
}

/** `ph pull` as it is typed for this project from where one stands. */
function command(what: string, { target, cwd }: LatestLook): string {
  const place = relative(cwd, target.root)
  const isInside = place.split(sep).every((part) => part === '' || part === '..')
  if (what === 'push') return isInside ? 'ph push' : `ph push ${shellWord(place)}`
  const isNamed = target.descriptor !== undefined
  const named = isNamed ? '' : ` --project ${shellWord(target.project)}`
  return isInside && isNamed ? `ph pull ${what}` : `ph pull ${what}${named} --into ${shellWord(place || '.')}`
}

function kept(one: LatestLook): string[] {
  const { modified } = one.latest
  if (modified.length === 0) return []
  const files = `${count(modified.length, 'file')} that you changed ${modified.length === 1 ? 'stays' : 'stay'} here: \`${command('push', one)}\``
  return ['', ...wrap(files, one.look.out.width)]
}

function notHere(one: LatestLook): string[] {
  const { latest, target, all, look } = one
  if (all) return []
  const [added, missing] = [latest.added?.length ?? 0, latest.missing.length]
  const said = [
    ...(added > 0
      ? [`${count(added, 'prop')} that others added to ${printable(target.project)} ${added === 1 ? 'is' : 'are'} not here`]
      : []),
    ...(missing > 0
      ? [`${count(missing, 'file')} that ${missing === 1 ? 'was' : 'were'} here ${missing === 1 ? 'is' : 'are'} gone`]
      : []),
  ]
  if (said.length === 0) return []
  return ['', ...wrap(`${said.join(', and ')}: \`${command('--all', one)}\``, look.out.width)]
}
