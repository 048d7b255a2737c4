/** `ph pull <files> --theirs` and `--mine`: what becomes of files that were edited here while another version became current. */
import { join, relative, resolve } from 'node:path'
import { findAgent } from '../../../client/desktop/agent.ts'
import type { NamedFiles } from '../../../client/latest/both-sides.ts'
import type { PullOptions } from '../../../client/pull/options.ts'
import { findTarget } from '../../../client/pull/target-project.ts'
import type { StatusFile } from '../../../client/status/report.ts'
import { exits } from '../../../contract/errors.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { count } from '../../terminal/amounts.ts'
import { wrap } from '../../terminal/wrap.ts'
import { exitOf } from './exit-code.ts'
import type { PullLook } from './listed.ts'
import { rememberTakenAway } from './taken-away.ts'
import { pullWords } from './words.ts'

export interface ChoosingSide {
  side: 'theirs' | 'mine'
  /** As they were typed. */
  files: readonly string[]
  /** All but the target: the files say which project it is. */
  options: Omit<PullOptions, 'target'>
  look: PullLook
  hide(): Promise<void>
}

export async function chooseSide(context: Context, choosing: ChoosingSide): Promise<number> {
  const { findEdited } = await import('../../../client/latest/both-sides.ts')
  const { options, files, hide } = choosing
  const { tell: _tell, ...wire } = options
  const paths = files.map((file) => resolve(context.cwd, file))
  const theirs = choosing.side === 'theirs'
  const named = await findEdited({ ...wire, cwd: context.cwd, paths, theirs }).finally(hide)
  if (named.edited.length === 0) throw notEdited(choosing)
  await answerAgent(context, choosing, named)
  return choosing.side === 'mine' ? keep(context, choosing, named) : take(context, choosing, named)
}

/** An import of the desktop agent may wait for this very answer, and holds up every other pull into the project meanwhile. */
async function answerAgent(context: Context, { side, options }: ChoosingSide, { root, edited }: NamedFiles): Promise<void> {
  const found = await findAgent(foldersOf(context)).catch(() => undefined)
  if (!found || found.presence.server !== options.url) return
  const paths = new Set(edited.map(({ file }) => join(root, file)))
  const answer = side === 'theirs' ? 'take_incoming' : 'keep_local'
  const { conflicts } = await found.api.agentConflicts.list().catch(() => ({ conflicts: [] }))
  // What was answered or is gone at this moment is pulled like any other file.
  for (const { id, path, state } of conflicts)
    if (state === 'asked' && paths.has(path)) await found.api.agentConflicts.answer({ conflict_id: id, answer }).catch(() => {})
}

const notEdited = ({ files }: ChoosingSide): Refusal =>
  new Refusal({
    code: 'NOT_EDITED',
    exit: exits.failed,
    message: `Nothing in ${printable(files.join(', '))} was changed here since it was pushed or pulled.`,
    next: 'See how files stand with `ph status`: it names those that were never pushed too. `ph pull` brings what is newer in the library.',
    details: { files },
  })

async function keep(context: Context, { options }: ChoosingSide, { root, edited }: NamedFiles): Promise<number> {
  const { keepMine } = await import('../../../client/latest/both-sides.ts')
  const kept = await keepMine(options, root, edited)
  const { out, cwd } = context
  out.result({ root, kept }, () => {
    const names = kept.map(({ file }) => `  ${printable(file)}`)
    const typed = kept.map(({ file }) => shellWord(relative(cwd, join(root, file))))
    const next = `ph push ${typed.slice(0, mostInCommand).join(' ')}`
    const head = `${count(kept.length, 'file counts', 'files count')} as made from the current version now:`
    return [...wrap(head, out.width), ...names, ...wrap(`→ ${next}`, out.width, '    ').map((line) => out.paint('dim', line))]
  })
  return exits.done
}

/** So many files still make a command line that can be copied. */
const mostInCommand = 20

async function take(context: Context, choosing: ChoosingSide, named: NamedFiles): Promise<number> {
  const { options, look, hide } = choosing
  const { root, project, edited } = named
  if (project === null) throw notPulled(edited)
  const target = findTarget({ cwd: root, project, into: root })
  const { findTheirs } = await import('../../../client/latest/both-sides.ts')
  const theirs = await findTheirs(options, target, edited)
  if (theirs.notPulled.length > 0) throw notPulled(theirs.notPulled)
  const { pull } = await import('../../../client/pull/pull.ts')
  const order = async () => theirs.entryIds.map((entry_id) => ({ entry_id }))
  const report = await pull({ ...options, target, order, theirs: theirs.lineages }).finally(hide)
  await rememberTakenAway(context, report)
  context.out.result(report, () => pullWords(report, look))
  return exitOf(report)
}

function notPulled(files: readonly StatusFile[]): Refusal {
  const [first] = files
  return new Refusal({
    code: 'NOT_PULLED',
    exit: exits.failed,
    message: `The library's version of ${printable(first?.file ?? '')} has no place in a project, so no pull brings it.`,
    next: `Bring it beside yours: \`ph download ${first?.entry_id ?? '<entry>'} --to <folder>\``,
    details: { files: files.map(({ file }) => file) },
  })
}
