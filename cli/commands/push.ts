/** `ph push`: sends folders and files to the library. */
import { resolve } from 'node:path'
import { findOutside, projectAround } from '../../client/project/outside-projects.ts'
import { findNamedPaths, placeInProject } from '../../client/project/paths.ts'
import type { HeldAnswer } from '../../client/push/held/answers.ts'
import { isPartly, type PushReport } from '../../client/push/report.ts'
import { exits } from '../../contract/errors.ts'
import { among, command, flag, text, texts, value } from '../command.ts'
import { requireWire } from '../connection.ts'
import { readText } from '../entries/note-text.ts'
import { tellUndo } from '../library.ts'
import { wrongUsage } from '../refusal.ts'
import { mayPush } from './push/consent.ts'
import { heldAnswers } from './push/held-questions.ts'
import { areOn, withPreviews } from './push/previews.ts'
import { runPush } from './push/run.ts'

export const commands = [
  command({
    usage: 'push [paths...]',
    description:
      'Reads what changed, sends what the library lacks, and registers everything with its class, version, dependencies and picture. What was pushed or pulled before continues its history. Then previews are made of what is new, for pages and programs that show props; Ctrl-C ends them and not the push. Running it again is safe and fast; after a failure it goes on where it stopped.',
    arguments: {
      paths: 'Content folders, other folders, or single files (default: the Content folders of the project that you are in)',
    },
    options: {
      dryRun: flag('--dry-run', 'only show what would happen'),
      note: value('--note <text>', 'what is new, kept with the new versions and shown in `ph history`', readText('--note')),
      pack: text('--pack <name>', 'put everything into this pack instead of one for each top folder'),
      variantGroup: text('--variant-group <label>', 'group the entries of this push as variants of each other'),
      all: flag('--all', 'push files of every kind, also those that are not props by their names'),
      noDeps: flag('--no-deps', 'push only the files that you name, not what they need'),
      attach: texts('--attach <path>', 'a held file: it is a new version of the prop it looks like (repeatable)'),
      asNew: texts('--new <path>', 'a held file: it is a prop of its own (repeatable)'),
      held: value(
        '--held <answer>',
        'attach or new, for every held file without an answer of its own; ask forgets what was answered so about props of other projects',
        among(['attach', 'new', 'ask'], readHeld),
      ),
      noPreviews: flag('--no-previews', 'make no previews after the push; the next push without it does'),
      yes: flag('--yes', 'push a folder outside of any Unreal project, or take away many actors of levels, without being asked'),
      verbose: flag('--verbose', 'name every file and tell every note, however many there are'),
    },
    examples: [
      ['push', 'send what is in the Content folders of the project that you are in'],
      ['push ./Content', 'send one of them'],
      ['push Content/Props/SM_Barrel.uasset', 'send a prop and what it needs'],
      ['push ./Content --dry-run', 'see what would happen first'],
      ['push ./Content --note "Straight table legs"', 'say what is new'],
      ['push ./Scans --yes --pack "Rock scans" --variant-group Boulders', 'source files, as variants in a pack of their own'],
      ['push ./Content --attach Content/SM_Old.uasset', 'decide about a file that an earlier push has held'],
    ],
    terms: {
      title: 'What a push also reads',
      list: [
        ['.phignore', 'in any folder: what to leave out, in the syntax of .gitignore'],
        ['*.uproject, *.uplugin', 'the nearest one above says what is /Game, and which engine made it'],
        ['PH_PREVIEWS=off', 'in the environment: make no previews after any push'],
      ],
    },
    exits: ['conflict', 'partly'],
    async run(context, input) {
      const isWhole = input.paths.length === 0
      const paths = isWhole ? [projectAround(placeInProject(context.cwd))] : input.paths.map((path) => resolve(context.cwd, path))
      const namedPaths = findNamedPaths(paths)
      const noPreviews = input.noPreviews || !areOn(context.env.PH_PREVIEWS)
      const wire = await requireWire(context)
      const { dryRun, all, noDeps, note, pack: packName, variantGroup } = input
      const about = { dryRun, all, noDeps, note, packName, variantGroup, askAgain: input.held === 'ask' }
      const options = { ...wire, paths, contentOnly: isWhole, ...about }
      const { out, cwd, now } = context
      const words = out.json ? undefined : await import('./push/words.ts')
      const show = (report: PushReport) =>
        words?.pushWords(report, { paint: out.paint, width: out.width, cwd, now: now(), verbose: input.verbose }) ?? []
      const showPlan = async () => {
        const plan = await runPush(context, { ...options, dryRun: true })
        out.lines(() => show(plan))
        return plan
      }
      const outside = dryRun ? [] : await findOutside(namedPaths, context.signal)
      if (!(await mayPush(context, { outside, given: input.yes, showPlan }))) return exits.done
      const flags = { attach: input.attach, asNew: input.asNew, rest: input.held === 'ask' ? undefined : input.held }
      const held = heldAnswers(context, flags, namedPaths.root)
      const { report } = await withPreviews(context, { wire, isOff: dryRun || noPreviews }, async (tell) => {
        const report = await runPush(context, { ...options, ...(input.yes ? { mayRemove: () => true } : {}), held, tell })
        return { report, show: () => show(report) }
      })
      if (!dryRun && report.summary.new > 0) tellUndo(context)
      return isPartly(report) ? exits.partly : exits.done
    },
  }),
]

function readHeld(given: string): HeldAnswer | 'ask' {
  if (given === 'attach') return 'continue'
  if (given === 'new' || given === 'ask') return given
  throw wrongUsage(
    `--held takes attach, new or ask, not "${given}".`,
    'attach makes them new versions, new makes them props of their own, ask forgets what was answered before.',
  )
}
