/** `ph push`: sends folders and files to the library. */
import { resolve } from 'node:path'
import type { PushOptions } from '../../client/push.ts'
import { findPlaces } from '../../client/push-paths.ts'
import { isPartly } from '../../client/push-report.ts'
import { exits } from '../../contract/errors.ts'
import { command, flag, text, texts, value } from '../command.ts'
import { requireWire } from '../connection.ts'
import { heldAnswers } from '../held-questions.ts'
import { openDisplay } from '../progress-display.ts'
import { pushModel } from '../push-progress.ts'
import { pushWords } from '../push-words.ts'
import { wrongUsage } from '../refusal.ts'

export const commands = [
  command({
    usage: 'push <paths...>',
    description:
      'Reads what changed, sends what the library lacks, and registers everything with its class, version, dependencies and picture. What was pushed or pulled before continues its history. Running it again is safe and fast; after a failure it goes on where it stopped.',
    arguments: { paths: 'Content folders, other folders, or single files' },
    options: {
      dryRun: flag('--dry-run', 'only show what would happen'),
      pack: text('--pack <name>', 'put everything into this pack instead of one for each top folder'),
      variantGroup: text('--variant-group <label>', 'group the entries of this push as variants of each other'),
      all: flag('--all', 'push files of every kind, also those that are no props by their names'),
      noDeps: flag('--no-deps', 'of single files, push only these and not what they need'),
      attach: texts('--attach <path>', 'a held file: it is a new version of the prop it looks like (repeatable)'),
      asNew: texts('--new <path>', 'a held file: it is a prop of its own (repeatable)'),
      held: value('--held <answer>', 'attach or new, for every held file without an answer of its own', readHeld),
      verbose: flag('--verbose', 'name every file, however many there are'),
    },
    examples: [
      ['push ./Content', 'send the Content folder of an Unreal project'],
      ['push Content/Props/SM_Barrel.uasset', 'send a prop and what it needs'],
      ['push ./Content --dry-run', 'see what would happen first'],
      ['push ./Scans --pack "Rock scans" --variant-group Boulders', 'source files, as variants in a pack of their own'],
      ['push ./Content --attach Content/SM_Old.uasset', 'decide about a file that an earlier push has held'],
    ],
    terms: {
      title: 'Files beside the sources',
      list: [
        ['.phignore', 'in any folder: what to leave out, in the syntax of .gitignore'],
        ['*.uproject, *.uplugin', 'the nearest one above says what is /Game, and which engine made it'],
      ],
    },
    exits: ['conflict', 'partly'],
    async run(context, input) {
      const paths = input.paths.map((path) => resolve(context.cwd, path))
      const { root } = findPlaces(paths)
      const wire = await requireWire(context)
      const { dryRun, all, noDeps, pack: packName, variantGroup } = input
      const { push } = await import('../../client/push.ts')
      const display = openDisplay(context, pushModel)
      const options: PushOptions = { ...wire, paths, dryRun, all, noDeps, packName, variantGroup }
      const flags = { attach: input.attach, asNew: input.asNew, rest: input.held }
      const decide = heldAnswers(context, flags, root)
      const held: PushOptions['held'] = async (items) => {
        await display.hide()
        const answers = await decide(items)
        display.resume()
        return answers
      }
      const report = await push({ ...options, held, tell: display.tell })
        .finally(display.hide)
        .catch((error: unknown) => {
          if (context.signal.aborted) context.out.note('Stopped. What was registered stays; the next push goes on from there.')
          throw error
        })
      const { out, cwd, stdout } = context
      const rows = out.terminal ? stdout.rows : undefined
      const look = { paint: out.paint, width: out.width, cwd, verbose: input.verbose, rows }
      context.out.result(report, () => pushWords(report, look))
      return isPartly(report) ? exits.partly : exits.done
    },
  }),
]

function readHeld(given: string): 'continue' | 'new' {
  if (given === 'attach') return 'continue'
  if (given === 'new') return 'new'
  throw wrongUsage(
    `--held takes attach or new, not "${given}".`,
    'attach makes them new versions, new makes them props of their own.',
  )
}
