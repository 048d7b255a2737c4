/** `ph pull`: brings entries, with everything they need, into a project. */

import { resolve } from 'node:path'
import { type ReferenceCalls, requireEntryIds } from '../../client/entries/reference.ts'
import type { PullEvent } from '../../client/progress.ts'
import type { ConflictAnswer, PullOptions } from '../../client/pull/options.ts'
import { findTarget } from '../../client/pull/target-project.ts'
import { ApiError, exits } from '../../contract/errors.ts'
import { shellWord } from '../../system/shell-word.ts'
import { among, command, flag, text, value } from '../command.ts'
import { requireWire } from '../connection.ts'
import type { Context } from '../context.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { requireCacheSize } from '../pull-orders/cache-room.ts'
import { readPrefer, readRoot } from '../pull-orders/input.ts'
import { Refusal, wrongUsage } from '../refusal.ts'
import { yesOption } from '../terminal/confirmation.ts'
import { openDisplay, type ProgressDisplay } from '../terminal/progress-display.ts'
import { chooseSide } from './pull/both-sides.ts'
import { askAboutConflicts } from './pull/conflict-questions.ts'
import { consent } from './pull/consent.ts'
import { exitOf } from './pull/exit-code.ts'
import { pullLatest } from './pull/latest.ts'
import type { PullLook } from './pull/listed.ts'
import { planWords } from './pull/plan-words.ts'
import { pullModel } from './pull/progress.ts'
import { rememberTakenAway } from './pull/taken-away.ts'
import { pullWords } from './pull/words.ts'

type ConflictChoice = ConflictAnswer | 'ask'

export const commands = [
  command({
    usage: 'pull [entries...]',
    description:
      'Places files under /Game where they were pushed from, so that references between them hold. Nothing is placed until every file has arrived, was checked and can be placed. A file that was changed here stays, unless you say otherwise. Without entries it brings the latest of the project: every file here that is from the library and not current, with what it needs, and what others have sent to the project. What others added to the project is counted, and comes with --all. After an interruption the same command goes on where it stopped.',
    arguments: { entries: `${entriesArgument}; files of the project with --theirs or --mine` },
    options: {
      project: text('--project <name>', 'name of the project as its .uproject file is named (default: the nearest one)'),
      into: text(
        '--into <folder>',
        'folder of the project; it may be empty, or not exist yet (default: the nearest of that name)',
      ),
      root: value(
        '--root <path>',
        'put everything below this folder, where references between the files break (default: the root of the project, /Game where no one chose another)',
        readRoot,
      ),
      plan: flag('--plan', 'only show what would happen'),
      onConflict: value(
        '--on-conflict <what>',
        'with files that differ here: keep (default), overwrite or ask; skip keeps them too, and reports them as skipped',
        among(['keep', 'overwrite', 'ask', 'skip'], readChoice),
      ),
      link: flag('--link', 'place read-only hard links into the content cache: no bytes are copied'),
      exact: flag('--exact', 'bring what they need in exactly the versions that they were pushed with, not in the current ones'),
      prefer: value(
        '--prefer <which>',
        'newest, which is always done now: of two versions of a prop with the same destination, take the newer',
        among(['newest'], readPrefer),
      ),
      theirs: flag(
        '--theirs',
        'of files that were changed here: take the current version of the library; yours is kept as a backup',
      ),
      mine: flag('--mine', 'of files that were changed here: keep yours, and count it as made from the current version'),
      all: flag('--all', 'without entries: bring what is not here too, what others added and what is missing'),
      yes: yesOption,
      verbose: flag('--verbose', 'name every file, however many there are'),
    },
    examples: [
      ['pull SM_Barrel --project Tavern', 'a prop and all it needs, into Tavern.uproject here or above'],
      ['pull SM_Barrel SM_Stool --plan', 'see first what would be added, and what is different here'],
      ['pull', 'get the latest of the project that you are in, and what others have sent to it'],
      ['pull --all --yes', 'all of it, also what was never here: for a fresh machine'],
      ['pull /Game/Maps/L_Inn --project Inn --into ./Inn', 'into a folder that need not be there yet'],
      ['pull Content/Props/SM_Barrel.uasset --mine', 'keep your edit, which the next push makes the next version'],
      ['pull SM_Barrel --on-conflict overwrite', 'take the version of the library; what was here is kept as a backup'],
    ],
    terms: {
      title: 'Settings',
      list: [
        ['PH_CACHE_SIZE', 'how much the content cache keeps for all projects of this machine, for example 50G (default: 20G)'],
      ],
    },
    exits: ['conflict', 'partly'],
    async run(context, input) {
      requireFitting(input)
      const onConflict = chooser(context, input.onConflict)
      const side = input.theirs ? 'theirs' : input.mine ? 'mine' : undefined
      const into = input.into === undefined ? undefined : resolve(context.cwd, input.into)
      const target = side ? undefined : findTarget({ cwd: context.cwd, project: input.project, into })
      const references = input.entries.length > 0 ? await readEntryList(context, input.entries) : undefined
      const wire = await requireWire(context)
      const display = openDisplay(context, pullModel)
      const { hide } = display
      const shared: Omit<PullOptions, 'target'> = {
        ...wire,
        targetRoot: input.root,
        isExact: input.exact,
        onConflict: onConflict(display),
        link: input.link,
        cacheBytes: requireCacheSize(context),
        mayTakeAway: consent(context, { yes: input.yes, display }),
        tell: display.tell,
      }
      const look = { out: context.out, verbose: input.verbose, now: context.now(), cwd: context.cwd }
      const work = () => {
        if (!target) return chooseSide(context, { side: side ?? 'mine', files: references ?? [], options: shared, look, hide })
        const options = { ...shared, target }
        const { all, plan: planOnly, yes } = input
        if (!references) return pullLatest(context, { options, look, hide, all, planOnly, yes })
        return pullNamed(context, { options, references, look, hide, planOnly })
      }
      return work().catch((error: unknown) => {
        if (context.signal.aborted) context.out.note('Stopped. The next pull into this project goes on from there.')
        throw withAdvice(error, references)
      })
    },
  }),
]

interface Fitting {
  entries: readonly string[]
  all: boolean
  theirs: boolean
  mine: boolean
  plan: boolean
}

/** Throws Refusal `USAGE` where options do not go together. */
function requireFitting({ entries, all, theirs, mine, plan }: Fitting): void {
  if (all && entries.length > 0)
    throw wrongUsage('--all is for a pull without entries.', 'Leave out the entries to bring all of the project.')
  if (theirs && mine) throw wrongUsage('--theirs cannot be combined with --mine.', 'Give one of them for each file.')
  if ((theirs || mine) && entries.length === 0)
    throw wrongUsage(
      '--theirs and --mine need files.',
      'Name the files, or a folder: `ph pull Content/Props/SM_Barrel.uasset --theirs`',
    )
  if ((theirs || mine) && plan)
    throw wrongUsage('--plan cannot be combined with --theirs or --mine.', 'See how a file stands with `ph status <file>`.')
}

interface PullingNamed {
  options: PullOptions
  references: readonly string[]
  look: PullLook
  hide(): Promise<void>
  planOnly: boolean
}

async function pullNamed(context: Context, { options, references, look, hide, planOnly }: PullingNamed): Promise<number> {
  const ordered: PullOptions = {
    ...options,
    order: async (api) => lookUp({ ...api, project: async () => options.target.project }, references),
  }
  if (planOnly) {
    const { planPull } = await import('../../client/pull/plan.ts')
    const plan = await planPull(ordered).finally(hide)
    context.out.result(plan, () => planWords(plan, look))
    return exits.done
  }
  const { pull } = await import('../../client/pull/pull.ts')
  const report = await pull(ordered).finally(hide)
  await rememberTakenAway(context, report)
  context.out.result(report, () => pullWords(report, look))
  return exitOf(report)
}

/** Ids need no look-up, and mostly scripts give them. */
async function lookUp(api: ReferenceCalls, references: readonly string[]) {
  const ids = await requireEntryIds(api, references)
  return ids.map((entry_id) => ({ entry_id }))
}

/** Versions that clash, and files without a place, are named by the library; what to type about it is known here. */
function withAdvice(error: unknown, references: readonly string[] | undefined): unknown {
  if (!(error instanceof ApiError && error.code === 'VALIDATION')) return error
  const { code, message, details } = error
  const errors = (Array.isArray(details.errors) ? details.errors : []) as (Record<string, unknown> | null)[]
  const refuse = (next: string) =>
    new Refusal({ code, exit: exits.usage, message: message.replace(/^entries: /, ''), next, details })
  if (errors.some((error) => Array.isArray(error?.object_ids)))
    return refuse('Two props cannot lie at one place: pull one of them, or the other into a folder of its own with --root.')
  if (errors.some((error) => typeof error?.source_ext === 'string'))
    return refuse(`Source files are downloaded: \`ph download ${typed(references)} --with-deps --to <folder>\``)
  return error
}

/** So many entries still make a command line that can be copied. */
const mostTyped = 8
const typed = (references: readonly string[] = []): string =>
  references.length === 0 || references.length > mostTyped ? '<entries>' : references.map(shellWord).join(' ')

function readChoice(given: string): ConflictChoice {
  if (given === 'keep' || given === 'overwrite' || given === 'skip' || given === 'ask') return given
  throw wrongUsage(`--on-conflict takes keep, overwrite, skip or ask, not "${given}".`, 'Leave it out to keep what is here.')
}

/** Asking needs someone to answer; the display makes room for the question. */
function chooser(context: Context, choice: ConflictChoice = 'keep') {
  if (choice === 'ask' && !context.interactive)
    throw wrongUsage('--on-conflict ask needs a terminal.', 'Say keep, overwrite or skip where nobody can answer.')
  return (display: ProgressDisplay<PullEvent>): PullOptions['onConflict'] =>
    choice !== 'ask'
      ? choice
      : async (conflicts) => {
          await display.hide()
          return askAboutConflicts(conflicts, context).finally(display.resume)
        }
}
